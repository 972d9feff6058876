package desk

import "time"

// SurveyType is what a survey asks for.
type SurveyType string

const (
	FivePointRating SurveyType = "five_point_rating" // 1 to 5
	TwoPointRating  SurveyType = "two_point_rating"  // 1 is down, 2 is up
)

// Most is the best value of a survey; the worst is 1.
func (t SurveyType) Most() int {
	if t == TwoPointRating {
		return 2
	}
	return 5
}

// SurveyTrigger is when a survey is sent.
type SurveyTrigger string

const (
	TriggerSolved SurveyTrigger = "solved" // the default: when a request is solved
	TriggerManual SurveyTrigger = "manual" // when somebody says so
)

// SurveyScope is of which requests surveys are sent by themselves.
type SurveyScope string

const (
	ScopeAll     SurveyScope = "all"     // the default
	ScopeTickets SurveyScope = "tickets" // those with a ticket
)

const (
	// MostSurveyDelay is how many minutes a survey can wait at most: a week.
	MostSurveyDelay = 7 * 24 * 60
	// SurveyChangeable is for how long an answer can be changed.
	SurveyChangeable = 24 * time.Hour
	mostComment      = 2000
)

// SurveyRules are how a collection asks what people think of its answers.
type SurveyRules struct {
	Enabled      bool
	Trigger      SurveyTrigger
	Scope        SurveyScope
	Type         SurveyType
	Comment      bool // one can be added
	DelayMinutes int
}

// SurveyRulesChange is what is given of them; nil leaves a member.
type SurveyRulesChange struct {
	Enabled      *bool
	Trigger      *SurveyTrigger
	Scope        *SurveyScope
	Type         *SurveyType
	Comment      *bool
	DelayMinutes *int
}

func defaultSurveys() SurveyRules {
	return SurveyRules{Trigger: TriggerSolved, Scope: ScopeAll, Type: FivePointRating, Comment: true}
}

func (s *SurveyRules) apply(ch SurveyRulesChange) {
	set(&s.Enabled, ch.Enabled)
	set(&s.Trigger, ch.Trigger)
	set(&s.Scope, ch.Scope)
	set(&s.Type, ch.Type)
	set(&s.Comment, ch.Comment)
	set(&s.DelayMinutes, ch.DelayMinutes)
}

func (s *SurveyRules) check(p *Problems) {
	OneOf(p, "csat_config.trigger", s.Trigger, TriggerSolved, TriggerManual)
	OneOf(p, "csat_config.scope", s.Scope, ScopeAll, ScopeTickets)
	OneOf(p, "csat_config.survey_type", s.Type, FivePointRating, TwoPointRating)
	if s.DelayMinutes < 0 || s.DelayMinutes > MostSurveyDelay {
		p.Add("csat_config.delay_minutes", "must be a whole number from 0 to %d", MostSurveyDelay)
	}
}

// Survey asks somebody what they think of how their request was answered.
type Survey struct {
	ID          SurveyID
	Request     RequestID // that shows it
	Asked       RequestID // that it was asked about, where that was merged into the other since
	Type        SurveyType
	HasComment  bool // one can be added
	TriggeredAt time.Time
	AnsweredAt  *time.Time // the first time; nil until then
	ChangedAt   *time.Time // the last time
	Value       int        // 1 to Type.Most(); 0 until it is answered
	Comment     string
	AnsweredBy  string        // a chat user; empty for whoever had the link
	Channel     SurveyChannel // where it was answered last
}

// SurveyChannel is where a survey is answered.
type SurveyChannel string

const (
	AnsweredInChat SurveyChannel = "chat"
	AnsweredOnPage SurveyChannel = "page"
)

// ShownSurvey is a survey with the address of its page. Whoever has that can
// answer it.
type ShownSurvey struct {
	Survey
	URL string
}

// SurveyPage is what whoever has the link to a survey sees.
type SurveyPage struct {
	Survey Survey
	Title  string // of the request that they are asked about
	Open   bool   // it can be answered, or the answer changed
}

// SurveyAnswer is what somebody answers. What is nil stays as it is.
type SurveyAnswer struct {
	Value   *int
	Comment *string
	By      string // a chat user; empty for whoever has the link
	Channel SurveyChannel
}

