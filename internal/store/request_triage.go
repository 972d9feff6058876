package store

import (
	"encoding/json"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// tier is a part of a list that has an order besides its time: the urgent requests,
// then those of high priority, and so on. A list is its tiers one after another. The
// next one is read only if the page is not full, so each tier is a list like any
// other. Most lists have one.
type tier struct {
	filter desk.RequestFilter
	page   desk.Page
	score  int64 // in cursors; falls from tier to tier; 0 if the list has only one
}

// tiersOf returns the tiers of a list, from that in which the page begins.
func tiersOf(f desk.RequestFilter, p desk.Page) (tiers []tier) {
	add := func(score int64, f desk.RequestFilter, p desk.Page) {
		switch {
		case p.From == nil || p.From.Score == score:
		case p.From.Score < score:
			return // a page before has all of it
		default:
			p.From = nil
		}
		tiers = append(tiers, tier{f, p, score})
	}
	switch f.Order {
	case desk.ByPriority:
		for i, priority := range slices.Backward(desk.Priorities) {
			if g := f; len(f.Priorities) == 0 || slices.Contains(f.Priorities, priority) {
				g.Priorities = []desk.Priority{priority}
				add(int64(i+1), g, p)
			}
		}
	case desk.ByNextDue:
		yes, no := true, false
		p.Ascending = true
		promised, others := f, f
		promised.Promised, others.Promised, others.Order = &yes, &no, ""
		add(2, promised, p)
		if f.DueWithin == nil {
			add(1, others, p)
		}
	default:
		add(0, f, p)
	}
	return tiers
}

// position returns where the page after a request of the tier begins.
func (t tier) position(r desk.Request, g glance) *desk.Position {
	at := desk.Position{At: r.CreatedAt, ID: int64(r.ID), Score: t.score}
	switch {
	case t.filter.Order == desk.ByNextDue && r.Row.Due != nil:
		at.At = r.Row.Due.At
	case t.filter.ByUpdate:
		at.At = FromMS(g.updated)
	case t.filter.ByMessage:
		at.At = r.LastMessageAt
	}
	return &at
}

// timeOf returns the column that a list is ordered, narrowed and paged by.
func timeOf(f desk.RequestFilter) string {
	switch {
	case f.ByUpdate:
		return "updated_at"
	case f.ByMessage:
		return "last_message_at"
	}
	return "created_at"
}

// isPromised reports whether a list has only requests of which a clock is due or
// overdue.
func isPromised(f desk.RequestFilter) bool {
	return f.DueWithin != nil || f.Promised != nil && *f.Promised
}

// running is true of a clock that is due or overdue. SQLite uses the index of these
// only if the condition is repeated literally.
const running = "ended_at IS NULL AND due_at IS NOT NULL"

// itsRunning is the same for the few clocks of one request. Written in this way, it
// does not lead SQLite to that index, where it would walk past all that are due before.
const itsRunning = "ended_at IS NULL AND due_at + 0 IS NOT NULL"

// addDue selects the clock of each request that is due next.
func (tx *Tx) addDue(q *query, f desk.RequestFilter) {
	q.Add("(SELECT request_id, due_at FROM request_slas s WHERE account_id = ? AND "+running, tx.Account)
	q.dueBefore(tx, f, "due_at")
	q.Add(" AND NOT EXISTS (SELECT 1 FROM (SELECT kind, due_at + 0 AS due FROM request_slas e WHERE e.account_id = ? AND e.request_id = s.request_id AND "+itsRunning+
		") own WHERE (own.due, own.kind) < (s.due_at, s.kind))) clocks", tx.Account)
}

// dueBefore narrows to the clocks that the filter wants, by their due_at in some form.
func (q *query) dueBefore(tx *Tx, f desk.RequestFilter, dueAt string) {
	if f.DueWithin != nil {
		q.Add(" AND "+dueAt+" < ?", ms(tx.Now.Add(*f.DueWithin)))
	}
}

// triage adds the conditions of desk.Triage, row by row.
func (q *query) triage(tx *Tx, f desk.RequestFilter, r run) {
	if none := f.Promised != nil && !*f.Promised; none || isPromised(f) && !r.due {
		not := ""
		if none {
			not = "NOT "
		}
		q.Add(" AND "+not+"EXISTS (SELECT 1 FROM request_slas s WHERE s.account_id = ? AND s.request_id = requests.id AND "+itsRunning, tx.Account)
		q.dueBefore(tx, f, "due_at + 0")
		q.Add(")")
	}
	if len(f.Sources) > 0 {
		q.Add(" AND source IN ")
		sqldb.In(q, f.Sources)
	}
	q.suggested(tx, "category", f.Categories)
	q.suggested(tx, "sentiment", f.Sentiments)
	q.suggested(tx, "emotion", f.Emotions)
	for _, c := range f.Choices {
		q.Add(" AND EXISTS (SELECT 1 FROM custom_field_choices c WHERE c.account_id = ? AND c.entity_type = 'request' AND c.entity_id = requests.id AND c.field_id = ? AND c.option_id IN ", tx.Account, c.Field)
		sqldb.In(q, c.Options)
		q.Add(")")
	}
}

// suggested asks for requests with one of some suggested values. A value is JSON: a
// text, or a list of texts without blanks between them.
func (q *query) suggested(tx *Tx, field string, values []string) {
	if len(values) == 0 {
		return
	}
	q.Add(" AND EXISTS (SELECT 1 FROM request_suggestions g WHERE g.account_id = ? AND g.request_id = requests.id AND g.field = ? AND (", tx.Account, field)
	for i, v := range values {
		if i > 0 {
			q.Add(" OR ")
		}
		text, _ := json.Marshal(v) // a string can always be encoded
		q.Add("CAST(g.value AS TEXT) = ? OR replace(CAST(g.value AS TEXT), ?, '') <> CAST(g.value AS TEXT) OR replace(CAST(g.value AS TEXT), ?, '') <> CAST(g.value AS TEXT)",
			string(text), "["+string(text), ","+string(text))
	}
	q.Add("))")
}
