package insights

// grain is what a measure counts.
type grain int

const (
	ofRequests grain = iota
	ofWaits          // waits for an answer: one row of response_facts each
	ofSessions       // sessions of the virtual agent
)

// valueType is the type of a measure's value.
type valueType string

const (
	integer valueType = "integer"
	number  valueType = "number"
)

// Measure is a number that can be asked for.
type Measure struct {
	Name    string // Requests.count
	Meaning string
	Type    valueType
	Unit    string // minutes, percent, points; empty for a count

	grain grain
	// holds says which rows of the grain it counts. sum, if set, is what it adds up
	// instead.
	holds condition
	sum   string
	// of is what it is the mean or a quantile of. quantile says which; 0 means the
	// mean. Durations are stored in hundredths of a minute, as integers, so that
	// their sums do not depend on the order. scale is how many make one unit.
	of       expression
	quantile float64
	scale    float64
	// part and whole are the measures whose ratio it is, in per cent.
	part, whole string
}

// count returns a measure that counts the rows of a grain that match.
func count(name, meaning string, g grain, holds ...test) Measure {
	return Measure{Name: prefix + name, Meaning: meaning, Type: integer, grain: g, holds: holds}
}

// total returns a measure that sums a column of a grain.
func total(name, meaning string, g grain, column string) Measure {
	return Measure{Name: prefix + name, Meaning: meaning, Type: integer, grain: g, sum: column}
}

// percent returns a measure of how much of the whole its part is.
func percent(name, meaning, part, whole string) Measure {
	return Measure{Name: prefix + name, Meaning: meaning, Type: number, Unit: "percent", part: prefix + part, whole: prefix + whole}
}

// lengths returns the five measures of a column: its average and four quantiles.
func lengths(name, meaning, unit string, g grain, of expression, scale float64) []Measure {
	all := []Measure{{Name: prefix + name + "_avg", Meaning: meaning + ": the average.", Type: number, Unit: unit, grain: g, of: of, scale: scale}}
	for _, q := range []struct {
		suffix string
		of     float64
		word   string
	}{{"_p50", 0.5, "half of them are at most this"}, {"_p75", 0.75, "three quarters of them are at most this"}, {"_p90", 0.9, "nine tenths of them are at most this"}, {"_p95", 0.95, "95 of a hundred are at most this"}} {
		all = append(all, Measure{Name: prefix + name + q.suffix, Meaning: meaning + ": " + q.word + ".", Type: number, Unit: unit, grain: g, of: of, quantile: q.of, scale: scale})
	}
	return all
}

// perMinute is how many stored units make a minute.
const perMinute = 100

// prefix is the beginning of every name.
const prefix = "Requests."

