package job_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

func TestWaitingJobsWithOneKeyMerge(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		later := start.Add(time.Hour)
		add(t, db, echo{N: 1}, start, job.Key("k"), job.At(later))
		change(t, db, "UPDATE jobs SET failures = 3")
		add(t, db, echo{N: 2}, start, job.Key("k"))
		if got := only(t, db); got.args != `{"N":2,"Text":""}` || !got.runAt.Equal(start) || got.failures != 0 {
			t.Errorf("merged with an earlier one: %+v", got)
		}
		add(t, db, echo{N: 3}, start, job.Key("k"), job.At(later))
		if got := only(t, db); got.args != `{"N":3,"Text":""}` || !got.runAt.Equal(start) {
			t.Errorf("merged with a later one: %+v", got)
		}

		add(t, db, other{N: 4}, start, job.Key("k"))
		add(t, db, echo{N: 5}, start, job.Key("l"))
		add(t, db, echo{N: 6}, start)
		add(t, db, echo{N: 7}, start, job.Key(""))
		if n := len(rows(t, db)); n != 5 {
			t.Errorf("%d jobs: another kind, another key or no key must not merge", n)
		}
	})
}

// Jobs fail, merge and run at the same time, and still the last change to each
// thing is worked on.
func TestLastChangeIsWorkedOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		const keys, changes = 4, 60
		type success struct{ key, version int }
		worked := make(chan success, 10*keys*changes)
		for range 2 {
			c := quiet(db, nil)
			c.Clock = time.Now
			c.MaxAttempts = 1000
			c.Backoff = func(int) time.Duration { return time.Millisecond }
			r := job.New(c)
			job.Handle(r, func(_ context.Context, _ *job.Job, args echo) error {
				if rand.N(3) == 0 {
					return errors.New("bad luck")
				}
				key, err := strconv.Atoi(args.Text)
				worked <- success{key, args.N}
				return err
			})
			run(t, r)
		}
		for key := range keys {
			go func() {
				for version := 1; version <= changes; version++ {
					if err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
						k := strconv.Itoa(key)
						return job.Add(tx, echo{version, k}, time.Now(), job.Key(k))
					}); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		for last := map[int]bool{}; len(last) < keys; {
			if s := within(t, worked); s.version == changes {
				last[s.key] = true
			}
		}
	})
}

func TestAddIsUndoneWithItsTransaction(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		changed := errors.New("changed my mind")
		err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
			if err := job.Add(tx, echo{}, start); err != nil {
				return err
			}
			return changed
		})
		if !errors.Is(err, changed) {
			t.Error(err)
		}
		none(t, db)
	})
}

func TestAddRefusesWhatOneEngineCannotKeep(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		for _, key := range []string{"a\x00b", "a\xffb"} {
			err := db.Write(context.Background(), func(tx *sqldb.Tx) error { return job.Add(tx, echo{}, start, job.Key(key)) })
			if err == nil {
				t.Errorf("key %q was taken", key)
			}
		}
		none(t, db)
	})
}

func TestArgsSurvive(t *testing.T) {
	var controls strings.Builder
	for c := range rune(0xa1) {
		controls.WriteRune(c)
	}
	texts := []string{
		controls.String(), "", "\u2028\u2029\ufeff\ufffd\u202e", "😀👩‍👩‍👧 日本語 עברית العربية ไทย Ωß",
		`<script>alert("1")</script><!-- & &amp; -->`, `'; DROP TABLE jobs; --`, `\u0000 \ \\ $1 @id @json %s {{.}}`,
		strings.Repeat("long ", 100_000),
	}
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		r := job.New(quiet(db, newClock(start)))
		s := handle(r)
		stop := run(t, r)
		for i, text := range texts {
			add(t, db, echo{i, text}, start)
			p := s.next(t)
			if p.args.N != i || p.args.Text != text {
				t.Errorf("text %d: %.100q became %.100q", i, text, p.args.Text)
			}
			p.verdict <- nil
		}
		stop()
		none(t, db)
	})
}
