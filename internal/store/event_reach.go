package store

import (
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// eventsLooked is how many events are checked together for whether they may be
// seen.
const eventsLooked = 200

// EventsWithin returns up to limit events after a place in the feed whose subjects
// are within reach, without events that only admins see. notes is as in Events. It also
// returns the place up to which there are no others; more reports whether the feed goes
// on after it. One call searches a limited part of the feed, so that it ends in time.
func (tx *Tx) EventsWithin(reach desk.Reach, after int64, limit int, notes bool) (events []desk.Event, to int64, more bool, err error) {
	end, err := tx.FeedEnd()
	if err != nil || end <= after {
		return nil, after, false, err
	}
	to = after
	for last := min(after+feedWindow, end); to < last; {
		var q query
		q.Add("SELECT "+eventColumns+" FROM events WHERE account_id = ? AND seq > ? AND seq <= ? AND type NOT IN ", tx.Account, to, last)
		sqldb.In(&q, append([]desk.EventType{hidden(notes)}, desk.AdminEventTypes...))
		q.Add(" ORDER BY seq LIMIT ?", eventsLooked)
		some, err := sqldb.Collect(tx.Tx, tx.scanEvent, q.String(), q.Args()...)
		if err != nil {
			return nil, after, false, err
		}
		seen, err := tx.seen(some, reach)
		if err != nil {
			return nil, after, false, err
		}
		for _, e := range some {
			if to = e.Seq; !seen[e.Subject] {
				continue
			}
			if events = append(events, e); len(events) == limit {
				return events, to, to < end, nil
			}
		}
		if len(some) < eventsLooked {
			to = last
		}
	}
	return events, to, to < end, nil
}

// seen returns the subjects of some events that are within reach.
func (tx *Tx) seen(events []desk.Event, reach desk.Reach) (map[string]bool, error) {
	of, seen := map[string][]int64{}, map[string]bool{}
	for _, e := range events {
		noun, number, _ := strings.Cut(e.Subject, " ")
		if id, err := strconv.ParseInt(number, 10, 64); err == nil && !slices.Contains(of[noun], id) {
			of[noun] = append(of[noun], id)
		}
	}
	for _, noun := range []string{"request", "customer", "announcement"} {
		if len(of[noun]) == 0 {
			continue
		}
		var q query
		switch noun {
		case "request":
			q.Add("SELECT id FROM requests WHERE account_id = ?", tx.Account)
			q.within("collection_id", reach)
		case "customer":
			q.Add("SELECT id FROM customers WHERE account_id = ?", tx.Account)
			q.within("collection_id", reach)
		case "announcement":
			q.Add("SELECT id FROM announcements WHERE account_id = ?", tx.Account)
			AnnouncementsWithin(tx, &q.Query, reach)
		}
		q.Add(" AND id IN ")
		sqldb.In(&q, of[noun])
		ids, err := sqldb.Collect(tx.Tx, scanID[int64], q.String(), q.Args()...)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			seen[noun+" "+strconv.FormatInt(id, 10)] = true
		}
	}
	return seen, nil
}