// Measures lists all of them.
var Measures = join(
	[]Measure{
		count("count", "Requests.", ofRequests),
		count("first_response_request_count", "Requests that have had a first response.", ofRequests, isThere("f.first_response")),
	},
	lengths("response_times", "Minutes from a requester's message to the next reply of a responder", "minutes", ofWaits, expression{column: "w.length"}, perMinute),
	[]Measure{{Name: prefix + "resolution_time", Meaning: "Minutes from the request to its resolution: the average.", Type: number, Unit: "minutes", grain: ofRequests, of: expression{column: "f.resolution"}, scale: perMinute}},
	lengths("resolution_time", "Minutes from the request to its resolution", "minutes", ofRequests, expression{column: "f.resolution"}, perMinute),
	lengths("first_response_time", "Minutes from the request to the first response", "minutes", ofRequests, expression{column: "f.first_response"}, perMinute),
	lengths("first_resolution_time", "Minutes from the request to its first resolution", "minutes", ofRequests, expression{column: "f.first_resolution"}, perMinute),
	[]Measure{
		count("first_response_time_sla_request_count", "Requests to which a policy for the first response applies.", ofRequests, is("f.first_response_sla")),
		count("resolution_time_sla_request_count", "Requests to which a policy for the resolution applies.", ofRequests, is("f.resolution_sla")),
		count("one_touch_resolution_sla_request_count", "Requests to which a policy of one touch applies.", ofRequests, is("f.one_touch_sla")),
		count("first_response_sla_breached", "Requests whose first response came, or is, later than promised.", ofRequests, hasCome("f.first_response_late_at")),
		count("resolution_time_sla_breached", "Requests whose resolution came, or is, later than promised.", ofRequests, hasCome("f.resolution_late_at")),
		count("one_touch_resolution_breached", "Requests resolved with more replies than promised.", ofRequests, is("f.one_touch_late")),
		percent("first_response_sla_breached_percent", "Of the requests with a policy for the first response, those that breached it.", "first_response_sla_breached", "first_response_time_sla_request_count"),
		percent("resolution_time_sla_breached_percent", "Of the requests with a policy for the resolution, those that breached it.", "resolution_time_sla_breached", "resolution_time_sla_request_count"),
		percent("one_touch_resolution_breached_percent", "Of the requests with a policy of one touch, those that breached it.", "one_touch_resolution_breached", "one_touch_resolution_sla_request_count"),
		count("requests_in_solved_state", "Requests that are solved.", ofRequests, isAmong("f.state", "solved")),
		count("first_resolution_requests_count", "Requests that have been resolved at least once.", ofRequests, isThere("f.first_resolution")),
		count("resolved_requests_count", "Requests that are solved or closed.", ofRequests, isAmong("f.state", "solved", "closed")),
		percent("resolution_rate_percent", "Of the requests, those that are solved or closed.", "resolved_requests_count", "count"),

		total("agent_trigger_count", "How often the virtual agent was called.", ofSessions, "s.triggers"),
		total("agent_response_count", "Messages that the virtual agent sent.", ofSessions, "s.responses"),
		total("agent_answer_count", "Messages of the virtual agent with a generated answer.", ofSessions, "s.answers"),
		total("agent_positive_feedback_count", "How often somebody pressed that the virtual agent has solved it.", ofSessions, "s.positive_feedback"),
		total("agent_negative_feedback_count", "How often somebody wanted a ticket from the virtual agent.", ofSessions, "s.negative_feedback"),
		count("virtual_agent_session_count", "Conversations that the virtual agent took part in.", ofSessions),
		count("virtual_agent_session_with_resolution_attempt_count", "Sessions with a generated answer.", ofSessions, isSome("s.answers")),
		percent("virtual_agent_resolution_attempt_rate_percent", "Of the sessions, those with a generated answer.", "virtual_agent_session_with_resolution_attempt_count", "virtual_agent_session_count"),
		count("virtual_agent_deflected_session_count", "Sessions with a generated answer whose request no responder answered and nobody made a ticket of.", ofSessions, isSome("s.answers"), isNot("f.is_answered"), isNot("f.has_ticket")),
		percent("virtual_agent_deflection_rate_percent", "Of the sessions, those that were deflected.", "virtual_agent_deflected_session_count", "virtual_agent_session_count"),
		count("virtual_agent_positive_feedback_count", "Sessions in which somebody pressed that it is solved.", ofSessions, isSome("s.positive_feedback")),
		count("virtual_agent_negative_feedback_count", "Sessions in which somebody wanted a ticket.", ofSessions, isSome("s.negative_feedback")),

		count("csat_triggered_request_count", "Requests with a survey of five points.", ofRequests, isEqual("f.survey_points", 5)),
		count("csat_received_request_count", "Requests whose survey of five points was answered.", ofRequests, isEqual("f.survey_points", 5), isThere("f.survey_value")),
		percent("csat_response_percent", "Of the surveys of five points, those that were answered.", "csat_received_request_count", "csat_triggered_request_count"),
	},
	lengths("csat_score", "Answers to surveys of five points", "points", ofRequests, expression{column: "f.survey_value", points: 5}, 1),
	[]Measure{
		count("csat_received_request_count_two_point_survey", "Requests whose survey of two points was answered.", ofRequests, isEqual("f.survey_points", 2), isThere("f.survey_value")),
		count("csat_two_point_positive_responses_count", "Thumbs up.", ofRequests, isEqual("f.survey_points", 2), isEqual("f.survey_value", 2)),
		count("csat_two_point_negative_responses_count", "Thumbs down.", ofRequests, isEqual("f.survey_points", 2), isEqual("f.survey_value", 1)),
	},
)

func join(parts ...[]Measure) (all []Measure) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// measure finds a measure by its name.
func measure(name string) (Measure, bool) {
	for _, m := range Measures {
		if m.Name == name {
			return m, true
		}
	}
	return Measure{}, false
}
