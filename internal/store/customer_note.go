package store

import (
	"cmp"
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const customerNoteColumns = "n.id, n.customer_id, n.member_id, m.name, n.text, n.created_at FROM customer_notes n JOIN members m ON m.account_id = n.account_id AND m.id = n.member_id"

func scanCustomerNote(scan scanner) (n desk.CustomerNote, err error) {
	err = scan(&n.ID, &n.Customer, &n.Author, &n.AuthorName, &n.Text, inMS(&n.CreatedAt))
	return n, err
}

// CustomerNote returns a note about a customer.
func (tx *Tx) CustomerNote(customer desk.CustomerID, id desk.CustomerNoteID) (desk.CustomerNote, error) {
	n, err := scanCustomerNote(tx.Row("SELECT "+customerNoteColumns+" WHERE n.account_id = $1 AND n.customer_id = $2 AND n.id = $3", tx.Account, customer, id).Scan)
	return n, missing(err, "Note")
}

// CustomerNotes returns a page of the notes about a customer.
func (tx *Tx) CustomerNotes(customer desk.CustomerID, p desk.Page) (desk.List[desk.CustomerNote], error) {
	if p.Limit == 0 {
		p.Limit = desk.DefaultLimit
	}
	var q query
	q.Add("SELECT "+customerNoteColumns+" WHERE n.account_id = ? AND n.customer_id = ?", tx.Account, customer)
	q.windowBy("n.created_at", "n.id", p)
	items, err := sqldb.Collect(tx.Tx, scanCustomerNote, q.String(), q.Args()...)
	return cutList(items, p.Limit, func(n desk.CustomerNote) desk.Position { return positionAt(n.CreatedAt, n.ID) }), err
}

// AddCustomerNote inserts a new note and sets its id. The customer and the author must
// be of the account.
func (tx *Tx) AddCustomerNote(n *desk.CustomerNote) error {
	err := tx.Row(`INSERT INTO customer_notes (account_id, customer_id, member_id, text, created_at)
		SELECT c.account_id, c.id, m.id, $4, $5 FROM customers c JOIN members m ON m.account_id = c.account_id AND m.id = $3 WHERE c.account_id = $1 AND c.id = $2 RETURNING id`,
		tx.Account, n.Customer, n.Author, n.Text, ms(n.CreatedAt)).Scan(&n.ID)
	return wrap("add customer note", missing(err, "Customer"))
}

// RemoveCustomerNote deletes a note.
func (tx *Tx) RemoveCustomerNote(id desk.CustomerNoteID) error {
	return tx.Do("DELETE FROM customer_notes WHERE account_id = $1 AND id = $2", tx.Account, id)
}

// timelineSources are the statements of a customer's timeline, one for each kind. Each
// reads one range of an index that begins with the customer. at and id are the columns
// that order it.
var timelineSources = []struct{ from, at, id string }{
	{"SELECT created_at, request_id, 0, 0 FROM request_facts WHERE account_id = ? AND customer_id = ?", "created_at", "request_id"},
	{"SELECT solved_at, id, 0, 0 FROM requests WHERE account_id = ? AND customer_id = ? AND solved_at IS NOT NULL AND merged_into IS NULL", "solved_at", "id"},
	{"SELECT first_response_late_at, request_id, 0, 0 FROM request_facts WHERE account_id = ? AND customer_id = ? AND first_response_late_at IS NOT NULL", "first_response_late_at", "request_id"},
	{"SELECT resolution_late_at, request_id, 0, 0 FROM request_facts WHERE account_id = ? AND customer_id = ? AND resolution_late_at IS NOT NULL", "resolution_late_at", "request_id"},
	{"SELECT survey_at, request_id, survey_value, survey_points FROM request_facts WHERE account_id = ? AND customer_id = ? AND survey_at IS NOT NULL AND survey_value IS NOT NULL", "survey_at", "request_id"},
}

// Timeline returns a page of what happened to a customer, in the reach of somebody. It
// reads one page of each kind and merges them.
func (tx *Tx) Timeline(customer desk.CustomerID, r desk.Reach, p desk.Page) (desk.List[desk.TimelineEntry], error) {
	if p.Limit == 0 {
		p.Limit = desk.DefaultLimit
	}
	if p.Before == nil { // a clock that still runs may have its breach in the future
		soon := tx.Now.Add(time.Millisecond)
		p.Before = &soon
	}
	var all []desk.TimelineEntry
	for n, source := range timelineSources {
		var q query
		q.Add(source.from, tx.Account, customer)
		if !r.All {
			q.Add(" AND collection_id IN ")
			sqldb.In(&q, append([]desk.CollectionID{-1}, r.IDs...))
		}
		found, err := tx.timelinePart(&q, n, source.at, source.id, p)
		if err != nil {
			return desk.List[desk.TimelineEntry]{}, err
		}
		all = append(all, found...)
	}
	announced, err := tx.announcedTo(customer, r, p)
	if err != nil {
		return desk.List[desk.TimelineEntry]{}, err
	}
	notes, err := tx.notesIn(customer, p)
	if err != nil {
		return desk.List[desk.TimelineEntry]{}, err
	}
	all = append(append(all, announced...), notes...)
	slices.SortFunc(all, func(a, b desk.TimelineEntry) int {
		order := cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Key(), b.Key()))
		if p.Ascending {
			return order
		}
		return -order
	})
	l := cutList(all, p.Limit, func(e desk.TimelineEntry) desk.Position { return desk.Position{At: e.At, ID: e.Key()} })
	return l, tx.titleTimeline(l.Items)
}

