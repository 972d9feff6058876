package service

import (
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/store"
)

// apartFrom makes every message start its own conversation.
func apartFrom(n *desk.NewCollection) {
	none := 0
	n.Settings.GroupingMinutes = &none
}

// stranger adds somebody new to the workspace and to both channels.
func (h *helpdesk) stranger(name, email string) string {
	h.t.Helper()
	u, err := h.box.InviteUser(ctx, h.workspace.ID, sandbox.NewUser{RealName: name, Email: email})
	must(h.t, err)
	must(h.t, h.box.As(h.workspace.Owner).Invite(ctx, h.help, u.ID))
	h.peopleAreSame()
	return u.ID
}

func TestFollowUpsJoin(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		h.says(h.oskar, h.help, "hello!")
		h.become("none <hello!")
		first := h.says(h.oskar, h.help, "The scanner in the hall is broken")
		h.become("open <hello! <The scanner in the hall is broken")
		if r := h.requests()[0]; r.Title != "The scanner in the hall is broken" {
			t.Errorf("title: %q", r.Title)
		}
		h.says(h.maya, h.help, "We have a new printer for you all")
		const talk = "open <hello! <The scanner in the hall is broken"
		h.become(talk, "none >We have a new printer for you all")
		h.says(h.oskar, h.help, "It shows error 17")
		h.become(talk+" <It shows error 17", "none >We have a new printer for you all")
		// A reply to any of its messages belongs to it.
		h.replies(h.maya, h.help, first.TS, "Looking at it")
		h.become("in_progress maya"+talk[4:]+" <It shows error 17 >Looking at it", "none >We have a new printer for you all")
		h.says(h.oskar, h.help, "The coffee machine is broken, too")
		h.become("in_progress maya"+talk[4:]+" <It shows error 17 >Looking at it", "none >We have a new printer for you all", "open <The coffee machine is broken, too")
	})
}

// A conversation that a responder starts belongs to the requester who then asks
// something there.
func TestConversationOfATeamMember(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		c, err := h.CreateCustomer(ctx, h.caller(), desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: ptr("Harbor Pine"), Domains: &[]string{"harborpine.example"}}})
		must(t, err)
		m := h.says(h.maya, h.help, "The portal was updated today")
		h.become("none >The portal was updated today")
		h.replies(h.oskar, h.help, m.TS, "thank you!")
		h.become("none >The portal was updated today <thank you!")
		h.replies(h.oskar, h.help, m.TS, "Since then I cannot sign in any more")
		h.become("open >The portal was updated today <thank you! <Since then I cannot sign in any more")
		r := h.requests()[0]
		if r.Author.User != h.oskar || r.Customer == nil || *r.Customer != c.ID || r.Title != "Since then I cannot sign in any more" || r.FirstResponseAt != nil {
			t.Errorf("the request is %+v", r)
		}
		h.card(0)
	})
}

func TestCustomerOfARequest(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, apartFrom)
		customer := func(n desk.NewCustomer) desk.CustomerID {
			c, err := h.CreateCustomer(ctx, h.caller(), n)
			must(t, err)
			return c.ID
		}
		domain := customer(desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: ptr("Harbor Pine"), Domains: &[]string{"harborpine.example"}}})
		free := h.stranger("Fred Free", "fred@gmail.com")
		h.says(h.oskar, h.help, "Where is my invoice?")
		h.become("open <Where is my invoice?")
		h.says(free, h.help, "Where is mine?")
		h.become("open <Where is my invoice?", "open <Where is mine?")
		channel := customer(desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: ptr("Channel Owners"), Channels: &[]string{h.help}}})
		h.says(h.oskar, h.help, "And where is the one of May?")
		h.become("open <Where is my invoice?", "open <Where is mine?", "open <And where is the one of May?")
		var got []desk.CustomerID
		for _, r := range h.requests() {
			id := desk.CustomerID(0)
			if r.Customer != nil {
				id = *r.Customer
			}
			got = append(got, id)
		}
		if want := []desk.CustomerID{domain, 0, channel}; !slices.Equal(got, want) {
			t.Errorf("customers %v, want %v", got, want)
		}
	})
}

