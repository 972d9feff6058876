package service

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/worker"
)

// While the service is down, events are lost. The histories have everything: new
// messages, answers in old threads of both channels, edits and reactions.
func TestIntakeAfterDowntime(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, apartFrom)
		old := h.says(h.oskar, h.help, "My key is lost")
		h.become("open <My key is lost")
		closed := h.says(h.oskar, h.help, "My badge is lost")
		h.become("open <My key is lost", "open <My badge is lost")
		card := h.card(0)
		_, err := h.UpdateRequest(ctx, h.caller(), h.requests()[1].ID, desk.RequestChange{State: ptr(desk.Closed)})
		must(t, err)
		h.replies(h.oskar, h.help, closed.TS, "And my new badge is lost")
		h.become("open <My key is lost", "closed <My badge is lost", "open <And my new badge is lost")
		h.rests()
		// After everything has been read.
		must(t, h.store.DB().Write(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.Exec("UPDATE channel_readings SET read_to = $1 WHERE account_id = $2", h.clock.Now().Add(worker.ReadAgain).UnixMilli(), h.account.ID)
			return err
		}))

		h.close()
		h.faults(sandbox.LoseEvent)
		h.replies(h.priya, card.Channel, card.Message, "Which key?")
		h.replies(h.priya, card.Channel, card.Message, "// he loses everything")
		h.replies(h.oskar, h.help, old.TS, "The one of the bicycle")
		h.replies(h.oskar, h.help, closed.TS, "It was blue")
		_, err = h.box.As(h.oskar).Edit(ctx, h.help, old.TS, "My small key is lost")
		must(t, err)
		h.reacts(h.maya, h.help, old.TS, "rotating_light")
		fresh := h.says(h.oskar, h.help, "My hat is lost")
		h.replies(h.maya, h.help, fresh.TS, "It is here")
		h.faults()
		h.open()
		// The first message reported is not the first that was sent.
		h.replies(h.oskar, h.help, fresh.TS, "Where?")
		h.become("open priya <My small key is lost >Which key? //he loses everything <The one of the bicycle",
			"closed <My badge is lost", "open <And my new badge is lost <It was blue", "open maya <My hat is lost >It is here <Where?")
		if r := h.requests()[0]; r.Priority != desk.Urgent {
			t.Errorf("priority: %s", r.Priority)
		}
		h.threadBecomes(h.help, old.TS, "My small key is lost", "The one of the bicycle", "Which key?")
		before := h.lines()
		must(t, h.ReadChannelsOf(ctx, h.account.ID))
		h.rests()
		if after := h.lines(); !slices.Equal(after, before) {
			t.Errorf("after reading again: %q", after)
		}
	})
}

// An answer may be missing even if the last one is there.
func TestAnswerMissingInTheMiddle(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, apartFrom)
		m := h.says(h.oskar, h.help, "My key is lost")
		h.become("open <My key is lost")
		h.rests()
		h.faults(sandbox.LoseEvent)
		h.replies(h.oskar, h.help, m.TS, "The red one")
		h.delivered() // in fact lost
		h.faults()
		h.replies(h.oskar, h.help, m.TS, "It was here yesterday")
		h.become("open <My key is lost <It was here yesterday")
		must(t, h.ReadChannelsOf(ctx, h.account.ID))
		h.become("open <My key is lost <The red one <It was here yesterday")
	})
}

// saying makes the events of a day in a channel.
type saying struct {
	h    *helpdesk
	at   time.Time
	all  []chat.Event
	next int
}

func (s *saying) event(e chat.Event, after time.Duration) {
	s.at = s.at.Add(after)
	e.System, e.Workspace, e.At = "slack", s.h.workspace.ID, s.at
	if e.Message != nil {
		e.Message.Channel = s.h.help
		if e.Message.At.IsZero() {
			e.Message.At = s.at
		}
	}
	s.all = append(s.all, e)
}

func (s *saying) says(after time.Duration, user, thread, text string) (id string, at time.Time) {
	s.next++
	id = fmt.Sprintf("%d.%06d", 2000000000+s.next, s.next)
	s.event(chat.Event{Message: &chat.Message{Ref: chat.Ref{ID: id}, Thread: thread, Author: user, HTML: "<p>" + text + "</p>"}}, after)
	return id, s.at
}