// kindPage returns the page of one kind for a page of the timeline.
func kindPage(p desk.Page, kind int) desk.Page {
	if p.From != nil {
		from := desk.TimelineFrom(*p.From, kind, p.Ascending)
		p.From = &from
	}
	return p
}

func (tx *Tx) timelinePart(q *query, kind int, at, id string, p desk.Page) ([]desk.TimelineEntry, error) {
	q.windowBy(at, id, kindPage(p, kind))
	return sqldb.Collect(tx.Tx, func(scan scanner) (desk.TimelineEntry, error) {
		e := desk.TimelineEntry{Kind: desk.TimelineKinds[kind]}
		err := scan(inMS(&e.At), &e.ID, &e.Value, &e.Most)
		return e, err
	}, q.String(), q.Args()...)
}

// announcedTo returns the announcements that the customer's channels got. It reads all
// that these channels ever got, which is a few a month.
func (tx *Tx) announcedTo(customer desk.CustomerID, r desk.Reach, p desk.Page) ([]desk.TimelineEntry, error) {
	const kind = 5
	var q query
	q.Add(`SELECT sent_at, id, 0, 0 FROM announcements WHERE account_id = ? AND sent_at IS NOT NULL AND id IN (
		SELECT ar.announcement_id FROM customer_channels cc JOIN announcement_recipients ar ON ar.account_id = cc.account_id AND ar.channel_id = cc.channel_id
		WHERE cc.account_id = ? AND cc.customer_id = ? AND ar.external_id IS NOT NULL)`, tx.Account, tx.Account, customer)
	q.withinAll(tx, r)
	return tx.timelinePart(&q, kind, "sent_at", "id", p)
}

func (tx *Tx) notesIn(customer desk.CustomerID, p desk.Page) (all []desk.TimelineEntry, err error) {
	const kind = 6
	var q query
	q.Add("SELECT "+customerNoteColumns+" WHERE n.account_id = ? AND n.customer_id = ?", tx.Account, customer)
	q.windowBy("n.created_at", "n.id", kindPage(p, kind))
	notes, err := sqldb.Collect(tx.Tx, scanCustomerNote, q.String(), q.Args()...)
	for _, n := range notes {
		all = append(all, desk.TimelineEntry{Kind: desk.CustomerNoteWritten, At: n.CreatedAt, ID: int64(n.ID), Note: n})
	}
	return all, err
}

// titleTimeline fills in what the entries are called.
func (tx *Tx) titleTimeline(all []desk.TimelineEntry) error {
	var requests, announcements []int64
	for _, e := range all {
		switch e.Kind {
		case desk.AnnouncementArrived:
			announcements = append(announcements, e.ID)
		case desk.CustomerNoteWritten:
		default:
			requests = append(requests, e.ID)
		}
	}
	titles, err := lookUpBy[int64, string](tx, requests, "SELECT id, title FROM requests WHERE account_id = ? AND id IN ")
	if err != nil {
		return err
	}
	names, err := lookUpBy[int64, string](tx, announcements, "SELECT id, name FROM announcements WHERE account_id = ? AND id IN ")
	if err != nil {
		return err
	}
	for i := range all {
		switch e := &all[i]; e.Kind {
		case desk.AnnouncementArrived:
			e.Title = names[e.ID]
		case desk.CustomerNoteWritten:
		default:
			e.Title = titles[e.ID]
		}
	}
	return nil
}

// cutList makes a page of records of which there may be more than wanted.
func cutList[T any](items []T, limit int, position func(T) desk.Position) desk.List[T] {
	l := desk.List[T]{Items: items}
	if len(items) > limit {
		l.Items = items[:limit]
		next := position(l.Items[limit-1])
		l.Next = &next
	}
	return l
}
