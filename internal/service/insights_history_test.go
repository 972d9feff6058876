package service

import (
	"container/heap"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// A firm is an account that lives through a year and some weeks. People ask and
// answer, through the API, in chat, and earlier in another system. The firm
// remembers what was done and when. From that memory and the rules of the contract
// alone, its requests are counted slowly.

// firm is such an account. It has its own clock.
type firm struct {
	*company
	dice      *rand.Rand
	zone      *time.Location
	workspace string
	began     time.Time
	ends      time.Time // when the questions are asked

	collections []*place
	schedules   []*opening
	policies    []promising
	customers   []*client
	channels    map[string]string // names by id
	fields      []desk.CustomField
	outside     []string // emails of people who are not in the chat system
	idle        map[string]bool

	talks   []*talk
	threads map[string]*talk // the newest conversation of each thread
	used    map[int64]bool   // moments at which a message was sent
	reacted map[string]bool  // who has reacted, and with what
	waiting happenings
	made    int
}

// place is a collection.
type place struct {
	desk.Collection
	channels []string // of a chat collection
	schedule *opening // nil: calendar time
}

// opening is a schedule.
type opening struct {
	id    desk.ScheduleID
	says  timetable
	hours *openQuarters
}

// promising is a policy.
type promising struct {
	id         desk.SLAPolicyID
	kind       desk.SLAKind
	collection *place // nil: all
	priorities []desk.Priority
	customers  []desk.CustomerID
	ticket     *bool
	target     int // minutes, or replies
	schedule   *opening
}

// client is a customer.
type client struct {
	desk.Customer
	collection *place
}

// talk is a conversation.
type talk struct {
	id        desk.RequestID
	source    desk.RequestSource
	in        *place
	channel   string // empty: none
	thread    string // empty: it is not in chat
	created   time.Time
	author    string // a user id, or the email of somebody outside
	priority  desk.Priority
	byRules   bool
	state     *desk.State
	mark      *desk.NotARequest
	assignee  *string
	customer  *desk.CustomerID
	values    map[desk.CustomFieldID][]string
	tickets   int
	said      []*said
	answered  []time.Time // reactions that count as an answer, and what an import says
	states    []desk.StateSpan
	solvedYet *time.Time // the first resolution that an import gives
	started   *started
	promises  [3]promise
	survey    *survey
	sessions  []*session
	into      *talk                  // what it was merged into
	merged    []*talk                // what was merged into it
	undo      *struct{ back func() } // undoes the last change; nil if that is not possible
}

// said is a message.
type said struct {
	at        time.Time
	responder bool
	private   bool
	bot       bool
	idle      bool
	answers   bool // it was a request when this was said
	priority  desk.Priority
}

// started is what was true when the clocks of a request started.
type started struct {
	at       time.Time
	in       *place
	priority desk.Priority
	customer *desk.CustomerID
	ticket   bool
}

// promise is what a policy promised a request, and the hours by which it is
// measured.
type promise struct {
	made   bool
	target int
	hours  *openQuarters
}

// What people say. Whether a text asks for something, and how urgently, is not
// tested here: package suggest decides that.
var (
	asks = []string{
		"<p>Our export fails since this morning, can you help?</p>",
		"<p>URGENT: the production server is down, nobody can work!</p>",
		"<p>Where do I find the invoice of last month?</p>",
		"<p>I cannot sign in any more since the update.</p>",
	}
	nods  = []string{"<p>thanks!</p>", "<p>hello!</p>"}
	helps = []string{"<p>We look into it.</p>", "<p>This should work again, please try.</p>"}
)

var (
	responding = []string{"U_R1", "U_R2", "U_R3", "U_R4"}
	requesting = []string{"U_Q1", "U_Q2", "U_Q3", "U_Q4", "U_Q5", "U_Q6"}
	program    = "U_BOT"
)

func emailOf(user string) string {
	if strings.Contains(user, "@") {
		return user
	}
	domain := "desk.example"
	if i := slices.Index(requesting, user); i >= 0 {
		domain = fmt.Sprintf("client%d.example", i%4)
	}
	return strings.ToLower(user) + "@" + domain
}

// happening is something that will happen.
type happening struct {
	at    time.Time
	order int
	do    func()
}

type happenings []happening

func (h happenings) Len() int { return len(h) }
func (h happenings) Less(i, j int) bool {
	return h[i].at.Before(h[j].at) || h[i].at.Equal(h[j].at) && h[i].order < h[j].order
}
func (h happenings) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *happenings) Push(x any)   { *h = append(*h, x.(happening)) }
func (h *happenings) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// then plans something for a moment, unless that is too late.
func (f *firm) then(at time.Time, do func()) {
	if at.After(f.ends) {
		return
	}
	f.made++
	heap.Push(&f.waiting, happening{at, f.made, do})
}

// live makes everything happen at its time.
func (f *firm) live() {
	for len(f.waiting) > 0 {
		h := heap.Pop(&f.waiting).(happening)
		at := f.clock.Now().Add(time.Millisecond)
		if h.at.After(at) {
			at = h.at
		}
		f.clock.move(at.Sub(f.clock.Now()))
		h.do()
		if h.order%25 == 0 {
			f.wonders(h.order / 25)
		}
	}
	f.clock.move(f.ends.Sub(f.clock.Now()))
}