// Teams and email domains also decide who is a responder, and so whose turn it is.
func TestRespondersByTeamAndDomain(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		g, err := w.box.CreateUsergroup(ctx, w.workspace.Owner, "Support", "support", []string{w.person("maya@acme.test"), w.person("priya@acme.test")})
		must(t, err)
		h := newHelpdesk(w, func(n *desk.NewCollection) {
			become(t, "the team", w.ourTeams, func(got []string) bool { return len(got) == 1 && strings.HasPrefix(got[0], g.ID) })
			teams, err := w.Teams(ctx, w.caller(), false, desk.Page{})
			must(t, err)
			apartFrom(n)
			way := desk.AssignRoundRobin
			n.Settings.AutoAssign = &way
			n.Settings.AssignTeam = desk.Just(teams.Items[0].ID)
			n.Responders = []desk.Responder{{TeamID: teams.Items[0].ID}, {EmailDomain: "helpers.example"}}
		})
		helper := h.stranger("Hella Helper", "hella@helpers.example")
		h.says(helper, h.help, "Anybody here who needs help?")
		h.become("none >Anybody here who needs help?")
		for i, text := range []string{"My key is lost", "My desk is lost", "My chair is lost"} {
			h.says(h.oskar, h.help, text)
			// Turns go by the order in which messages are reported, which may be another
			// than that in which they were written.
			become(t, "one more conversation", h.requests, func(all []desk.Request) bool { return len(all) == i+2 })
		}
		var turns []string
		for _, line := range h.lines()[1:] {
			turns = append(turns, strings.Fields(line)[1])
		}
		if turns[0] == turns[1] || turns[0] != turns[2] {
			t.Errorf("turns: %q", turns)
		}
	})
}

func TestBotsAreIgnoredUnlessAllowed(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, apartFrom)
		told := func(id, text string) chat.Event {
			return chat.Event{System: "slack", Workspace: h.workspace.ID, Message: &chat.Message{Ref: chat.Ref{Channel: h.help, ID: id},
				Author: "U0ROBOT", Bot: true, HTML: "<p>" + text + "</p>", At: time.Now()}}
		}
		must(t, h.Receive(ctx, told("1.1", "The build is broken, please look")))
		if n := len(h.requests()); n != 0 {
			t.Errorf("a bot made %d conversations", n)
		}
		allow := true
		_, err := h.UpdateCollection(ctx, h.caller(), h.col.ID, desk.CollectionChange{Settings: desk.SettingsChange{AllowBots: &allow}})
		must(t, err)
		must(t, h.Receive(ctx, told("1.2", "The build is broken again, please look")))
		h.become("open <The build is broken again, please look")
	})
}

func TestEditsAndDeletionsFollow(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, apartFrom)
		edit := func(user, channel, ts, text string) {
			t.Helper()
			_, err := h.box.As(user).Edit(ctx, channel, ts, text)
			must(t, err)
		}
		m := h.says(h.oskar, h.help, "hi")
		h.become("none <hi")
		edit(h.oskar, h.help, m.TS, "hi, the heating is off in the office")
		h.become("open <hi, the heating is off in the office")
		card := h.card(0)
		reply := h.replies(h.oskar, h.help, m.TS, "and it is cold")
		h.become("open <hi, the heating is off in the office <and it is cold")
		h.copies(card, "and it is cold")
		edit(h.oskar, h.help, reply.TS, "and it is very cold")
		h.copies(card, "and it is very cold")

		// A long message is posted in parts, also if it becomes long and then short
		// again.
		long := strings.Repeat("word ", 1200)
		edit(h.oskar, h.help, reply.TS, long)
		become(t, "two parts", func() []string { return h.thread(card.Channel, card.Message)[1:] }, func(got []string) bool {
			return len(got) == 2 && strings.TrimSpace(got[0]+" "+got[1]) == strings.TrimSpace(long)
		})
		edit(h.oskar, h.help, reply.TS, "and it is cold again")
		h.copies(card, "and it is cold again")

		must(t, h.box.As(h.oskar).Delete(ctx, h.help, reply.TS))
		h.become("open <hi, the heating is off in the office")
		h.copies(card)
		must(t, h.box.As(h.oskar).Delete(ctx, h.help, m.TS))
		h.become("none temporary")
		if r := h.requests()[0]; strings.Contains(r.Title, "heating") {
			t.Errorf("the title still says %q", r.Title)
		}
		h.rests()
		if text := strings.Join(h.shown(card), " "); strings.Contains(text, "heating") {
			t.Errorf("the card still says %s", text)
		}
	})
}

// copies waits until the card's thread shows exactly these.
func (h *helpdesk) copies(card desk.Thread, want ...string) {
	h.t.Helper()
	become(h.t, "the copies", func() []string { return h.thread(card.Channel, card.Message)[1:] }, func(got []string) bool { return slices.Equal(got, want) })
}

// shown returns all texts in a message of ours.
func (h *helpdesk) shown(at desk.Thread) (texts []string) {
	h.t.Helper()
	messages, err := h.box.As(h.maya).Thread(ctx, at.Channel, at.Message)
	must(h.t, err)
	return []string{messages[0].Text, string(messages[0].Blocks), string(messages[0].Attachments)}
}

