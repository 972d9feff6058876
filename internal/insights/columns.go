package insights

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// Columns answers from columns in memory for accounts that ask often, and lets SQL
// answer everything else.
//
//  1. When an account asks twice within a while, its facts are loaded in the
//     background. SQL continues to answer its questions until then.
//  2. Every question first asks the database how far the account's events are,
//     which reads one row, and applies those changes to the table. So an answer is
//     as current as SQL's: it is from a moment after the question came.
//  3. A table is dropped when it was not used for a while. If all of them together
//     take too much memory, the least recently used one is dropped.
//
// SQL answers what is in no column: the owner of a customer, the name of a channel,
// text fields, and parts of texts that are not plain letters.
type Columns struct {
	sql  SQL
	most int64
	now  func() time.Time

	wake chan struct{}

	mu       sync.Mutex
	accounts map[desk.AccountID]*account

	fromColumns, fromSQL atomic.Uint64
}

// ColumnsConfig configures Columns.
type ColumnsConfig struct {
	SQL       SQL
	MostBytes int64            // of all accounts together; 0 means MostBytes
	Now       func() time.Time // defaults to time.Now
}

const (
	// MostBytes bounds the columns of all accounts together. A request takes about
	// 90 bytes, plus four for each of its waits and each field that is asked for.
	MostBytes = 128 << 20

	// often is the time within which two questions cause an account to be loaded.
	// idle is the time without questions after which it is dropped.
	often = 10 * time.Minute
	idle  = 20 * time.Minute
	// mostAge is the age at which a table is reloaded in any case.
	mostAge = time.Hour
	// pause is how long an account is left to SQL if it could not be loaded or had
	// to make room for another. tooLargePause is the same for an account that is
	// too large.
	pause         = 10 * time.Minute
	tooLargePause = time.Hour
)

// account is an account that has asked.
type account struct {
	db       *sqldb.DB
	asked    time.Time
	wanted   []desk.CustomField // fields whose values were asked for
	table    *table             // nil: SQL answers
	bytes    int64              // size of the table
	loading  int64              // size of the table that is being loaded
	loaded   time.Time
	waits    bool      // waiting to be loaded
	notUntil time.Time // it is not loaded again before this time
}

var (
	errTooLarge = errors.New("the account is too large for columns")
	errBehind   = errors.New("the columns cannot be brought up to date now")
	errFar      = errors.New("the columns are far behind")
)

// NewColumns returns an engine without any columns. They are loaded only while Run
// runs.
func NewColumns(c ColumnsConfig) *Columns {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Columns{sql: c.SQL, most: cmp.Or(c.MostBytes, MostBytes), now: c.Now, wake: make(chan struct{}, 1), accounts: map[desk.AccountID]*account{}}
}

// Answer implements Engine.
func (e *Columns) Answer(ctx context.Context, db *sqldb.DB, q Question) ([]desk.InsightsRow, error) {
	p, err := q.plan()
	if err != nil {
		return nil, err
	}
	if rows, ok, err := e.try(ctx, db, p); ok {
		return rows, err
	}
	e.fromSQL.Add(1)
	return e.sql.answer(ctx, db, p)
}

// Try answers as Answer does, but only from columns. ok is false if it cannot.
func (e *Columns) Try(ctx context.Context, db *sqldb.DB, q Question) (rows []desk.InsightsRow, ok bool, err error) {
	p, err := q.plan()
	if err != nil {
		return nil, true, err
	}
	return e.try(ctx, db, p)
}

func (e *Columns) try(ctx context.Context, db *sqldb.DB, p plan) (rows []desk.InsightsRow, ok bool, err error) {
	fields, ok := p.inColumns()
	if !ok {
		return nil, false, nil
	}
	t := e.table(db, p.Account, fields)
	if t == nil {
		return nil, false, nil
	}
	rows, err = e.fromTable(ctx, db, p, t)
	if errors.Is(err, errUnanswered) || errors.Is(err, errBehind) {
		return nil, false, nil
	}
	e.fromColumns.Add(1)
	return rows, true, err
}

