package service

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/chat/slack"
	"frontdesk/internal/desk"
	"frontdesk/internal/hours"
	"frontdesk/internal/insights"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// paper is docs/insights.md or a part of it. The test reads its worked example and
// carries it out. Apart from the page, the test knows only the words of its tables.
type paper struct {
	t    testing.TB
	text string
}

func openPaper(t testing.TB) paper {
	t.Helper()
	b, err := os.ReadFile("../../docs/insights.md")
	must(t, err)
	return paper{t, string(b)}
}

// section returns the text under the heading that starts like this, up to the next
// heading.
func (p paper) section(heading string) paper {
	p.t.Helper()
	_, rest, ok := strings.Cut(p.text, "\n"+heading)
	if !ok {
		p.t.Fatalf("the page has no %q", heading)
	}
	rest, _, _ = strings.Cut(rest, "\n#")
	return paper{p.t, rest}
}

// tables returns the rows of its tables, without the heads.
func (p paper) tables() (all [][][]string) {
	p.t.Helper()
	lines := strings.Split(p.text, "\n")
	for i, line := range lines {
		switch {
		case !strings.HasPrefix(line, "| "):
		case i == 0 || !strings.HasPrefix(lines[i-1], "|"): // the head
			all = append(all, nil)
		default:
			cells := strings.Split(strings.Trim(line, "| "), " | ")
			all[len(all)-1] = append(all[len(all)-1], cells)
		}
	}
	return all
}

// table returns the rows of its only table, each with this many cells.
func (p paper) table(columns int) [][]string {
	p.t.Helper()
	all := p.tables()
	if len(all) != 1 {
		p.t.Fatalf("there are %d tables in %.40q", len(all), p.text)
	}
	for _, row := range all[0] {
		if len(row) != columns {
			p.t.Fatalf("the row %q does not have %d cells", row, columns)
		}
	}
	return all[0]
}

// says finds a statement on the page by a pattern.
func (p paper) says(pattern string) []string {
	p.t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(p.text)
	if m == nil {
		p.t.Fatalf("%s does not match in %.40q", pattern, p.text)
	}
	return m[1:]
}

func (p paper) number(text string) int {
	p.t.Helper()
	n, err := strconv.Atoi(text)
	must(p.t, err)
	return n
}

// query returns the query that the page gives to paste.
func (p paper) query() (q desk.InsightsQuery) {
	p.t.Helper()
	var body struct {
		Query struct {
			Measures       []string
			TimeDimensions []struct {
				Dimension   string
				Granularity string
				Range       string `json:"date_range"`
			} `json:"time_dimensions"`
			Dimensions []string
			Filters    []desk.InsightsFilter
		}
	}
	must(p.t, json.Unmarshal([]byte(p.section("## How to ask").says(`(?s) -d '(.+?)'\n`)[0]), &body))
	q.Measures, q.Dimensions, q.Filters = body.Query.Measures, body.Query.Dimensions, body.Query.Filters
	for _, t := range body.Query.TimeDimensions {
		q.TimeDimensions = append(q.TimeDimensions, desk.TimeDimension{Dimension: t.Dimension, Granularity: t.Granularity, Range: t.Range})
	}
	return q
}

// step is a row of a history.
type step struct {
	request int // from 0
	at      time.Time
	who     string
	what    string
}

// exampleDesk is the desk of the page, on which its histories happen.
type exampleDesk struct {
	*company
	paper       paper
	zone        *time.Location
	days        []string // of the query's range
	asked       time.Time
	collections map[string]desk.Collection
	of          []string // the collection of each request
	requests    []desk.RequestID
	first       []string // their first messages, in chat
	surveys     []string // the links of the requests' surveys
	said        int      // number of messages so far
}

const exampleChannel = "C_SUPPORT"

// The people on the page who ask, and those who answer.
var (
	exampleResponders = []string{"Maya", "Priya"}
	exampleRequesters = []string{"Ines", "Oskar", "Lena", "Tom"}
)

func exampleUser(name string) string { return "U_" + strings.ToUpper(name) }

func exampleEmail(name string) string { return strings.ToLower(name) + "@acme.example" }

