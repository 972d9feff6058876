package service

import (
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/worker"
)

// waits creates a company with a request to which messages can be delayed.
func waits(t *testing.T, url string) (*company, desk.Request) {
	c := openCompany(t, &company{url: url, clock: &clock{now: time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)}, blobs: blobtest.New(t, t.TempDir())})
	_, err := c.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "API", Kind: desk.APICollection})
	must(t, err)
	made, err := c.CreateRequest(ctx, c.caller(), desk.NewRequest{Description: "x", Requester: ptr("ines@somewhere.example")})
	must(t, err)
	return c, made.Request
}

func (c *company) send(w desk.WaitingMessage) error {
	return c.Do(ctx, &job.Job{Attempt: 1}, change.SendWaitingMessage{Account: c.account.ID, Message: w.ID})
}

func (c *company) said(id desk.RequestID) desk.Request {
	c.t.Helper()
	r, err := c.Request(ctx, c.caller(), id, RequestParts{Messages: true})
	must(c.t, err)
	return r
}

// A waiting message is sent at its time and once, however often the job runs: as
// its author, with its files and its state.
func TestWaitingMessageIsSent(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c, r := waits(t, url)
		file, err := c.StoreFile(ctx, c.caller(), "a.txt", "text/plain", strings.NewReader("hello"))
		must(t, err)
		solved := desk.Solved
		w, err := c.DelayMessage(ctx, c.caller(), r.ID, desk.NewMessage{HTML: ptr("Done."), State: &solved, Files: []desk.NewFile{file}}, 10*time.Second)
		must(t, err)
		if got := c.rows("jobs WHERE kind = 'message.send'"); got != 1 {
			t.Errorf("%d jobs", got)
		}
		if err := c.send(w); err == nil || len(c.said(r.ID).Messages) != 1 {
			t.Errorf("it was sent too early: %v", err)
		}
		c.clock.move(10 * time.Second)
		for range 3 {
			must(t, c.send(w))
		}
		got := c.said(r.ID)
		if len(got.Messages) != 2 || *got.State != desk.Solved {
			t.Fatalf("%d messages, state %v", len(got.Messages), *got.State)
		}
		m := got.Messages[1]
		if m.Text != "Done." || m.Author.Email != c.admin.Email || !m.CreatedAt.Equal(c.clock.Now()) || m.Source != desk.SourceAPI || len(m.Attachments) != 1 || m.Attachments[0].Name != "a.txt" {
			t.Errorf("got %+v", m)
		}
		_, err = c.TakeBackMessage(ctx, c.caller(), r.ID, w.ID)
		if desk.KindOf(err) != desk.Refused {
			t.Errorf("taken back after it was sent: %v", err)
		}
		c.clock.move(desk.KeptTaken + time.Minute)
		must(t, c.Do(ctx, &job.Job{Attempt: 1}, worker.SweepWaiting{}))
		if n := c.rows("waiting_messages"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// A message that was taken back is not sent. Its author can send its files with
// another message, once.
func TestWaitingMessageIsTakenBack(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c, r := waits(t, url)
		file, err := c.StoreFile(ctx, c.caller(), "a.txt", "text/plain", strings.NewReader("hello"))
		must(t, err)
		w, err := c.DelayMessage(ctx, c.caller(), r.ID, desk.NewMessage{HTML: ptr("Done."), Files: []desk.NewFile{file}}, 10*time.Second)
		must(t, err)
		taken, err := c.TakeBackMessage(ctx, c.caller(), r.ID, w.ID)
		must(t, err)
		if len(taken.Files) != 1 || taken.HTML != "<p>Done.</p>" {
			t.Fatalf("got %+v", taken)
		}
		c.clock.move(time.Minute)
		must(t, c.send(w))
		if n := len(c.said(r.ID).Messages); n != 1 {
			t.Errorf("%d messages", n)
		}
		again := desk.NewMessage{HTML: ptr("Done!"), Taken: []desk.WaitingFileID{taken.Files[0].ID}}
		other := c.caller()
		other.Actor.ID = c.newMember("jo@acme.example", desk.Admin).ID
		if _, err := c.AddMessage(ctx, other, r.ID, again); desk.KindOf(err) != desk.Invalid {
			t.Errorf("sent by somebody else: %v", err)
		}
		m, err := c.AddMessage(ctx, c.caller(), r.ID, again)
		must(t, err)
		if len(m.Attachments) != 1 || m.Attachments[0].Key != file.Key {
			t.Errorf("got %+v", m)
		}
		if _, err := c.AddMessage(ctx, c.caller(), r.ID, again); desk.KindOf(err) != desk.Invalid {
			t.Errorf("sent twice: %v", err)
		}
	})
}