// wonders asks for some numbers in between, because the columns in memory must
// follow everything that happens. n decides what is asked, since the dice are for
// what happens.
func (f *firm) wonders(n int) {
	f.t.Helper()
	measures := [][]string{{"Requests.count", "Requests.resolution_rate_percent", "Requests.csat_score_avg"}, {"Requests.response_times_avg", "Requests.first_response_time_p90"},
		{"Requests.agent_trigger_count", "Requests.virtual_agent_deflection_rate_percent"}, {"Requests.first_response_sla_breached", "Requests.resolution_time_p50", "Requests.one_touch_resolution_breached"}}
	groups := []string{"Requests.state", "Requests.assignee_user_id", "Requests.customer_id", "Requests.collection_id", "Requests.priority", "Requests.csat_score"}
	for _, field := range f.fields {
		if field.Type != desk.FieldText {
			groups = append(groups, fmt.Sprint("Requests.custom_field_", field.ID))
		}
	}
	_, err := f.QueryInsights(ctx, f.caller(), desk.InsightsQuery{Measures: measures[n%len(measures)], Dimensions: []string{groups[n%len(groups)]},
		TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}})
	must(f.t, err)
}

func pick[T any](f *firm, list []T) T { return list[f.dice.IntN(len(list))] }

func (f *firm) chance(p float64) bool { return f.dice.Float64() < p }

// while returns a random time: minutes, hours or days.
func (f *firm) while() time.Duration {
	unit := []time.Duration{time.Minute, time.Minute, time.Minute, time.Hour, time.Hour, 24 * time.Hour}[f.dice.IntN(6)]
	return time.Duration(f.dice.ExpFloat64() * 8 * float64(unit)).Truncate(time.Millisecond)
}

// recount makes open requests follow the current policies.
func (f *firm) recount() {
	f.t.Helper()
	must(f.t, f.Do(ctx, &job.Job{ID: 1, Attempt: 1}, change.RecomputeSLA{Account: f.account.ID}))
	for _, t := range f.talks {
		if t.into == nil && t.state != nil && !t.resolved() {
			t.promises = f.promised(*t.started)
		}
	}
}

// promised returns what is promised to a request whose clocks start like this.
func (f *firm) promised(s started) (all [3]promise) {
	for i, kind := range desk.SLAKinds {
		by := s.in.schedule
		for _, p := range f.policies {
			if p.kind != kind || p.collection != nil && p.collection != s.in || p.ticket != nil && *p.ticket != s.ticket ||
				p.priorities != nil && !slices.Contains(p.priorities, s.priority) ||
				p.customers != nil && (s.customer == nil || !slices.Contains(p.customers, *s.customer)) {
				continue
			}
			all[i].made, all[i].target = true, p.target
			if p.schedule != nil {
				by = p.schedule
			}
			break
		}
		if by != nil {
			all[i].hours = by.hours
		}
	}
	return all
}

func (t *talk) resolved() bool {
	return t.state != nil && (*t.state == desk.Solved || *t.state == desk.Closed)
}

func (t *talk) closed() bool { return t.state != nil && *t.state == desk.Closed }

// root returns the conversation that this one was merged into in the end, or
// itself.
func (t *talk) root() *talk {
	for t.into != nil {
		t = t.into
	}
	return t
}

// enter puts a conversation into a state; nil means that it is no request.
func (t *talk) enter(s *desk.State, now time.Time) {
	t.state = s
	if s != nil {
		t.mark = nil
	}
	t.states = append(slices.Clip(t.states), desk.StateSpan{From: now, State: s})
}

// solved returns when it was first resolved, and when last, while it still is.
func (t *talk) solved() (first, last *time.Time) {
	first = t.solvedYet
	var before *desk.State
	for _, s := range t.states {
		if is := s.State != nil && (*s.State == desk.Solved || *s.State == desk.Closed); is {
			if before == nil || *before != desk.Solved && *before != desk.Closed {
				last = &s.From
				if first == nil {
					first = &s.From
				}
			}
		} else {
			last = nil
		}
		before = s.State
	}
	return first, last
}

// messages returns everything said in it and in what was merged into it, ordered by
// time.
func (t *talk) messages() []*said {
	all := slices.Clone(t.said)
	for _, m := range t.merged {
		all = append(all, m.messages()...)
	}
	slices.SortStableFunc(all, func(a, b *said) int { return a.at.Compare(b.at) })
	return all
}

func (t *talk) allTickets() int {
	n := t.tickets
	for _, m := range t.merged {
		n += m.allTickets()
	}
	return n
}

func (t *talk) allSessions() []*session {
	all := slices.Clone(t.sessions)
	for _, m := range t.merged {
		all = append(all, m.allSessions()...)
	}
	return all
}

// firstResponse returns the first reply of a responder, or an earlier reaction.
func (t *talk) firstResponse() (first *time.Time) {
	earlier := func(at time.Time) {
		if first == nil || at.Before(*first) {
			first = &at
		}
	}
	for _, m := range t.said {
		if m.answers {
			earlier(m.at)
		}
	}
	for _, at := range t.answered {
		earlier(at)
	}
	for _, m := range t.merged {
		if at := m.firstResponse(); at != nil {
			earlier(*at)
		}
	}
	return first
}

// start starts the clocks of a conversation that has become a request.
func (f *firm) start(t *talk, at time.Time) {
	if t.started == nil && t.state != nil {
		t.started = &started{at, t.in, t.priority, t.customer, t.allTickets() > 0}
		t.promises = f.promised(*t.started)
	}
}

// by returns a caller: a member with somebody's email.
func (f *firm) by(user string) Caller {
	c := f.caller()
	c.Actor.Name, c.Actor.Email = user, emailOf(user)
	return c
}

