package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/sqldb"
)

// Try is what sign-in attempts are counted for, such as an email or a network
// address. Most attempts are allowed at once, and then one more each time Pace has
// passed.
type Try struct {
	Digest string
	Most   int64
	Pace   time.Duration
}

// errTooMany rolls back the counts of an attempt that is not allowed.
var errTooMany = errors.New("too many tries")

// CountTries counts an attempt for each of tries. wait is 0 if the attempt is
// allowed, otherwise how long until the next one is. An attempt that is not allowed
// is not counted, so going on trying makes nobody wait longer. Callers that count
// several must name them in the same order, or they could deadlock.
//
// The table stores when all attempts so far will be forgotten (ends_at). Each
// attempt moves that time by Pace, and none may move it more than Most times Pace
// from now.
func (s *Store) CountTries(ctx context.Context, tries ...Try) (wait time.Duration, err error) {
	now := s.Now()
	// Not serializable: a single statement counts, and attempts may come in large
	// numbers.
	err = s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		wait = 0
		for _, t := range tries {
			latest := now.Add(time.Duration(t.Most-1) * t.Pace) // up to here one more is allowed
			n, err := tx.Exec(`INSERT INTO sign_in_tries (digest, tries, ends_at) VALUES ($1, 1, CAST($2 AS BIGINT) + $3)
				ON CONFLICT (digest) DO UPDATE SET tries = sign_in_tries.tries + 1,
					ends_at = $3 + CASE WHEN sign_in_tries.ends_at < $2 THEN $2 ELSE sign_in_tries.ends_at END
				WHERE sign_in_tries.ends_at <= $4`, t.Digest, ms(now), t.Pace.Milliseconds(), ms(latest))
			if err != nil {
				return fmt.Errorf("count a try: %w", err)
			}
			if n == 0 {
				var ends int64
				if err := tx.Row("SELECT ends_at FROM sign_in_tries WHERE digest = $1", t.Digest).Scan(&ends); err != nil {
					return fmt.Errorf("read when there may be another try: %w", err)
				}
				wait = max(FromMS(ends).Sub(latest), time.Millisecond)
				return errTooMany
			}
		}
		return nil
	})
	if errors.Is(err, errTooMany) {
		return wait, nil
	}
	return 0, fit(err)
}

// ForgetTries deletes the counts.
func (s *Store) ForgetTries(ctx context.Context, digests ...string) error {
	return fit(s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		for _, d := range digests {
			if err := tx.Do("DELETE FROM sign_in_tries WHERE digest = $1", d); err != nil {
				return err
			}
		}
		return nil
	}))
}

// TakeBackTries takes back one counted attempt for each of tries, because it did
// not fail.
func (s *Store) TakeBackTries(ctx context.Context, tries ...Try) error {
	return fit(s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		for _, t := range tries {
			if err := tx.Do("UPDATE sign_in_tries SET tries = tries - 1, ends_at = ends_at - $2 WHERE digest = $1", t.Digest, t.Pace.Milliseconds()); err != nil {
				return err
			}
		}
		return nil
	}))
}

// SweepTries deletes counts that have run out.
func (s *Store) SweepTries(ctx context.Context) error {
	return fit(s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		return tx.Do("DELETE FROM sign_in_tries WHERE ends_at <= $1", ms(s.Now()))
	}))
}
