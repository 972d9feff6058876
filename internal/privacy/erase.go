package privacy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/blob"
	"frontdesk/internal/chain"
	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Desk is where people are looked for.
type Desk struct {
	Store *store.Store // its transactions must be allowed to take long
	Blobs blob.Store
	Key   *seal.Key
}

// Erased says what was erased, or would be.
type Erased struct {
	desk.Erasure
	Rows map[string]int // by table
}

// ErrMember says that a person is a member of the account and cannot be erased.
var ErrMember = errors.New("the person is a member of the account: remove them first")

// errDry undoes a dry run.
var errDry = errors.New("this was a dry run")

// Preview says what Erase would do, and changes nothing.
func (d Desk) Preview(ctx context.Context, account desk.AccountID, p Person) (Erased, error) {
	e, err := d.run(ctx, account, p, true)
	return e.done, err
}

// Erase erases a person from an account, in one transaction, and then removes their
// files. Before that, it calls note with what goes on the list of erased people. A
// person who is on the list by mistake is at most erased from a restored backup; one
// who is missing on it comes back with the backup.
func (d Desk) Erase(ctx context.Context, account desk.AccountID, p Person, note func([]Listed) error) (Erased, error) {
	would, err := d.run(ctx, account, p, true)
	if err != nil {
		return Erased{}, err
	}
	if err := note(d.listed(would.is.found, would.Now)); err != nil {
		return Erased{}, fmt.Errorf("note that the person is erased: %w", err)
	}
	for more := true; more; { // so that entries of the audit log are chained as they were
		if more, err = d.Store.Sequence(ctx); err != nil {
			return Erased{}, err
		}
	}
	e, err := d.run(ctx, account, p, false)
	if err != nil {
		return Erased{}, err
	}
	for _, key := range e.files {
		parsed, err := blob.ParseKey(key)
		if err == nil {
			err = d.Blobs.Remove(ctx, parsed)
		}
		if err != nil { // a sweep removes it after a day, because no row names it
			return e.done, fmt.Errorf("everything is erased but a file, which goes within a day: %w", err)
		}
	}
	return e.done, nil
}

// run erases a person, or undoes it if it is a dry run.
func (d Desk) run(ctx context.Context, account desk.AccountID, p Person, dry bool) (e *eraser, err error) {
	e = &eraser{}
	err = d.Store.Write(ctx, account, func(tx *store.Tx) error {
		e = &eraser{Tx: tx, desk: d, done: Erased{Rows: map[string]int{}}}
		if err := e.erase(p); err != nil || !dry {
			return err
		}
		return errDry
	})
	if dry && errors.Is(err, errDry) {
		err = nil
	}
	return e, err
}

// byCommand is who erases people.
var byCommand = desk.Actor{Name: "command line", Source: desk.SourceCommand}

// eraser erases one person in a transaction.
type eraser struct {
	*store.Tx
	desk  Desk
	is    scrubber
	done  Erased
	files []string
}

func (e *eraser) erase(p Person) error {
	f, err := find(e.Tx, p)
	if err != nil {
		return err
	}
	if f.isMember {
		return ErrMember
	}
	e.is = scrubber{f, newAlias()}
	for _, t := range tables {
		if err := e.table(t); err != nil {
			return fmt.Errorf("erase from %s: %w", t.name, err)
		}
	}
	for _, step := range []func() error{e.keys, e.jobs, e.postmaster, e.enlist} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := f.check(e.done.Rows); err != nil {
		return err
	}
	if err := e.showAgain(); err != nil {
		return err
	}
	e.done.Erasure = desk.Erasure{Person: e.is.alias, Requests: len(f.requests), Messages: len(f.messages), Files: len(e.files)}
	for _, n := range e.done.Rows {
		e.done.Erasure.Rows += n
	}
	return e.Record(desk.Change{By: byCommand, Action: desk.PersonErased, After: e.done.Erasure})
}

// newAlias makes the id that an erased person has from then on.
func newAlias() string {
	var b [6]byte
	rand.Read(b[:])
	return "erased-" + hex.EncodeToString(b[:])
}

// row is a row of a table with something of the person.
type row struct {
	key     []any
	values  []*string // of the columns with text, then with JSON
	request int64     // whose readers see it; 0 for none
	own     bool
}

