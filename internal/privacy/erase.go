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

// Desk is where people and customers are looked for.
type Desk struct {
	Store *store.Store // its transactions must be allowed to take long
	Blobs blob.Store
	Key   *seal.Key
}

// Erased says what was erased, or would be.
type Erased struct {
	desk.Erasure
	People int            // of a customer, erased with it
	Rows   map[string]int // by table
}

// ErrMember says that a person is a member of the account and cannot be erased.
var ErrMember = errors.New("the person is a member of the account: remove them first")

// errDry undoes a dry run.
var errDry = errors.New("this was a dry run")

// Preview says what Erase would do, and changes nothing.
func (d Desk) Preview(ctx context.Context, account desk.AccountID, s Subject) (Erased, error) {
	e, err := d.run(ctx, account, s, true)
	return e.done, err
}

// Erase erases a person or a customer from an account, in one transaction, and then
// removes their files. Before that, it calls note with what goes on the list of what
// was erased. Who is on the list by mistake is at most erased from a restored backup;
// who is missing on it comes back with the backup.
func (d Desk) Erase(ctx context.Context, account desk.AccountID, s Subject, note func([]Listed) error) (Erased, error) {
	would, err := d.run(ctx, account, s, true)
	if err != nil {
		return Erased{}, err
	}
	if err := note(d.listed(would.is.found, would.Now)); err != nil {
		return Erased{}, fmt.Errorf("note that this is erased: %w", err)
	}
	for more := true; more; { // so that entries of the audit log are chained as they were
		if more, err = d.Store.Sequence(ctx); err != nil {
			return Erased{}, err
		}
	}
	e, err := d.run(ctx, account, s, false)
	if err != nil {
		return Erased{}, err
	}
	if err := d.settle(ctx, account); err != nil {
		return e.done, err
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

// settle deletes the words of the search index that nothing has any more. What fails
// here the indexer does later.
func (d Desk) settle(ctx context.Context, account desk.AccountID) error {
	for more := true; more; {
		if err := d.Store.Derive(ctx, account, func(tx *store.Tx) (err error) {
			if err := search.LockProgress(tx.Tx, int64(account)); err != nil {
				return err
			}
			more, err = search.Settle(tx.Tx, int64(account))
			return err
		}); err != nil {
			return fmt.Errorf("everything is erased but words that are searched for, which go when the server runs: %w", err)
		}
	}
	return nil
}

// run erases a subject, or undoes it if it is a dry run.
func (d Desk) run(ctx context.Context, account desk.AccountID, s Subject, dry bool) (e *eraser, err error) {
	e = &eraser{}
	err = d.Store.Write(ctx, account, func(tx *store.Tx) error {
		e = &eraser{Tx: tx, desk: d, done: Erased{Rows: map[string]int{}}}
		if err := e.erase(s, dry); err != nil || !dry {
			return err
		}
		return errDry
	})
	if dry && errors.Is(err, errDry) {
		err = nil
	}
	return e, err
}

// byCommand is who erases.
var byCommand = desk.Actor{Name: "command line", Source: desk.SourceCommand}

// eraser erases one subject in a transaction.
type eraser struct {
	*store.Tx
	desk  Desk
	is    scrubber
	done  Erased
	files []string
}

func (e *eraser) erase(s Subject, dry bool) error {
	f, err := s.find(e.Tx)
	if err != nil {
		return err
	}
	if f.isMember {
		return ErrMember
	}
	if err := e.checkNew(f); err != nil {
		return err
	}
	e.is = newScrubber(f, newAlias())
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
	e.sum(f)
	if dry {
		return nil
	}
	if err := e.showAgain(); err != nil {
		return err
	}
	if c := f.customer; c != nil {
		return e.Record(desk.Change{By: byCommand, Action: desk.CustomerErased, After: desk.CustomerErasure{
			Customer: desk.CustomerID(c.id), People: e.done.People, Requests: e.done.Requests, Messages: e.done.Messages, Files: e.done.Files, Rows: e.done.Erasure.Rows}})
	}
	return e.Record(desk.Change{By: byCommand, Action: desk.PersonErased, After: e.done.Erasure})
}

// sum says how much it was.
func (e *eraser) sum(f *found) {
	e.done.Erasure = desk.Erasure{Person: e.is.alias, Requests: len(f.requests), Messages: len(f.messages), Files: len(e.files)}
	if f.customer != nil {
		e.done.People = f.customer.people
	}
	for _, n := range e.done.Rows {
		e.done.Erasure.Rows += n
	}
}

// checkNew returns ErrErased if a customer was erased and nothing came since.
func (e *eraser) checkNew(f *found) error {
	if f.customer == nil {
		return nil
	}
	var old bool
	err := e.Row(`SELECT EXISTS (SELECT 1 FROM erasures WHERE account_id = $1 AND digest = $2
			AND at >= (SELECT updated_at FROM customers WHERE account_id = $1 AND id = $3)
			AND at >= coalesce((SELECT max(updated_at) FROM requests WHERE account_id = $1 AND customer_id = $3), 0))`,
		e.Account, e.desk.customerDigest(e.Account, f.customer.id, f.customer.createdAt), f.customer.id).Scan(&old)
	if err == nil && old {
		err = ErrErased
	}
	return err
}

// newAlias makes the id that an erased person has from then on.
func newAlias() string {
	var b [6]byte
	rand.Read(b[:])
	return "erased-" + hex.EncodeToString(b[:])
}

// row is a row of a table that may have something of the subject.
type row struct {
	key     []any
	request int64 // whose readers see it; 0 for none
	own     bool
}

// rowsAtOnce is how many rows are looked at together, and textsAtOnce of how many the
// texts are in memory: a customer may have more than fit.
const (
	rowsAtOnce  = 50_000
	textsAtOnce = 500
)

// table erases the subject from a table.
func (e *eraser) table(t table) error {
	var after []any // the last key that was looked at
	for {
		rows, err := e.rows(t, after)
		if err != nil || len(rows) == 0 {
			return err
		}
		some := between{t, after, nil}
		if t.key == "id" {
			some.last = rows[len(rows)-1].key
		}
		if err := e.some(some, rows); err != nil {
			return err
		}
		if after = some.last; after == nil || len(rows) < rowsAtOnce {
			return nil
		}
	}
}

// between is a part of a table: the rows with keys after one, up to another. Without
// these it is all of it.
type between struct {
	table
	after, last []any
}

// add adds the condition on its rows.
func (b between) add(q *sqldb.Query) {
	if b.after != nil {
		q.Add(" AND id > ?", b.after...)
	}
	if b.last != nil {
		q.Add(" AND id <= ?", b.last...)
	}
}

// some erases the subject from some rows of a table.
func (e *eraser) some(of between, rows []row) error {
	if of.chained {
		return e.auditLog(of.table, rows)
	}
	if err := e.ownRows(of); err != nil {
		return err
	}
	var left []row
	for _, r := range rows {
		if r.own && (of.gone || of.become != "") {
			e.count(of.table, r)
		}
		if !r.own || !of.gone {
			left = append(left, r)
		}
	}
	for some := range slices.Chunk(left, textsAtOnce) {
		if err := e.texts(of.table, some); err != nil {
			return err
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

// rows reads which rows of a table are the subject's own or may mention it. If its key
// is an id, it reads some of them, after a key.
func (e *eraser) rows(t table, after []any) (rows []row, err error) {
	key := strings.Fields(t.key)
	request := t.request
	if request == "" {
		request = "NULL"
	}
	var q sqldb.Query
	e.is.add(&q, "SELECT "+strings.Join(slices.Concat(key, []string{"CAST(" + request + " AS BIGINT)", "coalesce(" + own(t) + ", FALSE)"}), ", ")+" FROM "+t.name+" WHERE ")
	e.is.addRows(&q, t, t.also)
	between{t, after, nil}.add(&q)
	if t.key == "id" {
		q.Add(" ORDER BY id" + sqldb.Limit(rowsAtOnce))
	}
	err = e.Each(func(scan func(...any) error) error {
		r := row{key: make([]any, len(key))}
		var seen *int64
		var to []any
		for i := range r.key {
			to = append(to, &r.key[i])
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

// ownRows changes or deletes the subject's own rows of a table.
func (e *eraser) ownRows(of between) error {
	var q sqldb.Query
	where := " WHERE account_id = {account} AND " + own(of.table)
	if of.files != "" && of.own != "" {
		e.is.add(&q, "SELECT "+of.files+" FROM "+of.name+where+" AND "+of.files+" IS NOT NULL")
		of.add(&q)
		keys, err := sqldb.Collect(e.Tx.Tx, func(scan func(...any) error) (key string, err error) {
			err = scan(&key)
			return key, err
		}, q.String(), q.Args()...)
		if err != nil {
			return err
		}
		e.files = append(e.files, keys...)
	}
	q = sqldb.Query{}
	switch {
	case of.gone:
		e.is.add(&q, "DELETE FROM "+of.name+where)
	case of.become != "":
		e.is.add(&q, "UPDATE "+of.name+" SET "+of.become+where)
	default:
		return nil
	}
	of.add(&q)
	return e.Do(q.String(), q.Args()...)
}

// texts takes the subject out of the texts of some rows.
func (e *eraser) texts(t table, rows []row) error {
	columns := slices.Concat(strings.Fields(t.text), jsonColumns(t))
	if len(columns) == 0 {
		return nil
	}
	byKey := map[string]row{}
	for _, r := range rows {
		byKey[fmt.Sprint(r.key)] = r
	}
	key := strings.Fields(t.key)
	type content struct {
		row
		values []*string
	}
	var q sqldb.Query
	q.Add("SELECT "+strings.Join(slices.Concat(key, columns), ", ")+" FROM "+t.name+" WHERE account_id = ? AND ", e.Account)
	addKeys(&q, key, rows)
	all, err := sqldb.Collect(e.Tx.Tx, func(scan func(...any) error) (c content, err error) {
		found, values := make([]any, len(key)), make([]*string, len(columns))
		var to []any
		for i := range found {
			to = append(to, &found[i])
		}
		for i := range values {
			to = append(to, &values[i])
		}
		err = scan(to...)
		return content{byKey[fmt.Sprint(found)], values}, err
	}, q.String(), q.Args()...)
	if err != nil {
		return err
	}
	for _, c := range all {
		changed, err := e.row(t, c.row, c.values)
		if err != nil {
			return err
		}
		if changed && !(c.own && t.become != "") { // those are counted
			e.count(t, c.row)
		}
	}
	return nil
}

// addKeys adds the condition that a row is one of some.
func addKeys(q *sqldb.Query, key []string, rows []row) {
	if len(key) == 1 {
		ids := make([]any, len(rows))
		for i, r := range rows {
			ids[i] = r.key[0]
		}
		q.Add(key[0] + " IN ")
		sqldb.In(q, ids)
		return
	}
	for i, r := range rows {
		q.Add([]string{"(", " OR "}[min(i, 1)])
		for j, column := range key {
			q.Add([]string{"(", " AND "}[min(j, 1)]+column+" = ?", r.key[j])
		}
		q.Add(")")
	}
	q.Add(")")
}

// row takes the subject out of a row, and reports whether it changed.
func (e *eraser) row(t table, r row, values []*string) (changed bool, err error) {
	var q sqldb.Query
	texts := len(strings.Fields(t.text))
	for i, column := range slices.Concat(strings.Fields(t.text), strings.Fields(t.json)) {
		if values[i] == nil || i >= texts && !r.own && !has(e.is.requests, r.request) && !strings.Contains(*values[i], `\`) && e.is.text(*values[i]) == *values[i] {
			continue // without an escape, JSON mentions what its text mentions
		}
		is := e.is.column(t, i, *values[i], r.request)
		if is == *values[i] {
			continue
		}
		if t.named {
			q = sqldb.Query{}
			q.Add("DELETE FROM " + t.name)
			break
		}
		q.Add([]string{"UPDATE " + t.name + " SET ", ", "}[min(len(q.Args()), 1)]+column+" = ?", is)
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

// auditLog takes the subject out of entries of the audit log.
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

// keys deletes the answers to earlier calls that show the subject. A call that is
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

// jobs takes the subject out of what jobs of the account have to do.
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

// postmaster deletes mails that belong to no account and name the subject.
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

// showAgain makes everybody read the requests with anything of the subject again, and
// the customer: this process, others, the search index, and whoever follows the feed.
func (e *eraser) showAgain() error {
	q := e.is.fill("UPDATE requests SET version = version + 1 WHERE account_id = {account} AND id IN {touched}")
	if err := e.Do(q.String(), q.Args()...); err != nil {
		return err
	}
	if err := search.Remove(e.Tx.Tx, int64(e.Account), e.is.touched...); err != nil {
		return err
	}
	for _, id := range e.is.touched {
		r, err := e.Request(desk.RequestID(id), desk.Everything)
		if err != nil {
			return fmt.Errorf("read request %d: %w", id, err)
		}
		if err := e.Record(desk.Change{By: byCommand, Event: desk.RequestUpdated, After: r}); err != nil {
			return err
		}
	}
	if e.is.customer == nil {
		return nil
	}
	id := desk.CustomerID(e.is.customer.id)
	if err := e.Do("UPDATE customers SET updated_at = $1 WHERE account_id = $2 AND id = $3", e.Now.UnixMilli(), e.Account, id); err != nil {
		return err
	}
	c, err := e.Customer(id)
	if err != nil {
		return err
	}
	return e.Record(desk.Change{By: byCommand, Event: desk.CustomerUpdated, After: c})
}
