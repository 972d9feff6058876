package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// engagement returns the engagement with an announcement, one line for each
// channel.
func (n *newsroom) engagement(id desk.AnnouncementID) (lines []string) {
	n.t.Helper()
	e, err := n.AnnouncementMetrics(ctx, n.caller(), id)
	must(n.t, err)
	for _, c := range e.Channels {
		line := fmt.Sprintf("%d", len(c.Reactions))
		for _, r := range c.TopReactions() {
			line += " " + r.Emoji
			for _, u := range r.Users {
				line += ":" + map[string]string{n.maya: "maya", n.oskar: "oskar", n.workspace.Owner: "owner"}[u]
			}
		}
		line += fmt.Sprintf(" %d", len(c.Replies))
		if c.Request != 0 {
			line += " request"
		}
		lines = append(lines, line)
	}
	return lines
}

func (n *newsroom) engagementBecomes(id desk.AnnouncementID, want ...string) {
	n.t.Helper()
	become(n.t, fmt.Sprintf("%q", want), func() []string { return n.engagement(id) }, func(got []string) bool { return slices.Equal(got, want) })
}

func TestAnnouncementMetrics(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 1)
		n.rooms = append(n.rooms, n.help)
		sent := n.sent(n.announces(n.announcement(n.drafted("News"))))
		id, far, near := sent.ID, sent.Recipients[0], sent.Recipients[1]
		n.engagementBecomes(id, "0 0", "0 0")

		// Everyone's reactions count, even in a channel that is in no collection.
		for _, r := range []desk.Recipient{far, near} {
			n.reacts(n.maya, r.Channel, r.Message, "tada")
			n.reacts(n.oskar, r.Channel, r.Message, "tada")
			n.reacts(n.oskar, r.Channel, r.Message, "eyes")
			n.reacts(n.maya, r.Channel, r.Message, "pushpin")
		}
		for _, emoji := range []string{"wave", "heart", "rocket", "zzz"} {
			n.reacts(n.oskar, far.Channel, far.Message, emoji)
		}
		n.engagementBecomes(id, "8 tada:maya:oskar eyes:oskar heart:oskar pushpin:maya rocket:oskar 0", "4 tada:maya:oskar eyes:oskar pushpin:maya 0")
		must(t, n.box.As(n.oskar).Unreact(ctx, near.Channel, near.Message, "tada"))
		n.engagementBecomes(id, "8 tada:maya:oskar eyes:oskar heart:oskar pushpin:maya rocket:oskar 0", "3 eyes:oskar pushpin:maya tada:maya 0")

		// So do replies, in order and without removed ones.
		first := n.replies(n.oskar, far.Channel, far.Message, "thanks")
		gone := n.replies(n.maya, far.Channel, far.Message, "never mind")
		last := n.replies(n.maya, far.Channel, far.Message, "you are welcome")
		must(t, n.box.As(n.maya).Delete(ctx, far.Channel, gone.TS))
		n.delivered()
		n.engagementBecomes(id, "8 tada:maya:oskar eyes:oskar heart:oskar pushpin:maya rocket:oskar 2", "3 eyes:oskar pushpin:maya tada:maya 0")
		e, err := n.AnnouncementMetrics(ctx, n.caller(), id)
		must(t, err)
		if got := e.Channels[0].Replies; !slices.Equal(got, []string{first.TS, last.TS}) {
			t.Errorf("replies: %q", got)
		}
		// A removal that is reported before its message still removes it.
		must(t, n.Receive(ctx, chat.Event{System: "slack", Workspace: n.workspace.ID, Removed: &chat.Removed{Ref: chat.Ref{Channel: far.Channel, ID: "1.5"}, Thread: far.Message}}))
		must(t, n.Receive(ctx, chat.Event{System: "slack", Workspace: n.workspace.ID, Message: &chat.Message{Ref: chat.Ref{Channel: far.Channel, ID: "1.5"}, Thread: far.Message, Author: n.oskar, HTML: "<p>x</p>", At: time.Now()}}))
		if got := n.engagement(id)[0]; !strings.HasSuffix(got, " 2") {
			t.Errorf("after the early removal: %s", got)
		}
		if log := n.audited(); !slices.Contains(log, fmt.Sprintf("announcement.metrics_viewed %d", id)) {
			t.Errorf("audit log: %q", log)
		}
		// Reactions to an announcement do not affect requests in its thread.
		n.replies(n.oskar, near.Channel, near.Message, "Since then I cannot sign in any more, please help")
		n.become("open <Since then I cannot sign in any more, please help")
		n.reacts(n.maya, near.Channel, near.Message, "white_check_mark")
		n.engagementBecomes(id, "8 tada:maya:oskar eyes:oskar heart:oskar pushpin:maya rocket:oskar 2", "4 eyes:oskar pushpin:maya tada:maya white_check_mark:maya 1 request")
		n.become("open <Since then I cannot sign in any more, please help")
	})
}

