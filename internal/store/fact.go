package store

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Facts are what insights count: one row per request and one per wait for an
// answer. They are derived from the other tables. Code that changes something they
// are derived from touches the request. Write updates the facts of all touched
// requests at its end, in the same transaction.

// place is the position of a message in its request. The zero place is before all
// messages.
type place struct {
	said    int64 // microseconds
	message desk.MessageID
}

// nowhere is after all messages: no message has changed.
var nowhere = place{said: 1<<63 - 1}

func (p place) before(o place) bool {
	return p.said < o.said || p.said == o.said && p.message < o.message
}

// touched is the place from which on the messages of a request have changed. added
// is the new reply, if nothing else has changed.
type touched struct {
	place
	added desk.MessageID
}

// touch marks the facts of a request for an update.
func (tx *Tx) touch(id desk.RequestID) { tx.touchFrom(id, touched{place: nowhere}) }

// touchMessage also marks its waits for an update, starting at a message that was
// added, changed or removed.
func (tx *Tx) touchMessage(id desk.RequestID, at place) { tx.touchFrom(id, touched{place: at}) }

func (tx *Tx) touchFrom(id desk.RequestID, at touched) {
	tx.change(id)
	was, ok := tx.touched[id]
	switch {
	case tx.touched == nil:
		tx.touched = map[desk.RequestID]touched{id: at}
	case !ok || was.place == nowhere:
		tx.touched[id] = at
	case at.place == nowhere:
	case at.before(was.place):
		tx.touched[id] = touched{place: at.place}
	default:
		tx.touched[id] = touched{place: was.place}
	}
}

// touchAdded does this for a new message, unless the message changes nothing. Most
// do not: a requester's message that nobody has answered yet, and messages that are
// not part of the exchange, such as private notes and bots' messages.
func (tx *Tx) touchAdded(m desk.Message, isAnswered bool) {
	at := place{Microseconds(m.CreatedAt), m.ID}
	switch {
	case m.Private, m.Bot && !m.Responder:
	case m.Responder:
		tx.touchFrom(m.Request, touched{at, m.ID})
	case isAnswered:
		tx.touchMessage(m.Request, at)
	}
}

// countsAs reports whether two states of a request have the same facts, as far as
// these are derived from its row.
func countsAs(a, b desk.Request) bool {
	return desk.Same(a.State, b.State) && desk.Same(a.MergedInto, b.MergedInto) && a.Priority == b.Priority && a.Collection.ID == b.Collection.ID &&
		desk.Same(channelOf(a), channelOf(b)) && desk.Same(a.Customer, b.Customer) && desk.Same(a.Assignee, b.Assignee) &&
		desk.Same(OptionalMS(a.FirstResponseAt), OptionalMS(b.FirstResponseAt)) && desk.Same(OptionalMS(a.FirstSolvedAt), OptionalMS(b.FirstSolvedAt)) &&
		desk.Same(OptionalMS(a.SolvedAt), OptionalMS(b.SolvedAt))
}

// factColumns are the columns of facts that change, in the order of counted.facts.
var factColumns = []string{"collection_id", "channel_id", "customer_id", "assignee", "state", "priority", "has_ticket", "is_answered", "schedule_version_id",
	"first_response", "first_resolution", "resolution", "first_response_sla", "first_response_late_at", "resolution_sla", "resolution_late_at",
	"one_touch_sla", "one_touch_late", "survey_at", "survey_points", "survey_value"}

// insertFacts starts the statement, factRow is one row, and orUpdateFacts ends it.
// The statement replaces stored facts that differ from the given ones. Comparing
// them in the database costs less than reading them first.
var (
	insertFacts   = "INSERT INTO request_facts (account_id, request_id, created_at, " + strings.Join(factColumns, ", ") + ") VALUES "
	factRow       = "(?, ?, ?" + strings.Repeat(", ?", len(factColumns)) + ")"
	orUpdateFacts = func() string {
		var set, others []string
		for _, c := range factColumns {
			set = append(set, c+" = excluded."+c)
			others = append(others, "request_facts."+c+" IS DISTINCT FROM excluded."+c)
		}
		return " ON CONFLICT (account_id, request_id) DO UPDATE SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(others, " OR ") + " RETURNING request_id"
	}()
)