// table erases the person from a table.
func (e *eraser) table(t table) error {
	rows, err := e.rows(t)
	if err != nil || len(rows) == 0 {
		return err
	}
	if t.chained {
		return e.auditLog(t, rows)
	}
	if err := e.ownRows(t); err != nil {
		return err
	}
	for _, r := range rows {
		changed := r.own && (t.gone || t.become != "")
		if !r.own || !t.gone {
			rewritten, err := e.row(t, r)
			if err != nil {
				return err
			}
			changed = changed || rewritten
		}
		if changed {
			e.count(t, r)
		}
	}
	return nil
}

// count counts a row that is erased or rewritten.
func (e *eraser) count(t table, r row) {
	e.done.Rows[t.name]++
	if r.request != 0 {
		e.is.touch(r.request)
	}
}

// rows reads the rows of a table that are the person's own or mention them.
func (e *eraser) rows(t table) (rows []row, err error) {
	key, columns := strings.Fields(t.key), slices.Concat(strings.Fields(t.text), jsonColumns(t))
	request := t.request
	if request == "" {
		request = "NULL"
	}
	var q sqldb.Query
	e.is.add(&q, "SELECT "+strings.Join(slices.Concat(key, columns, []string{"CAST(" + request + " AS BIGINT)", "coalesce(" + own(t) + ", FALSE)"}), ", ")+" FROM "+t.name+" WHERE ")
	e.is.addRows(&q, t, t.also)
	err = e.Each(func(scan func(...any) error) error {
		r := row{key: make([]any, len(key)), values: make([]*string, len(columns))}
		var seen *int64
		var to []any
		for i := range r.key {
			to = append(to, &r.key[i])
		}
		for i := range r.values {
			to = append(to, &r.values[i])
		}
		if err := scan(append(to, &seen, &r.own)...); err != nil {
			return err
		}
		if seen != nil {
			r.request = *seen
		}
		rows = append(rows, r)
		return nil
	}, q.String(), q.Args()...)
	return rows, err
}

// ownRows changes or deletes the person's own rows of a table.
func (e *eraser) ownRows(t table) error {
	if t.files != "" {
		q := e.is.fill("SELECT " + t.files + " FROM " + t.name + " WHERE account_id = {account} AND " + own(t) + " AND " + t.files + " IS NOT NULL")
		keys, err := sqldb.Collect(e.Tx.Tx, func(scan func(...any) error) (key string, err error) {
			err = scan(&key)
			return key, err
		}, q.String(), q.Args()...)
		if err != nil {
			return err
		}
		e.files = append(e.files, keys...)
	}
	switch {
	case t.gone:
		q := e.is.fill("DELETE FROM " + t.name + " WHERE account_id = {account} AND " + own(t))
		return e.Do(q.String(), q.Args()...)
	case t.become != "":
		q := e.is.fill("UPDATE " + t.name + " SET " + t.become + " WHERE account_id = {account} AND " + own(t))
		return e.Do(q.String(), q.Args()...)
	}
	return nil
}

// row takes the person out of what is left of a row, and reports whether it changed.
func (e *eraser) row(t table, r row) (changed bool, err error) {
	var q sqldb.Query
	for i, column := range slices.Concat(strings.Fields(t.text), strings.Fields(t.json)) {
		if r.values[i] == nil || r.own && strings.Contains(", "+t.become, ", "+column+" = ") {
			continue
		}
		is := e.is.column(t, i, *r.values[i], r.request)
		if is == *r.values[i] {
			continue
		}
		if q.IsEmpty() {
			q.Add("UPDATE " + t.name + " SET ")
		} else {
			q.Add(", ")
		}
		q.Add(column+" = ?", is)
	}
	if q.IsEmpty() {
		return false, nil
	}
	q.Add(" WHERE account_id = ?", e.Account)
	for i, column := range strings.Fields(t.key) {
		q.Add(" AND "+column+" = ?", r.key[i])
	}
	return true, e.Do(q.String(), q.Args()...)
}

// auditLog takes the person out of entries of the audit log.
func (e *eraser) auditLog(t table, rows []row) error {
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i], _ = r.key[0].(int64)
	}
	n, err := chain.New(e.desk.Key).Erase(e.Tx.Tx, int64(e.Account), e.Now.UnixMilli(), ids, func(entry *chain.Entry) bool {
		was := *entry
		entry.Actor, entry.ResourceID = e.is.json(was.Actor, false), e.is.text(was.ResourceID)
		entry.Before, entry.After = e.optional(was.Before), e.optional(was.After)
		if was.ActorID != nil && slices.Contains(e.is.members, *was.ActorID) {
			entry.IP = ""
		}
		return was.Actor != entry.Actor || was.ResourceID != entry.ResourceID || was.IP != entry.IP || !same(was.Before, entry.Before) || !same(was.After, entry.After)
	})
	if n > 0 {
		e.done.Rows[t.name] = n
	}
	return err
}