// customerFor returns the customer of a request: by its channel, otherwise by the
// author's email domain.
func (f *firm) customerFor(channel, author string) *desk.CustomerID {
	for _, c := range f.customers {
		if channel != "" && slices.Contains(c.Channels, channel) {
			return &c.ID
		}
	}
	_, domain, _ := strings.Cut(strings.ToLower(emailOf(author)), "@")
	for _, c := range f.customers {
		if slices.Contains(c.Domains, domain) {
			return &c.ID
		}
	}
	return nil
}

// moment returns now, or a little earlier for a message that is reported late.
// Nothing else is said at that moment.
func (f *firm) moment(late bool, since time.Time) time.Time {
	now := f.clock.Now()
	at := now
	if late {
		if ago := now.Add(-time.Duration(f.dice.IntN(6*60*1000)) * time.Millisecond); ago.After(since) && !f.used[ago.UnixMilli()] {
			at = ago
		}
	}
	f.used[at.UnixMilli()] = true
	return at
}

// tell reports a chat message to the service, and returns its id.
func (f *firm) tell(channel, thread, author, html string, at time.Time) (id string) {
	f.t.Helper()
	id = fmt.Sprintf("%d.%06d", at.Unix(), at.UnixMicro()%1e6)
	m := chat.Message{Ref: chat.Ref{Channel: channel, ID: id}, Thread: thread, Author: author, Bot: author == program, HTML: html, At: at}
	must(f.t, f.Receive(ctx, chat.Event{System: "slack", Workspace: f.workspace, At: at, Message: &m}))
	return id
}

func (f *firm) message(author, html string, at time.Time) *said {
	_, priority := change.TitleAndPriority(f.account.ID, html)
	m := &said{at: at, responder: slices.Contains(responding, author), bot: author == program, priority: priority}
	m.idle = !m.responder && f.idle[html]
	return m
}

// begins lets somebody start a conversation in chat.
func (f *firm) begins() {
	in := f.collections[f.dice.IntN(2)]
	author, html := pick(f, requesting), pick(f, asks)
	switch {
	case f.chance(0.06):
		author, html = pick(f, responding), pick(f, helps)
	case f.chance(0.08):
		html = pick(f, nods)
	case in.AllowBots && f.chance(0.1):
		author = program
	}
	channel, at := pick(f, in.channels), f.moment(false, time.Time{})
	id := f.tell(channel, "", author, html, at)
	f.begun(in, channel, id, id, author, f.message(author, html, at))
}

// begun remembers a conversation that starts with a message.
func (f *firm) begun(in *place, channel, thread, id, author string, m *said) {
	f.t.Helper()
	t := &talk{source: desk.FromChat, in: in, channel: channel, thread: thread, created: m.at, author: author, priority: m.priority, byRules: true,
		customer: f.customerFor(channel, author), said: []*said{m}, values: map[desk.CustomFieldID][]string{}}
	if !m.responder && !m.idle {
		t.enter(ptr(desk.Open), t.created)
		f.start(t, t.created)
	}
	r, err := f.FindRequest(ctx, f.caller(), f.workspace, channel, id, RequestParts{})
	must(f.t, err)
	t.id = r.ID
	f.threads[channel+thread] = t
	f.keep(t)
}

// creates lets somebody ask through the API.
func (f *firm) creates() {
	f.t.Helper()
	in := f.collections[2+f.dice.IntN(4)]
	author, html := pick(f, requesting), pick(f, asks)
	if f.chance(0.3) {
		author = pick(f, f.outside)
	}
	email := emailOf(author)
	now := f.moment(false, time.Time{})
	n := desk.NewRequest{Collection: &in.ID, Title: ptr("Request"), Description: html, Requester: &email}
	t := &talk{source: desk.FromAPI, in: in, created: now, author: author, byRules: true, tickets: 1, values: map[desk.CustomFieldID][]string{}}
	m := f.message(author, html, now)
	t.said, t.priority = []*said{m}, m.priority
	if f.chance(0.6) {
		t.priority, t.byRules = pick(f, desk.Priorities), false
		n.Priority = &t.priority
	}
	if f.chance(0.2) {
		t.assignee = ptr(pick(f, responding))
		n.Assignee = t.assignee
	}
	if in.RequestChannel != nil {
		t.channel = *in.RequestChannel
	}
	t.customer = f.customerFor(t.channel, author)
	made, err := f.CreateRequest(ctx, f.caller(), n)
	must(f.t, err)
	t.id = made.ID
	t.enter(ptr(desk.Open), now)
	f.start(t, now)
	f.keep(t)
}

// imports imports requests of another system with their past.
func (f *firm) imports(n int) {
	f.t.Helper()
	now := f.clock.Now()
	var list []desk.ImportedRequest
	var talks []*talk
	for range n {
		t := &talk{source: desk.FromImport, in: f.collections[2], author: pick(f, append(slices.Clone(requesting), f.outside...)), tickets: 1,
			values: map[desk.CustomFieldID][]string{}}
		t.created = now.Add(-time.Duration(f.dice.Int64N(int64(60 * 24 * time.Hour)))).Truncate(time.Millisecond)
		t.priority = pick(f, desk.Priorities)
		i := desk.ImportedRequest{Title: ptr("Old"), Requester: desk.Requester{Email: emailOf(t.author)}, Priority: &t.priority, CreatedAt: &t.created, Values: desk.FieldInput{}}
		t.customer = f.customerFor("", t.author)
		if f.chance(0.2) {
			t.customer = &pick(f, f.customers).ID
			i.Customer = t.customer
		}
		if f.chance(0.4) {
			t.assignee = ptr(pick(f, responding))
			i.Assignee = t.assignee
		}
		for _, field := range f.fields {
			if f.chance(0.35) {
				given, counts := f.value(field)
				i.Values[strconv.FormatInt(int64(field.ID), 10)], t.values[field.ID] = given, counts
			}
		}
		f.importPast(t, &i, now)
		list, talks = append(list, i), append(talks, t)
	}
	made, err := f.ImportRequests(ctx, f.caller(), oneByOne(list...))
	must(f.t, err)
	for i, t := range talks {
		t.id = made[i].Request
		f.start(t, t.created)
		f.keep(t)
	}
}

