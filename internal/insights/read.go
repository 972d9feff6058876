package insights

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Every change to what insights count about a request is named by an event of the
// same transaction, or gives the request the next number of untold changes
// (store/fact.go). An account has one turn at a time, so all these numbers become
// visible in the order in which they are given. A session has its own number of
// this kind. So everything after the marks has changed since.
//
// A table is read in pieces, each in its own transaction, from marks that were read
// before the first. Changes in the meantime are after the marks, and are read again
// with the first question.

// loadPiece is how many requests are read at a time. In between, others get their
// turn.
const loadPiece = 4000

// load reads the table of an account with the values of some fields. After each
// piece it asks fits whether there is room for the bytes.
func load(ctx context.Context, db *sqldb.DB, account desk.AccountID, fields []desk.CustomField, fits func(bytes int64) error) (*table, error) {
	var t *table
	err := db.Read(ctx, func(tx *sqldb.Tx) error {
		var rows int64
		at, err := marksOf(tx, account)
		if err != nil {
			return err
		}
		if err := tx.Row("SELECT count(*) FROM request_facts WHERE account_id = $1", account).Scan(&rows); err != nil {
			return err
		}
		// Ask before the table is made, because otherwise it would already exist
		// when it is refused.
		if err := fits(rows * leastRow); err != nil {
			return err
		}
		t = newTable(at, int(rows), fields)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load columns: %w", err)
	}
	for last, more := int64(0), true; more; {
		err := db.Read(ctx, func(tx *sqldb.Tx) error {
			r := reader{tx: tx, account: account, fields: fields}
			records, err := r.read(func(s *statement, id string) { s.Add(id+" > ?", last) }, loadPiece)
			if err != nil {
				return err
			}
			for i := range records {
				if err := t.put(&records[i]); err != nil {
					return err
				}
			}
			if more = len(records) == loadPiece; more {
				last = records[len(records)-1].id
			}
			return fits(t.bytes())
		})
		if err != nil {
			return nil, fmt.Errorf("load columns: %w", err)
		}
	}
	return t, nil
}

// leastRow is the size in bytes of a row without waits and fields.
const leastRow = 8*5 + 4*3 + 3 + 4*6 + 4*4

// readMarks reads the marks. The + keeps both engines from looking for unnumbered
// events among all events of the account: there are hardly ever any at all, and they
// have an index of their own.
const readMarks = `SELECT event_seq, (SELECT coalesce(max(untold), 0) FROM requests WHERE account_id = $1 AND untold IS NOT NULL),
		(SELECT coalesce(max(version), 0) FROM agent_sessions WHERE account_id = $1),
		EXISTS (SELECT 1 FROM events WHERE +account_id = $1 AND seq IS NULL)
	FROM sequences WHERE account_id = $1`

// marksOf returns the current marks. It returns errBehind if they cannot be known:
// while an event waits for its number, or nobody numbers events.
func marksOf(tx *sqldb.Tx, account desk.AccountID) (at marks, err error) {
	var unnumbered bool
	err = tx.Row(readMarks, account).Scan(&at.event, &at.untold, &at.session, &unnumbered)
	if errors.Is(err, sqldb.ErrNoRows) || err == nil && unnumbered {
		err = errBehind
	}
	return at, err
}

// mostEvents is how many events a question applies itself, and mostChanged how many
// requests. If there are more, the table is reloaded.
const (
	mostEvents  = 5000
	mostChanged = 2000
)

// changesBetween returns the requests that may have changed between two marks: all
// that an event names, and those with other numbers. It returns errFar if they are
// too many.
func changesBetween(tx *sqldb.Tx, account desk.AccountID, since, to marks) ([]int64, error) {
	if to.behind(since) || to.event-since.event > mostEvents {
		return nil, errFar // or went back, because somebody has restored an old database
	}
	changed := map[int64]bool{}
	for _, ask := range []struct {
		since, to int64
		ids       string
	}{
		{since.event, to.event, fmt.Sprintf("SELECT DISTINCT CAST(substr(subject, %d) AS BIGINT) FROM events WHERE account_id = $1 AND seq > $2 AND subject LIKE '%s%%' LIMIT $3",
			len(desk.RequestSubject)+1, desk.RequestSubject)},
		{since.untold, to.untold, "SELECT id FROM requests WHERE account_id = $1 AND untold > $2 AND untold IS NOT NULL LIMIT $3"},
		{since.session, to.session, "SELECT DISTINCT request_id FROM agent_sessions WHERE account_id = $1 AND version > $2 LIMIT $3"},
	} {
		if ask.to == ask.since {
			continue
		}
		ids, err := sqldb.Collect(tx, func(scan func(...any) error) (id int64, err error) { return id, scan(&id) }, ask.ids, account, ask.since, mostChanged+1)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			changed[id] = true
		}
	}
	if len(changed) > mostChanged {
		return nil, errFar
	}
	return slices.Sorted(maps.Keys(changed)), nil
}

