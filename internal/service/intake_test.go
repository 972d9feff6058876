package service

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// helpdesk is a workplace where customers write in one channel and the team talks
// about it in another.
type helpdesk struct {
	*workplace
	col          desk.Collection
	help, triage string
	maya, priya  string        // responders
	oskar        string        // the requester
	ahead        time.Duration // how far the chat system's clock is ahead
}

// newHelpdesk sets up the channels with the bot in them.
func newHelpdesk(w *workplace, change func(*desk.NewCollection)) *helpdesk {
	w.t.Helper()
	h := &helpdesk{workplace: w, maya: w.person("maya@acme.test"), priya: w.person("priya@acme.test")}
	oskar, err := w.box.InviteUser(ctx, w.workspace.ID, sandbox.NewUser{RealName: "Oskar Nyman", Email: "oskar@harborpine.example"})
	must(w.t, err)
	h.oskar = oskar.ID
	for name, id := range map[string]*string{"help": &h.help, "triage": &h.triage} {
		c, err := w.box.As(w.workspace.Owner).CreateChannel(ctx, name, false)
		must(w.t, err)
		*id = c.ID
		must(w.t, w.box.As(w.workspace.Owner).Invite(ctx, c.ID, h.maya, h.priya, h.oskar))
	}
	w.connect()
	w.peopleAreSame()
	become(w.t, "the channels", w.ourChannels, func(all []string) bool { return len(all) >= 3 })
	n := desk.NewCollection{Name: "Support", Kind: desk.ChatCollection, TriageChannel: &h.triage,
		Responders: []desk.Responder{{UserID: h.maya}, {UserID: h.priya}}}
	if change != nil {
		change(&n)
	}
	h.col, err = w.CreateCollection(ctx, w.caller(), n)
	must(w.t, err)
	_, err = w.AddChannels(ctx, w.caller(), h.col.ID, desk.NewChannels{Channels: []desk.NewChannel{{ID: h.help}}})
	must(w.t, err)
	become(w.t, "the bot in both channels", w.ourChannels, func(all []string) bool {
		n := 0
		for _, c := range all {
			if strings.HasSuffix(c, " member") {
				n++
			}
		}
		return n >= 2
	})
	return h
}

func (h *helpdesk) says(user, channel, text string) sandbox.Message {
	h.t.Helper()
	m, err := h.box.As(user).Post(ctx, channel, text)
	must(h.t, err)
	return m
}

func (h *helpdesk) replies(user, channel, thread, text string) sandbox.Message {
	h.t.Helper()
	m, err := h.box.As(user).Reply(ctx, channel, thread, text)
	must(h.t, err)
	return m
}

func (h *helpdesk) reacts(user, channel, ts, emoji string) {
	h.t.Helper()
	must(h.t, h.box.As(user).React(ctx, channel, ts, emoji))
}

// requests returns all requests, oldest first, with their messages.
func (h *helpdesk) requests() []desk.Request {
	h.t.Helper()
	f := desk.RequestFilter{None: true, States: desk.States}
	l, err := h.Requests(ctx, h.caller(), f, desk.Page{Limit: 100, Ascending: true}, true)
	must(h.t, err)
	return l.Items
}

// told returns a request in one line: its state, its assignee, its messages.
func (h *helpdesk) told(r desk.Request) string {
	state := "none"
	if r.State != nil {
		state = string(*r.State)
	}
	if r.NotARequest != nil {
		state += " " + string(*r.NotARequest)
	}
	line := state
	if r.Assignee != nil {
		line += " " + map[string]string{h.maya: "maya", h.priya: "priya", h.oskar: "oskar"}[*r.Assignee]
	}
	for _, m := range r.Messages {
		sign := "<"
		if m.Responder {
			sign = ">"
		}
		if m.Private {
			sign = "//"
		}
		line += " " + sign + m.Text
	}
	return line
}

func (h *helpdesk) lines() (all []string) {
	for _, r := range h.requests() {
		all = append(all, h.told(r))
	}
	return all
}

// become waits until the requests are exactly these.
func (h *helpdesk) become(want ...string) {
	h.t.Helper()
	become(h.t, fmt.Sprintf("%q", want), h.lines, func(got []string) bool { return slices.Equal(got, want) })
}

// thread returns what a thread of the chat system shows people.
func (h *helpdesk) thread(channel, ts string) (all []string) {
	h.t.Helper()
	messages, err := h.box.As(h.maya).Thread(ctx, channel, ts)
	must(h.t, err)
	for _, m := range messages {
		all = append(all, m.Text)
	}
	return all
}

