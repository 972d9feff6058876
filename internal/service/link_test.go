package service

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
	"frontdesk/internal/tracker/linear"
	"frontdesk/internal/tracker/linear/lineartest"
	"frontdesk/internal/tracker/zendesk"
	"frontdesk/internal/tracker/zendesk/zendesktest"
	"frontdesk/internal/worker"
)

// elsewhere is a ticket system with one ticket, and ways to act as people there.
type elsewhere interface {
	system() tracker.System
	credential() desk.TrackerCredential
	kind() desk.TicketType
	name() string // the ticket's
	says(text string, public bool)
	sets(done bool)
	comments() []string // texts, with // before private ones
	private() bool      // whether comments can be private; if not, all of them are notes here
	done() bool
	doneName() string   // what people there call the done status
	changes() int       // number of comments and status changes by us
	loses(n int)        // loses the next deliveries
	doubles(n int)      // sends the next deliveries twice
	holds()             // holds deliveries back until reverses
	reverses()          // sends the held ones in reverse order
	dropsAnswers(n int) // drops answers to comments, after they were added
	fails(n int)        // fails the next calls, before anything is done
	revokes()
}

// hooks delivers what a ticket system sends to the process that is running.
type hooks struct {
	w    *workplace
	mu   sync.Mutex
	last time.Time
}

func (h *hooks) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	tracker.Handler(h.w.trackers, h.w.ReceiveTracker, quiet).ServeHTTP(rec, r)
	return rec.Result(), nil
}

// now returns the time in the ticket system, whose calls are valid only for a
// minute. It is our time, which the tests move. It never returns the same moment
// twice, because comments of one moment would have no order.
func (h *hooks) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if h.w != nil {
		now = h.w.clock.Now()
	}
	if next := h.last.Add(time.Millisecond); now.Before(next) {
		now = next
	}
	h.last = now
	return now
}

// zendeskElsewhere is Zendesk.
type zendeskElsewhere struct {
	*zendesktest.Zendesk
	app    *zendesk.App
	agent  *zendesktest.User
	ticket int64
}

func newZendesk(t *testing.T, h *hooks) elsewhere {
	var ago atomic.Int64 // makes the ticket older than the link
	ago.Store(int64(time.Hour))
	z := zendesktest.New(zendesktest.Config{Hold: true, Client: &http.Client{Transport: h}, Now: func() time.Time { return time.Now().Add(-time.Duration(ago.Load())) }})
	server := httptest.NewServer(z)
	t.Cleanup(func() { server.Close(); z.Close() })
	e := &zendeskElsewhere{Zendesk: z, agent: z.AddUser("Zoe", "zoe@acme.test", "agent")}
	e.app = zendesk.New(zendesk.Config{Address: server.URL, Unlimited: true, Log: quiet})
	e.ticket = z.AddTicket(z.AddUser("Oskar", "someone@else.example", "end-user"), "Printer", "<p>What was said before.</p>")
	ago.Store(0)
	return e
}

func (e *zendeskElsewhere) system() tracker.System { return e.app }
func (e *zendeskElsewhere) kind() desk.TicketType  { return desk.Zendesk }
func (e *zendeskElsewhere) name() string           { return "#" + strconv.FormatInt(e.ticket, 10) }
func (e *zendeskElsewhere) credential() desk.TrackerCredential {
	return desk.TrackerCredential{Domain: "acme", Email: zendesktest.Email, Token: zendesktest.Token}
}
func (e *zendeskElsewhere) says(text string, public bool) {
	e.Say(e.ticket, e.agent, "<p>"+text+"</p>", public)
}
func (e *zendeskElsewhere) sets(done bool) {
	e.SetStatus(e.ticket, e.agent, map[bool]string{true: "solved", false: "open"}[done])
}
func (e *zendeskElsewhere) private() bool    { return true }
func (e *zendeskElsewhere) doneName() string { return "Solved" }
func (e *zendeskElsewhere) done() bool       { return e.Ticket(e.ticket).Status == "solved" }
func (e *zendeskElsewhere) loses(n int)      { e.Lose(n) }
func (e *zendeskElsewhere) doubles(n int)    { e.Double(n) }
func (e *zendeskElsewhere) holds()           { e.Hold() }
func (e *zendeskElsewhere) reverses()        { e.Reverse() }
func (e *zendeskElsewhere) revokes()         { e.Revoke() }
func (e *zendeskElsewhere) changes() int     { return e.Count("PUT", "/api/v2/tickets") }
func (e *zendeskElsewhere) dropsAnswers(n int) {
	e.Fail(zendesktest.Fault{Method: "PUT", Times: n, After: true})
}
func (e *zendeskElsewhere) fails(n int) { e.Fail(zendesktest.Fault{Status: 503, Times: n}) }
func (e *zendeskElsewhere) comments() (all []string) {
	for i, c := range e.Comments(e.ticket) {
		if i == 0 {
			continue // the ticket's own text
		}
		sign := ""
		if !c.Public {
			sign = "//"
		}
		all = append(all, sign+c.HTML)
	}
	return all
}