// Answered implements Engine.
func (e *Columns) Answered() (columns, sql uint64) { return e.fromColumns.Load(), e.fromSQL.Load() }

// Bytes returns how much memory the columns take, including those being loaded.
func (e *Columns) Bytes() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.total()
}

// table records a question of an account, and returns its table, if there is one
// with the fields.
func (e *Columns) table(db *sqldb.DB, id desk.AccountID, fields []desk.CustomField) *table {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	a := e.accounts[id]
	if a == nil {
		a = &account{}
		e.accounts[id] = a
	}
	before := a.asked
	a.db, a.asked = db, now
	a.want(fields)
	if a.table != nil && now.Sub(a.loaded) >= mostAge {
		a.drop()
	}
	if a.table != nil && a.table.has(fields) {
		return a.table
	}
	if !before.IsZero() && now.Sub(before) <= often && !now.Before(a.notUntil) {
		e.enqueue(a)
	}
	return nil
}

func (a *account) drop() { a.table, a.bytes = nil, 0 }

// want adds fields to those to load.
func (a *account) want(fields []desk.CustomField) {
	for _, f := range fields {
		a.wanted = slices.DeleteFunc(slices.Clone(a.wanted), func(o desk.CustomField) bool { return o.ID == f.ID })
		a.wanted = append(a.wanted, f)
	}
}

// enqueue leaves an account for Run to load.
func (e *Columns) enqueue(a *account) {
	a.waits = true
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Run loads the columns of accounts that ask often, one account at a time, and
// drops those that no longer ask, until ctx ends. Then it drops all.
func (e *Columns) Run(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	defer e.dropAll()
	for {
		for e.loadNext(ctx, log) {
		}
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-tick.C:
			e.sweep()
		}
	}
}

// loadNext loads the waiting account that asked last. It returns false if there is
// none.
func (e *Columns) loadNext(ctx context.Context, log *slog.Logger) bool {
	e.mu.Lock()
	var id desk.AccountID
	var next *account
	for i, a := range e.accounts {
		if a.waits && (next == nil || a.asked.After(next.asked)) {
			id, next = i, a
		}
	}
	e.mu.Unlock()
	if next == nil || ctx.Err() != nil {
		return false
	}
	if err := e.load(ctx, id, next); err != nil && ctx.Err() == nil && !errors.Is(err, errTooLarge) {
		log.Warn("could not load the columns of insights", "account", id, "error", err)
	}
	return true
}

// Load loads the columns of an account for a question now.
func (e *Columns) Load(ctx context.Context, db *sqldb.DB, q Question) error {
	p, err := q.plan()
	if err != nil {
		return err
	}
	fields, _ := p.inColumns()
	e.table(db, q.Account, fields)
	e.mu.Lock()
	a := e.accounts[q.Account]
	e.mu.Unlock()
	return e.load(ctx, q.Account, a)
}

func (e *Columns) load(ctx context.Context, id desk.AccountID, a *account) error {
	e.mu.Lock()
	a.waits = false
	db, fields := a.db, a.wanted
	e.mu.Unlock()
	t, err := load(ctx, db, id, fields, func(bytes int64) error { return e.reserve(a, bytes) })
	e.mu.Lock()
	defer e.mu.Unlock()
	a.loading = 0
	switch {
	case errors.Is(err, errTooLarge), errors.Is(err, errUnfit):
		a.drop()
		a.notUntil = e.now().Add(tooLargePause)
	case err != nil:
		a.notUntil = e.now().Add(pause)
	default:
		a.table, a.bytes, a.loaded = t, t.bytes(), e.now()
	}
	return err
}

// total returns the bytes of all tables. The caller holds the lock.
func (e *Columns) total() (n int64) {
	for _, a := range e.accounts {
		n += a.bytes + a.loading
	}
	return n
}

