package service

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// faultsOf makes a method misbehave a number of times.
func faultsOf(method, kind string, count int) sandbox.FaultPlan {
	return sandbox.FaultPlan{Faults: []sandbox.Fault{{Kind: sandbox.FaultKind(kind), Method: method, Count: count, Delay: sandbox.Duration(100 * time.Millisecond)}}}
}

// hurry waits as become does, but with a faster clock, because an attempt with an
// unknown result is not repeated at once. The clock stays as close to the chat
// system's as clocks must be.
func (h *helpdesk) hurry(want ...string) {
	h.t.Helper()
	h.hurryUntil(fmt.Sprintf("%q", want), h.lines, func(got []string) bool { return slices.Equal(got, want) })
}

func (h *helpdesk) hurryUntil(what string, now func() []string, want func([]string) bool) {
	h.t.Helper()
	become(h.t, what, func() []string {
		got := now()
		if !want(got) && h.ahead < 4*time.Minute && h.waiting() && h.answers() {
			h.moves(10 * time.Second)
		}
		return got
	}, want)
}

// moves moves the clock and wakes everything that waits for it.
func (h *helpdesk) moves(d time.Duration) {
	h.t.Helper()
	h.clock.move(d)
	h.ahead += d
	must(h.t, h.store.DB().Write(ctx, func(tx *sqldb.Tx) error { tx.Ring("jobs"); return nil }))
}

// waiting reports whether something for the chat system or a ticket system waits
// for its time while nothing is being sent. During a send the clock must not be
// sped up, because the chat system's clock is not.
func (h *helpdesk) waiting() (waits bool) {
	const kinds = "('request.tell', 'link.sync', 'announcement.send', 'announcement.resync')"
	var busy, due bool
	must(h.t, h.store.DB().Read(ctx, func(tx *sqldb.Tx) error {
		now := h.clock.Now().UnixMilli()
		return tx.Row(`SELECT EXISTS (SELECT 1 FROM jobs WHERE kind IN `+kinds+` AND length(owner) > 0),
			EXISTS (SELECT 1 FROM jobs WHERE kind IN `+kinds+` AND dead_at IS NULL AND run_at > $1)`, now).Scan(&busy, &due)
	}))
	return due && !busy
}

// answers reports whether the chat system answers. While it does not, the clock
// must not be sped up either: each attempt would fail, and the next would come
// later than the chat system's return.
func (h *helpdesk) answers() bool {
	res, err := http.Get(h.at + "api/api.test")
	if err != nil {
		return false
	}
	res.Body.Close()
	return true
}

// newDesk is a helpdesk with an API collection whose requests are posted to a
// channel.
func newDesk(w *workplace, change func(*desk.NewCollection)) (h *helpdesk, tickets string) {
	w.t.Helper()
	c, err := w.box.As(w.workspace.Owner).CreateChannel(ctx, "tickets", false)
	must(w.t, err)
	must(w.t, w.box.As(w.workspace.Owner).Invite(ctx, c.ID, w.person("maya@acme.test"), w.person("priya@acme.test")))
	h = newHelpdesk(w, nil)
	n := desk.NewCollection{Name: "API", Kind: desk.APICollection, RequestChannel: &c.ID, TriageChannel: &h.triage,
		Responders: []desk.Responder{{UserID: h.maya}, {UserID: h.priya}}}
	if change != nil {
		change(&n)
	}
	_, err = w.CreateCollection(ctx, w.caller(), n)
	must(w.t, err)
	h.rests()
	return h, c.ID
}

func (h *helpdesk) creates(description string) desk.RequestID {
	h.t.Helper()
	made, err := h.CreateRequest(ctx, h.caller(), desk.NewRequest{Description: description, Requester: ptr("ines@somewhere.example")})
	must(h.t, err)
	return made.ID
}

func (h *helpdesk) adds(id desk.RequestID, n desk.NewMessage) desk.Message {
	h.t.Helper()
	m, err := h.AddMessage(ctx, h.caller(), id, n)
	must(h.t, err)
	return m
}