// importPast gives an imported request its messages, its state and its times.
func (f *firm) importPast(t *talk, i *desk.ImportedRequest, now time.Time) {
	at := t.created
	for range f.dice.IntN(6) {
		m := &said{at: at, responder: f.chance(0.45), private: f.chance(0.1)}
		author := desk.Requester{Email: emailOf(t.author)}
		switch {
		case m.responder:
			author = desk.Requester{User: pick(f, responding)}
		case f.chance(0.1):
			author, m.bot = desk.Requester{User: program}, true
		}
		m.answers = m.responder && !m.private
		_, m.priority = change.TitleAndPriority(f.account.ID, asks[0])
		t.said = append(t.said, m)
		i.Messages = append(i.Messages, desk.ImportedMessage{HTML: &asks[0], Author: author, Responder: &m.responder, Private: m.private, CreatedAt: &m.at})
		if at = at.Add(f.while() + time.Millisecond); at.After(now) {
			break
		}
	}
	if f.chance(0.15) { // a given time overrides what the messages imply
		given := t.created.Add(f.while())
		if !given.After(now) {
			for _, m := range t.said {
				m.answers = false
			}
			i.FirstResponseAt, t.answered = &given, []time.Time{given}
		}
	}
	end := t.created.Add(f.while())
	state := pick(f, []desk.State{desk.Open, desk.Pending, desk.OnHold, desk.InProgress, desk.Solved, desk.Solved, desk.Solved, desk.Closed})
	i.State = &state
	resolves := !end.After(now) && (state == desk.Solved || state == desk.Closed)
	switch {
	case resolves:
		i.SolvedAt = &end
		t.enter(ptr(desk.Open), t.created)
		t.enter(&state, end)
	case state == desk.Solved || state == desk.Closed:
		i.State = ptr(desk.Open)
		t.enter(ptr(desk.Open), t.created)
	default:
		if !end.After(now) && f.chance(0.3) { // it was already resolved once
			i.SolvedAt, t.solvedYet = &end, &end
		}
		t.enter(&state, t.created)
	}
}

// keep remembers a conversation, and plans what follows.
func (f *firm) keep(t *talk) {
	f.talks = append(f.talks, t)
	again := 0.78
	if t.source == desk.FromImport {
		again = 0.35
	}
	f.goOn(t, again)
}

// goOn plans that somebody does something about a conversation, repeatedly.
func (f *firm) goOn(t *talk, again float64) {
	if f.chance(again) {
		f.then(f.clock.Now().Add(f.while()), func() {
			f.act(t)
			f.goOn(t, again)
		})
	}
}

// act does something about a conversation.
func (f *firm) act(t *talk) {
	n := f.dice.IntN(100)
	root := t.root()
	switch {
	case t.into != nil && (t.thread == "" || n > 50):
	case n < 20:
		f.hears(t, pick(f, responding), pick(f, helps), f.chance(0.15))
	case n < 36:
		html := pick(f, asks)
		if f.chance(0.25) {
			html = pick(f, nods)
		}
		author := root.author
		if t.thread != "" && f.chance(0.15) {
			author = pick(f, append([]string{program}, requesting...))
		}
		f.hears(t, author, html, false)
	case n < 46 && t.thread != "":
		f.reacts(t)
	case n < 52 && t.into == nil:
		f.opensSession(t)
	case n < 55 && t.survey == nil && t.state != nil && t.into == nil && t.in.Surveys.Enabled:
		f.surveys(t)
	case root.closed():
	case n < 60:
		f.notes(root)
	case n < 66:
		f.merges(root)
	case n < 68 && root.state != nil:
		f.marks(root)
	default:
		f.changes(root)
	}
}

// hears lets somebody say something in a conversation, in its chat thread or
// through the API.
func (f *firm) hears(t *talk, author, html string, withState bool) {
	f.t.Helper()
	inChat := t.thread != "" && f.chance(0.75)
	if author == program || !slices.Contains(responding, author) && emailOf(author) != emailOf(t.root().author) {
		inChat = t.thread != ""
	}
	if !inChat {
		f.writes(t.root(), author, html, withState)
		return
	}
	newest := f.threads[t.channel+t.thread].root()
	at := f.moment(f.chance(0.15), newest.created)
	if strings.Contains(author, "@") { // people outside chat cannot write there
		author = requesting[0]
	}
	id := f.tell(t.channel, t.thread, author, html, at)
	m := f.message(author, html, at)
	switch {
	case m.bot && !newest.in.AllowBots:
	case newest.closed():
		f.begun(newest.in, t.channel, t.thread, id, author, m)
	default:
		f.heard(newest, author, m, nil)
	}
}

