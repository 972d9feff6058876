package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Events are up to limit events behind a place in the feed, oldest first. More
// says that there are others behind them.
func (tx *Tx) Events(after int64, limit int) (events []desk.Event, more bool, err error) {
	return tx.events(after, limit, desk.NoteCreated)
}

// LastEvent is the end of the feed: its last place, 0 where nothing has happened.
func (tx *Tx) LastEvent() (seq int64, err error) {
	err = tx.Row("SELECT event_seq FROM sequences WHERE account_id = $1", tx.Account).Scan(&seq)
	return seq, err
}

// events are Events, and those that are in no feed, without those of a type.
func (tx *Tx) events(after int64, limit int, without desk.EventType) (events []desk.Event, more bool, err error) {
	events, err = sqldb.Collect(tx.Tx, func(scan scanner) (e desk.Event, err error) {
		var at int64
		var data string
		err = scan(&e.Seq, &e.Type, &e.Source, &at, &data)
		e.At, e.Data = fromMS(at), []byte(data)
		return e, err
	}, `SELECT seq, type, source, at, data FROM events
		WHERE account_id = $1 AND seq > $2 AND type <> $3 ORDER BY seq LIMIT $4`, tx.Account, after, without, limit+1)
	if len(events) > limit {
		return events[:limit], true, err
	}
	return events, false, err
}