// linearElsewhere is Linear.
type linearElsewhere struct {
	*lineartest.Server
	app   *linear.Linear
	us    lineartest.Person
	key   string
	agent lineartest.Person
	team  lineartest.Team
	issue lineartest.Issue
}

func newLinear(t *testing.T, h *hooks) elsewhere {
	l := lineartest.New(lineartest.Config{Now: h.now, Client: &http.Client{Transport: h}})
	server := httptest.NewServer(l)
	t.Cleanup(func() { server.Close(); l.Close() })
	e := &linearElsewhere{Server: l, us: l.Person("Desk", "desk@acme.test", true), agent: l.Person("Zoe", "zoe@acme.test", false), team: l.Team("ENG", "Engineering")}
	e.app = linear.New(linear.Config{API: server.URL + "/graphql", Unlimited: true, Log: quiet})
	e.key = e.us.Key()
	e.issue = e.agent.CreateIssue(e.team.ID, "Printer", "What was said before.")
	return e
}

func (e *linearElsewhere) system() tracker.System { return e.app }
func (e *linearElsewhere) kind() desk.TicketType  { return desk.Linear }
func (e *linearElsewhere) name() string           { return e.issue.Identifier }
func (e *linearElsewhere) credential() desk.TrackerCredential {
	return desk.TrackerCredential{Token: e.key}
}
func (e *linearElsewhere) says(text string, _ bool) { e.agent.Comment(e.issue.ID, text) }
func (e *linearElsewhere) sets(done bool) {
	e.agent.Move(e.issue.ID, e.team.State(map[bool]string{true: "Done", false: "Todo"}[done]).ID)
}
func (e *linearElsewhere) private() bool    { return false }
func (e *linearElsewhere) doneName() string { return "Done" }
func (e *linearElsewhere) done() bool       { return e.Issue(e.issue.ID).State.Type == "completed" }
func (e *linearElsewhere) loses(n int) {
	e.Mishaps(slices.Repeat([]lineartest.Mishap{lineartest.Lost}, n)...)
}
func (e *linearElsewhere) doubles(n int) {
	e.Mishaps(slices.Repeat([]lineartest.Mishap{lineartest.Twice}, n)...)
}
func (e *linearElsewhere) holds()       { e.Always(lineartest.Delayed) }
func (e *linearElsewhere) reverses()    { e.Always(0); e.Reverse() }
func (e *linearElsewhere) revokes()     { e.us.Revoke() }
func (e *linearElsewhere) changes() int { return e.Calls()["commentCreate"] + e.Calls()["issueUpdate"] }
func (e *linearElsewhere) dropsAnswers(n int) {
	e.Fail(lineartest.Fault{On: "commentCreate", Times: n, After: true})
}
func (e *linearElsewhere) fails(n int) { e.Fail(lineartest.Fault{Status: 503, Times: n}) }
func (e *linearElsewhere) comments() (all []string) {
	for _, c := range e.Comments(e.issue.ID) {
		all = append(all, c.Body)
	}
	return all
}

// linkedDesk is a helpdesk that is connected to a ticket system, with one request
// from chat.
type linkedDesk struct {
	*helpdesk
	there elsewhere
	first string // the request's first message
}

func eachLinkedDesk(t *testing.T, fn func(t *testing.T, d *linkedDesk)) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T, *hooks) elsewhere{"zendesk": newZendesk, "linear": newLinear} {
		t.Run(name, func(t *testing.T) {
			dbtest.EachURL(t, func(t *testing.T, url string) {
				t.Parallel()
				h := &hooks{}
				there := open(t, h)
				h.w = newWorkplace(t, url, func(c *company) { c.trackers = []tracker.System{there.system()} })
				d := &linkedDesk{helpdesk: newHelpdesk(h.w, nil), there: there}
				d.first = d.says(d.oskar, d.help, "The label printer prints everything twice. Can you help?").TS
				d.become("open <The label printer prints everything twice. Can you help?")
				fn(t, d)
			})
		})
	}
}

func (d *linkedDesk) connects() {
	d.t.Helper()
	c := d.there.credential()
	_, err := d.CreateIntegration(ctx, d.caller(), desk.NewIntegration{Kind: desk.IntegrationKind(d.there.kind()), Credential: &c})
	must(d.t, err)
	d.rests() // by now it knows our address
}

