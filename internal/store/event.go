package store

import (
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const eventColumns = "seq, type, source, at, subject, data"

// scanEvent reads an event of this account.
func (tx *Tx) scanEvent(scan scanner) (e desk.Event, err error) {
	var data string
	err = scan(&e.Seq, &e.Type, &e.Source, inMS(&e.At), &e.Subject, &data)
	e.ID, e.Data = tx.store.EventID(tx.Account, e.Seq), []byte(data)
	return e, err
}

// Events returns up to limit events after a place in the feed, oldest first. notes
// adds those that tell of private notes, which are in no feed. more reports whether
// there are others after them.
func (tx *Tx) Events(after int64, limit int, notes bool) (events []desk.Event, more bool, err error) {
	events, err = sqldb.Collect(tx.Tx, tx.scanEvent, "SELECT "+eventColumns+` FROM events
		WHERE account_id = $1 AND seq > $2 AND type <> $3 ORDER BY seq LIMIT $4`, tx.Account, after, hidden(notes), limit+1)
	if len(events) > limit {
		return events[:limit], true, err
	}
	return events, false, err
}

// hidden returns the type of events that a reader does not get; none has an empty one.
func hidden(notes bool) desk.EventType {
	if notes {
		return ""
	}
	return desk.NoteCreated
}

// FeedEnd returns the place of the last event in the feed.
func (tx *Tx) FeedEnd() (seq int64, err error) {
	err = tx.Row("SELECT event_seq FROM sequences WHERE account_id = $1", tx.Account).Scan(&seq)
	return seq, err
}

// feedWindow is how many places of the feed one query searches for events of some
// types, so that the query ends in time even if there are few of them.
const feedWindow = 5000

// EventsFor returns up to limit events after a place in the feed that a webhook
// receives, and the place up to which there are no others.
func (tx *Tx) EventsFor(w desk.Webhook, after int64, limit int) (events []desk.Event, to int64, err error) {
	end, err := tx.FeedEnd()
	if err != nil {
		return nil, after, err
	}
	if to = min(after+feedWindow, end); to <= after {
		return nil, after, nil
	}
	var q query
	q.Add("SELECT "+eventColumns+" FROM events WHERE account_id = ? AND seq > ? AND seq <= ?", tx.Account, after, to)
	q.toldTo(w)
	q.Add(" ORDER BY seq LIMIT ?", limit)
	if events, err = sqldb.Collect(tx.Tx, tx.scanEvent, q.String(), q.Args()...); len(events) == limit {
		to = events[limit-1].Seq
	}
	return events, to, err
}

// toldTo narrows a query of events to those that a webhook receives: events of its
// types that are in the feed. Imported events are never sent, because they happened
// long ago.
func (q *query) toldTo(w desk.Webhook) {
	q.Add(" AND type <> ? AND source <> ?", desk.NoteCreated, desk.SourceImport)
	if len(w.EventTypes) > 0 {
		q.Add(" AND type IN ")
		sqldb.In(q, w.EventTypes)
	}
}

// EventAt returns the event at a place in the feed.
func (tx *Tx) EventAt(seq int64) (desk.Event, error) {
	e, err := tx.scanEvent(tx.Row("SELECT "+eventColumns+" FROM events WHERE account_id = $1 AND seq = $2 AND type <> $3", tx.Account, seq, desk.NoteCreated).Scan)
	return e, Missing(err, "Event")
}

// EventsBetween returns up to limit events in a time range that a webhook receives,
// in the order in which they happened. If from is not nil, it starts after that
// position. Events without a number yet are left out, because they will be sent
// anyway.
func (tx *Tx) EventsBetween(w desk.Webhook, after, before time.Time, from *desk.Position, limit int) (events []desk.Event, next *desk.Position, err error) {
	var q query
	q.Add("SELECT "+eventColumns+", id FROM events WHERE account_id = ? AND at >= ? AND at < ? AND seq IS NOT NULL", tx.Account, ms(after), ms(before))
	if from != nil {
		q.Add(" AND (at, id) > (?, ?)", ms(from.At), from.ID)
	}
	q.toldTo(w)
	q.Add(" ORDER BY at, id LIMIT ?", limit)
	var last int64
	events, err = sqldb.Collect(tx.Tx, func(scan scanner) (desk.Event, error) {
		return tx.scanEvent(func(dest ...any) error { return scan(append(dest, &last)...) })
	}, q.String(), q.Args()...)
	if len(events) == limit {
		next = &desk.Position{At: events[limit-1].At, ID: last}
	}
	return events, next, err
}