// A message that can no longer be sent is kept with the reason, and can be taken
// back.
func TestWaitingMessageFails(t *testing.T) {
	c, r := waits(t, dbtest.URL(t, sqldb.SQLite))
	jo := c.newMember("jo@acme.example", desk.Agent)
	as := c.caller()
	as.Actor.ID, as.Actor.Email, as.Role, as.Reach = jo.ID, jo.Email, desk.Agent, desk.Everything
	w, err := c.DelayMessage(ctx, as, r.ID, desk.NewMessage{HTML: ptr("Done.")}, time.Second)
	must(t, err)
	late, err := c.DelayMessage(ctx, c.caller(), r.ID, desk.NewMessage{HTML: ptr("Too late.")}, time.Second)
	must(t, err)
	_, err = c.DeleteMember(ctx, c.caller(), jo.ID)
	must(t, err)
	c.clock.move(time.Second)
	must(t, c.send(w))
	closed := desk.Closed
	_, err = c.UpdateRequest(ctx, c.caller(), r.ID, desk.RequestChange{State: &closed})
	must(t, err)
	must(t, c.send(late))
	must(t, c.send(late))
	if n := len(c.said(r.ID).Messages); n != 1 {
		t.Errorf("%d messages", n)
	}
	l, err := c.WaitingMessages(ctx, c.caller(), r.ID)
	must(t, err)
	if len(l) != 1 || l[0].Failure != desk.ErrClosed.Message {
		t.Errorf("got %+v", l)
	}
	l, err = c.WaitingMessages(ctx, as, r.ID)
	must(t, err)
	if len(l) != 1 || l[0].Failure != "Its author is no longer a member." {
		t.Errorf("got %+v", l)
	}
	_, err = c.TakeBackMessage(ctx, c.caller(), r.ID, late.ID)
	must(t, err)
}

// If somebody takes a message back while it is being sent, it is either taken back
// or sent: never both, never neither.
func TestWaitingMessageRace(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c, r := waits(t, url)
		taken := 0
		const rounds = 20
		for range rounds {
			w, err := c.DelayMessage(ctx, c.caller(), r.ID, desk.NewMessage{HTML: ptr("x")}, time.Second)
			must(t, err)
			c.clock.move(time.Second)
			var both sync.WaitGroup
			both.Go(func() { must(t, c.send(w)) })
			var back error
			both.Go(func() { _, back = c.TakeBackMessage(ctx, c.caller(), r.ID, w.ID) })
			both.Wait()
			switch {
			case back == nil:
				taken++
			case desk.KindOf(back) != desk.Refused:
				t.Error(back)
			}
		}
		if said := len(c.said(r.ID).Messages) - 1; said+taken != rounds {
			t.Errorf("%d were sent and %d taken back", said, taken)
		}
	})
}

// The number of a member's waiting messages is limited.
func TestWaitingMessagesMost(t *testing.T) {
	c, r := waits(t, dbtest.URL(t, sqldb.SQLite))
	for range desk.MostWaiting {
		_, err := c.DelayMessage(ctx, c.caller(), r.ID, desk.NewMessage{HTML: ptr("x")}, time.Second)
		must(t, err)
	}
	if _, err := c.DelayMessage(ctx, c.caller(), r.ID, desk.NewMessage{HTML: ptr("x")}, time.Second); desk.KindOf(err) != desk.Refused {
		t.Errorf("one more: %v", err)
	}
}