func (d *linkedDesk) links(change func(*desk.NewLink)) {
	d.t.Helper()
	n := desk.NewLink{System: d.there.kind(), Ticket: d.there.name(), Request: d.requests()[0].ID}
	if change != nil {
		change(&n)
	}
	got, err := d.LinkTicket(ctx, d.caller(), n)
	must(d.t, err)
	if got.Existed {
		d.t.Error("the link already existed")
	}
}

func (d *linkedDesk) elsewhereBecomes(want ...string) {
	d.t.Helper()
	d.hurryUntil(fmt.Sprintf("%q elsewhere", want), d.there.comments, func(got []string) bool {
		return slices.EqualFunc(got, want, func(got, want string) bool { return strings.Contains(got, want) })
	})
}

// heard returns how a comment from there reads here: as an answer for everyone, or
// as a note.
func (d *linkedDesk) heard(text string, public bool) string {
	if public && d.there.private() {
		return " >" + text
	}
	return " //" + text
}

// Comments and statuses go both ways, once each. Private comments stay where they
// are.
func TestALinkedTicketIsKeptInLine(t *testing.T) {
	eachLinkedDesk(t, func(t *testing.T, d *linkedDesk) {
		d.connects()
		d.links(nil)
		d.rests()
		r := d.requests()[0]
		if len(r.Tickets) != 1 || r.Tickets[0].URL == "" || *r.State != desk.OnHold && *r.State != desk.Open {
			t.Fatalf("linked to %+v, state %s", r.Tickets, *r.State)
		}
		const asked = " <The label printer prints everything twice. Can you help?"

		d.replies(d.maya, d.help, d.first, "I have asked those who know")
		d.elsewhereBecomes("I have asked those who know")
		d.adds(r.ID, desk.NewMessage{HTML: ptr("<p>between us</p>"), Private: true})
		d.there.says("It is the driver", true)
		d.there.says("he is cross", false)
		state := d.state(r.ID)
		talk := asked + " >I have asked those who know //between us" + d.heard("It is the driver", true) + d.heard("he is cross", false)
		d.hurry(state + " maya" + talk)
		cross := "he is cross"
		if d.there.private() {
			cross = "//<p>he is cross"
		}
		d.elsewhereBecomes("I have asked those who know", "It is the driver", cross)

		d.there.sets(true)
		d.hurry("solved maya" + talk)
		d.there.sets(false)
		d.hurry("open maya" + talk)
		solved := desk.Solved
		_, err := d.UpdateRequest(ctx, d.caller(), r.ID, desk.RequestChange{State: &solved})
		must(t, err)
		d.hurryUntil("solved elsewhere", func() []string { return []string{fmt.Sprint(d.there.done())} }, func(got []string) bool { return got[0] == "true" })
		d.rests()
		changes := d.there.changes()
		d.there.says("And now?", true)
		d.hurry("solved maya" + talk + d.heard("And now?", true))
		d.rests()
		if again := d.there.changes(); again != changes {
			t.Errorf("reading again made %d changes", again-changes)
		}
		thread := strings.Join(d.thread(d.help, d.first), "\n")
		open, inside := []string{"Linked to ", d.there.doneName()}, []string{"between us", "he is cross"}
		if d.there.private() {
			open = append(open, "It is the driver", "And now?")
		} else {
			inside = append(inside, "It is the driver", "And now?")
		}
		for _, want := range open {
			if !strings.Contains(strings.ToLower(thread), strings.ToLower(want)) {
				t.Errorf("%q is not in the thread:\n%s", want, thread)
			}
		}
		for _, note := range inside {
			if strings.Contains(thread, note) {
				t.Errorf("%q is in the requester's thread", note)
			}
		}
	})
}

func (d *linkedDesk) state(id desk.RequestID) string {
	for _, r := range d.requests() {
		if r.ID == id {
			return string(*r.State)
		}
	}
	return ""
}