// newExampleDesk returns the desk as the page describes it, the day before.
func newExampleDesk(t testing.TB, url string, p paper) *exampleDesk {
	t.Helper()
	e := &exampleDesk{paper: p, collections: map[string]desk.Collection{}}
	about := p.section("### The desk")
	name := about.says(`time zone is ([\w/]+)`)[0]
	zone, err := time.LoadLocation(name)
	must(t, err)
	e.zone, e.days = zone, p.section("### All 59 numbers").says(`"date_range": \["([\d-]+)", "([\d-]+)"\]`)
	ask := about.says(`We ask on (\w{3})\w* at (\d\d:\d\d)\.`)
	e.asked = e.when(ask[0] + " " + ask[1])
	start, err := time.ParseInLocation("2006-01-02", e.days[0], zone)
	must(t, err)
	e.company = openCompany(t, &company{url: url, clock: &clock{now: start.AddDate(0, 0, -1)}, chats: []chat.System{slack.New(slack.Config{})}})
	_, err = e.UpdateAccount(ctx, e.caller(), desk.AccountChange{TimeZone: &name})
	must(t, err)
	_, err = e.Install(ctx, e.account.ID, desk.Slack, chat.Installation{Workspace: "T1", Name: "Acme", Bot: chat.Credential{User: "U_BOT", Token: "xoxb-1"}})
	must(t, err)
	must(t, e.store.Write(ctx, e.account.ID, func(tx *store.Tx) error {
		people := []store.Report[desk.User]{{Is: desk.User{ID: "U_ADMIN", Name: "Admin", Email: e.admin.Email}}}
		for _, name := range slices.Concat(exampleResponders, exampleRequesters) {
			people = append(people, store.Report[desk.User]{Is: desk.User{ID: exampleUser(name), Name: name, Email: exampleEmail(name)}})
		}
		if _, err := tx.PutUsers(people, tx.Now); err != nil {
			return err
		}
		_, err := tx.PutChannels([]store.Report[desk.Channel]{{Is: desk.Channel{ID: exampleChannel, Name: "support", BotMember: true}}}, tx.Now)
		return err
	}))
	tables := about.tables()
	if len(tables) != 2 {
		t.Fatalf("the desk is described in %d tables", len(tables))
	}
	for _, row := range tables[0] {
		e.addCollection(row[0], row[1], row[2], row[3])
	}
	for _, row := range tables[1] {
		e.addPolicy(row[0], row[1], row[2])
	}
	return e
}

// when returns a moment that the page writes like Tue 09:10.
func (e *exampleDesk) when(text string) time.Time {
	e.paper.t.Helper()
	for _, day := range e.days {
		at, err := time.ParseInLocation("2006-01-02 15:04", day+" "+text[len(text)-5:], e.zone)
		must(e.paper.t, err)
		if at.Format("Mon 15:04") == text {
			return at
		}
	}
	e.paper.t.Fatalf("%q is not in %v", text, e.days)
	return time.Time{}
}

func (e *exampleDesk) addCollection(name, from, open, survey string) {
	e.t.Helper()
	n := desk.NewCollection{Name: name, Kind: map[string]desk.CollectionKind{"chat": desk.ChatCollection, "API": desk.APICollection}[from],
		Settings: desk.SettingsChange{Surveys: desk.SurveyRulesChange{Enabled: ptr(true), Trigger: ptr(desk.TriggerManual),
			Type: ptr(map[string]desk.SurveyType{"five points": desk.FivePointRating, "two points": desk.TwoPointRating}[survey])}}}
	for _, who := range exampleResponders {
		n.Responders = append(n.Responders, desk.Responder{UserID: exampleUser(who)})
	}
	if open != "always" {
		ranges := paper{e.t, open}.says(`^Monday to Friday, (\d\d:\d\d) to (\d\d:\d\d)$`)
		week := map[string][]desk.GivenRange{}
		for _, day := range hours.Weekdays[:5] {
			week[day] = []desk.GivenRange{{From: ranges[0], To: ranges[1]}}
		}
		schedule, err := e.CreateSchedule(ctx, e.caller(), desk.GivenSchedule{Name: &name, TimeZone: ptr(e.zone.String()), Hours: week})
		must(e.t, err)
		n.Settings.Schedule = desk.Just(schedule.ID)
	}
	col, err := e.CreateCollection(ctx, e.caller(), n)
	must(e.t, err)
	if e.collections[name] = col; col.Kind == desk.ChatCollection {
		_, err = e.AddChannels(ctx, e.caller(), col.ID, desk.NewChannels{Channels: []desk.NewChannel{{ID: exampleChannel}}})
		must(e.t, err)
	}
}