// It does not matter in which order or how often things are reported.
func TestOrderOfTellingDoesNotMatter(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h := newHelpdesk(w, nil)
		h.faults(sandbox.LoseEvent)
		_, err := h.UpdateCollection(ctx, h.caller(), h.col.ID, desk.CollectionChange{TriageChannel: desk.Null[string]()})
		must(t, err)
		h.rests()
		var want []string
		for round := range 12 {
			s := &saying{h: h, at: time.Now().Add(time.Duration(round+1) * 24 * time.Hour).Truncate(time.Second).Add(123456 * time.Microsecond), next: round * 100}
			key, keyAt := s.says(0, h.oskar, "", "My key is lost")
			s.says(time.Minute, h.oskar, "", "It was the small one")
			s.says(time.Second, h.maya, "", "The office is closed tomorrow")
			s.says(time.Minute, h.oskar, "", "hello")
			gone, _ := s.says(time.Second, h.oskar, "", "forget this, please help")
			s.event(chat.Event{Removed: &chat.Removed{Ref: chat.Ref{Channel: h.help, ID: gone}}}, time.Second)
			s.says(time.Minute, h.maya, key, "Which one?")
			s.says(time.Second, h.oskar, key, "The one of the bicycle")
			for i, text := range []string{"My tiny key is lost", "My blue key is lost", "My red key is lost"} {
				s.event(chat.Event{Message: &chat.Message{Ref: chat.Ref{ID: key}, Author: h.oskar, HTML: "<p>" + text + "</p>", At: keyAt,
					EditedAt: s.at.Add(time.Duration(i+1) * 50 * time.Millisecond)}}, 50*time.Millisecond)
			}
			s.event(chat.Event{Reacted: &chat.Reacted{Ref: chat.Ref{Channel: h.help, ID: key}, User: h.maya, Emoji: "rotating_light", On: true}}, time.Second)
			s.says(time.Hour, h.oskar, "", "My hat is lost")
			s.says(time.Second, h.priya, key, "Found it!")

			shuffled := slices.Concat(s.all, s.all[:len(s.all)/2])
			if seed := uint64(round); round > 0 {
				rand.New(rand.NewPCG(seed, seed)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			}
			for _, e := range shuffled {
				must(t, h.Receive(ctx, e))
			}
			// An answer that came before its question waits until the thread is
			// read. Nobody reads it here, so it is reported again, as a history
			// would.
			for _, e := range s.all {
				must(t, h.Receive(ctx, e))
			}
			got := h.since(s.all[0].At)
			if round == 0 {
				want = got
				continue
			}
			if !slices.Equal(got, want) {
				t.Errorf("reported in order %d:\n%s\nwant\n%s", round, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		if len(want) != 3 || want[0] != "urgent My red key is lost 3m3s: in_progress <My red key is lost <It was the small one <hello >Which one? <The one of the bicycle >Found it!" {
			t.Errorf("reported in their own order:\n%s", strings.Join(want, "\n"))
		}
	})
}

// since returns the conversations that started at a moment or later, as told does,
// with what was found out about them.
func (h *helpdesk) since(at time.Time) (all []string) {
	h.t.Helper()
	for _, r := range h.requests() {
		if r.CreatedAt.Before(at.Truncate(time.Millisecond)) {
			continue
		}
		r.Assignee = nil // it depends on whose answer is reported first
		response := ""
		if r.FirstResponseAt != nil {
			response = r.FirstResponseAt.Sub(r.CreatedAt).String()
		}
		all = append(all, fmt.Sprintf("%s %s %s: %s", r.Priority, r.Title, response, h.told(r)))
	}
	return all
}

func TestFindRequestByMessage(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		h, first, card := asked(w, "The scanner in the hall is broken")
		reply := h.replies(h.oskar, h.help, first.TS, "It shows error 17")
		note := h.replies(h.maya, card.Channel, card.Message, "// again?")
		long := h.replies(h.maya, card.Channel, card.Message, strings.Repeat("word ", 1200))
		become(t, "everything", h.requests, func(all []desk.Request) bool { return len(all[0].Messages) == 4 })
		h.rests()
		id := h.requests()[0].ID
		messages, err := h.box.As(h.oskar).Thread(ctx, h.help, first.TS)
		must(t, err)
		if len(messages) != 4 {
			t.Fatalf("the thread has %d messages", len(messages))
		}
		for _, m := range messages {
			r, err := h.FindRequest(ctx, h.caller(), h.workspace.ID, h.help, m.TS, RequestParts{Messages: true})
			if err != nil || r.ID != id || len(r.Messages) != 4 {
				t.Errorf("%s: %d with %d messages, %v", m.TS, r.ID, len(r.Messages), err)
			}
		}
		no := func(workspace, channel, ts, want string) {
			t.Helper()
			_, err := h.FindRequest(ctx, h.caller(), workspace, channel, ts, RequestParts{})
			if desk.KindOf(err) != desk.NotFound || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s %s %s: %v", workspace, channel, ts, err)
			}
		}
		for _, ts := range []string{note.TS, long.TS, card.Message} {
			no(h.workspace.ID, card.Channel, ts, "Channel not found")
			no(h.workspace.ID, h.help, ts, "Request not found.")
		}
		no(h.workspace.ID, h.help, "1.1", "Request not found.")
		no("T_OTHER", h.help, first.TS, "Channel not found")
		no(h.workspace.ID, "C_OTHER", first.TS, "Channel not found")
		// A message that became private is no longer found, nor is a removed one.
		_, err = h.box.As(h.maya).Edit(ctx, card.Channel, long.TS, "// never mind")
		must(t, err)
		must(t, h.box.As(h.oskar).Delete(ctx, h.help, reply.TS))
		h.threadBecomes(h.help, first.TS, "The scanner in the hall is broken")
		h.rests()
		for _, m := range messages[1:] {
			no(h.workspace.ID, h.help, m.TS, "Request not found.")
		}
	})
}
