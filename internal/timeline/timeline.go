// Package timeline reads what happened to a customer, from the tables that have it. It
// keeps nothing of its own.
package timeline

import (
	"cmp"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/wire"
)

// sources is what a customer's timeline is merged from: see decision 87. Each statement
// selects a time, an id, two numbers, a title and a name, and reads one range of an index
// that begins with the customer. at and id are the columns of its order.
var sources = []struct {
	kind         wire.TimelineKind
	from, at, id string
}{
	{wire.RequestCreated, "created_at, request_id, 0, 0" + factTitle, "created_at", "request_id"},
	{wire.RequestSolved, "solved_at, id, 0, 0, title, '' FROM requests WHERE account_id = ? AND customer_id = ? AND solved_at IS NOT NULL AND merged_into IS NULL", "solved_at", "id"},
	{wire.FirstResponseBreached, "first_response_late_at, request_id, 0, 0" + factTitle + " AND first_response_late_at IS NOT NULL", "first_response_late_at", "request_id"},
	{wire.ResolutionBreached, "resolution_late_at, request_id, 0, 0" + factTitle + " AND resolution_late_at IS NOT NULL", "resolution_late_at", "request_id"},
	{wire.SurveyAnswered, "survey_at, request_id, survey_value, survey_points" + factTitle + " AND survey_at IS NOT NULL AND survey_value IS NOT NULL", "survey_at", "request_id"},
	{wire.AnnouncementDelivered, `sent_at, id, 0, 0, name, '' FROM announcements WHERE account_id = ? AND sent_at IS NOT NULL AND id IN (SELECT r.announcement_id
		FROM customer_channels c JOIN announcement_recipients r ON r.account_id = c.account_id AND r.channel_id = c.channel_id
		WHERE c.account_id = ? AND c.customer_id = ? AND r.external_id IS NOT NULL)`, "sent_at", "id"},
	{wire.NoteCreated, `created_at, id, member_id, 0, text, (SELECT name FROM members m WHERE m.account_id = customer_notes.account_id AND m.id = member_id)
		FROM customer_notes WHERE account_id = ? AND customer_id = ?`, "created_at", "id"},
}

const factTitle = ", (SELECT title FROM requests r WHERE r.account_id = request_facts.account_id AND r.id = request_id), '' FROM request_facts WHERE account_id = ? AND customer_id = ?"

// entry is an entry with its place among those of the same moment: its id, then
// its kind.
type entry struct {
	wire.TimelineEntry
	at  time.Time
	key int64
}

// Of returns a page of what happened to a customer, in the reach of somebody. It
// reads one page of each kind and merges them.
func Of(tx *store.Tx, customer desk.CustomerID, r desk.Reach, p desk.Page) (l desk.List[wire.TimelineEntry], err error) {
	if p.Limit == 0 {
		p.Limit = desk.DefaultLimit
	}
	if p.Before == nil {
		p.Before = new(tx.Now.Add(time.Millisecond)) // a clock that still runs may have its breach in the future
	}
	var all []entry
	for kind := range sources {
		found, err := part(tx, customer, kind, r, p)
		if err != nil {
			return l, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b entry) int {
		if p.Ascending {
			a, b = b, a
		}
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.key, a.key))
	})
	if len(all) > p.Limit {
		all = all[:p.Limit]
		l.Next = &desk.Position{At: all[p.Limit-1].at, ID: all[p.Limit-1].key}
	}
	l.Items = desk.Each(all, func(e entry) wire.TimelineEntry { return e.TimelineEntry })
	return l, nil
}

// part reads the page of one kind for a page of the timeline. After a place in
// the timeline come those of the same moment whose key is beyond its key.
func part(tx *store.Tx, customer desk.CustomerID, kind int, r desk.Reach, p desk.Page) ([]entry, error) {
	source, kinds := sources[kind], int64(len(sources))
	if p.From != nil {
		n := p.From.ID - int64(kind) + kinds // never negative
		id := n/kinds - 1
		if !p.Ascending && n%kinds > 0 {
			id++
		}
		p.From = &desk.Position{At: p.From.At, ID: id}
	}
	var q sqldb.Query
	if source.kind == wire.AnnouncementDelivered {
		q.Add("SELECT "+source.from, tx.Account, tx.Account, customer)
		store.AnnouncementsWithin(tx, &q, r)
	} else if q.Add("SELECT "+source.from, tx.Account, customer); source.kind != wire.NoteCreated && !r.All {
		q.Add(" AND collection_id IN ")
		sqldb.In(&q, append([]desk.CollectionID{-1}, r.IDs...))
	}
	store.Window(&q, source.at, source.id, p)
	return sqldb.Collect(tx.Tx, func(scan func(...any) error) (e entry, err error) {
		var at, id, value, most int64
		var title, name string
		err = scan(&at, &id, &value, &most, &title, &name)
		e.at, e.key = store.FromMS(at), id*kinds+int64(kind)
		e.TimelineEntry = wire.NewTimelineEntry(source.kind, e.at, customer, id, value, most, title, name)
		return e, err
	}, q.String(), q.Args()...)
}