// posted returns where a request is in the chat system.
func (h *helpdesk) posted(id desk.RequestID) (thread, card desk.Thread) {
	h.t.Helper()
	h.hurryUntil("the thread and the card", func() []string {
		r, err := h.Request(ctx, h.caller(), id, RequestParts{})
		must(h.t, err)
		if r.Thread == nil || r.Triage == nil {
			return nil
		}
		thread, card = *r.Thread, *r.Triage
		return []string{"both"}
	}, func(got []string) bool { return len(got) == 1 })
	return thread, card
}

func TestRequestOfTheAPIIsPosted(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, tickets := newDesk(w, nil)
		id := h.creates("The door does not open")
		long := strings.Repeat("long ", 1500)
		first := h.adds(id, desk.NewMessage{HTML: ptr("first")})
		h.adds(id, desk.NewMessage{HTML: ptr("between us"), Private: true})
		h.adds(id, desk.NewMessage{HTML: &long, AsBot: true})
		f, err := h.StoreFile(ctx, h.caller(), "plan.txt", "text/plain", strings.NewReader("here"))
		must(t, err)
		h.adds(id, desk.NewMessage{Files: []desk.NewFile{f}})
		h.adds(id, desk.NewMessage{HTML: ptr("last")})
		thread, card := h.posted(id)
		if thread.Channel != tickets || card.Channel != h.triage {
			t.Errorf("it is in %s and %s", thread.Channel, card.Channel)
		}
		h.rests()
		got := h.thread(tickets, thread.Message)
		if len(got) != 6 || !strings.Contains(got[0], "The door does not open") || got[1] != "first" || got[5] != "last" ||
			strings.TrimSpace(got[2]+" "+got[3]) != strings.TrimSpace(long) {
			t.Errorf("the thread has %d messages: %.300q", len(got), got)
		}
		messages, err := h.box.As(h.maya).Thread(ctx, tickets, thread.Message)
		must(t, err)
		if len(messages[4].Files) != 1 || messages[4].Files[0].Name != "plan.txt" {
			t.Errorf("the file's message is %+v", messages[4])
		}
		if inside := strings.Join(h.thread(card.Channel, card.Message), "|"); !strings.Contains(inside, "between us") {
			t.Errorf("triage shows %s", inside)
		}

		// Each message finds the request. So do the thread, and the id that a
		// message had before it was posted.
		called := []string{first.TS()}
		for _, m := range messages {
			called = append(called, m.TS)
		}
		for _, ts := range called {
			r, err := h.FindRequest(ctx, h.caller(), h.workspace.ID, tickets, ts, RequestParts{})
			if err != nil || r.ID != id {
				t.Errorf("%s finds %d, %v", ts, r.ID, err)
			}
		}
		// An answer there counts as the requester's or the team's.
		h.replies(h.maya, tickets, thread.Message, "Which door?")
		become(t, "the answer", func() []desk.Request { return h.requests()[:1] }, func(all []desk.Request) bool {
			m := all[0].Messages[len(all[0].Messages)-1]
			return m.Text == "Which door?" && m.Responder
		})
		// Deleting our post there does not delete what was said elsewhere.
		must(t, h.Receive(ctx, chat.Event{System: "slack", Workspace: h.workspace.ID, Removed: &chat.Removed{Ref: chat.Ref{Channel: tickets, ID: thread.Message}}}))
		if r := h.requests()[0]; r.State == nil || r.Messages[0].Text != "The door does not open" {
			t.Errorf("after deleting the post: %+v", r)
		}
		// The team's own messages in the channel are no requests, in a thread or
		// not.
		own := h.says(h.maya, tickets, "Please keep this channel tidy")
		h.replies(h.priya, tickets, own.TS, "Can you help me with that?")
		h.rests()
		if n := len(h.requests()); n != 1 {
			t.Errorf("there are %d requests: %q", n, h.lines())
		}
	})
}

