package service

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// crowd is people with a browser each, and what they are told.
type crowd struct {
	*company
	request, other desk.Request
	sessions       desk.TokenID
}

func newCrowd(t *testing.T, url string) *crowd {
	c := &crowd{company: companyAt(t, url), sessions: 1000}
	c.newCollection("API", desk.APICollection)
	c.request, c.other = c.company.request("A", "x"), c.company.request("B", "x")
	return c
}

// comes returns a new member in a new browser.
func (c *crowd) comes(name string, role desk.Role) Caller {
	c.t.Helper()
	m, err := c.CreateMember(ctx, c.caller(), desk.NewMember{Email: strings.ToLower(name) + "@acme.example", Name: &name, Role: &role})
	must(c.t, err)
	return c.browser(Caller{Account: c.account.ID, Actor: desk.Actor{ID: m.ID, Name: name, Email: m.Email, Source: desk.SourceAPI}, Role: role, Reach: desk.Everything, Scope: desk.ReadWrite})
}

// browser returns somebody in one more browser.
func (c *crowd) browser(who Caller) Caller {
	c.sessions++
	who.Token, who.Session = c.sessions, true
	return who
}

// is says what somebody does at a request; "" is nothing. It returns who else is there.
func (c *crowd) is(s *Service, who Caller, tab string, r desk.RequestID, doing desk.Doing) string {
	c.t.Helper()
	g := desk.GivenPresence{Tab: tab, Doing: desk.Null[desk.Doing]()}
	if doing != "" {
		g.Doing = desk.Just(doing)
	}
	p, err := s.SetPresence(ctx, who, r, g)
	must(c.t, err)
	return named(p)
}

func named(p desk.Presence) string {
	var all []string
	for _, o := range p.Others {
		all = append(all, o.Name+" "+string(o.Doing))
	}
	return strings.Join(all, ", ")
}

// news returns what a stream is told now.
func (c *crowd) news(s *Service, who Caller, f *PresenceFollower) string {
	c.t.Helper()
	news, err := s.PresenceNews(ctx, who, f)
	must(c.t, err)
	var all []string
	for _, p := range news {
		all = append(all, fmt.Sprintf("%d: %s", p.Request-c.request.ID, named(p)))
	}
	return strings.Join(all, "; ")
}

func (c *crowd) follow(s *Service, who Caller) *PresenceFollower {
	f := s.FollowPresence(who)
	c.t.Cleanup(f.Stop)
	return f
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func rung(f *PresenceFollower) bool {
	select {
	case <-f.Bell():
		return true
	default:
		return false
	}
}

// Who is at a request learns at once who else is there, and hears when that changes:
// who comes, writes, goes, and who falls silent. Nobody hears of themselves, nor of a
// request where they are not. Nothing of it is stored.
func TestPresence(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := newCrowd(t, url)
		mira, tom, vera := c.comes("Mira", desk.Agent), c.comes("Tomás", desk.Agent), c.comes("Vera", desk.Viewer)
		before := c.rows("events") + c.rows("audit_logs") + c.rows("jobs")
		here, elsewhere := c.request.ID, c.other.ID
		hears := c.follow(c.Service, mira)
		want(t, "before anybody is there", c.news(c.Service, mira, hears), "")
		want(t, "the first", c.is(c.Service, mira, "1", here, desk.Looking), "")
		want(t, "the second", c.is(c.Service, tom, "1", here, desk.Looking), "Mira looking")
		if !rung(hears) {
			t.Error("the bell did not ring for who came")
		}
		want(t, "one has come", c.news(c.Service, mira, hears), "0: Tomás looking")
		want(t, "nothing new", c.news(c.Service, mira, hears), "")

		want(t, "it is said again", c.is(c.Service, tom, "1", here, desk.Looking), "Mira looking")
		c.is(c.Service, vera, "1", elsewhere, desk.Looking)
		c.is(c.Service, c.browser(mira), "1", here, desk.Writing)
		if c.news(c.Service, mira, hears); rung(hears) && c.news(c.Service, mira, hears) != "" {
			t.Error("the bell rang for what is no news")
		}
		c.is(c.Service, tom, "2", here, desk.Writing)
		want(t, "writing in one of two tabs", c.news(c.Service, mira, hears), "0: Tomás writing")
		want(t, "a late one", c.is(c.Service, vera, "1", here, desk.Looking), "Mira writing, Tomás writing")
		want(t, "the late one", c.news(c.Service, mira, hears), "0: Tomás writing, Vera looking")
		c.is(c.Service, tom, "2", here, "")
		want(t, "one tab is closed", c.news(c.Service, mira, hears), "0: Tomás looking, Vera looking")
		want(t, "the tab goes elsewhere", c.is(c.Service, tom, "1", elsewhere, desk.Looking), "")
		c.is(c.Service, tom, "1", here, "") // its goodbye comes late
		want(t, "it stays elsewhere", c.is(c.Service, vera, "2", elsewhere, desk.Looking), "Tomás looking")
		c.is(c.Service, vera, "2", elsewhere, "")
		want(t, "it is gone here", c.news(c.Service, mira, hears), "0: Vera looking")

		// Vera's computer dies. Mira's goes on.
		c.clock.move(desk.PresenceKept - time.Second)
		want(t, "just in time", c.is(c.Service, mira, "1", here, desk.Looking), "Vera looking")
		c.clock.move(time.Second)
		want(t, "she fell silent", c.news(c.Service, mira, hears), "0: ")
		want(t, "she is not shown", c.is(c.Service, mira, "1", here, desk.Looking), "")
		c.clock.move(desk.PresenceKept + time.Second)
		c.is(c.Service, tom, "1", elsewhere, desk.Looking)
		if n := len(c.presences.at); n != 1 {
			t.Errorf("%d requests are held after everybody else left", n)
		}
		c.is(c.Service, tom, "1", elsewhere, "")
		hears.Stop()
		if n := len(c.presences.at) + len(c.presences.sessions); n != 0 {
			t.Errorf("%d things are held after everybody left", n)
		}
		if n := c.rows("events") + c.rows("audit_logs") + c.rows("jobs") - before; n != 0 {
			t.Errorf("%d rows were written", n)
		}
	})
}