// reader reads facts as records.
type reader struct {
	tx      *sqldb.Tx
	account desk.AccountID
	fields  []desk.CustomField // whose values are read
}

// changed reads the records of changed requests. It includes those without facts,
// which do not count.
func (r reader) changed(ids []int64) (all []record, err error) {
	const atOnce = 500
	for from := 0; from < len(ids); from += atOnce {
		some := ids[from:min(from+atOnce, len(ids))]
		records, err := r.read(func(s *statement, id string) {
			s.Add(id + " IN ")
			sqldb.In(s, some)
		}, 0)
		if err != nil {
			return nil, err
		}
		there := make(map[int64]bool, len(records))
		for _, r := range records {
			there[r.id] = true
		}
		for _, id := range some {
			if !there[id] {
				there[id] = true
				records = append(records, record{id: id, created: none64, surveyAt: none64})
			}
		}
		all = append(all, records...)
	}
	return all, nil
}

var factsSelected = "SELECT f.request_id, f.created_at, f.survey_at, f.survey_points, f.survey_value, " +
	strings.Join([]string{strings.Join(codedColumns, ", "), strings.Join(flagColumns, ", "), strings.Join(lateColumns, ", "), strings.Join(lengthColumns, ", ")}, ", ") +
	" FROM request_facts f WHERE f.account_id = ? AND "

// read reads the records of the requests that those selects, in the order of their
// ids. most bounds them; 0 means all.
func (r reader) read(those func(s *statement, id string), most int) ([]record, error) {
	var s statement
	s.Add(factsSelected, r.account)
	those(&s, "f.request_id")
	s.Add(" ORDER BY f.request_id")
	if most > 0 {
		s.Add(" LIMIT ?", most)
	}
	records, err := sqldb.Collect(r.tx, scanRecord, s.String(), s.Args()...)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	at := make(map[int64]*record, len(records))
	for i := range records {
		at[records[i].id] = &records[i]
	}
	if most > 0 {
		// The related rows are in the same range of ids.
		last, first := records[len(records)-1].id, those
		those = func(s *statement, id string) {
			first(s, id)
			s.Add(" AND "+id+" <= ?", last)
		}
	}
	if err := r.readWaits(those, at); err != nil {
		return nil, err
	}
	if err := r.readSessions(those, at); err != nil {
		return nil, err
	}
	return records, r.readFields(those, at)
}

func scanRecord(scan func(...any) error) (r record, err error) {
	var (
		surveyAt, points, score, customer *int64
		collection                        int64
		channel, assignee                 *string
		state, priority                   string
		flags                             [6]bool
		late                              [2]*int64
		lengths                           [3]*int64
	)
	if err := scan(&r.id, &r.created, &surveyAt, &points, &score, &collection, &channel, &customer, &assignee, &state, &priority,
		&flags[0], &flags[1], &flags[2], &flags[3], &flags[4], &flags[5], &late[0], &late[1], &lengths[0], &lengths[1], &lengths[2]); err != nil {
		return r, err
	}
	r.surveyAt = orElse(surveyAt, none64)
	for i, v := range late {
		r.late[i] = orElse(v, none64)
	}
	for i, v := range lengths {
		n := orElse(v, none32)
		if v != nil && n == none32 || n < none32 || n > math.MaxInt32 {
			return r, errUnfit
		}
		r.lengths[i] = int32(n)
	}
	small := func(v *int64) int8 {
		n := orElse(v, none8)
		if v != nil && n == none8 || n < none8 || n > math.MaxInt8 {
			err = errUnfit
		}
		return int8(n)
	}
	r.points, r.score = small(points), small(score)
	for i, is := range flags {
		if is {
			r.flags |= 1 << i
		}
	}
	r.coded = [6]any{collection, orNil(channel), orNil(customer), orNil(assignee), state, priority}
	return r, err
}

func orElse(v *int64, none int64) int64 {
	if v == nil {
		return none
	}
	return *v
}

