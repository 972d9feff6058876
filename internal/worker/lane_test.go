package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

var errCompose = errors.New("cannot be composed")

// What was done is settled once, whatever becomes of the next act. A lane is free
// afterwards, unless nobody knows what the last call did.
func TestCarrier(t *testing.T) {
	unavailable := desk.Errorf(desk.Unavailable, "No answer.")
	lane := store.Lane{Kind: store.RequestLane, ID: 1}
	does := func(err error) *act { return &act{lane: lane, do: func(context.Context) error { return err }} }
	reads := func(err error) *act { a := does(err); a.repeatable = true; return a }
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		now := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
		s := store.New(db, seal.NewKey(), func() time.Time { return now })
		ctx := context.Background()
		var account desk.AccountID
		must(t, s.AddAccount(ctx, "Acme", func(_ *store.Tx, a desk.Account) error {
			account = a.ID
			return nil
		}))
		free := func(holder string) (held bool) {
			must(t, s.Write(ctx, account, func(tx *store.Tx) (err error) {
				held, err = tx.Hold(lane, holder, now.Add(time.Minute))
				return err
			}))
			return held
		}
		for _, c := range []struct {
			name    string
			acts    []*act
			last    error // of composing what comes after them
			want    error
			settled []int
			free    bool
		}{
			{"nothing", nil, nil, nil, nil, true},
			{"two", []*act{does(nil), {lane: lane}}, nil, nil, []int{0, 1}, true},
			{"the next cannot be composed", []*act{does(nil)}, errCompose, errCompose, []int{0}, true},
			{"refused without a row", []*act{does(nil), does(desk.Missing("It"))}, nil, desk.Missing("It"), []int{0}, true},
			{"no answer", []*act{does(nil), does(unavailable)}, nil, unavailable, []int{0}, false},
			{"no answer to a read", []*act{reads(unavailable)}, nil, unavailable, nil, true},
		} {
			var settled []int
			n := 0
			next := func(tx *store.Tx) (*act, error) {
				if n == len(c.acts) {
					return nil, c.last
				}
				i := n
				n++
				c.acts[i].settle = func(*store.Tx) error {
					settled = append(settled, i)
					return nil
				}
				return c.acts[i], nil
			}
			err := carrier{w: &Worker{store: s}, account: account, holder: "us", next: next}.run(ctx)
			if c.want == nil && err != nil || c.want != nil && (err == nil || desk.KindOf(err) != desk.KindOf(c.want)) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
			// The turn that fails has settled too, and was undone.
			if got := slices.Compact(settled); fmt.Sprint(got) != fmt.Sprint(c.settled) {
				t.Errorf("%s: settled %v, want %v", c.name, got, c.settled)
			}
			if got := free("them"); got != c.free {
				t.Errorf("%s: the lane is free: %v, want %v", c.name, got, c.free)
			}
			now = now.Add(time.Hour)
		}
		if !free("them") {
			t.Fatal("the hold did not end")
		}
		held := carrier{w: &Worker{store: s}, account: account, holder: "us", next: func(*store.Tx) (*act, error) { return does(nil), nil }}.run(ctx)
		if fmt.Sprint(held) != fmt.Sprint(job.Snooze(time.Second)) {
			t.Errorf("a lane that is held: %v", held)
		}
		stolen := &act{lane: lane, do: func(context.Context) error { now = now.Add(time.Hour); free("them"); return nil }}
		now = now.Add(time.Hour)
		err := carrier{w: &Worker{store: s}, account: account, holder: "us", next: func(*store.Tx) (*act, error) { return stolen, nil }}.run(ctx)
		if !errors.Is(err, job.ErrLost) {
			t.Errorf("a lane that was lost: %v", err)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