func (e *eraser) optional(text *string) *string {
	if text == nil {
		return nil
	}
	is := e.is.json(*text, false)
	return &is
}

func same(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// keys deletes the answers to earlier calls that show the person. A call that is
// repeated with such a key is done again.
func (e *eraser) keys() error {
	type kept struct {
		id     int64
		sealed []byte
	}
	all, err := sqldb.Collect(e.Tx.Tx, func(scan func(...any) error) (k kept, err error) {
		err = scan(&k.id, &k.sealed)
		return k, err
	}, "SELECT id, answer FROM idempotency_keys WHERE account_id = $1 AND answer IS NOT NULL", e.Account)
	if err != nil {
		return err
	}
	for _, k := range all {
		open, err := e.desk.Key.Open(seal.Place{Account: int64(e.Account), Column: "idempotency_keys.answer"}, k.sealed)
		var answer desk.Answer
		if err == nil {
			err = json.Unmarshal(open, &answer)
		}
		if err == nil && e.is.json(string(answer.Body), false) == string(answer.Body) {
			continue
		}
		if err := e.Do("DELETE FROM idempotency_keys WHERE account_id = $1 AND id = $2", e.Account, k.id); err != nil {
			return err
		}
		e.done.Rows["idempotency_keys"]++
	}
	return nil
}

// jobs takes the person out of what jobs of the account have to do.
func (e *eraser) jobs() error {
	type job struct {
		id          int64
		args, error string
	}
	all, err := sqldb.Collect(e.Tx.Tx, func(scan func(...any) error) (j job, err error) {
		err = scan(&j.id, &j.args, &j.error)
		return j, err
	}, "SELECT id, CAST(args AS TEXT), last_error FROM jobs ORDER BY id")
	if err != nil {
		return err
	}
	for _, j := range all {
		var of struct{ Account desk.AccountID }
		if json.Unmarshal([]byte(j.args), &of) != nil || of.Account != e.Account {
			continue
		}
		args, failure := e.is.json(j.args, false), e.is.text(j.error)
		if args == j.args && failure == j.error {
			continue
		}
		if err := e.Do("UPDATE jobs SET args = $1, last_error = $2 WHERE id = $3", args, failure, j.id); err != nil {
			return err
		}
		e.done.Rows["jobs"]++
	}
	return nil
}

// postmaster deletes mails that belong to no account and name the person.
func (e *eraser) postmaster() error {
	type mail struct {
		id   int64
		text string
	}
	all, err := sqldb.Collect(e.Tx.Tx, func(scan func(...any) error) (m mail, err error) {
		var recipient, sender, subject string
		var raw []byte
		err = scan(&m.id, &recipient, &sender, &subject, &raw)
		m.text = strings.Join([]string{recipient, sender, subject, string(raw)}, "\n")
		return m, err
	}, "SELECT id, recipient, sender, subject, raw FROM postmaster_mails ORDER BY id")
	if err != nil {
		return err
	}
	for _, m := range all {
		if e.is.text(m.text) == m.text {
			continue
		}
		if err := e.Do("DELETE FROM postmaster_mails WHERE id = $1", m.id); err != nil {
			return err
		}
		e.done.Rows["postmaster_mails"]++
	}
	return nil
}

// showAgain makes everybody read the requests with anything of the person again: this
// process, others, the search index, and whoever follows the feed.
func (e *eraser) showAgain() error {
	q := e.is.fill("UPDATE requests SET version = version + 1 WHERE account_id = {account} AND id IN {touched}")
	if err := e.Do(q.String(), q.Args()...); err != nil {
		return err
	}
	for _, id := range e.is.touched {
		if err := search.Remove(e.Tx.Tx, int64(e.Account), id); err != nil {
			return err
		}
		r, err := e.Request(desk.RequestID(id), desk.Everything)
		if err != nil {
			return fmt.Errorf("read request %d: %w", id, err)
		}
		if err := e.Record(desk.Change{By: byCommand, Event: desk.RequestUpdated, After: r}); err != nil {
			return err
		}
	}
	return nil
}