// Accounts, collections and tokens are walls for presence, too.
func TestPresenceWalls(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := newCrowd(t, url)
		mira, tom := c.comes("Mira", desk.Agent), c.comes("Tomás", desk.Agent)
		here := c.request.ID
		hears := c.follow(c.Service, tom)
		c.is(c.Service, mira, "1", here, desk.Looking)
		c.is(c.Service, tom, "1", here, desk.Looking)
		want(t, "within reach", c.news(c.Service, tom, hears), "0: Mira looking")

		// He loses the collection. What happens then he does not hear.
		tom.Reach = desk.Reach{}
		c.is(c.Service, mira, "1", here, desk.Writing)
		want(t, "out of reach", c.news(c.Service, tom, hears), "0: ")
		want(t, "still out of reach", c.news(c.Service, tom, hears), "")
		looking := desk.GivenPresence{Tab: "1", Doing: desk.Just(desk.Looking)}
		if _, err := c.SetPresence(ctx, tom, here, looking); desk.KindOf(err) != desk.NotFound {
			t.Errorf("a request out of reach: %v", err)
		}
		want(t, "he is not there any more", c.is(c.Service, mira, "1", here, desk.Looking), "")

		other, admin, err := c.NewAccount(ctx, "Globex", desk.NewMember{Email: "admin@globex.example"})
		must(t, err)
		stranger := c.browser(Caller{Account: other.ID, Role: desk.Admin, Scope: desk.ReadWrite, Actor: desk.Actor{ID: admin.ID, Name: "Hank"}})
		if _, err := c.SetPresence(ctx, stranger, here, looking); desk.KindOf(err) != desk.NotFound {
			t.Errorf("a request of another account: %v", err)
		}
		if _, err := c.SetPresence(ctx, mira, 999_999, looking); desk.KindOf(err) != desk.NotFound {
			t.Errorf("a request that is not there: %v", err)
		}

		token := mira
		token.Session = false
		if _, err := c.SetPresence(ctx, token, here, looking); err != desk.ErrSessionOnly {
			t.Errorf("with a token: %v", err)
		}
		deaf := c.follow(c.Service, token) // the id of the token is that of her session
		c.is(c.Service, c.comes("Ines", desk.Agent), "1", here, desk.Writing)
		if want(t, "a token's stream", c.news(c.Service, token, deaf), ""); deaf.Bell() != nil {
			t.Error("a token's bell can ring")
		}
	})
}