func TestFilesBothWays(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, apartFrom)
		m, err := h.box.As(h.oskar).Upload(ctx, h.help, sandbox.Upload{Name: "label.png", Content: []byte("pixels"), Comment: ""})
		must(t, err)
		become(t, "the file", h.requests, func(all []desk.Request) bool {
			return len(all) == 1 && len(all[0].Messages) == 1 && len(all[0].Messages[0].Attachments) == 1 && all[0].Messages[0].Attachments[0].Name == "label.png"
		})
		if r := h.requests()[0]; r.State == nil || *r.State != desk.Open {
			t.Errorf("a file without text has the state %v", r.State)
		}
		card := h.card(0)
		_, err = h.box.As(h.maya).Upload(ctx, card.Channel, sandbox.Upload{Name: "manual.pdf", Content: []byte("pages"), Comment: "Read this", ThreadTS: card.Message})
		must(t, err)
		become(t, "the file in the thread", func() (names []string) {
			messages, err := h.box.As(h.oskar).Thread(ctx, h.help, m.TS)
			must(t, err)
			for _, m := range messages {
				for _, f := range m.Files {
					names = append(names, f.Name)
				}
			}
			return names
		}, func(got []string) bool { return slices.Equal(got, []string{"label.png", "manual.pdf"}) })
	})
}

// A file that arrives while messages are being posted is fetched before its message
// is posted.
func TestFileComesMeanwhile(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, apartFrom)
		m := h.says(h.oskar, h.help, "The printer is on fire")
		card, account := h.card(0), h.caller().Account
		lane := store.Lane{Kind: store.RequestLane, ID: int64(h.requests()[0].ID)}
		become(t, "who holds it", func() []bool {
			held := false
			must(t, h.store.Write(ctx, account, func(tx *store.Tx) (err error) {
				held, err = tx.Hold(lane, "ours", tx.Now.Add(time.Hour))
				return err
			}))
			return []bool{held}
		}, func(held []bool) bool { return held[0] })
		_, err := h.box.As(h.oskar).Upload(ctx, h.help, sandbox.Upload{Name: "smoke.png", Content: []byte("pixels"), Comment: "Look", ThreadTS: m.TS})
		must(t, err)
		become(t, "the files that wait", func() []int { return []int{h.rows("incoming_files")} }, func(n []int) bool { return n[0] == 1 })
		must(t, h.store.Write(ctx, account, func(tx *store.Tx) error { return tx.Release(lane, "ours") }))
		var messages []sandbox.Message
		become(t, "what stands below the card", func() []sandbox.Message {
			messages, err = h.box.As(h.maya).Thread(ctx, card.Channel, card.Message)
			must(t, err)
			return messages
		}, func(all []sandbox.Message) bool { return len(all) == 2 })
		if last := messages[len(messages)-1]; len(last.Files) != 1 || last.Files[0].Name != "smoke.png" {
			t.Errorf("the card's thread shows %+v", messages[1:])
		}
	})
}

// After a conversation is marked as not a request, the next message decides.
func TestNotARequestIsReopened(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		m := h.says(h.oskar, h.help, "Lunch is at the pier today?")
		h.become("open <Lunch is at the pier today?")
		mark := func(as desk.NotARequest) {
			t.Helper()
			_, err := h.UpdateRequest(ctx, h.caller(), h.requests()[0].ID, desk.RequestChange{NotARequest: desk.Just(as)})
			must(t, err)
		}
		mark(desk.Temporary)
		h.replies(h.oskar, h.help, m.TS, "ok")
		h.become("none temporary <Lunch is at the pier today? <ok")
		h.replies(h.oskar, h.help, m.TS, "And the printer is on fire")
		h.become("open <Lunch is at the pier today? <ok <And the printer is on fire")
		mark(desk.Permanent)
		h.replies(h.oskar, h.help, m.TS, "Hello? The fire is in the hall")
		h.become("none permanent <Lunch is at the pier today? <ok <And the printer is on fire <Hello? The fire is in the hall")
		// A message outside the thread starts a new conversation.
		h.says(h.oskar, h.help, "Please bring water to the hall")
		h.become("none permanent <Lunch is at the pier today? <ok <And the printer is on fire <Hello? The fire is in the hall", "open <Please bring water to the hall")
	})
}

// Messages from before a channel was ours never become requests, even if they are
// edited or answered later.
func TestWhatWasSaidBefore(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, apartFrom)
		old := chat.Message{Ref: chat.Ref{Channel: h.help, ID: "1500000000.000100"}, Author: h.oskar, HTML: "<p>My key is lost</p>",
			At: time.Unix(1500000000, 100000), EditedAt: time.Now()}
		must(t, h.Receive(ctx, chat.Event{System: "slack", Workspace: h.workspace.ID, Message: &old}))
		if all := h.lines(); len(all) != 0 {
			t.Errorf("an old message made %q", all)
		}
	})
}