func orNil[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

func (r reader) readWaits(those func(s *statement, id string), at map[int64]*record) error {
	s := selectWaits(r.account, those)
	return r.tx.Each(func(scan func(...any) error) error {
		var id, length int64
		if err := scan(&id, &length); err != nil {
			return err
		}
		if length <= none32 || length > math.MaxInt32 {
			return errUnfit
		}
		if f := at[id]; f != nil {
			f.waits = append(f.waits, int32(length))
		}
		return nil
	}, s.String(), s.Args()...)
}

// selectWaits returns the statement that reads the waits of some requests. The
// creation time in their facts leads to them in the primary key. By the requests'
// ids alone SQLite would read all waits of the account. CROSS, because it would do
// so as well if it could choose which table comes first.
func selectWaits(account desk.AccountID, those func(s *statement, id string)) *statement {
	s := &statement{}
	s.Add(`SELECT w.request_id, w.length FROM request_facts f CROSS JOIN response_facts w
		WHERE w.account_id = f.account_id AND w.created_at = f.created_at AND w.request_id = f.request_id AND f.account_id = ? AND `, account)
	those(s, "f.request_id")
	return s
}

var sessionsSelected = "SELECT s.request_id, " + strings.Join(sessionColumns, ", ") + " FROM agent_sessions s WHERE s.account_id = ? AND "

func (r reader) readSessions(those func(s *statement, id string), at map[int64]*record) error {
	var s statement
	s.Add(sessionsSelected, r.account)
	those(&s, "s.request_id")
	return r.tx.Each(func(scan func(...any) error) error {
		var id int64
		var n [5]int64
		if err := scan(&id, &n[0], &n[1], &n[2], &n[3], &n[4]); err != nil {
			return err
		}
		var one session
		for i := range n {
			if n[i] < 0 || n[i] > math.MaxInt32 {
				return errUnfit
			}
			one[i] = int32(n[i])
		}
		if f := at[id]; f != nil {
			f.sessions = append(f.sessions, one)
		}
		return nil
	}, s.String(), s.Args()...)
}

// readFields reads the values of fields.
func (r reader) readFields(those func(s *statement, id string), at map[int64]*record) error {
	kinds := map[desk.CustomFieldID]Member{}
	var values, options []desk.CustomFieldID
	for _, f := range r.fields {
		m := FieldMember(f)
		kinds[f.ID] = m
		if m.kind == option {
			options = append(options, f.ID)
		} else {
			values = append(values, f.ID)
		}
	}
	put := func(id int64, field desk.CustomFieldID, change func(was any) any) {
		if f := at[id]; f != nil {
			if f.fields == nil {
				f.fields = map[desk.CustomFieldID]any{}
			}
			f.fields[field] = change(f.fields[field])
		}
	}
	ask := func(columns, table string, fields []desk.CustomFieldID, read func(scan func(...any) error) error, order string) error {
		if len(fields) == 0 {
			return nil
		}
		var s statement
		s.Add("SELECT x.entity_id, x.field_id, "+columns+" FROM "+table+" x WHERE x.account_id = ? AND x.entity_type = 'request' AND ", r.account)
		those(&s, "x.entity_id")
		s.Add(" AND x.field_id IN ")
		sqldb.In(&s, fields)
		s.Add(order)
		return r.tx.Each(read, s.String(), s.Args()...)
	}
	err := ask("x.value_number, x.value_day, x.value_user", "custom_field_values", values, func(scan func(...any) error) error {
		var (
			id     int64
			field  desk.CustomFieldID
			number sql.Null[float64]
			day    *int64
			user   *string
		)
		if err := scan(&id, &field, &number, &day, &user); err != nil {
			return err
		}
		put(id, field, func(any) any {
			switch kinds[field].sql {
			case "value_number":
				if number.Valid {
					return number.V
				}
				return nil
			case "value_day":
				return orNil(day)
			}
			return orNil(user)
		})
		return nil
	}, "")
	if err != nil {
		return err
	}
	return ask("x.option_id", "custom_field_choices", options, func(scan func(...any) error) error {
		var id, chosen int64
		var field desk.CustomFieldID
		if err := scan(&id, &field, &chosen); err != nil {
			return err
		}
		put(id, field, func(was any) any {
			list, _ := was.([]int64)
			return append(list, chosen)
		})
		return nil
	}, " ORDER BY x.entity_id, x.field_id, x.option_id")
}