// A reply in a request channel that asks for something becomes a request, in the
// announcement's thread. A greeting or thanks does not.
func TestAnnouncementReplyBecomesARequest(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 1)
		n.rooms = append(n.rooms, n.help)
		sent := n.sent(n.announces(n.announcement(n.drafted("The portal was updated today"))))
		id, apart, at := sent.ID, sent.Recipients[0], sent.Recipients[1]
		n.replies(n.oskar, at.Channel, at.Message, "thank you!")
		n.engagementBecomes(id, "0 0", "0 1")
		n.become("none <thank you!")
		n.replies(n.oskar, at.Channel, at.Message, "Since then I cannot sign in any more")
		n.become("open <thank you! <Since then I cannot sign in any more")
		n.engagementBecomes(id, "0 0", "0 2 request")
		r := n.requests()[0]
		if r.Thread == nil || r.Thread.Message != at.Message || r.Thread.Channel != at.Channel || r.Author.User != n.oskar {
			t.Errorf("the request is %+v", r)
		}
		// The answer is posted where the question was asked, and counts as nobody's
		// reply.
		n.adds(r.ID, desk.NewMessage{HTML: ptr("We are looking into it")})
		n.threadBecomes(at.Channel, at.Message, "The portal was updated today", "thank you!", "Since then I cannot sign in any more", "We are looking into it")
		n.rests()
		if got := n.engagement(id); got[1] != "0 2 request" {
			t.Errorf("engagement after the answer: %q", got)
		}
		// Outside request channels a question is only a reply.
		n.replies(n.oskar, apart.Channel, apart.Message, "Does this concern us? Please tell me")
		n.engagementBecomes(id, "0 1", "0 2 request")
		if got := n.lines(); len(got) != 1 {
			t.Errorf("requests: %q", got)
		}
	})
}

// Reactions and replies that no event reported are found by reading, until they are
// too old.
func TestAnnouncementMetricsAreRepaired(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 2)
		sent := n.sent(n.announces(n.announcement(n.drafted("News"))))
		id, at := sent.ID, sent.Recipients[0]
		n.reacts(n.oskar, at.Channel, at.Message, "heart")
		old := n.replies(n.oskar, at.Channel, at.Message, "to be removed")
		n.engagementBecomes(id, "1 heart:oskar 1", "0 0")
		// Make it look old. For newer ones the clocks may not agree.
		must(t, n.store.Write(ctx, n.account.ID, func(tx *store.Tx) error {
			if _, err := tx.Exec("UPDATE announcement_replies SET said_at = 1 WHERE account_id = $1", tx.Account); err != nil {
				return err
			}
			_, err := tx.Exec("UPDATE reactions SET at = 1 WHERE account_id = $1", tx.Account)
			return err
		}))
		n.rests()
		n.delivers(func(context.Context, chat.Event) error { return nil }) // events are lost
		must(t, n.box.As(n.oskar).Delete(ctx, at.Channel, old.TS))
		must(t, n.box.As(n.oskar).Unreact(ctx, at.Channel, at.Message, "heart"))
		n.reacts(n.maya, at.Channel, at.Message, "tada")
		n.replies(n.maya, at.Channel, at.Message, "kept")
		n.delivered()
		n.delivers(nil)
		if got := n.engagement(id); !slices.Equal(got, []string{"1 heart:oskar 1", "0 0"}) {
			t.Fatalf("the lost events were received: %q", got)
		}
		reads := func() bool {
			n.calls.take()
			must(t, n.Do(ctx, &job.Job{Attempt: 1}, worker.ReadSent{}))
			n.rests()
			return n.calls.take()["conversations.replies"] > 0
		}
		if reads() {
			t.Error("it was read before it was due")
		}
		n.clock.move(61 * time.Minute)
		if !reads() {
			t.Error("it was not read when it was due")
		}
		n.engagementBecomes(id, "1 tada:maya 1", "0 0")
		n.clock.move(30 * 24 * time.Hour)
		if reads() {
			t.Error("it is still read after a month")
		}
	})
}

// A reply is not lost if it comes before we know that the copy was posted.
func TestAnnouncementAnsweredBeforeItIsKnown(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		n := newNewsroom(w, 0)
		n.rooms = []string{n.help}
		source := n.drafted("The portal was updated today")
		must(t, n.box.SetFaults(sandbox.FaultPlan{Faults: []sandbox.Fault{{Kind: sandbox.DropAnswer, Method: "chat.postMessage", Count: 1}}}))
		id := n.announces(n.announcement(source))
		var at sandbox.Message
		become(t, "the copy", func() []sandbox.Message { return n.copiesIn(n.help) }, func(got []sandbox.Message) bool {
			if len(got) == 1 {
				at = got[0]
			}
			return len(got) == 1
		})
		// As far as we know the post may still be on its way, so nobody may retry
		// yet.
		become(t, "the end of the try", func() []bool { return []bool{n.waiting()} }, func(got []bool) bool { return got[0] })
		var free time.Time
		must(t, n.store.Read(ctx, n.account.ID, func(tx *store.Tx) (err error) {
			free, err = tx.FirstFree(id)
			return err
		}))
		if !free.After(n.clock.Now()) {
			t.Errorf("it may be retried from %v on", free)
		}
		n.replies(n.oskar, n.help, at.TS, "Since then I cannot sign in any more")
		n.reacts(n.oskar, n.help, at.TS, "eyes")
		n.delivered()
		if n.shows(id).Status != desk.AnnouncementPending {
			t.Fatal("we already know that the copy was posted")
		}
		n.sent(id)
		n.become("open <Since then I cannot sign in any more")
		n.engagementBecomes(id, "1 eyes:oskar 1 request")
	})
}
