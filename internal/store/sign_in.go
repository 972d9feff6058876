package store

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/sqldb"
)

// Try is what tries to sign in are counted for, and how many there may be.
type Try struct {
	Digest string
	Most   int64
}

// CountTries counts a try for each, in windows of a length. wait is how long it
// takes until there may be another, 0 where this one may be. Those who count
// several name them in the same order, or they would wait for each other.
func (s *Store) CountTries(ctx context.Context, window time.Duration, tries ...Try) (wait time.Duration, err error) {
	now := s.Now()
	// Not serializable: one statement counts, and those who try often are many.
	err = s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		wait = 0
		for _, t := range tries {
			var n, ends int64
			err := tx.Row(`INSERT INTO sign_in_tries (digest, tries, ends_at) VALUES ($1, 1, $3)
				ON CONFLICT (digest) DO UPDATE SET
					tries = CASE WHEN sign_in_tries.ends_at <= $2 THEN 1 ELSE sign_in_tries.tries + 1 END,
					ends_at = CASE WHEN sign_in_tries.ends_at <= $2 THEN $3 ELSE sign_in_tries.ends_at END
				RETURNING tries, ends_at`, t.Digest, ms(now), ms(now.Add(window))).Scan(&n, &ends)
			if err != nil {
				return fmt.Errorf("count a try: %w", err)
			}
			if n > t.Most {
				wait = max(wait, fromMS(ends).Sub(now), time.Millisecond)
			}
		}
		return nil
	})
	return wait, fit(err)
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

// TakeBackTry uncounts one try: it was none that went wrong.
func (s *Store) TakeBackTry(ctx context.Context, digest string) error {
	return fit(s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.Exec("UPDATE sign_in_tries SET tries = tries - 1 WHERE digest = $1 AND tries > 0", digest)
		return err
	}))
}

// SweepTries removes what is over.
func (s *Store) SweepTries(ctx context.Context) error {
	return fit(s.db.Claim(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.Exec("DELETE FROM sign_in_tries WHERE ends_at <= $1", ms(s.Now()))
		return err
	}))
}
