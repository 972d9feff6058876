// Package heard keeps what the chat system tells besides messages: how far the history
// of each channel is read, reactions, and what the copies of announcements led to. It
// does not know what follows from it.
package heard

import (
	"errors"
	"time"

	"frontdesk/internal/sqldb"
)

// text reads a row that holds only a text.
func text(scan func(...any) error) (t string, err error) {
	err = scan(&t)
	return t, err
}

// microseconds converts a time with the precision that chat systems use; 0 for the
// zero time.
func microseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMS(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// ifAny is the error of reading a row that may be missing.
func ifAny(err error) error {
	if errors.Is(err, sqldb.ErrNoRows) {
		return nil
	}
	return err
}