// reserve makes room for the bytes of an account that is being loaded. It returns
// errTooLarge if that is not possible.
func (e *Columns) reserve(a *account, bytes int64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if bytes > e.most {
		return errTooLarge
	}
	a.loading = bytes
	e.makeRoom(a)
	return nil
}

// makeRoom drops the least recently used tables until everything fits. The caller
// holds the lock.
func (e *Columns) makeRoom(loading *account) {
	for e.total() > e.most {
		var oldest *account
		for _, a := range e.accounts {
			if a.table != nil && (oldest == nil || a.asked.Before(oldest.asked)) {
				oldest = a
			}
		}
		if oldest == nil {
			return
		}
		oldest.drop()
		if oldest != loading {
			oldest.notUntil = e.now().Add(pause)
		}
	}
}

// sweep drops what was not used for a while.
func (e *Columns) sweep() {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	for id, a := range e.accounts {
		// A waiting account is checked again after it was loaded. An account that
		// is paused is kept, so that the pause is not forgotten.
		if now.Sub(a.asked) >= idle && !a.waits && a.loading == 0 && !now.Before(a.notUntil) {
			delete(e.accounts, id)
		}
	}
}

func (e *Columns) dropAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.accounts)
}

// fromTable answers from a table after bringing it up to date. It returns errBehind
// if that would take long.
func (e *Columns) fromTable(ctx context.Context, db *sqldb.DB, p plan, t *table) ([]desk.InsightsRow, error) {
	a := &answering{plan: p, rows: map[string]*row{}}
	err := e.sql.within(ctx, func(limited context.Context) error {
		if err := e.catchUp(limited, db, p.Account, t); err != nil {
			return err
		}
		t.mu.RLock()
		defer t.mu.RUnlock()
		return a.scan(limited, t)
	})
	if err != nil {
		return nil, err
	}
	return a.answer(), nil
}

// catchUp applies changes to a table.
func (e *Columns) catchUp(ctx context.Context, db *sqldb.DB, id desk.AccountID, t *table) error {
	t.mu.RLock()
	since := t.marks
	t.mu.RUnlock()
	var to marks
	look := func(tx *sqldb.Tx) (err error) {
		to, err = marksOf(tx, id)
		return err
	}
	// Usually nothing has changed, and one statement is enough.
	err := db.Look(ctx, look)
	if err == nil && to == since {
		return nil
	}
	var records []record
	if err == nil {
		err = db.Read(ctx, func(tx *sqldb.Tx) error {
			if err := look(tx); err != nil {
				return err
			}
			changed, err := changesBetween(tx, id, since, to)
			if err == nil {
				records, err = reader{tx, id, t.asked}.changed(changed)
			}
			return err
		})
	}
	if err == nil {
		err = t.bring(records, to)
	}
	if errors.Is(err, errFar) || errors.Is(err, errUnfit) {
		e.renew(id, t) // the reload finds what does not fit and leaves it to SQL
		return errBehind
	}
	if err == nil {
		e.grown(id, t)
	}
	return err
}

// bring applies records that were read from the table's marks, or from earlier
// ones, up to to. Another question may have applied as much in the meantime, or
// more.
func (t *table) bring(records []record, to marks) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.marks.behind(to) {
		return nil
	}
	for i := range records {
		if err := t.put(&records[i]); err != nil {
			return err
		}
	}
	t.marks = to
	return nil
}

// renew drops a table and has it reloaded.
func (e *Columns) renew(id desk.AccountID, t *table) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if a := e.accounts[id]; a != nil && a.table == t {
		a.drop()
		e.enqueue(a)
	}
}

// grown updates the size of a table, and makes room.
func (e *Columns) grown(id desk.AccountID, t *table) {
	t.mu.RLock()
	bytes := t.bytes()
	t.mu.RUnlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if a := e.accounts[id]; a != nil && a.table == t {
		a.bytes = bytes
		e.makeRoom(nil)
	}
}