// ErrAnswered refuses to change an answer after its time.
var ErrAnswered = Errorf(Refused, "You have answered this survey. An answer can be changed for a day, and that is over.")

// Open reports whether the survey can be answered, or its answer changed.
func (s Survey) Open(now time.Time) bool {
	return s.AnsweredAt == nil || now.Sub(*s.AnsweredAt) <= SurveyChangeable
}

// Answer takes an answer as a whole, or gives an error and changes nothing:
// Refused when it is too late, else Invalid. It reports whether it says anything
// new.
func (s *Survey) Answer(a SurveyAnswer, now time.Time) (news bool, err error) {
	if !s.Open(now) {
		return false, ErrAnswered
	}
	next := *s
	var p Problems
	set(&next.Value, a.Value)
	if next.Value < 1 || next.Value > s.Type.Most() {
		p.Add("value", "must be a whole number from 1 to %d", s.Type.Most())
	}
	if a.Comment != nil {
		next.Comment = *a.Comment
		p.Text("comment", &next.Comment, 0, mostComment)
		if next.Comment != "" && !s.HasComment {
			p.Add("comment", "cannot be given: this survey asks for none")
		}
	}
	if err := p.Err(); err != nil {
		return false, err
	}
	if s.AnsweredAt != nil && next == *s {
		return false, nil
	}
	next.AnsweredBy, next.Channel, next.ChangedAt = a.By, a.Channel, &now
	if next.AnsweredAt == nil {
		next.AnsweredAt = &now
	}
	*s = next
	return true, nil
}

// SurveyDue is when a survey is to be sent of a request that has changed; nil for
// never. It is due once the request is solved, or closed without having been.
func (s SurveyRules) SurveyDue(before, after Request) *time.Time {
	if !s.Enabled || s.Trigger != TriggerSolved || !after.BecomesResolved(before) || after.MergedInto != nil || after.Survey != nil {
		return nil
	}
	at := after.SolvedAt.Add(time.Duration(s.DelayMinutes) * time.Minute)
	return &at
}

// BecomesResolved reports whether there was something left to do about the request
// before a change, and now is not.
func (r Request) BecomesResolved(before Request) bool { return r.resolved() && !before.resolved() }

// resolved reports whether nothing is left to do about the request.
func (r Request) resolved() bool { return r.State != nil && r.State.resolved() && r.SolvedAt != nil }

// SendsSurvey reports whether the survey that was due since the request was
// solved at a moment is still to be sent. Where it was opened again meanwhile, it
// is not: once it is solved again, another is due. Where nothing of the request
// stands in the chat system, nobody would be asked.
func (s SurveyRules) SendsSurvey(r Request, solved time.Time) bool {
	return s.Enabled && s.Trigger == TriggerSolved && r.resolved() && r.SolvedAt.Equal(solved) && r.MergedInto == nil && r.Survey == nil &&
		(s.Scope != ScopeTickets || len(r.Tickets) > 0) && r.InChat()
}

// InChat reports whether the request has a thread that its requester reads, or is
// to have one.
func (r Request) InChat() bool {
	return r.Thread != nil || r.Source == FromAPI && r.Channel != nil
}

// Surveyable is nil, or says why nobody can be asked about the request.
func (r Request) Surveyable(s SurveyRules) error {
	switch {
	case r.MergedInto != nil:
		return Errorf(Refused, "The request was merged into request %d. Send a survey of that one.", *r.MergedInto)
	case r.State == nil:
		return Errorf(Refused, "The conversation is no request, so there is nothing to ask about.")
	case r.Survey != nil:
		return Errorf(Refused, "The request has a survey already.")
	case !s.Enabled:
		return Errorf(Refused, "Surveys are off in the collection of this request. Turn them on in its csat_config.")
	}
	return nil
}

// NewSurvey is a survey of a request.
func (s SurveyRules) NewSurvey(r Request, now time.Time) Survey {
	return Survey{Request: r.ID, Asked: r.ID, Type: s.Type, HasComment: s.Comment, TriggeredAt: now}
}