// writes lets somebody write through the API.
func (f *firm) writes(t *talk, author, html string, withState bool) {
	f.t.Helper()
	if t.closed() || author == program {
		return
	}
	n := desk.NewMessage{HTML: &html}
	m := f.message(author, html, f.moment(false, time.Time{}))
	m.responder = emailOf(author) != emailOf(t.author) // members are responders, except in their own requests
	m.idle = !m.responder && f.idle[html]
	if withState && m.responder && t.state != nil {
		n.State = ptr(pick(f, []desk.State{desk.Pending, desk.Solved, desk.OnHold, desk.Open, desk.Closed}))
	}
	_, err := f.AddMessage(ctx, f.by(author), t.id, n)
	must(f.t, err)
	f.heard(t, author, m, n.State)
}

// heard applies the effect of a message, by the table of states in decisions.md.
func (f *firm) heard(t *talk, author string, m *said, state *desk.State) {
	now, before := f.clock.Now(), f.remember(t)
	answered := slices.ContainsFunc(t.messages(), func(o *said) bool {
		return !o.private && !o.idle && o.responder != m.responder && o.at.After(m.at)
	})
	t.said = append(t.said, m)
	switch {
	case m.responder:
		m.answers = t.state != nil
		if t.state != nil && *t.state == desk.Open && !answered {
			t.enter(ptr(desk.InProgress), now)
		}
		if t.assignee == nil && t.state != nil && t.in.AutoAssign == desk.AssignFirstResponder {
			t.assignee = &author
		}
	case m.idle:
	case t.state == nil && t.mark == nil:
		if t.author != author {
			t.author = author
			t.customer = f.customerFor(t.channel, author)
		}
		f.converted(t, now)
	case t.state == nil && *t.mark == desk.Temporary:
		f.converted(t, now)
	case t.state != nil && !answered && slices.Contains([]desk.State{desk.InProgress, desk.Pending, desk.Solved}, *t.state):
		t.enter(ptr(desk.Open), now)
	}
	if state != nil && *t.state != *state {
		t.enter(state, now)
	}
	f.start(t, now)
	f.settled(t, before)
}

// converted makes a conversation a request because somebody asked something in it.
// The first one who asks decides how urgent it is.
func (f *firm) converted(t *talk, now time.Time) {
	t.enter(ptr(desk.Open), now)
	if t.source != desk.FromChat || !t.byRules {
		return
	}
	all := slices.DeleteFunc(t.messages(), func(m *said) bool { return m.private })
	i := slices.IndexFunc(all, func(m *said) bool { return !m.idle && !m.responder })
	t.priority = all[max(i, 0)].priority
}

// memory is what can be changed in a conversation and changed back.
type memory struct {
	state    *desk.State
	mark     *desk.NotARequest
	states   []desk.StateSpan
	priority desk.Priority
	byRules  bool
	assignee *string
	customer *desk.CustomerID
	values   map[desk.CustomFieldID][]string
	author   string
	response *time.Time
}

func (f *firm) remember(t *talk) memory {
	return memory{t.state, t.mark, t.states, t.priority, t.byRules, t.assignee, t.customer, maps.Clone(t.values), t.author, t.firstResponse()}
}

func (t *talk) recall(m memory) {
	t.state, t.mark, t.states, t.priority, t.byRules = m.state, m.mark, m.states, m.priority, m.byRules
	t.assignee, t.customer, t.values = m.assignee, m.customer, m.values
}

// settled does what follows a change of a conversation: a survey is planned, and
// the change before can no longer be undone.
func (f *firm) settled(t *talk, before memory) {
	response := t.firstResponse()
	if !desk.Same(before.state, t.state) || !desk.Same(before.mark, t.mark) || before.priority != t.priority || !desk.Same(before.assignee, t.assignee) ||
		!desk.Same(before.customer, t.customer) || before.author != t.author || !desk.Same(before.response, response) {
		t.undo = nil
	}
	was := before.state != nil && (*before.state == desk.Solved || *before.state == desk.Closed)
	if rules := t.in.Surveys; t.resolved() && !was && rules.Enabled && rules.Trigger == desk.TriggerSolved {
		_, solved := t.solved()
		f.then(solved.Add(time.Duration(rules.DelayMinutes)*time.Minute), func() { f.surveyIsDue(t, *solved) })
	}
}

// surveyIsDue does what a runner would do at that time.
func (f *firm) surveyIsDue(t *talk, solved time.Time) {
	f.t.Helper()
	must(f.t, f.Do(ctx, &job.Job{ID: 1, Attempt: 1}, change.SendSurvey{Account: f.account.ID, Request: t.id, Solved: solved.UnixMilli()}))
	_, last := t.solved()
	if t.into != nil || t.survey != nil || last == nil || !last.Equal(solved) || t.in.Surveys.Scope == desk.ScopeTickets && t.allTickets() == 0 ||
		t.thread == "" && (t.source != desk.FromAPI || t.channel == "") {
		return
	}
	f.surveyed(t)
}

// surveys lets somebody send a survey by hand.
func (f *firm) surveys(t *talk) {
	f.t.Helper()
	_, err := f.SendSurvey(ctx, f.caller(), t.id)
	must(f.t, err)
	f.surveyed(t)
}

// surveyed remembers that a survey was sent. It may be answered, and the answer may
// be changed later.
func (f *firm) surveyed(t *talk) {
	s := &survey{asked: t.id, kind: t.in.Surveys.Type, at: f.clock.Now()}
	t.survey = s
	if !f.chance(0.65) {
		return
	}
	f.then(s.at.Add(f.while()+time.Millisecond), func() {
		f.answers(s)
		if f.chance(0.3) {
			f.then(f.clock.Now().Add(f.while()+time.Millisecond), func() { f.answers(s) })
		}
	})
}