func (e *exampleDesk) addPolicy(kind, of, to string) {
	e.t.Helper()
	name, urgent := strings.CutSuffix(to, ", urgent")
	is := desk.SLAKind(strings.ReplaceAll(kind, " ", "_"))
	g := desk.GivenSLAPolicy{Name: &kind, Kind: &is, Collection: desk.Just(e.collections[name].ID)}
	much := paper{e.t, of}.says(`^(\d+) (minutes|reply)$`)
	if n := e.paper.number(much[0]); much[1] == "reply" {
		g.MaxReplies = &n
	} else {
		g.TargetMinutes = &n
	}
	if urgent {
		g.Conditions = &desk.GivenConditions{Priorities: &[]desk.Priority{desk.Urgent}}
	}
	_, err := e.CreateSLAPolicy(ctx, e.caller(), g)
	must(e.t, err)
}

// as returns a person as a caller.
func (e *exampleDesk) as(who string) Caller {
	c := e.caller()
	c.Actor.Name, c.Actor.Email = who, exampleEmail(who)
	return c
}

// histories returns the steps of all requests, in the order in which they happen.
func (e *exampleDesk) histories() (all []step) {
	e.t.Helper()
	for n := 1; strings.Contains(e.paper.text, fmt.Sprintf("\n### %d. ", n)); n++ {
		told := e.paper.section(fmt.Sprintf("### %d. ", n))
		e.of = append(e.of, told.says(`^(\w+): `)[0])
		for _, row := range told.table(3) {
			all = append(all, step{n - 1, e.when(row[0]), row[1], row[2]})
		}
	}
	if len(e.of) != 10 {
		e.t.Fatalf("the page tells of %d requests", len(e.of))
	}
	e.requests, e.first, e.surveys = make([]desk.RequestID, len(e.of)), make([]string, len(e.of)), make([]string, len(e.of))
	slices.SortStableFunc(all, func(a, b step) int { return a.at.Compare(b.at) })
	return all
}

// does carries out a step at its time.
func (e *exampleDesk) does(s step) {
	t := e.t
	t.Helper()
	e.clock.move(s.at.Sub(e.clock.Now()))
	id := e.requests[s.request]
	said, isReply := map[string]string{"asks": "Our export fails since this morning, can you help?", "asks, urgent": "Our export fails since this morning, can you help?",
		"writes": "It still fails, can you look again?", "thanks": "Thank you!", "replies": "We look into it."}[s.what], s.what == "replies"
	verb, with, _ := strings.Cut(s.what, ": ")
	switch {
	case said != "":
		if isReply != slices.Contains(exampleResponders, s.who) || !isReply && !slices.Contains(exampleRequesters, s.who) {
			t.Fatalf("%s cannot say %q", s.who, s.what)
		}
		e.speaks(s, said)
	case strings.HasPrefix(s.what, "reacts with "):
		emoji := map[string]string{"👀": "eyes", "🎟️": "admission_tickets"}[strings.TrimPrefix(s.what, "reacts with ")]
		must(t, e.Receive(ctx, chat.Event{System: "slack", Workspace: "T1", At: s.at,
			Reacted: &chat.Reacted{Ref: chat.Ref{Channel: exampleChannel, ID: e.first[s.request]}, User: exampleUser(s.who), Emoji: emoji, On: true}}))
	case strings.HasPrefix(s.what, "sets it to "):
		state := desk.State(strings.TrimPrefix(s.what, "sets it to "))
		_, err := e.UpdateRequest(ctx, e.as(s.who), id, desk.RequestChange{State: &state})
		must(t, err)
	case s.what == "sends the survey":
		sent, err := e.SendSurvey(ctx, e.as(s.who), id)
		must(t, err)
		e.surveys[s.request] = sent.URL[strings.LastIndex(sent.URL, "/")+1:]
	case verb == "answers the survey":
		must(t, e.AnswerSurvey(ctx, e.surveys[s.request], desk.SurveyAnswer{Value: ptr(e.paper.number(with))}))
	case verb == "session":
		e.session(id, with)
	default:
		t.Fatalf("unknown step %q", s.what)
	}
}

