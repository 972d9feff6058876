package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/sqldb"
)

// Try is what tries to sign in are counted for. There may be Most of them at once,
// and then another each time that Pace has gone by.
type Try struct {
	Digest string
	Most   int64
	Pace   time.Duration
}

// errTooMany undoes what was counted for a try that may not be.
var errTooMany = errors.New("too many tries")

// CountTries counts a try for each. wait is how long it takes until there may be
// another, 0 where this one may be; one that may not be counts for nothing, so that
// whoever goes on trying keeps nobody waiting for longer. Those who count several
// name them in the same order, or they would wait for each other.
//
// What is kept is when all tries so far will be forgotten (ends_at): each moves that
// on by the pace, and none may move it further than Most of them from now.
func (s *Store) CountTries(ctx context.Context, tries ...Try) (wait time.Duration, err error) {
	now := s.Now()
	// Not serializable: one statement counts, and those who try often are many.
	err = s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		wait = 0
		for _, t := range tries {
			latest := now.Add(time.Duration(t.Most-1) * t.Pace) // at which there may be one more
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
				wait = max(fromMS(ends).Sub(latest), time.Millisecond)
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

// ForgetTries forgets what was counted.
func (s *Store) ForgetTries(ctx context.Context, digests ...string) error {
	return fit(s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		for _, d := range digests {
			if _, err := tx.Exec("DELETE FROM sign_in_tries WHERE digest = $1", d); err != nil {
				return err
			}
		}
		return nil
	}))
}

// TakeBackTries uncounts a try for each: it was none that went wrong.
func (s *Store) TakeBackTries(ctx context.Context, tries ...Try) error {
	return fit(s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		for _, t := range tries {
			if _, err := tx.Exec("UPDATE sign_in_tries SET tries = tries - 1, ends_at = ends_at - $2 WHERE digest = $1", t.Digest, t.Pace.Milliseconds()); err != nil {
				return err
			}
		}
		return nil
	}))
}

// SweepTries removes what is over.
func (s *Store) SweepTries(ctx context.Context) error {
	return fit(s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.Exec("DELETE FROM sign_in_tries WHERE ends_at <= $1", ms(s.Now()))
		return err
	}))
}