func (f *firm) answers(s *survey) {
	f.t.Helper()
	now, value := f.clock.Now(), 1+f.dice.IntN(s.kind.Most())
	var url string
	must(f.t, f.store.Read(ctx, f.account.ID, func(tx *store.Tx) error {
		asked, nonce, _, err := tx.SurveyAskedOf(s.asked)
		url = f.change.SurveyURL(f.account.ID, asked.ID, nonce)
		return err
	}))
	err := f.AnswerSurvey(ctx, url[strings.LastIndex(url, "/")+1:], desk.SurveyAnswer{Value: &value})
	if s.value > 0 && now.Sub(s.answered) > 24*time.Hour { // an answer can be changed for a day
		wantKind(f.t, err, desk.Refused)
		return
	}
	must(f.t, err)
	if s.value == 0 {
		s.answered = now
	}
	s.value = value
}

// reacts lets somebody react to the first message of a thread.
func (f *firm) reacts(t *talk) {
	f.t.Helper()
	user, emoji := pick(f, responding), pick(f, []string{"eyes", "eyes", "eyes", "white_check_mark", "rotating_light", "admission_tickets", "ticket", "pushpin"})
	if f.chance(0.15) {
		user = pick(f, requesting)
	}
	key := t.channel + t.thread + user + emoji
	if f.reacted[key] || f.threads[t.channel+t.thread] != t {
		return
	}
	f.reacted[key] = true
	now := f.clock.Now()
	must(f.t, f.Receive(ctx, chat.Event{System: "slack", Workspace: f.workspace, At: now,
		Reacted: &chat.Reacted{Ref: chat.Ref{Channel: t.channel, ID: t.thread}, User: user, Emoji: emoji, On: true}}))
	root := t.root()
	if root.closed() {
		return
	}
	responder, before := slices.Contains(responding, user), f.remember(root)
	switch {
	case emoji == "pushpin":
		if root.state == nil {
			root.enter(ptr(desk.Open), now)
			f.start(root, now)
		}
	case root.state == nil:
	case emoji == "rotating_light":
		root.priority, root.byRules = desk.Urgent, false
	case !responder:
	case emoji == "eyes":
		root.assignee = &user
		root.answered = append(root.answered, now)
		root.undo = nil // undoing a merge does not undo a reaction that was the first response
	case emoji == "white_check_mark":
		if *root.state != desk.Solved {
			root.enter(ptr(desk.Solved), now)
		}
	default: // a ticket
		must(f.t, f.Do(ctx, &job.Job{ID: 1, Attempt: 1}, worker.MakeTicket{Account: f.account.ID, Request: root.id, By: desk.Actor{Name: user, Source: desk.SourceChat}}))
		if root.allTickets() == 0 {
			root.tickets++
		}
		root.answered = append(root.answered, now)
		root.undo = nil
	}
	f.settled(root, before)
}

// opensSession lets the virtual agent take part in a conversation.
func (f *firm) opensSession(t *talk) {
	f.t.Helper()
	made, err := f.CreateAgentSession(ctx, f.caller(), desk.NewAgentSession{Request: t.id})
	must(f.t, err)
	s := &session{id: made.ID}
	t.sessions = append(t.sessions, s)
	for range f.dice.IntN(3) {
		f.then(f.clock.Now().Add(f.while()), func() { f.serves(s) })
	}
}

func (f *firm) serves(s *session) {
	f.t.Helper()
	var e desk.AgentEvents
	for range 1 + f.dice.IntN(4) {
		kind := pick(f, desk.AgentEventTypes)
		e.Events = append(e.Events, desk.AgentEvent{Type: kind})
		switch kind {
		case desk.AgentTriggered:
			s.triggers++
		case desk.AgentResponded:
			s.responses++
		case desk.AgentAnswered: // also counts as a response
			s.responses++
			s.answers++
		case desk.AgentHelped:
			s.positive++
		case desk.AgentDidNotHelp:
			s.negative++
		}
	}
	_, err := f.AddAgentEvents(ctx, f.caller(), s.id, e)
	must(f.t, err)
}

// notes lets the team say something among themselves.
func (f *firm) notes(t *talk) {
	f.t.Helper()
	_, err := f.AddMessage(ctx, f.by(pick(f, responding)), t.id, desk.NewMessage{HTML: &helps[0], Private: true})
	must(f.t, err)
	t.said = append(t.said, &said{at: f.moment(false, time.Time{}), responder: true, private: true})
}

// marks marks a conversation as not a request.
func (f *firm) marks(t *talk) {
	f.t.Helper()
	as := pick(f, []desk.NotARequest{desk.Temporary, desk.Temporary, desk.Permanent})
	before := f.remember(t)
	_, err := f.UpdateRequest(ctx, f.caller(), t.id, desk.RequestChange{NotARequest: desk.Just(as)})
	must(f.t, err)
	t.enter(nil, f.clock.Now())
	t.mark = &as
	f.changed(t, before)
}

