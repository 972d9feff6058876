package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/worker"
)

// asked is a helpdesk with one request. It also returns the request's first message
// and its card.
func asked(w *workplace, text string) (h *helpdesk, first sandbox.Message, card desk.Thread) {
	w.t.Helper()
	h = newHelpdesk(w, nil)
	first = h.says(h.oskar, h.help, text)
	h.become("open <" + text)
	return h, first, h.card(0)
}

// press presses a button of a card, at the place where the card has it.
func (h *helpdesk) press(user string, card desk.Thread, button string) error {
	h.t.Helper()
	messages, err := h.box.As(h.maya).Thread(ctx, card.Channel, card.Message)
	must(h.t, err)
	for _, raw := range []json.RawMessage{messages[0].Blocks, attached(messages[0].Attachments)} {
		var blocks []struct {
			BlockID  string `json:"block_id"`
			Elements []struct {
				ActionID string `json:"action_id"`
			} `json:"elements"`
		}
		json.Unmarshal(raw, &blocks)
		for _, b := range blocks {
			for _, e := range b.Elements {
				if e.ActionID == button {
					return h.box.As(user).Press(ctx, sandbox.Press{Channel: card.Channel, TS: card.Message, BlockID: b.BlockID, ActionID: button})
				}
			}
		}
	}
	h.t.Fatalf("the card has no button %s", button)
	return nil
}

// attached returns the blocks of the first attachment.
func attached(raw json.RawMessage) json.RawMessage {
	var all []struct {
		Blocks json.RawMessage `json:"blocks"`
	}
	json.Unmarshal(raw, &all)
	if len(all) == 0 {
		return nil
	}
	return all[0].Blocks
}

// cardSays waits until a card shows all of these.
func (h *helpdesk) cardSays(card desk.Thread, want ...string) {
	h.t.Helper()
	become(h.t, "a card with "+strings.Join(want, ", "), func() []string { return []string{strings.Join(h.shown(card), " ")} }, func(got []string) bool {
		return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(got[0], w) })
	})
}

func TestCardFollowsAndItsButtons(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, _, card := asked(w, "The scanner in the hall is broken")
		_, err := h.CreateCustomer(ctx, h.caller(), desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: ptr("Harbor Pine"), Channels: &[]string{h.help}}})
		must(t, err)
		h.cardSays(card, "The scanner in the hall is broken", "Oskar", "open", "nobody", worker.Colours[desk.Open])
		must(t, h.press(h.maya, card, worker.ButtonTake))
		h.become("open maya <The scanner in the hall is broken")
		h.cardSays(card, "Maya")
		must(t, h.press(h.priya, card, worker.ButtonSolve))
		h.become("solved maya <The scanner in the hall is broken")
		h.cardSays(card, "solved", worker.Colours[desk.Solved])
		must(t, h.press(h.priya, card, worker.ButtonNone))
		h.become("none temporary maya <The scanner in the hall is broken")
		h.cardSays(card, "not a request", worker.NoColour)

		// Through the API too.
		state, title := desk.Pending, "The scanner again"
		_, err = h.UpdateRequest(ctx, h.caller(), h.requests()[0].ID, desk.RequestChange{State: &state, Title: &title})
		must(t, err)
		h.cardSays(card, "pending", title, worker.Colours[desk.Pending])

		// A press is rejected if no card there has the button.
		fake := h.says(h.oskar, h.help, "Something else, please")
		h.rests()
		must(t, h.ChangeInTriage(ctx, h.account.ID, h.requests()[0].ID, card.Channel, h.maya, desk.RequestChange{Priority: ptr(desk.Urgent)}))
		if err := h.ChangeInTriage(ctx, h.account.ID, h.requests()[0].ID, h.help, h.oskar, desk.RequestChange{Priority: ptr(desk.Low)}); desk.KindOf(err) != desk.NotFound {
			t.Errorf("a press in %s: %v", fake.TS, err)
		}
	})
}

// A card is visible before we know that it was posted, and somebody may be quick.
func TestCardIsPressedBeforeItsPostingIsAnswered(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		must(t, h.box.SetFaults(sandbox.FaultPlan{Faults: []sandbox.Fault{
			{Kind: sandbox.LateAnswer, Count: 1, Method: "chat.postMessage", Delay: sandbox.Duration(time.Minute)},
		}}))
		h.says(h.oskar, h.help, "The gate is shut")
		h.become("open <The gate is shut")
		become(t, "a card whose posting is not answered", func() []sandbox.Fault { return h.box.Faults().Faults }, func(f []sandbox.Fault) bool { return f[0].Holding == 1 })
		cards, err := h.box.As(h.maya).History(ctx, h.triage, 1)
		must(t, err)
		card := desk.Thread{Channel: h.triage, Message: cards[0].TS}
		must(t, h.press(h.maya, card, worker.ButtonEdit))
		views, err := h.box.As(h.maya).Views(ctx)
		must(t, err)
		if len(views) != 1 {
			t.Errorf("there are %d forms", len(views))
		}
		must(t, h.press(h.maya, card, worker.ButtonTake))
		h.become("open maya <The gate is shut")
	})
}