// keepFacts updates the facts of the touched requests.
func (tx *Tx) keepFacts() error {
	ids := slices.Sorted(maps.Keys(tx.touched))
	for some := range slices.Chunk(ids, mostNamed) {
		others, err := tx.keepFactsOf(some, true)
		if err != nil {
			return fmt.Errorf("keep facts: %w", err)
		}
		tx.count(others...)
	}
	tx.touched = nil
	return nil
}

// count records that insights count these requests differently than before, because
// their facts changed or something else that insights filter by.
func (tx *Tx) count(ids ...desk.RequestID) {
	if tx.counts == nil {
		tx.counts = map[desk.RequestID]bool{}
	}
	for _, id := range ids {
		tx.counts[id] = true
	}
}

// untold returns the requests that count differently than before and that no
// recorded event names. insights.Columns follows the events, so it would not learn
// of them.
func (tx *Tx) untold() []desk.RequestID {
	for subject := range tx.notes.Subjects {
		if number, ok := strings.CutPrefix(subject, desk.RequestSubject); ok {
			if id, err := strconv.ParseInt(number, 10, 64); err == nil {
				delete(tx.counts, desk.RequestID(id))
			}
		}
	}
	return slices.Collect(maps.Keys(tx.counts))
}

// counted is a request on the way to its facts: what they are derived from, and the
// stored facts that the waits depend on.
type counted struct {
	desk.Request
	hasTicket, isAnswered bool
	hasClocks             bool
	keptCreated           *int64 // nil if no facts are stored
	keptSchedule          *desk.ScheduleVersionID
}

// counts reports whether facts of the request should be stored.
func (r counted) counts() bool { return r.State != nil && r.MergedInto == nil }

// clock returns a clock of the request, or the zero clock, which promises nothing.
func (r counted) clock(kind desk.SLAKind) desk.SLA {
	for _, c := range r.SLAs {
		if c.Kind == kind {
			return c
		}
	}
	return desk.SLA{}
}

// facts returns the facts of a request that counts, in the order of factColumns.
func (r counted) facts() []any {
	length := func(m *desk.Metric) *int64 {
		if m == nil {
			return nil
		}
		n := m.Hundredths()
		return &n
	}
	m := r.Metrics()
	response, resolution, oneTouch := r.clock(desk.SLAFirstResponse), r.clock(desk.SLAResolution), r.clock(desk.SLAOneTouch)
	var surveyAt, points, score any
	if s := r.Survey; s != nil {
		surveyAt, points = ms(s.TriggeredAt), s.Type.Most()
		if s.AnsweredAt != nil {
			score = s.Value
		}
	}
	return []any{r.Collection.ID, channelOf(r.Request), r.Customer, r.Assignee, *r.State, r.Priority, r.hasTicket, r.isAnswered, response.Schedule,
		length(m.FirstResponse), length(m.FirstResolution), length(m.Resolution),
		response.Promises(), OptionalMS(response.LateFrom()), resolution.Promises(), OptionalMS(resolution.LateFrom()),
		oneTouch.Promises(), oneTouch.Breached(r.CreatedAt), surveyAt, points, score}
}