// speaks says something, in chat or through the API.
func (e *exampleDesk) speaks(s step, text string) {
	t := e.t
	t.Helper()
	asks, urgent := strings.HasPrefix(s.what, "asks"), strings.HasSuffix(s.what, "urgent")
	col := e.collections[e.of[s.request]]
	switch {
	case col.Kind == desk.ChatCollection:
		e.said++
		m := chat.Message{Ref: chat.Ref{Channel: exampleChannel, ID: fmt.Sprintf("%d.%06d", s.at.Unix(), e.said)}, Thread: e.first[s.request],
			Author: exampleUser(s.who), HTML: "<p>" + text + "</p>", At: s.at}
		must(t, e.Receive(ctx, chat.Event{System: "slack", Workspace: "T1", At: s.at, Message: &m}))
		if asks {
			e.first[s.request] = m.ID
			made, err := e.Requests(ctx, e.caller(), desk.RequestFilter{States: desk.States}, desk.Page{Limit: 1}, false)
			must(t, err)
			if !made.Items[0].CreatedAt.Equal(s.at) {
				t.Fatalf("the newest request is from %v, want %v", made.Items[0].CreatedAt, s.at)
			}
			e.requests[s.request] = made.Items[0].ID
		}
	case asks:
		n := desk.NewRequest{Collection: &col.ID, Title: &text, Description: text}
		if urgent {
			n.Priority = ptr(desk.Urgent)
		}
		made, err := e.CreateRequest(ctx, e.as(s.who), n)
		must(t, err)
		e.requests[s.request] = made.ID
	default:
		_, err := e.AddMessage(ctx, e.as(s.who), e.requests[s.request], desk.NewMessage{HTML: &text})
		must(t, err)
	}
}

// session adds a session of the virtual agent, such as: 1 call, 2 answers, 1 press
// of "solved".
func (e *exampleDesk) session(id desk.RequestID, told string) {
	t := e.t
	t.Helper()
	made, err := e.CreateAgentSession(ctx, e.caller(), desk.NewAgentSession{Request: id})
	must(t, err)
	var events desk.AgentEvents
	for _, part := range strings.Split(told, ", ") {
		much := paper{t, part}.says(`^(\d+) (?:(call|response|answer)s?|press(?:es)? of "(solved|create a ticket)")$`)
		kind := map[string]desk.AgentEventType{"call": desk.AgentTriggered, "response": desk.AgentResponded, "answer": desk.AgentAnswered,
			"solved": desk.AgentHelped, "create a ticket": desk.AgentDidNotHelp}[much[1]+much[2]]
		for range e.paper.number(much[0]) {
			events.Events = append(events.Events, desk.AgentEvent{Type: kind})
		}
	}
	_, err = e.AddAgentEvents(ctx, e.caller(), made.ID, events)
	must(t, err)
}

const nothing = "–"