// changes changes some fields of a request, or makes a conversation a request.
func (f *firm) changes(t *talk) {
	f.t.Helper()
	before, now := f.remember(t), f.clock.Now()
	var ch desk.RequestChange
	if t.state == nil && t.mark != nil && f.chance(0.5) {
		ch.NotARequest = desk.Null[desk.NotARequest]()
		t.mark = nil
		t.enter(ptr(desk.Open), now)
	} else if f.chance(0.6) {
		state := pick(f, []desk.State{desk.Open, desk.InProgress, desk.Pending, desk.OnHold, desk.Solved, desk.Solved, desk.Solved, desk.Closed})
		if t.state == nil || *t.state != state {
			ch.State = &state
			t.enter(&state, now)
		}
	}
	if p := pick(f, desk.Priorities); f.chance(0.25) && p != t.priority {
		ch.Priority, t.priority, t.byRules = &p, p, false
	}
	if f.chance(0.25) {
		if user := pick(f, responding); t.assignee == nil || *t.assignee != user {
			ch.Assignee, t.assignee = desk.Just(user), &user
		} else {
			ch.Assignee, t.assignee = desk.Null[string](), nil
		}
	}
	if f.chance(0.2) {
		if id := pick(f, f.customers).ID; t.customer == nil || *t.customer != id {
			ch.Customer, t.customer = desk.Just(id), &id
		} else {
			ch.Customer, t.customer = desk.Null[desk.CustomerID](), nil
		}
	}
	valued := f.changeValues(t, &ch)
	if ch.State == nil && !ch.NotARequest.Given && ch.Priority == nil && !ch.Assignee.Given && !ch.Customer.Given && !valued {
		return
	}
	_, err := f.UpdateRequest(ctx, f.caller(), t.id, ch)
	must(f.t, err)
	f.start(t, now)
	f.changed(t, before)
}

// changeValues changes some values of custom fields.
func (f *firm) changeValues(t *talk, ch *desk.RequestChange) (changed bool) {
	if !f.chance(0.5) {
		return false
	}
	ch.Values = desk.FieldInput{}
	for _, field := range f.fields {
		key := strconv.FormatInt(int64(field.ID), 10)
		given, counts := f.value(field)
		had, has := t.values[field.ID]
		switch {
		case !f.chance(0.5):
		case has && slices.Equal(had, counts):
			ch.Values[key] = nil
			delete(t.values, field.ID)
		default:
			ch.Values[key], t.values[field.ID] = given, counts
		}
	}
	return len(ch.Values) > 0
}

// changed remembers that somebody changed a request. The change may be undone
// later.
func (f *firm) changed(t *talk, before memory) {
	f.settled(t, before)
	t.undo = nil
	if t.started == nil || before.state == nil && len(before.states) == 0 {
		return // the change started its clocks
	}
	f.mayUndo(t, 0.2, func() {
		now := f.remember(t)
		t.recall(before)
		f.settled(t, now)
	})
}

// mayUndo plans to undo a change later, if it is still the last one then. back
// undoes it in memory.
func (f *firm) mayUndo(t *talk, p float64, back func()) {
	t.undo = &struct{ back func() }{back}
	if !f.chance(p) {
		return
	}
	d, mine := time.Duration(f.dice.IntN(9*60*1000)+1)*time.Millisecond, t.undo
	if !t.closed() && f.chance(0.5) { // closing can be undone for ten minutes
		d *= 60
	}
	f.then(f.clock.Now().Add(d), func() {
		if t.undo != mine || t.into != nil {
			return
		}
		_, err := f.UndoRequest(ctx, f.caller(), t.id, desk.Undo{})
		must(f.t, err)
		t.undo = nil
		back()
	})
}

// merges merges some others into a request.
func (f *firm) merges(t *talk) {
	f.t.Helper()
	if t.state == nil {
		return
	}
	var others []*talk
	for range 1 + f.dice.IntN(2) {
		o := f.talks[max(0, len(f.talks)-1-f.dice.IntN(60))]
		if o != t && o.into == nil && !o.closed() && !slices.Contains(others, o) {
			others = append(others, o)
		}
	}
	if len(others) == 0 {
		return
	}
	slices.SortFunc(others, func(a, b *talk) int { return int(a.id - b.id) })
	before := f.remember(t)
	var m desk.Merge
	var gave *talk // the one whose survey it gets
	for _, o := range others {
		m.Requests = append(m.Requests, o.id)
		if t.survey == nil && o.survey != nil {
			gave, t.survey, o.survey = o, o.survey, nil
		}
		o.into, o.undo = t, nil
		t.merged = append(t.merged, o)
	}
	_, err := f.MergeRequests(ctx, f.caller(), t.id, m)
	must(f.t, err)
	f.settled(t, before)
	f.mayUndo(t, 0.4, func() {
		now := f.remember(t)
		for _, o := range others {
			o.into = nil
			t.merged = slices.DeleteFunc(t.merged, func(m *talk) bool { return m == o })
		}
		if gave != nil {
			gave.survey, t.survey = t.survey, nil
		}
		f.settled(t, now)
	})
}

// due returns the first moment at which a target is used up, or nil if it is not
// yet. Only the states open and in progress use it up.
func (t *talk) due(h *openQuarters, target time.Duration, now time.Time) *time.Time {
	var spent time.Duration
	for i, s := range t.states {
		from, to := s.From, now
		if i+1 < len(t.states) {
			to = t.states[i+1].From
		}
		if from.Before(t.started.at) {
			from = t.started.at
		}
		if s.State == nil || *s.State != desk.Open && *s.State != desk.InProgress {
			continue
		}
		if open := h.between(from, to); spent+open < target {
			spent += open
			continue
		}
		at, _ := h.after(from, target-spent)
		return &at
	}
	return nil
}