// keepFactsOf updates the facts of some requests and returns the requests whose
// facts were wrong. With waitsGoBy, a request without facts is assumed to have no
// waits either.
func (tx *Tx) keepFactsOf(ids []desk.RequestID, waitsGoBy bool) (wrong []desk.RequestID, err error) {
	all, err := tx.counted(ids)
	if err != nil {
		return nil, err
	}
	var changed query
	var unknown []counted
	for _, r := range all {
		// Facts are stored by when the request was created, which hardly ever
		// changes.
		created := ms(r.CreatedAt)
		if r.keptCreated != nil && (!r.counts() || *r.keptCreated != created) {
			wrong = append(wrong, r.ID)
			if err := tx.removeFacts(r.ID); err != nil {
				return nil, err
			}
			r.keptCreated = nil
		}
		if !r.counts() {
			continue
		}
		if changed.IsEmpty() {
			changed.Add(insertFacts)
		} else {
			changed.Add(", ")
		}
		changed.Add(factRow, append([]any{tx.Account, r.ID, created}, r.facts()...)...)
		from := tx.touched[r.ID]
		switch {
		case r.keptCreated == nil && waitsGoBy:
			unknown = append(unknown, *r)
			continue
		case r.keptCreated == nil, !desk.Same(r.keptSchedule, r.clock(desk.SLAFirstResponse).Schedule):
			from = touched{}
		case from.place == nowhere:
			continue
		}
		waits, err := tx.keepWaits(*r, from)
		if err != nil {
			return nil, err
		}
		if waits {
			wrong = append(wrong, r.ID)
		}
	}
	if !changed.IsEmpty() {
		changed.Add(orUpdateFacts)
		others, err := sqldb.Collect(tx.Tx, scanID[desk.RequestID], changed.String(), changed.Args()...)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, others...)
	}
	if err := tx.addWaits(unknown); err != nil {
		return nil, err
	}
	slices.Sort(wrong)
	return slices.Compact(wrong), nil
}

// counted reads what the facts of some requests are derived from.
func (tx *Tx) counted(ids []desk.RequestID) ([]*counted, error) {
	var q query
	q.Add(`SELECT r.id, r.shelf, r.merged_into, r.priority, r.collection_id, r.channel_id, r.customer_id, r.assignee,
			r.created_at, r.first_response_at, r.first_solved_at, r.solved_at, s.type, s.triggered_at, s.answered_at, s.value,
			EXISTS (SELECT 1 FROM tickets t WHERE t.account_id = r.account_id AND t.request_id = r.id),
			EXISTS (SELECT 1 FROM messages m WHERE m.account_id = r.account_id AND m.request_id = r.id AND m.removed_at IS NULL AND m.is_responder AND NOT m.is_private),
			EXISTS (SELECT 1 FROM request_slas c WHERE c.account_id = r.account_id AND c.request_id = r.id),
			f.created_at, f.schedule_version_id
		FROM requests r LEFT JOIN surveys s ON s.account_id = r.account_id AND s.request_id = r.id
			LEFT JOIN request_facts f ON f.account_id = r.account_id AND f.request_id = r.id
		WHERE r.account_id = ? AND r.id IN `, tx.Account)
	sqldb.In(&q, ids)
	q.Add(" ORDER BY r.id")
	all, err := sqldb.Collect(tx.Tx, scanCounted, q.String(), q.Args()...)
	if err != nil {
		return nil, err
	}
	var clocked []desk.RequestID
	at := map[desk.RequestID]*desk.Request{}
	for _, r := range all {
		if r.hasClocks {
			clocked, at[r.ID] = append(clocked, r.ID), &r.Request
		}
	}
	if len(clocked) == 0 {
		return all, nil
	}
	return all, tx.addClocks(clocked, at)
}

func scanCounted(scan scanner) (*counted, error) {
	var (
		r                                 counted
		shelf                             string
		channel                           *string
		surveyType                        *desk.SurveyType
		triggered, answered, surveyAnswer *int64
	)
	if err := scan(&r.ID, &shelf, &r.MergedInto, &r.Priority, &r.Collection.ID, &channel, &r.Customer, &r.Assignee,
		inMS(&r.CreatedAt), inMSOrNil(&r.FirstResponseAt), inMSOrNil(&r.FirstSolvedAt), inMSOrNil(&r.SolvedAt), &surveyType, &triggered, &answered,
		&surveyAnswer, &r.hasTicket, &r.isAnswered, &r.hasClocks,
		&r.keptCreated, &r.keptSchedule); err != nil {
		return nil, err
	}
	r.State = stateOf(shelf)
	if channel != nil {
		r.Channel = &desk.ChannelRef{ID: *channel}
	}
	if surveyType != nil {
		r.Survey = &desk.Survey{Type: *surveyType, TriggeredAt: FromMS(*triggered), AnsweredAt: FromOptionalMS(answered), Value: int(value(surveyAnswer))}
	}
	return &r, nil
}