// contributes returns what a request contributes by itself, as in the page's table,
// except for its waits.
func (e *exampleDesk) contributes(i int) []string {
	e.t.Helper()
	r, err := e.Request(ctx, e.caller(), e.requests[i], RequestParts{})
	must(e.t, err)
	minutes := func(m *desk.Metric) string {
		if m == nil {
			return nothing
		}
		return shownNumber(m.Minutes)
	}
	promise := func(kind desk.SLAKind) string {
		for _, c := range r.SLAs {
			switch {
			case c.Kind != kind || !c.Promises():
			case c.Breached(e.clock.Now()):
				return "broken"
			default:
				return "kept"
			}
		}
		return nothing
	}
	survey := nothing
	if s := r.Survey; s != nil {
		survey = "sent"
		if s.AnsweredAt != nil {
			survey = fmt.Sprint(s.Value, " of ", s.Type.Most())
		}
	}
	m := r.Metrics()
	return []string{strconv.Itoa(i + 1), minutes(m.FirstResponse), minutes(m.FirstResolution), minutes(m.Resolution), string(*r.State),
		promise(desk.SLAFirstResponse), promise(desk.SLAResolution), promise(desk.SLAOneTouch), survey}
}

// sessions returns the sessions of all requests, as in the page's table.
func (e *exampleDesk) sessions() (rows [][]string) {
	e.t.Helper()
	for i, id := range e.requests {
		l, err := e.AgentSessions(ctx, e.caller(), desk.AgentSessionFilter{Request: id}, desk.Page{Ascending: true})
		must(e.t, err)
		for _, s := range l.Items {
			row := []string{strconv.Itoa(i + 1)}
			for _, n := range []int{s.Triggers, s.Responses, s.Answers, s.PositiveFeedback, s.NegativeFeedback} {
				row = append(row, strconv.Itoa(n))
			}
			rows = append(rows, append(row, map[bool]string{true: "yes", false: "no"}[s.Deflected()]))
		}
	}
	return rows
}

// shownNumber returns a value as the page writes it.
func shownNumber(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// asks asks for numbers of the page's days. It returns the rows as the page writes
// them, after a row with the names of their cells.
func (e *exampleDesk) asks(q desk.InsightsQuery, granularity string) (rows [][]string) {
	e.t.Helper()
	q.TimeDimensions = []desk.TimeDimension{{Dimension: "Requests.created_at", Granularity: granularity, Days: e.days}}
	answer, err := e.QueryInsights(ctx, e.caller(), q)
	must(e.t, err)
	for i, r := range answer {
		var names, row []string
		for _, cell := range r {
			names, row = append(names, strings.TrimPrefix(cell.Name, "Requests.")), append(row, shownNumber(cell.Value))
		}
		if i == 0 {
			rows = append(rows, names)
		}
		rows = append(rows, row)
	}
	return rows
}

// measuresOf returns names of measures as queries have them.
func measuresOf(names []string) (all []string) {
	for _, n := range names {
		all = append(all, "Requests."+n)
	}
	return all
}

// plain returns a cell without code marks.
func plain(cell string) string { return strings.ReplaceAll(cell, "`", "") }

// The example in docs/insights.md is carried out, and gives the numbers that it
// works out.
func TestInsightsExample(t *testing.T) {
	p := openPaper(t)
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := paper{t, p.text}
		e := newExampleDesk(t, url, p)
		e.insights = newBothEngines(t)
		for _, s := range e.histories() {
			e.does(s)
			e.asks(desk.InsightsQuery{Measures: []string{"Requests.count", "Requests.response_times_p50", "Requests.agent_answer_count"}}, "")
		}
		e.clock.move(e.asked.Sub(e.clock.Now()))

		tables := p.section("### What each contributes").tables()
		if len(tables) != 2 || len(tables[0]) != len(e.requests) {
			t.Fatalf("the tables of contributions are %q", tables)
		}
		for i, row := range tables[0] {
			if got, want := e.contributes(i), slices.Delete(slices.Clone(row), 2, 3); !slices.Equal(got, want) {
				t.Errorf("a request contributes\n%q, the page says\n%q", got, want)
			}
		}
		sessions := e.sessions()
		if len(sessions) != len(tables[1]) {
			t.Fatalf("there are %d sessions, the page says %d", len(sessions), len(tables[1]))
		}
		for i, got := range sessions {
			want := slices.Clone(tables[1][i])
			want[6], _, _ = strings.Cut(want[6], ":")
			if !slices.Equal(got, want) {
				t.Errorf("a session is\n%q, the page says\n%q", got, want)
			}
		}

		numbers := p.section("### All 59 numbers").table(3)
		var names []string
		for _, row := range numbers {
			names = append(names, plain(row[0]))
		}
		got := e.asks(desk.InsightsQuery{Measures: measuresOf(names)}, "")
		if len(got) != 2 || !slices.Equal(got[0], names) {
			t.Fatalf("the answer is %q", got)
		}
		for i, row := range numbers {
			if got[1][i] != row[1] {
				t.Errorf("%s is %s, the page says %s = %s", names[i], got[1][i], row[1], row[2])
			}
			if alone := e.asks(desk.InsightsQuery{Measures: measuresOf(names[i : i+1])}, ""); alone[1][0] != got[1][i] {
				t.Errorf("%s is %s by itself, and %s together with others", names[i], alone[1][0], got[1][i])
			}
		}

		by := func(heading string, q desk.InsightsQuery, granularity string) {
			t.Helper()
			said := p.section(heading)
			head := strings.Split(plain(said.says(`(?m)^\| (.+) \|$`)[0]), " | ")
			q.Measures = measuresOf(head[1:])
			if got, want := e.asks(q, granularity), append([][]string{head}, said.table(len(head))...); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s: got\n%q, the page says\n%q", heading, got, want)
			}
		}
		by("### The same, by day", desk.InsightsQuery{}, p.section("### The same, by day").says(`"granularity": "(\w+)"`)[0])
		by("### The same, by state", desk.InsightsQuery{Dimensions: p.section("### The same, by state").says(`"dimensions": \["([\w.]+)"\]`)}, "")

		if _, err := e.QueryInsights(ctx, e.caller(), p.query()); err != nil {
			t.Errorf("the query to paste: %v", err)
		}
	})
}