func TestEditInAForm(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, first, card := asked(w, "The scanner in the hall is broken")
		open := func() string {
			t.Helper()
			must(t, h.press(h.maya, card, worker.ButtonEdit))
			views, err := h.box.As(h.maya).Views(ctx)
			must(t, err)
			if len(views) != 1 {
				t.Fatalf("there are %d forms", len(views))
			}
			return views[0].ID
		}
		form := open()
		for input, wrong := range map[string]string{worker.InputTitle: "   ", worker.InputAssignee: h.bot()} {
			done, err := h.box.As(h.maya).Submit(ctx, form, map[string]string{input: wrong})
			must(t, err)
			if len(done.Errors) != 1 || done.View == nil {
				t.Errorf("the result for %q as %s is %+v", wrong, input, done)
			}
		}
		done, err := h.box.As(h.maya).Submit(ctx, form, map[string]string{worker.InputPriority: "high", worker.InputState: "pending", worker.InputAssignee: h.priya})
		must(t, err)
		if len(done.Errors) != 0 || done.View != nil {
			t.Errorf("the result for valid input is %+v", done)
		}
		h.become("pending priya <The scanner in the hall is broken")
		h.cardSays(card, "pending", "high", "Priya")
		// Leaving the title unchanged is not a person's choice.
		if r := h.requests()[0]; r.TitleBy != desk.ByRules || r.PriorityBy != desk.ByPerson {
			t.Errorf("the title is by %s, the priority by %s", r.TitleBy, r.PriorityBy)
		}
		_, err = h.box.As(h.oskar).Edit(ctx, h.help, first.TS, "The scanner in the lobby is broken")
		must(t, err)
		h.cardSays(card, "The scanner in the lobby is broken")
		_, err = h.box.As(h.maya).Submit(ctx, open(), map[string]string{worker.InputTitle: "Scanner", worker.InputState: "closed"})
		must(t, err)
		h.become("closed priya <The scanner in the lobby is broken")
		// A form that was still open reports that the request is closed.
		late := chat.Submission{User: h.priya, Form: worker.FormEdit, State: fmt.Sprintf("%d %s", h.requests()[0].ID, card.Channel), Values: map[string]string{worker.InputTitle: "Late"}}
		err = h.Receive(ctx, chat.Event{System: "slack", Workspace: h.workspace.ID, Submission: &late})
		if said := (chat.Rejection)(nil); !errors.As(err, &said) || said[worker.InputTitle] == "" {
			t.Errorf("a form of a closed request: %v", err)
		}
	})
}

// A guest may answer, but nothing in the chat system assigns a request to them.
func TestGuestsAreNotAssigned(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, func(n *desk.NewCollection) {
			apartFrom(n)
			n.Responders = append(n.Responders, desk.Responder{EmailDomain: "helpers.example"})
		})
		gita := h.stranger("Gita Guest", "gita@helpers.example")
		must(t, h.box.As(h.workspace.Owner).Invite(ctx, h.triage, gita))
		_, err := h.box.ChangeUser(ctx, gita, sandbox.UserChange{Guest: ptr(true)})
		must(t, err)
		assignable := func() (ids []string) {
			all, err := h.Users(ctx, h.caller(), desk.UserQuery{Assignable: true})
			must(t, err)
			for _, u := range all.Items {
				ids = append(ids, u.ID)
			}
			return ids
		}
		become(t, "a guest", assignable, func(ids []string) bool { return slices.Contains(ids, h.maya) && !slices.Contains(ids, gita) })

		first := h.says(h.oskar, h.help, "My key is lost")
		h.become("open <My key is lost")
		card := h.card(0)
		h.replies(gita, h.help, first.TS, "One moment")
		const unassigned = "in_progress <My key is lost >One moment"
		h.become(unassigned)
		h.reacts(gita, h.help, first.TS, "eyes")
		h.rests() // also until the card is done, whose buttons change with it
		must(t, h.press(gita, card, worker.ButtonTake))
		become(t, "the whisper", func() (texts []string) {
			all, err := h.box.As(gita).Ephemerals(ctx, card.Channel)
			must(t, err)
			for _, m := range all {
				texts = append(texts, m.Text)
			}
			return texts
		}, func(got []string) bool { return len(got) == 1 && strings.Contains(got[0], "guest") })
		must(t, h.press(h.maya, card, worker.ButtonEdit))
		views, err := h.box.As(h.maya).Views(ctx)
		must(t, err)
		done, err := h.box.As(h.maya).Submit(ctx, views[0].ID, map[string]string{worker.InputAssignee: gita})
		must(t, err)
		if len(done.Errors) != 1 || !strings.Contains(fmt.Sprint(done.Errors), "guest") {
			t.Errorf("the result for a form with a guest is %+v", done)
		}
		h.rests()
		h.become(unassigned)

		way := desk.AssignRoundRobin
		_, err = h.UpdateCollection(ctx, h.caller(), h.col.ID, desk.CollectionChange{Responders: &[]desk.Responder{{UserID: gita}, {UserID: h.priya}}, Settings: desk.SettingsChange{AutoAssign: &way}})
		must(t, err)
		h.says(h.oskar, h.help, "My desk is lost")
		h.says(h.oskar, h.help, "My chair is lost")
		h.become(unassigned, "open priya <My desk is lost", "open priya <My chair is lost")
	})
}