// wait is a row of response_facts.
type wait struct {
	created, opened, length int64
	message                 desk.MessageID
}

// keepWaits recomputes the waits of a request from a place on and reports whether
// they changed. A message affects only what follows the last reply before it,
// because after that reply nobody was waiting.
func (tx *Tx) keepWaits(r counted, from touched) (changed bool, err error) {
	behind, said, err := tx.saidSince(r.ID, from.place)
	if err != nil {
		return false, err
	}
	now := r.waits(said)
	var kept []wait
	// If the added reply is the only one, no waits are stored.
	if from.added == 0 || slices.ContainsFunc(said, func(h heard) bool { return h.Responder && h.message != from.added }) {
		kept, err = sqldb.Collect(tx.Tx, func(scan scanner) (w wait, err error) {
			err = scan(&w.created, &w.message, &w.opened, &w.length)
			return w, err
		}, `SELECT created_at, message_id, opened_at, length FROM response_facts
			WHERE account_id = $1 AND request_id = $2 AND (opened_at, message_id) > ($3, $4) ORDER BY opened_at, message_id`,
			tx.Account, r.ID, behind.said, behind.message)
		if err != nil {
			return false, err
		}
	}
	if slices.Equal(kept, now) {
		return false, nil
	}
	if len(kept) > 0 {
		if err := tx.Do("DELETE FROM response_facts WHERE account_id = $1 AND request_id = $2 AND (opened_at, message_id) > ($3, $4)",
			tx.Account, r.ID, behind.said, behind.message); err != nil {
			return false, err
		}
	}
	rows := tx.newWaitRows()
	tx.addWaitRows(rows, r.ID, now)
	return true, rows.Flush()
}

func (tx *Tx) newWaitRows() *sqldb.Insert {
	return tx.insert("INSERT INTO response_facts (account_id, request_id, created_at, message_id, opened_at, length) VALUES ")
}

func (tx *Tx) addWaitRows(rows *sqldb.Insert, id desk.RequestID, waits []wait) {
	for _, w := range waits {
		rows.Add(tx.Account, id, w.created, w.message, w.opened, w.length)
	}
}