// Whatever happens to the answers, everything is posted once and in order.
func TestPostingOnceAndInOrder(t *testing.T) {
	for _, kind := range []sandbox.FaultKind{sandbox.DropAnswer, sandbox.LateAnswer, sandbox.ErrorAnswer, sandbox.RateLimit, sandbox.Down} {
		t.Run(string(kind), func(t *testing.T) {
			eachWorkplace(t, func(t *testing.T, w *workplace) {
				h, tickets := newDesk(w, nil)
				must(t, h.box.SetFaults(sandbox.FaultPlan{Seed: 7, Faults: []sandbox.Fault{
					{Kind: kind, Method: "chat.postMessage", Probability: 0.4, Count: 1, Delay: sandbox.Duration(time.Second)},
					{Kind: kind, Method: "files.completeUploadExternal", Count: 1, Delay: sandbox.Duration(time.Second)},
				}}))
				id := h.creates("The door does not open")
				f, err := h.StoreFile(ctx, h.caller(), "plan.txt", "text/plain", strings.NewReader("here"))
				must(t, err)
				h.adds(id, desk.NewMessage{HTML: ptr("one")})
				h.adds(id, desk.NewMessage{HTML: ptr("two"), Files: []desk.NewFile{f}})
				h.adds(id, desk.NewMessage{HTML: ptr("three")})
				thread, card := h.posted(id)
				h.hurryUntil("the thread", func() []string { return h.thread(tickets, thread.Message)[1:] }, func(got []string) bool {
					return slices.Equal(got, []string{"one", "two", "three"})
				})
				h.hurryUntil("the copies", func() []string { return h.thread(card.Channel, card.Message)[1:] }, func(got []string) bool {
					return slices.Equal(got, []string{"one", "two", "three"})
				})
				h.box.SetFaults(sandbox.FaultPlan{})
				h.rests()
				if got := h.thread(tickets, thread.Message)[1:]; !slices.Equal(got, []string{"one", "two", "three"}) {
					t.Errorf("thread: %q", got)
				}
				if got := h.thread(card.Channel, card.Message)[1:]; !slices.Equal(got, []string{"one", "two", "three"}) {
					t.Errorf("copies: %q", got)
				}
				for _, channel := range []string{tickets, h.triage} {
					messages, err := h.box.As(h.maya).History(ctx, channel, 100)
					must(t, err)
					n := 0
					for _, m := range messages {
						if m.BotID != "" {
							n++
						}
					}
					if n != 1 {
						t.Errorf("%d messages of ours are in %s", n, channel)
					}
				}
			})
		})
	}
}

// After a lost connection is restored, everything that waited is posted. The same
// holds after the chat system was down.
func TestPostingAfterALostConnection(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, tickets := newDesk(w, nil)
		apps, err := h.box.Apps(ctx)
		must(t, err)
		must(t, h.box.Uninstall(ctx, apps[0].ID, h.workspace.ID))
		become(t, "the loss", func() []desk.IntegrationStatus {
			l, err := h.Integrations(ctx, h.caller(), desk.Page{})
			must(t, err)
			return []desk.IntegrationStatus{l.Items[0].Status}
		}, func(got []desk.IntegrationStatus) bool { return got[0] == desk.StatusLost })
		id := h.creates("The door does not open")
		h.adds(id, desk.NewMessage{HTML: ptr("one")})
		h.rests()
		h.connect()
		thread, _ := h.posted(id)
		become(t, "the thread", func() []string { return h.thread(tickets, thread.Message)[1:] }, func(got []string) bool { return slices.Equal(got, []string{"one"}) })
	})
}

// People who allow us to act as them post as themselves, and can take back what
// they said.
func TestPostingAsAPerson(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, first, card := asked(w, "The scanner in the hall is broken")
		h.letsUs(h.maya, "chat:write")
		out := h.replies(h.maya, card.Channel, card.Message, "It will be replaced")
		h.threadBecomes(h.help, first.TS, "The scanner in the hall is broken", "It will be replaced")
		messages, err := h.box.As(h.oskar).Thread(ctx, h.help, first.TS)
		must(t, err)
		if messages[1].User != h.maya {
			t.Errorf("it was said by %s, not by %s", messages[1].User, h.maya)
		}
		h.rests() // what comes back to us is not posted again
		h.become("in_progress maya <The scanner in the hall is broken >It will be replaced")
		_, err = h.box.As(h.maya).Edit(ctx, card.Channel, out.TS, "// It will be replaced")
		must(t, err)
		h.threadBecomes(h.help, first.TS, "The scanner in the hall is broken")

		// Without the permission the bot posts it for them.
		h.letsUsNot(h.maya)
		h.replies(h.maya, card.Channel, card.Message, "Today")
		h.threadBecomes(h.help, first.TS, "The scanner in the hall is broken", "Today")
	})
}