// Whatever happens on the way, each comment is on both sides once in the end, and
// both statuses agree. Answers are lost, a system is down, and calls come twice, in
// any order or not at all.
func TestALinkSurvivesTheWay(t *testing.T) {
	eachLinkedDesk(t, func(t *testing.T, d *linkedDesk) {
		d.connects()
		d.links(func(n *desk.NewLink) { n.Task = true })
		d.rests()
		var ours, theirs []string
		for round := range 4 {
			d.there.holds()
			d.there.doubles(1)
			d.there.loses(1)
			if round%2 == 0 {
				d.there.dropsAnswers(1)
			} else {
				d.there.fails(1)
			}
			for i := range 2 {
				text := fmt.Sprintf("ours %d %d", round, i)
				d.adds(d.requests()[0].ID, desk.NewMessage{HTML: &text})
				ours = append(ours, text)
				text = fmt.Sprintf("theirs %d %d", round, i)
				d.there.says(text, true)
				theirs = append(theirs, text)
			}
			d.there.reverses()
		}
		once := func(got []string, marks ...string) bool {
			all := strings.Join(got, "\n") + "\n"
			return !slices.ContainsFunc(marks, func(mark string) bool { return strings.Count(all, mark) != 1 })
		}
		everywhere := slices.Concat(ours, theirs)
		here := func() (all []string) {
			for _, m := range d.requests()[0].Messages {
				all = append(all, m.Text)
			}
			return all
		}
		d.hurryUntil("everything there", d.there.comments, func(got []string) bool { return once(got, everywhere...) })
		d.hurryUntil("everything here", here, func(got []string) bool { return once(got, everywhere...) })
		d.rests()
		if got := slices.DeleteFunc(d.there.comments(), func(c string) bool { return !strings.Contains(c, "ours") }); !slices.EqualFunc(got, ours, strings.Contains) {
			t.Errorf("our comments there are in the order %q", got)
		}

		// No call reports this one. The regular check finds it.
		d.there.loses(1)
		d.there.says("said into the void", true)
		d.clock.move(worker.LinkEvery + time.Minute)
		become(t, "what nobody told of", here, func(got []string) bool { return once(got, append(everywhere, "said into the void")...) })
		d.rests()
		if got := d.there.comments(); !once(got, append(everywhere, "said into the void")...) {
			t.Errorf("in the end their comments are %q", got)
		}
	})
}

// A link that was made without a connection is synced once there is one, and again
// after the connection was lost and restored.
func TestALinkWaitsForItsConnection(t *testing.T) {
	eachLinkedDesk(t, func(t *testing.T, d *linkedDesk) {
		d.links(func(n *desk.NewLink) { n.Sync.Alert = ptr(false) })
		d.adds(d.requests()[0].ID, desk.NewMessage{HTML: ptr("Before there was a connection")})
		d.rests()
		if got := d.there.comments(); len(got) > 0 {
			t.Fatalf("without a connection their comments are %q", got)
		}
		again, err := d.LinkTicket(ctx, d.caller(), desk.NewLink{System: d.there.kind(), Ticket: strings.ToLower(d.there.name()), Channel: d.help, Message: d.first})
		must(t, err)
		if !again.Existed {
			t.Error("the same link, by its message, counts as a new one")
		}
		d.connects()
		d.elsewhereBecomes("Before there was a connection")

		d.there.revokes()
		d.adds(d.requests()[0].ID, desk.NewMessage{HTML: ptr("While it was lost")})
		become(t, "the loss", func() (lost []desk.Integration) {
			l, err := d.Integrations(ctx, d.caller(), desk.Page{Limit: 10})
			must(t, err)
			return slices.DeleteFunc(l.Items, func(i desk.Integration) bool { return i.Status != desk.StatusLost })
		}, func(lost []desk.Integration) bool {
			return len(lost) == 1 && lost[0].Kind == desk.IntegrationKind(d.there.kind())
		})
		if text := strings.Join(d.thread(d.help, d.first), " "); strings.Contains(text, "Linked to") {
			t.Errorf("the link was announced although alerts are off: %s", text)
		}
	})
}

// If a linked ticket does not exist, only the team is told, once. A mistaken link
// can be removed.
func TestALinkToNothing(t *testing.T) {
	eachLinkedDesk(t, func(t *testing.T, d *linkedDesk) {
		d.connects()
		d.links(func(n *desk.NewLink) {
			n.Ticket = map[desk.TicketType]string{desk.Zendesk: "99", desk.Linear: "NONE-99"}[d.there.kind()]
		})
		r := d.requests()[0]
		note := func() (notes []string) {
			for _, m := range d.requests()[0].Messages {
				if m.Private {
					notes = append(notes, m.Text)
				}
			}
			return notes
		}
		d.hurryUntil("a note", note, func(got []string) bool { return len(got) == 1 && strings.Contains(got[0], "has no ticket") })
		d.rests()
		d.clock.move(worker.LinkEvery + time.Minute) // it is checked again
		must(t, d.store.Write(ctx, d.account.ID, func(tx *store.Tx) error { return job.Add(tx.Tx, change.ReadLinks{}, tx.Now) }))
		d.rests()
		if got := note(); len(got) != 1 {
			t.Errorf("the team was told %d times", len(got))
		}
		_, err := d.UnlinkTicket(ctx, d.caller(), r.ID, r.Tickets[0].ID)
		must(t, err)
		if after := d.requests()[0]; len(after.Tickets) != 0 {
			t.Errorf("still linked to %+v", after.Tickets)
		}
	})
}