func (h *helpdesk) threadBecomes(channel, ts string, want ...string) {
	h.t.Helper()
	become(h.t, fmt.Sprintf("%q in the thread", want), func() []string { return h.thread(channel, ts) }, func(got []string) bool {
		return slices.Equal(got, want)
	})
}

// card returns the card of a request, by its index.
func (h *helpdesk) card(i int) desk.Thread {
	h.t.Helper()
	var at *desk.Thread
	become(h.t, "a card", h.requests, func(all []desk.Request) bool {
		if i < len(all) {
			at = all[i].Triage
		}
		return at != nil
	})
	return *at
}

// The main workflow from beginning to end, as people use it.
func TestFromMessageToClosedRequest(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		first := h.says(h.oskar, h.help, "The label printer prints everything twice. Can you help?")
		h.become("open <The label printer prints everything twice. Can you help?")
		card := h.card(0)

		h.replies(h.maya, card.Channel, card.Message, "Is it the one in the hall?")
		h.become("in_progress maya <The label printer prints everything twice. Can you help? >Is it the one in the hall?")
		h.threadBecomes(h.help, first.TS, "The label printer prints everything twice. Can you help?", "Is it the one in the hall?")

		h.replies(h.maya, card.Channel, card.Message, "// he always says that")
		h.replies(h.oskar, h.help, first.TS, "No, the one in the lobby")
		const talk = " <The label printer prints everything twice. Can you help? >Is it the one in the hall? //he always says that <No, the one in the lobby"
		h.become("open maya" + talk)

		h.reacts(h.maya, h.help, first.TS, "white_check_mark")
		h.become("solved maya" + talk)
		h.replies(h.oskar, h.help, first.TS, "thanks!")
		h.become("solved maya" + talk + " <thanks!")
		h.replies(h.oskar, h.help, first.TS, "It does it again, please look at it")
		h.become("open maya" + talk + " <thanks! <It does it again, please look at it")

		closed := desk.Closed
		all := h.requests()
		_, err := h.UpdateRequest(ctx, h.caller(), all[0].ID, desk.RequestChange{State: &closed})
		must(t, err)
		h.replies(h.oskar, h.help, first.TS, "And now it prints nothing at all")
		h.become("closed maya"+talk+" <thanks! <It does it again, please look at it", "open <And now it prints nothing at all")
		child := h.requests()[1]
		if child.Parent == nil || *child.Parent != all[0].ID {
			t.Errorf("parent: %v", child.Parent)
		}
		h.replies(h.oskar, h.help, first.TS, "Hello? It is still dead.")
		h.become("closed maya"+talk+" <thanks! <It does it again, please look at it", "open <And now it prints nothing at all <Hello? It is still dead.")

		// The requester has seen only what was for them.
		for _, text := range h.thread(h.help, first.TS) {
			if strings.Contains(text, "always") {
				t.Errorf("a note is in the requester's thread: %q", text)
			}
		}
	})
}

// Several edits within one second are reported by events in any order, and by
// histories, which know only the second. The last edit wins.
func TestEditsOfOneSecond(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		first := h.says(h.oskar, h.help, "Our export fails, can you help?")
		h.become("open <Our export fails, can you help?")
		second := h.store.Now().Truncate(time.Second)
		at := func(ms int) time.Time { return second.Add(time.Duration(ms) * time.Millisecond) }
		message := func(text string, edited time.Time) chat.Message {
			return chat.Message{Ref: chat.Ref{Channel: h.help, ID: first.TS}, Author: h.oskar, HTML: "<p>" + text + "</p>", At: second, EditedAt: edited}
		}
		event := func(text string, edited time.Time) {
			t.Helper()
			m := message(text, edited)
			must(t, h.Receive(ctx, chat.Event{System: "slack", Workspace: h.workspace.ID, At: edited, Message: &m}))
		}
		history := func(text string, asOf time.Time) {
			t.Helper()
			must(t, h.store.Write(ctx, h.account.ID, func(tx *store.Tx) error {
				return h.TakeMessage(tx, worker.Incoming{Message: message(text, second), Workspace: h.workspace.ID, AsOf: asOf})
			}))
		}
		want := func(text string) {
			t.Helper()
			if got := h.lines()[0]; got != "open <"+text {
				t.Errorf("text %q, want %q", got, text)
			}
		}
		event("second", at(600))
		event("first", at(200))
		want("second")
		history("first", at(300)) // read before the second was over
		want("second")
		history("third", at(4000))
		event("first", at(200))
		event("second", at(600))
		want("third")
		event("fourth", at(1000))
		history("third", at(5000))
		want("fourth")
	})
}