// letsUs lets a person allow us to act as them.
func (h *helpdesk) letsUs(user string, scopes ...string) {
	h.t.Helper()
	apps, err := h.box.Apps(ctx)
	must(h.t, err)
	done, err := h.box.Install(ctx, apps[0].ID, user, nil, scopes)
	must(h.t, err)
	h.credential(chat.Credential{User: user, Token: done.UserToken, Scopes: scopes})
}

// letsUsNot ends the permission without telling us.
func (h *helpdesk) letsUsNot(user string) {
	h.t.Helper()
	h.credential(chat.Credential{User: user, Token: "xoxp-is-no-more"})
}

func (h *helpdesk) credential(c chat.Credential) {
	h.t.Helper()
	must(h.t, h.store.Write(ctx, h.account.ID, func(tx *store.Tx) error {
		i, err := tx.Chat()
		if err != nil {
			return err
		}
		return putCredential(tx, i.ID, c.User, c)
	}))
}

// Responders are notified about a request, unless they have muted it.
func TestWhoHearsOfARequest(t *testing.T) {
	for _, way := range []desk.Notify{desk.NotifyMention, desk.NotifyDirect, desk.NotifyNobody} {
		t.Run(string(way), func(t *testing.T) {
			eachWorkplace(t, func(t *testing.T, w *workplace) {
				away := w.person("tomas@acme.test")
				_, err := w.box.ChangeUser(ctx, away, sandbox.UserChange{Away: ptr(true)})
				must(t, err)
				asleep, err := w.box.InviteUser(ctx, w.workspace.ID, sandbox.NewUser{RealName: "Ada Asleep", Email: "ada@acme.test"})
				must(t, err)
				_, err = w.box.ChangeUser(ctx, asleep.ID, sandbox.UserChange{DNDStart: ptr(time.Now().Add(-time.Hour).Unix()), DNDEnd: ptr(time.Now().Add(time.Hour).Unix())})
				must(t, err)
				h, tickets := newDesk(w, func(n *desk.NewCollection) {
					n.Settings.Notify = &way
					n.Responders = append(n.Responders, desk.Responder{UserID: away}, desk.Responder{UserID: asleep.ID})
				})
				// Priya has muted it here.
				member := h.newMember("priya@acme.test", desk.Agent)
				cols, err := h.Collections(ctx, h.caller(), desk.Page{}, false)
				must(t, err)
				c := h.caller()
				c.Actor.ID = member.ID
				_, err = h.MuteCollection(ctx, c, cols.Items[0].ID)
				must(t, err)
				id := h.creates("The door does not open")
				thread, _ := h.posted(id)
				h.rests()
				root := h.thread(tickets, thread.Message)[0]
				direct := func(user string) (n int) {
					all, err := h.box.As(user).Conversations(ctx)
					must(t, err)
					for _, c := range all {
						if !c.IsIM {
							continue
						}
						messages, err := h.box.As(user).History(ctx, c.ID, 10)
						must(t, err)
						n += len(messages)
					}
					return n
				}
				for _, user := range []string{h.maya, h.priya, away, asleep.ID} {
					mentioned, told := strings.Contains(root, "<@"+user+">"), direct(user)
					wantMention, wantTold := user == h.maya && way == desk.NotifyMention, 0
					if user == h.maya && way == desk.NotifyDirect {
						wantTold = 1
					}
					if mentioned != wantMention || told != wantTold {
						t.Errorf("%s: mentioned %t, notified %d times", user, mentioned, told)
					}
				}
			})
		})
	}
}

// A message that has no place to be posted does not stop the rest.
func TestPostingWithoutAChannel(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, first, card := asked(w, "The scanner in the hall is broken")
		_, err := h.DeleteCollection(ctx, h.caller(), h.col.ID)
		must(t, err)
		h.adds(h.requests()[0].ID, desk.NewMessage{HTML: ptr("We still answer")})
		h.threadBecomes(h.help, first.TS, "The scanner in the hall is broken", "We still answer")
		h.copies(card, "We still answer")
		h.rests()
	})
}