// addWaits inserts the waits of requests that have none yet.
func (tx *Tx) addWaits(all []counted) error {
	var ids []desk.RequestID
	for _, r := range all {
		if r.isAnswered {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	said := map[desk.RequestID][]heard{}
	if err := collectFor(tx, ids, heardColumns+" FROM messages", "said_at, id", scanHeard, func(id desk.RequestID, h heard) {
		said[id] = append(said[id], h)
	}, " AND "+isHeard); err != nil {
		return err
	}
	rows := tx.newWaitRows()
	for _, r := range all {
		tx.addWaitRows(rows, r.ID, r.waits(said[r.ID]))
	}
	return rows.Flush()
}

// heard is a message that affects waits, with its place.
type heard struct {
	place
	desk.Said
}

const (
	heardColumns = "id, said_at, created_at, is_responder"
	isHeard      = "removed_at IS NULL AND NOT is_private AND (is_responder OR NOT is_bot)"
)

func scanHeard(scan scanner) (h heard, err error) {
	err = scan(&h.message, &h.said, inMS(&h.At), &h.Responder)
	h.Message = h.message
	return h, err
}

// saidSince returns what was said after the last reply before a place, and the
// place of that reply. If there is no such reply, it returns everything from the
// beginning.
func (tx *Tx) saidSince(id desk.RequestID, from place) (behind place, all []heard, err error) {
	all, err = sqldb.Collect(tx.Tx, scanHeard, `SELECT `+heardColumns+` FROM messages WHERE account_id = $1 AND request_id = $2 AND `+isHeard+`
			AND said_at >= COALESCE((SELECT said_at FROM messages
				WHERE account_id = $1 AND request_id = $2 AND removed_at IS NULL AND NOT is_private AND is_responder AND (said_at, id) < ($3, $4)
				ORDER BY said_at DESC, id DESC LIMIT 1), 0)
		ORDER BY said_at, id`, tx.Account, id, from.said, from.message)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Responder && all[i].before(from) {
			return all[i].place, all[i+1:], err
		}
	}
	return place{}, all, err
}

// waits returns the waits of the request in the given messages. They are measured by
// the calendar of the first response clock.
func (r counted) waits(all []heard) (list []wait) {
	said, opened := make([]desk.Said, len(all)), make(map[desk.MessageID]int64, len(all))
	for i, h := range all {
		said[i], opened[h.message] = h.Said, h.said
	}
	for _, w := range desk.Waits(said, r.clock(desk.SLAFirstResponse).Calendar) {
		list = append(list, wait{ms(r.CreatedAt), opened[w.Message], desk.Hundredths(w.Length), w.Message})
	}
	return list
}

func (tx *Tx) removeFacts(id desk.RequestID) error {
	return tx.doAll(id,
		"DELETE FROM request_facts WHERE account_id = $1 AND request_id = $2",
		"DELETE FROM response_facts WHERE account_id = $1 AND request_id = $2")
}

// RebuildFacts updates the facts of the next requests after one, as if all of them
// had been touched. It returns the last of them (0 if there are no more), how many
// it checked and how many were wrong.
func (tx *Tx) RebuildFacts(after desk.RequestID, most int) (last desk.RequestID, looked, wrong int, err error) {
	ids, err := sqldb.Collect(tx.Tx, scanID[desk.RequestID], "SELECT id FROM requests WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3", tx.Account, after, most)
	if err != nil || len(ids) == 0 {
		return 0, 0, 0, err
	}
	for _, id := range ids {
		tx.touchMessage(id, place{})
	}
	for some := range slices.Chunk(ids, mostNamed) {
		mended, err := tx.keepFactsOf(some, false) // any row may have been deleted
		if err != nil {
			return 0, 0, 0, fmt.Errorf("rebuild facts: %w", err)
		}
		tx.count(mended...)
		wrong += len(mended)
	}
	tx.touched = nil
	return ids[len(ids)-1], len(ids), wrong, tx.foldTexts(ids)
}

// foldTexts fills in the folded text of values that were written before texts were
// folded.
func (tx *Tx) foldTexts(ids []desk.RequestID) error {
	type text struct {
		entity, field int64
		value         string
	}
	for some := range slices.Chunk(ids, mostNamed) {
		var q query
		q.Add(`SELECT entity_id, field_id, value FROM custom_field_values
			WHERE account_id = ? AND entity_type = 'request' AND value_length IS NOT NULL AND value_folded IS NULL AND entity_id IN `, tx.Account)
		sqldb.In(&q, some)
		old, err := sqldb.Collect(tx.Tx, func(scan scanner) (t text, err error) {
			err = scan(&t.entity, &t.field, &t.value)
			return t, err
		}, q.String(), q.Args()...)
		if err != nil {
			return err
		}
		for _, t := range old {
			if err := tx.Do(`UPDATE custom_field_values SET value_folded = $1
				WHERE account_id = $2 AND entity_type = 'request' AND entity_id = $3 AND field_id = $4`, desk.Fold(t.value), tx.Account, t.entity, t.field); err != nil {
				return err
			}
		}
	}
	return nil
}