func TestWhatStaysInside(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, first, card := asked(w, "The scanner in the hall is broken")
		const question = "The scanner in the hall is broken"
		for _, note := range []string{"// between us 1", "*//* between us 2", "//between us 3", "`//` between us 4", "```// between us 5```", "// <https://a.example/x|between us 6>"} {
			h.replies(h.maya, card.Channel, card.Message, note)
		}
		become(t, "the notes", h.requests, func(all []desk.Request) bool { return len(all[0].Messages) == 7 })
		for _, m := range h.requests()[0].Messages[1:] {
			if !m.Private || strings.Contains(strings.ReplaceAll(m.Text, "https://", ""), "//") || !strings.HasPrefix(m.Text, "between us") {
				t.Errorf("a note is %+v", m)
			}
		}
		if r := h.requests()[0]; *r.State != desk.Open || r.FirstResponseAt != nil || r.Assignee != nil {
			t.Errorf("after the notes: %+v", r)
		}
		out := h.replies(h.maya, card.Channel, card.Message, "Hello <!channel>, it will be replaced")
		h.threadBecomes(h.help, first.TS, question, "Hello @channel, it will be replaced")
		_, err := h.box.As(h.maya).Edit(ctx, card.Channel, out.TS, "Hello, it will be replaced today")
		must(t, err)
		h.threadBecomes(h.help, first.TS, question, "Hello, it will be replaced today")
		_, err = h.box.As(h.maya).Edit(ctx, card.Channel, out.TS, "// Hello, it will be replaced today")
		must(t, err)
		h.threadBecomes(h.help, first.TS, question)
		// And it is not posted again.
		_, err = h.box.As(h.maya).Edit(ctx, card.Channel, out.TS, "Hello, it will be replaced tomorrow")
		must(t, err)
		become(t, "the note", h.requests, func(all []desk.Request) bool {
			m := all[0].Messages[len(all[0].Messages)-1]
			return m.Private && m.Text == "Hello, it will be replaced tomorrow"
		})
		h.rests()
		h.threadBecomes(h.help, first.TS, question)

		// A private note through the API is shown to the team too, and only to
		// them.
		_, err = h.AddMessage(ctx, h.caller(), h.requests()[0].ID, desk.NewMessage{HTML: ptr("<p>secret <b>note</b></p>"), Private: true})
		must(t, err)
		become(t, "the note in triage", func() []string { return h.thread(card.Channel, card.Message) }, func(got []string) bool {
			return strings.Contains(strings.Join(got, "\n"), "secret *note*")
		})
		h.rests()
		h.threadBecomes(h.help, first.TS, question)
	})
}

func TestTriageReplyToAClosedRequest(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, first, card := asked(w, "The scanner in the hall is broken")
		closed := desk.Closed
		_, err := h.UpdateRequest(ctx, h.caller(), h.requests()[0].ID, desk.RequestChange{State: &closed})
		must(t, err)
		h.replies(h.maya, card.Channel, card.Message, "One more thing")
		whispers := func() (texts []string) {
			all, err := h.box.As(h.maya).Ephemerals(ctx, card.Channel)
			must(t, err)
			for _, m := range all {
				texts = append(texts, m.Text)
			}
			return texts
		}
		become(t, "the whisper", whispers, func(got []string) bool { return len(got) == 1 && strings.Contains(got[0], "closed") })
		// A history reports it again. Nobody is notified again.
		must(t, h.ReadChannelsOf(ctx, h.account.ID))
		h.rests()
		if got := whispers(); len(got) != 1 {
			t.Errorf("notified %q", got)
		}
		h.threadBecomes(h.help, first.TS, "The scanner in the hall is broken")
		if shown := strings.Join(h.shown(card), ""); strings.Contains(shown, worker.ButtonSolve) {
			t.Errorf("the card still has buttons: %s", shown)
		}
	})
}