// The page explains and works out every measure, and invents none. Its lists match
// its table.
func TestInsightsExampleIsWhole(t *testing.T) {
	p := openPaper(t)
	var all []string
	for _, m := range insights.Measures {
		all = append(all, strings.TrimPrefix(m.Name, "Requests."))
	}
	slices.Sort(all)
	same := func(where string, got []string) {
		t.Helper()
		if slices.Sort(got); !slices.Equal(got, all) {
			t.Errorf("%s there are\n%q, the measures are\n%q", where, got, all)
		}
	}
	var explained, worked []string
	for _, row := range p.section("## The 59 measures").table(2) {
		for _, name := range strings.Split(plain(row[0]), ", ") {
			stem, five := strings.CutSuffix(name, "*")
			if !five {
				explained = append(explained, name)
				continue
			}
			for _, suffix := range []string{"avg", "p50", "p75", "p90", "p95"} {
				explained = append(explained, stem+suffix)
			}
		}
	}
	for _, row := range p.section("### All 59 numbers").table(3) {
		worked = append(worked, plain(row[0]))
	}
	same("explained", explained)
	same("worked out", worked)

	columns := map[string]int{"first responses": 1, "waits": 2, "first resolutions": 3, "resolutions": 4, "scores": 9}
	contributions := p.section("### What each contributes").tables()[0]
	lists := regexp.MustCompile(`(?m)^- \*\*([a-z ]+)\*\* \((\d+)\): ([\d, ]+); together (\d+)$`).FindAllStringSubmatch(p.section("### All 59 numbers").text, -1)
	if len(lists) != len(columns) {
		t.Fatalf("there are %d lists", len(lists))
	}
	for _, l := range lists {
		var values []int
		sum := 0
		for _, row := range contributions {
			cell, ofFive := strings.CutSuffix(row[columns[l[1]]], " of 5")
			if cell == nothing || l[1] == "scores" && !ofFive {
				continue
			}
			for _, v := range strings.Split(cell, ", ") {
				values = append(values, p.number(v))
				sum += p.number(v)
			}
		}
		slices.Sort(values)
		want := strings.ReplaceAll(strings.Trim(fmt.Sprint(values), "[]"), " ", ", ")
		if l[2] != strconv.Itoa(len(values)) || l[3] != want || l[4] != strconv.Itoa(sum) {
			t.Errorf("%s are %q, and by the table %d: %s; together %d", l[1], l[2:], len(values), want, sum)
		}
	}
}