// A session has room for so many tabs, and what is wrong changes nothing.
func TestPresenceLimits(t *testing.T) {
	c := newCrowd(t, dbtest.URL(t, sqldb.SQLite))
	mira := c.comes("Mira", desk.Agent)
	for i := range desk.MostTabs {
		c.is(c.Service, mira, fmt.Sprint(i), c.request.ID, desk.Looking)
	}
	looking := desk.GivenPresence{Tab: "more", Doing: desk.Just(desk.Looking)}
	if _, err := c.SetPresence(ctx, mira, c.request.ID, looking); desk.KindOf(err) != desk.Busy {
		t.Errorf("one tab more: %v", err)
	}
	c.is(c.Service, mira, "3", c.other.ID, desk.Looking) // one of them goes elsewhere
	c.is(c.Service, mira, "3", c.other.ID, "")
	c.is(c.Service, mira, "more", c.request.ID, desk.Looking)
	c.clock.move(desk.PresenceKept)
	c.is(c.Service, mira, "and another", c.request.ID, desk.Looking) // the others are silent

	for name, g := range map[string]desk.GivenPresence{
		"no tab":   {Doing: desk.Just(desk.Looking)},
		"long tab": {Tab: strings.Repeat("x", 65), Doing: desk.Just(desk.Looking)},
		"sleeping": {Tab: "1", Doing: desk.Just(desk.Doing("sleeping"))},
	} {
		if _, err := c.SetPresence(ctx, mira, c.request.ID, g); desk.KindOf(err) != desk.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(c.presences.at[requestPlace{c.account.ID, c.request.ID}]); n != 1 {
		t.Errorf("%d tabs are there", n)
	}
}

// On PostgreSQL each process knows what the others were told. What one has missed, or
// lost with a restart, the next calls tell it.
func TestPresenceOfSeveralProcesses(t *testing.T) {
	c := newCrowd(t, dbtest.URL(t, sqldb.Postgres))
	mira, tom := c.comes("Mira", desk.Agent), c.comes("Tomás", desk.Agent)
	here, elsewhere := c.request.ID, c.another().Service
	hears := c.follow(c.Service, mira)
	c.is(c.Service, mira, "1", here, desk.Looking)
	eventually := func(what string, s *Service, f *PresenceFollower, wanted string) {
		t.Helper()
		for end := time.Now().Add(5 * time.Minute); ; {
			got := c.news(s, mira, f)
			if got == wanted {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %q never came, %q did", what, wanted, got)
			}
			select {
			case <-f.Bell():
			case <-time.After(50 * time.Millisecond): // a node that has just begun to listen
				if wanted != "0: " {
					c.is(elsewhere, tom, "1", here, desk.Doing(strings.TrimPrefix(wanted, "0: Tomás ")))
				}
			}
		}
	}
	c.is(elsewhere, tom, "1", here, desk.Writing)
	eventually("somebody at another node", c.Service, hears, "0: Tomás writing")
	c.is(elsewhere, tom, "1", here, "")
	eventually("somebody leaves another node", c.Service, hears, "0: ")

	// Her stream is at a third node, which has just started. Her calls go to the first.
	third := c.another().Service
	late := c.follow(third, mira)
	for end := time.Now().Add(5 * time.Minute); c.news(third, mira, late) != "0: Tomás looking"; {
		if time.Now().After(end) {
			t.Fatal("the third node never learns who is there")
		}
		c.is(c.Service, mira, "1", here, desk.Looking)
		c.is(elsewhere, tom, "1", here, desk.Looking)
		select {
		case <-late.Bell():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// colleagues are two members who can answer the company's request.
func colleagues(c *company) (a, b Caller) {
	as := func(email, name string) Caller {
		m := c.newMember(email, desk.Admin)
		who := c.caller()
		who.Actor.ID, who.Actor.Email, who.Actor.Name = m.ID, email, name
		return who
	}
	return as("mira@acme.example", "Mira"), as("tomas@acme.example", "Tomás")
}

// Who says what they have seen is stopped by an answer that they have not seen: at once
// and with a delay, for replies and for notes. Their own messages, notes and the
// requester's words stop nobody, and who says nothing is not stopped.
func TestAnsweredMeanwhile(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c, r := waits(t, url)
		mira, tom := colleagues(c)
		add := func(who Caller, text string, private bool, seen desk.MessageID) (desk.Message, error) {
			n := desk.NewMessage{HTML: &text, Private: private}
			if seen != 0 {
				n.Seen = &seen
			}
			return c.AddMessage(ctx, who, r.ID, n)
		}
		question := c.said(r.ID).Messages[0].ID
		own, err := add(mira, "one", false, question)
		must(t, err)
		_, err = add(mira, "her own does not stop her", false, question)
		must(t, err)
		_, err = add(tom, "a note", true, 0)
		must(t, err)
		_, err = add(mira, "notes do not stop her", false, own.ID)
		must(t, err)
		must(t, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error { // the requester
			return tx.AddMessage(&desk.Message{Request: r.ID, Author: desk.Requester{Email: "ines@somewhere.example"}, HTML: "?", Text: "?", Source: desk.SourceAPI, CreatedAt: tx.Now})
		}))
		_, err = add(mira, "the requester does not stop her", false, own.ID)
		must(t, err)

		answer, err := add(tom, "two", false, 0)
		must(t, err)
		c.clock.move(20 * time.Second)
		count := len(c.said(r.ID).Messages)
		for name, do := range map[string]func() error{
			"a reply": func() error { _, err := add(mira, "three", false, own.ID); return err },
			"a note":  func() error { _, err := add(mira, "three", true, own.ID); return err },
			"delayed": func() error {
				_, err := c.DelayMessage(ctx, mira, r.ID, desk.NewMessage{HTML: ptr("three"), Seen: &own.ID}, 10*time.Second)
				return err
			},
		} {
			if err := do(); desk.KindOf(err) != desk.Conflict || !strings.Contains(err.Error(), "Tomás replied 20 seconds ago. Read it, then send. [seen_message_id: is older than the answer "+desk.FormatID(answer.ID)+"]") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := len(c.said(r.ID).Messages); n != count || c.rows("waiting_messages") != 0 {
			t.Errorf("a refused message was added: %d messages, want %d", n, count)
		}
		_, err = add(mira, "read", false, answer.ID)
		must(t, err)
		_, err = add(tom, "unchecked", false, 0)
		must(t, err)
		w, err := c.DelayMessage(ctx, mira, r.ID, desk.NewMessage{HTML: ptr("accepted"), Seen: ptr(answer.ID + 1_000_000)}, 10*time.Second)
		must(t, err)
		_, err = add(tom, "meanwhile", false, 0)
		must(t, err)
		c.clock.move(10 * time.Second)
		must(t, c.send(w)) // it was accepted, so it is sent
		if all := c.said(r.ID).Messages; all[len(all)-1].Text != "accepted" {
			t.Errorf("the last is %q", all[len(all)-1].Text)
		}
		must(t, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error { // an answer that was removed
			for _, m := range c.saidIn(tx, r.ID) {
				if m.Author.Email == tom.Actor.Email {
					if err := tx.RemoveMessage(m.ID); err != nil {
						return err
					}
				}
			}
			return nil
		}))
		_, err = add(mira, "nothing is left to read", false, question)
		must(t, err)
	})
}

func (c *company) saidIn(tx *store.Tx, id desk.RequestID) []desk.Message {
	c.t.Helper()
	one := []desk.Request{{ID: id}}
	must(c.t, tx.AddMessages(one))
	return one[0].Messages
}

// Of two who answer at the same moment, having seen the same, one is stopped.
func TestAnsweredMeanwhileRace(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c, r := waits(t, url)
		mira, tom := colleagues(c)
		other := c.another().Service // perhaps on another node
		seen := c.said(r.ID).Messages[0].ID
		const rounds = 10
		for i := range rounds {
			var mine, theirs desk.Message
			var a, b error
			var both sync.WaitGroup
			n := desk.NewMessage{HTML: ptr("x"), Seen: ptr(seen)}
			both.Go(func() { mine, a = c.AddMessage(ctx, mira, r.ID, n) })
			both.Go(func() { theirs, b = other.AddMessage(ctx, tom, r.ID, n) })
			both.Wait()
			if (a == nil) == (b == nil) || desk.KindOf(cmp.Or(a, b)) != desk.Conflict {
				t.Errorf("round %d: %v and %v", i, a, b)
			}
			seen = max(mine.ID, theirs.ID)
		}
		if n := len(c.said(r.ID).Messages); n != rounds+1 {
			t.Errorf("%d messages, want %d", n, rounds+1)
		}
	})
}