// counts returns the conversation as the page counts it.
func (f *firm) counts(t *talk) *counted {
	now := f.clock.Now()
	first, last := t.solved()
	response, messages := t.firstResponse(), t.messages()
	r := &counted{id: t.id, created: t.created, collection: t.in.ID, state: *t.state, priority: t.priority, assignee: t.assignee, customer: t.customer,
		ticket: t.allTickets() > 0, survey: t.survey, values: t.values}
	if t.channel != "" {
		r.channel = ptr(f.channels[t.channel])
	}
	for _, c := range f.customers {
		if t.customer != nil && c.ID == *t.customer {
			if r.owner = c.Owner; r.owner == nil && c.collection != nil {
				r.owner = c.collection.Owner
			}
		}
	}
	length := func(kind int, at *time.Time) *float64 {
		if at == nil {
			return nil
		}
		return ptr(shownMinutes(t.promises[kind].hours.between(t.created, *at)))
	}
	r.response, r.resolution, r.firstResolution = length(0, response), length(1, last), length(1, first)
	for kind, p := range t.promises {
		if r.promised[kind] = p.made; !p.made || kind == 2 {
			continue
		}
		end := now
		if at := []*time.Time{response, last}[kind]; at != nil {
			end = *at
		}
		due := t.due(p.hours, time.Duration(p.target)*time.Minute, now)
		r.broken[kind] = due != nil && due.Before(end)
	}
	replies, answered := 0, false
	var waits *time.Time // since when a requester waits
	for _, m := range messages {
		switch {
		case m.private:
		case m.responder:
			answered = true
			if last != nil && !m.at.After(*last) {
				replies++
			}
			if waits != nil {
				r.waits = append(r.waits, shownMinutes(t.promises[0].hours.between(*waits, m.at)))
				waits = nil
			}
		case !m.bot && waits == nil:
			waits = &m.at
		}
	}
	r.broken[2] = r.promised[2] && last != nil && replies > t.promises[2].target
	for _, s := range t.allSessions() {
		one := *s
		one.deflected = s.answers > 0 && !answered && !r.ticket
		r.sessions = append(r.sessions, one)
	}
	return r
}

// asked returns the firm as the page describes it.
func (f *firm) asked() slowDesk {
	d := slowDesk{fields: map[desk.CustomFieldID]desk.FieldType{}, zone: f.zone, now: f.clock.Now()}
	for _, field := range f.fields {
		d.fields[field.ID] = field.Type
	}
	for _, t := range f.talks {
		if t.into == nil && t.state != nil {
			d.requests = append(d.requests, f.counts(t))
		}
	}
	return d
}

// remembers checks that the memory matches what the service shows. Otherwise
// comparing the counts would be worth nothing.
func (f *firm) remembers() {
	f.t.Helper()
	wrong := 0
	for some := range slices.Chunk(f.talks, 100) {
		must(f.t, f.store.Read(ctx, f.account.ID, func(tx *store.Tx) error {
			for _, t := range some {
				r, err := tx.Request(t.id, desk.Everything)
				if err != nil {
					return err
				}
				first, last := t.solved()
				want := fmt.Sprint(t.created.UTC(), orNull(t.state), orNull(t.mark), t.priority, orNull(t.assignee), orNull(t.customer), t.into != nil, t.survey != nil, t.in.ID)
				got := fmt.Sprint(r.CreatedAt.UTC(), orNull(r.State), orNull(r.NotARequest), r.Priority, orNull(r.Assignee), orNull(r.Customer), r.MergedInto != nil, r.Survey != nil, r.Collection.ID)
				if t.into == nil {
					want += fmt.Sprint(len(r.Tickets), orNull(utc(t.firstResponse())), orNull(utc(first)), orNull(utc(last)))
					got += fmt.Sprint(t.allTickets(), orNull(utc(r.FirstResponseAt)), orNull(utc(r.FirstSolvedAt)), orNull(utc(r.SolvedAt)))
				}
				if got != want {
					if wrong++; wrong < 10 {
						f.t.Errorf("request %d (%s) is\n%s but is remembered as\n%s", t.id, t.source, got, want)
					}
				}
			}
			return nil
		}))
	}
	if wrong > 0 {
		f.t.Fatalf("%d of %d requests differ from what is remembered", wrong, len(f.talks))
	}
}

func orNull[T any](v *T) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(*v)
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return ptr(t.UTC())
}

// populate plans the start of n conversations: many of them recent, some at the
// very edges of days.
func (f *firm) populate(n int) {
	const batch = 50
	old := n * 2 / 3
	for i := 0; i < old; i += batch {
		part := float64(i+1) / float64(old+1)
		f.then(f.began.Add(time.Duration(part*float64(f.ends.Sub(f.began)))).Truncate(time.Millisecond), func() { f.imports(min(batch, old-i)) })
	}
	for range n - old {
		at := f.began.Add(time.Duration(f.dice.Int64N(int64(f.ends.Sub(f.began)))))
		if f.chance(0.5) {
			at = f.ends.Add(-time.Duration(f.dice.ExpFloat64() * 12 * 24 * float64(time.Hour)))
		}
		if f.chance(0.05) {
			year, month, day := at.In(f.zone).Date()
			at = time.Date(year, month, day, 0, 0, 0, 0, f.zone).Add(time.Duration(f.dice.IntN(2)-1) * time.Millisecond)
		}
		do := f.begins
		if f.chance(0.45) {
			do = f.creates
		}
		f.then(at.UTC().Truncate(time.Millisecond), do)
	}
}
