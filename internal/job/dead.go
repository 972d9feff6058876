package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/sqldb"
)

// Letter is a dead letter: a job that failed for good and waits for a person.
type Letter struct {
	ID        int64
	Kind      string
	Args      json.RawMessage
	Key       string
	Failures  int
	LastError string
	CreatedAt time.Time
	DeadAt    time.Time

	argsID  int64
	attempt int
	queue   string
}

// ErrNoLetter says that no dead letter has the given id.
var ErrNoLetter = errors.New("there is no such dead letter")

const letterColumns = "id, kind, args, args_id, coalesce(unique_key, ''), failures, last_error, created_at, dead_at, attempt, queue"

func scanLetter(scan func(...any) error) (l Letter, err error) {
	var args string
	var created, dead int64
	err = scan(&l.ID, &l.Kind, &args, &l.argsID, &l.Key, &l.Failures, &l.LastError, &created, &dead, &l.attempt, &l.queue)
	l.Args = json.RawMessage(args)
	l.CreatedAt, l.DeadAt = time.UnixMilli(created).UTC(), time.UnixMilli(dead).UTC()
	return l, err
}

// Dead lists up to limit dead letters, newest first.
func Dead(tx *sqldb.Tx, limit int) ([]Letter, error) {
	return sqldb.Collect(tx, scanLetter, "SELECT "+letterColumns+` FROM jobs WHERE dead_at IS NOT NULL
		ORDER BY dead_at DESC, id DESC LIMIT $1`, limit)
}

// Retry turns a dead letter into a job that runs at once and has all its attempts
// again. If another job with its key waits, the letter merges into that job. It
// returns ErrNoLetter if there is no letter with this id.
func Retry(tx *sqldb.Tx, id int64, now time.Time) error {
	letters, err := deleteLetters(tx, "id = $1", id)
	if err != nil {
		return fmt.Errorf("retry dead letter %d: %w", id, err)
	}
	if len(letters) == 0 {
		return ErrNoLetter
	}
	return letters[0].retry(tx, now)
}

// RetryAll retries up to limit letters that had died by now, oldest first, and
// returns how many it retried. If there are many letters, call it again, in a new
// transaction but with the same now, until it returns fewer than limit.
func RetryAll(tx *sqldb.Tx, now time.Time, limit int) (int, error) {
	letters, err := deleteLetters(tx, "id IN (SELECT id FROM jobs WHERE dead_at <= $1 ORDER BY dead_at, id LIMIT $2)", now.UnixMilli(), limit)
	if err != nil {
		return 0, fmt.Errorf("retry dead letters: %w", err)
	}
	for _, l := range letters {
		if err := l.retry(tx, now); err != nil {
			return 0, err
		}
	}
	return len(letters), nil
}

// Discard deletes a dead letter. It returns ErrNoLetter if there is no letter with
// this id.
func Discard(tx *sqldb.Tx, id int64) error {
	letters, err := deleteLetters(tx, "id = $1", id)
	if err != nil {
		return fmt.Errorf("discard dead letter %d: %w", id, err)
	}
	if len(letters) == 0 {
		return ErrNoLetter
	}
	return nil
}

// deleteLetters deletes dead letters and returns them.
func deleteLetters(tx *sqldb.Tx, where string, args ...any) ([]Letter, error) {
	return sqldb.Collect(tx, scanLetter, "DELETE FROM jobs WHERE dead_at IS NOT NULL AND "+where+" RETURNING "+letterColumns, args...)
}

func (l Letter) retry(tx *sqldb.Tx, now time.Time) error {
	j := &Job{ID: l.ID, Kind: l.Kind, Attempt: l.attempt, CreatedAt: l.CreatedAt, args: string(l.Args), argsID: max(l.argsID, l.ID), queue: l.queue}
	if l.Key != "" {
		j.key = &l.Key
	}
	if err := insertBack(tx, j, now, 0, l.LastError); err != nil {
		return fmt.Errorf("retry dead letter %d: %w", l.ID, err)
	}
	tx.Ring(topic(l.queue))
	return nil
}
