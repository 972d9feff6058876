package service

import (
	"sync"
	"testing"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// snoozing is a company with a request that can be snoozed.
type snoozing struct {
	*company
	id desk.RequestID
}

func newSnoozing(t *testing.T, url string) snoozing {
	c, r := waits(t, url)
	return snoozing{c, r.ID}
}

func (s snoozing) snooze(until *time.Time) {
	s.t.Helper()
	_, err := s.UpdateRequest(ctx, s.caller(), s.id, desk.RequestChange{Snooze: desk.Just(desk.SnoozeUntil{Until: until})})
	must(s.t, err)
}

// in returns the time in a while.
func (s snoozing) in(d time.Duration) *time.Time {
	at := s.clock.Now().Add(d)
	return &at
}

// wake does what the job does.
func (s snoozing) wake() {
	s.t.Helper()
	must(s.t, s.Do(ctx, &job.Job{Attempt: 1}, change.WakeRequest{Account: s.account.ID, Request: s.id}))
}

// says adds a message of the requester, as one that comes by mail or chat.
func (s snoozing) says(html string) error {
	return s.store.Write(ctx, s.account.ID, func(tx *store.Tx) error {
		r, err := tx.Request(s.id, desk.Everything)
		if err != nil {
			return err
		}
		col, err := tx.Collection(r.Collection.ID)
		if err != nil {
			return err
		}
		m := desk.Message{Author: r.Author, HTML: html, Text: html, Source: desk.SourceEmail, CreatedAt: tx.Now}
		return s.Service.change.AddMessage(tx, desk.Actor{Email: r.Author.Email, Source: desk.SourceEmail}, col, &r, &m, change.Extras{})
	})
}

// is checks how the request is snoozed: "asleep", why it is back, or "".
func (s snoozing) is(want string) {
	s.t.Helper()
	got := ""
	if is := s.said(s.id).Snooze; is != nil && is.Back != nil {
		got = string(is.Back.Reason)
	} else if is != nil {
		got = "asleep"
	}
	if got != want {
		s.t.Errorf("it is %q, want %q", got, want)
	}
}

// wakings counts the entries of the history that ended a snooze.
func (s snoozing) wakings() (n int) {
	s.t.Helper()
	l, err := s.History(ctx, s.caller(), s.id, desk.Page{})
	must(s.t, err)
	for _, e := range l.Items {
		for _, f := range e.Changes() {
			if f.Field == "snooze" && f.To == nil {
				n++
			}
		}
	}
	return n
}

// The job brings a request back at its time and once, however often it runs, and
// waits on if the time was moved.
func TestSnoozeEndsInTime(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		s := newSnoozing(t, url)
		s.snooze(s.in(time.Hour))
		s.snooze(s.in(2 * time.Hour)) // the job of the first is the same, and comes too early
		if n := s.rows("jobs WHERE kind = 'request.wake'"); n != 1 {
			t.Errorf("%d jobs", n)
		}
		s.clock.move(time.Hour)
		s.wake()
		s.is("asleep")
		s.clock.move(time.Hour)
		for range 3 {
			s.wake()
		}
		s.is("time")
		if n := s.wakings(); n != 1 {
			t.Errorf("it came back %d times", n)
		}
		got := s.said(s.id)
		if !got.UpdatedAt.Equal(s.clock.Now()) || got.State == nil || *got.State != desk.Open {
			t.Errorf("it is %v since %v", *got.State, got.UpdatedAt)
		}
		// Whoever answers has seen to it.
		_, err := s.AddMessage(ctx, s.caller(), s.id, desk.NewMessage{HTML: ptr("On it.")})
		must(t, err)
		s.is("")
		s.snooze(nil) // until the requester writes: no time ends it
		s.clock.move(desk.LongestSnooze)
		s.wake()
		s.is("asleep")
	})
}

// The requester's message and the time wake a request once, if they come at once.
func TestSnoozeEndsOnce(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		s := newSnoozing(t, url)
		const rounds = 5
		for range rounds {
			s.snooze(s.in(time.Minute))
			s.clock.move(time.Minute)
			var group sync.WaitGroup
			group.Go(s.wake)
			group.Go(func() {
				if err := s.says("<p>Hello? It still prints everything twice.</p>"); err != nil {
					t.Error(err)
				}
			})
			group.Wait()
			if is := s.said(s.id).Snooze; is == nil || is.Back == nil {
				t.Fatalf("not awake: %+v", is)
			}
		}
		if n := s.wakings(); n != rounds {
			t.Errorf("it came back %d times, and was snoozed %d times", n, rounds)
		}
	})
}

// What was merged while it was snoozed comes back in time when it is separated.
func TestSnoozeOfAMergedRequest(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		s := newSnoozing(t, url)
		into, err := s.CreateRequest(ctx, s.caller(), desk.NewRequest{Description: "x", Requester: ptr("ines@somewhere.example")})
		must(t, err)
		s.snooze(s.in(time.Hour))
		_, err = s.MergeRequests(ctx, s.caller(), into.ID, desk.Merge{Requests: []desk.RequestID{s.id}})
		must(t, err)
		s.clock.move(2 * time.Hour)
		s.wake()
		s.is("asleep")
		must(t, s.store.DB().Write(ctx, func(tx *sqldb.Tx) error { return tx.Do("DELETE FROM jobs") }))
		_, err = s.UndoRequest(ctx, s.caller(), into.ID, desk.Undo{})
		must(t, err)
		if n := s.rows("jobs WHERE kind = 'request.wake'"); n != 1 {
			t.Errorf("%d jobs", n)
		}
		s.wake()
		s.is("time")
	})
}
