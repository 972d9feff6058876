package service

import (
	"slices"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

func TestReactions(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		m := h.says(h.oskar, h.help, "good morning")
		h.become("none <good morning")
		h.reacts(h.maya, h.help, m.TS, "eyes") // there is nothing to assign yet
		h.rests()
		h.become("none <good morning")
		h.reacts(h.oskar, h.help, m.TS, "pushpin")
		h.become("open <good morning")
		h.card(0)
		h.reacts(h.oskar, h.help, m.TS, "white_check_mark") // they are not a responder
		h.reacts(h.oskar, h.help, m.TS, "eyes")
		h.rests()
		h.become("open <good morning")
		h.reacts(h.oskar, h.help, m.TS, "rotating_light")
		become(t, "the urgency", h.requests, func(all []desk.Request) bool { return all[0].Priority == desk.Urgent })
		h.reacts(h.priya, h.help, m.TS, "eyes")
		h.become("open priya <good morning")
		r := h.requests()[0]
		if r.FirstResponseAt == nil {
			t.Fatal("the reaction with eyes is not the first response")
		}
		// A later reaction takes the request over, but is not the first response.
		h.reacts(h.maya, h.card(0).Channel, h.card(0).Message, "eyes")
		h.become("open maya <good morning")
		if again := h.requests()[0]; !again.FirstResponseAt.Equal(*r.FirstResponseAt) {
			t.Errorf("the first response was at %v and is at %v", r.FirstResponseAt, again.FirstResponseAt)
		}
		for _, who := range []string{h.maya, h.priya} {
			h.reacts(who, h.help, m.TS, "ticket")
		}
		become(t, "the ticket", h.requests, func(all []desk.Request) bool { return len(all[0].Tickets) > 0 })
		h.rests()
		if n := len(h.requests()[0].Tickets); n != 1 {
			t.Errorf("there are %d tickets", n)
		}
		h.reacts(h.maya, h.help, m.TS, "white_check_mark")
		h.become("solved maya <good morning")
	})
}

// A reaction counts once, however often, late or early it is reported.
func TestReactionsToldBadly(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, func(n *desk.NewCollection) {
			apartFrom(n)
			n.Settings.Emoji.Solve = &[]string{"tada"}
		})
		now := time.Now()
		tell := func(on bool, emoji string, at time.Duration) {
			t.Helper()
			must(t, h.Receive(ctx, chat.Event{System: "slack", Workspace: h.workspace.ID, At: now.Add(at),
				Reacted: &chat.Reacted{Ref: chat.Ref{Channel: h.help, ID: "1.1"}, User: h.maya, Emoji: emoji, On: on}}))
		}
		tell(true, "eyes", time.Second)
		tell(true, "white_check_mark", time.Second) // no rule uses it here
		tell(true, "rotating_light", time.Second)
		tell(false, "rotating_light", 2*time.Second)
		must(t, h.Receive(ctx, chat.Event{System: "slack", Workspace: h.workspace.ID, Message: &chat.Message{Ref: chat.Ref{Channel: h.help, ID: "1.1"},
			Author: h.oskar, HTML: "<p>My key is lost</p>", At: now}}))
		h.become("open maya <My key is lost")
		if r := h.requests()[0]; r.Priority == desk.Urgent {
			t.Error("a removed reaction counts")
		}
		tell(true, "tada", 3*time.Second)
		h.become("solved maya <My key is lost")
		must(t, h.Receive(ctx, chat.Event{System: "slack", Workspace: h.workspace.ID, Message: &chat.Message{Ref: chat.Ref{Channel: h.help, ID: "1.2"}, Thread: "1.1",
			Author: h.oskar, HTML: "<p>It is still lost</p>", At: now.Add(4 * time.Second)}}))
		h.become("open maya <My key is lost <It is still lost")
		tell(true, "tada", 3*time.Second)
		tell(false, "tada", time.Second) // reported late: it happened before
		h.become("open maya <My key is lost <It is still lost")
		tell(false, "tada", 5*time.Second)
		tell(true, "tada", 6*time.Second)
		h.become("solved maya <My key is lost <It is still lost")
	})
}

// People can also react to what we posted, even before we know that it was posted.
func TestReactionBeforeWeKnowThePost(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		must(t, h.box.SetFaults(faultsOf("chat.postMessage", "drop_answer", 1)))
		h.says(h.oskar, h.help, "My key is lost")
		h.become("open <My key is lost")
		cards := func() (all []string) {
			messages, err := h.box.As(h.maya).History(ctx, h.triage, 100)
			must(t, err)
			for _, m := range messages {
				if m.BotID != "" {
					all = append(all, m.TS)
				}
			}
			return all
		}
		become(t, "the card", cards, func(all []string) bool { return len(all) == 1 })
		card := cards()[0]
		h.reacts(h.maya, h.triage, card, "eyes")
		h.replies(h.maya, h.triage, card, "// who has the list?")
		h.delivered()
		h.hurry("open maya <My key is lost //who has the list?")
		if all := cards(); !slices.Equal(all, []string{card}) {
			t.Errorf("cards: %q", all)
		}
	})
}
