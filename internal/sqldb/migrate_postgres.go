package sqldb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// lockWait is how long a step first waits for a lock. It doubles with each try.
	lockWait    = 250 * time.Millisecond
	longestWait = 4 * time.Second // well below the time that a writer has
	// vacuumWait is how long a step waits for autovacuum, while nobody waits for the step. The
	// server stops autovacuum after its deadlock_timeout, a second.
	vacuumWait = 10 * time.Second
	// afterWait is how much longer than a wait the others are left alone after it.
	afterWait = 10
	// A piece changes as many rows as fit into this time.
	pieceTime = 50 * time.Millisecond
	// reportTime is how often a long step says how far it is.
	reportTime = 10 * time.Second
)

// migrationTurn keeps other processes from migrating, until it ends.
type migrationTurn struct {
	conn *sql.Conn
	tx   *sql.Tx
}

// takeMigrationTurn waits until no other process migrates. The lock belongs to a
// transaction, not to a connection: a connection pooler may hand a connection to
// somebody else after each transaction.
//
// It asks again and again instead of waiting inside a statement. CREATE INDEX
// CONCURRENTLY waits for every statement that has begun before it, and would wait
// forever for one that waits for the end of the migration.
func (p *postgresDB) takeMigrationTurn(ctx context.Context) (*migrationTurn, error) {
	reported := time.Now()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		turn, err := p.tryMigrationTurn(ctx)
		if turn != nil || err != nil {
			return turn, err
		}
		if time.Since(reported) > reportTime {
			p.log.Info("another process updates the database schema; waiting for it")
			reported = time.Now()
		}
		if sleep(ctx, pause); ctx.Err() != nil {
			return nil, waitEnded(ctx)
		}
	}
}

// tryMigrationTurn returns nil if another process migrates.
func (p *postgresDB) tryMigrationTurn(ctx context.Context) (*migrationTurn, error) {
	conn, err := p.conn(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		conn.Close()
		return nil, translate(err)
	}
	turn := &migrationTurn{conn, tx}
	var free bool
	err = tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock(727001)").Scan(&free)
	if err == nil && free {
		// The transaction does nothing for as long as the migration takes.
		_, err = tx.ExecContext(ctx, `SELECT set_config(name, '0', TRUE) FROM pg_settings
			WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`)
	}
	if err != nil || !free {
		turn.end()
		return nil, translate(err)
	}
	return turn, nil
}

// check returns an error if the turn was lost with its connection.
func (t *migrationTurn) check(ctx context.Context) error {
	_, err := t.tx.ExecContext(ctx, "SELECT 1")
	return translate(err)
}

func (t *migrationTurn) end() {
	_ = t.tx.Rollback()
	t.conn.Close()
}

// inSteps runs migrations on a PostgreSQL server that others use; see
// migrate_steps.go.
type inSteps struct {
	db   *DB
	turn *migrationTurn
}

// progress is how far a migration is.
type progress struct {
	done  int    // steps
	after string // the key of the last row of the last piece, as JSON
}

// errOvertaken says that two processes migrate, because one has lost its turn.
var errOvertaken = fmt.Errorf("%w: another process continues this migration", ErrUnavailable)

// migrate runs a migration, or what is left of it.
func (r *inSteps) migrate(ctx context.Context, m migration) (bool, error) {
	steps, err := planSteps(m.sql)
	if err != nil {
		return false, err
	}
	at, err := r.begin(ctx, m, steps)
	if err != nil {
		return false, err
	}
	for ; at.done < len(steps); at = (progress{done: at.done + 1}) {
		if err := r.turn.check(ctx); err != nil {
			return false, err
		}
		if err := r.run(ctx, m, steps, at); err != nil {
			return false, err
		}
		if err := r.db.config.stepDone(); err != nil {
			return false, err
		}
	}
	err = r.transact(ctx, m, nil, func(tx *Tx) error {
		if noted, err := tx.noteMigration(m); err != nil || !noted {
			return errors.Join(err, errOvertaken)
		}
		return tx.Do("DROP TABLE schema_steps")
	})
	return err == nil, err
}

// begin returns how far the migration is. The table of steps exists only while a
// migration runs.
func (r *inSteps) begin(ctx context.Context, m migration, steps []migrationStep) (at progress, err error) {
	var digest string
	err = r.transact(ctx, m, nil, func(tx *Tx) error {
		for _, statement := range []string{createMigrations,
			"CREATE TABLE IF NOT EXISTS schema_steps (version BIGINT NOT NULL PRIMARY KEY, done BIGINT NOT NULL, digest TEXT NOT NULL, after TEXT NOT NULL)"} {
			if err := tx.Do(statement); err != nil {
				return err
			}
		}
		if err := tx.Do("INSERT INTO schema_steps (version, done, digest, after) VALUES ($1, 0, $2, '') ON CONFLICT DO NOTHING", m.version, digestSteps(nil)); err != nil {
			return err
		}
		return tx.Row("SELECT done, digest, after FROM schema_steps WHERE version = $1", m.version).Scan(&at.done, &digest, &at.after)
	})
	if err == nil && (at.done > len(steps) || digest != digestSteps(steps[:at.done])) {
		err = errors.New("its first steps were run by a version of the program in which they are different: finish it with that version")
	}
	return at, err
}

// digestSteps identifies the steps that are done.
func digestSteps(steps []migrationStep) string {
	sum := sha256.New()
	for _, s := range steps {
		fmt.Fprintf(sum, "%s %q\n", s.way, s.statements)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// run runs the next step and notes that it is done.
func (r *inSteps) run(ctx context.Context, m migration, steps []migrationStep, at progress) error {
	s := steps[at.done]
	// note fails if another process is already further.
	note := func(tx *Tx, from, to progress) error {
		n, err := tx.Exec("UPDATE schema_steps SET done = $1, after = $2, digest = $3 WHERE version = $4 AND done = $5 AND after = $6",
			to.done, to.after, digestSteps(steps[:to.done]), m.version, from.done, from.after)
		if err == nil && n == 0 {
			return tx.Fail(errOvertaken)
		}
		return err
	}
	noteDone := func(tx *Tx) error { return note(tx, at, progress{done: at.done + 1}) }
	switch s.way {
	case concurrently:
		return r.buildIndex(ctx, m, s, noteDone)
	case inPieces:
		return r.runPieces(ctx, m, s, at, note)
	default:
		if drop := dropTable.FindStringSubmatch(s.statements[0]); drop != nil {
			if err := r.dropReferences(ctx, m, drop[1]); err != nil {
				return err
			}
		}
		return r.transact(ctx, m, s.locks, func(tx *Tx) error {
			if err := noteDone(tx); err != nil {
				return err
			}
			for _, statement := range s.statements {
				if err := tx.Do(statement); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// dropReferences drops the foreign keys of a table that will be dropped, one by one. Each locks
// the table that it refers to.
func (r *inSteps) dropReferences(ctx context.Context, m migration, table string) error {
	for {
		var name, other string
		err := r.db.Look(ctx, func(tx *Tx) error {
			return tx.Row("SELECT conname, CAST(confrelid AS regclass)::text FROM pg_constraint WHERE conrelid = to_regclass($1) AND contype = 'f' LIMIT 1", table).Scan(&name, &other)
		})
		if errors.Is(err, ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		err = r.transact(ctx, m, []string{other}, func(tx *Tx) error { return tx.Do("ALTER TABLE " + table + " DROP CONSTRAINT " + name) })
		if err != nil {
			return err
		}
	}
}

// transact runs a transaction that does not wait long for a lock, until it succeeds. tables
// are those that it locks.
func (r *inSteps) transact(ctx context.Context, m migration, tables []string, fn func(*Tx) error) error {
	for wait := r.db.config.lockWait; ; wait = min(2*wait, longestWait) {
		err := r.db.claim(ctx, migrationTimeout, func(tx *Tx) error {
			if len(tables) > 0 {
				if err := tx.waitForLocks(vacuumWait); err != nil {
					return err
				}
				if err := tx.Do("LOCK TABLE " + strings.Join(tables, ", ") + " IN SHARE UPDATE EXCLUSIVE MODE"); err != nil {
					return err
				}
			}
			if err := tx.waitForLocks(wait); err != nil {
				return err
			}
			return fn(tx)
		})
		if !isLockTimeout(err) {
			return err
		}
		if err := r.pause(ctx, m, wait); err != nil {
			return err
		}
	}
}

// waitForLocks sets how long the next statements wait for each lock.
func (tx *Tx) waitForLocks(d time.Duration) error {
	return tx.Do("SELECT set_config('lock_timeout', $1, TRUE)", fmt.Sprintf("%dms", d.Milliseconds()))
}

// pause lets others work after a step has waited for a lock in vain.
func (r *inSteps) pause(ctx context.Context, m migration, waited time.Duration) error {
	r.db.config.Log.Info("updating the database schema: a transaction of somebody else holds a lock; trying again", "migration", m.name, "pause", afterWait*waited)
	if sleep(ctx, afterWait*waited); ctx.Err() != nil {
		return waitEnded(ctx)
	}
	return nil
}

func isLockTimeout(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "55P03"
}

// buildIndex builds an index while others read and write its table.
func (r *inSteps) buildIndex(ctx context.Context, m migration, s migrationStep, note func(*Tx) error) error {
	name := s.index
	var locks []string
	if s.replaces {
		name += "_new"
		locks = []string{s.table}
	}
	build := createIndex.ReplaceAllString(s.statements[0], "$1 CONCURRENTLY "+name+" ON $3 ")
	for wait := r.db.config.lockWait; ; wait = min(2*wait, longestWait) {
		exists, valid, err := r.indexState(ctx, name)
		if err != nil {
			return err
		}
		if exists && valid {
			break
		}
		if exists { // what is left of a build that broke off
			if err := r.runAlone(ctx, m, "DROP INDEX CONCURRENTLY IF EXISTS "+name); err != nil {
				return err
			}
		}
		err = r.runAlone(ctx, m, build)
		switch {
		case err == nil:
		case isLockTimeout(err) || errors.Is(err, errConflict):
			if err := r.pause(ctx, m, wait); err != nil {
				return err
			}
		default:
			// A unique index that is not complete would already turn away rows.
			return errors.Join(err, r.runAlone(context.WithoutCancel(ctx), m, "DROP INDEX CONCURRENTLY IF EXISTS "+name))
		}
	}
	return r.transact(ctx, m, locks, func(tx *Tx) error {
		if err := note(tx); err != nil || !s.replaces {
			return err
		}
		if err := tx.Do("DROP INDEX IF EXISTS " + s.index); err != nil {
			return err
		}
		return tx.Do("ALTER INDEX " + name + " RENAME TO " + s.index)
	})
}

// indexState returns whether there is an index of this name, and whether it is
// complete.
func (r *inSteps) indexState(ctx context.Context, name string) (exists, valid bool, err error) {
	err = r.db.Look(ctx, func(tx *Tx) error {
		return tx.Row("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)", name).Scan(&valid)
	})
	if errors.Is(err, ErrNoRows) {
		return false, false, nil
	}
	return err == nil, valid, err
}

// runAlone runs a statement in no transaction, and says how far it is.
func (r *inSteps) runAlone(ctx context.Context, m migration, statement string) error {
	conn, err := r.db.backend.(*postgresDB).conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, migrationTimeout)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := conn.ExecContext(ctx, statement)
		ended <- err
	}()
	for {
		select {
		case err := <-ended:
			return translate(err)
		case <-time.After(reportTime):
			r.reportIndex(ctx, m, statement)
		}
	}
}

// reportIndex says how far the index is that is being built.
func (r *inSteps) reportIndex(ctx context.Context, m migration, statement string) {
	var phase string
	var done, all int64
	err := r.db.Look(ctx, func(tx *Tx) error {
		return tx.Row("SELECT phase, blocks_done, blocks_total FROM pg_stat_progress_create_index WHERE datname = current_database()").Scan(&phase, &done, &all)
	})
	if err == nil {
		r.db.config.Log.Info("updating the database schema", "migration", m.name, "statement", firstLine(statement), "phase", phase, "blocks", done, "of", all)
	}
}

// runPieces changes the rows of a table in pieces, in the order of its primary key.
// The size of a piece follows from how long the one before took.
func (r *inSteps) runPieces(ctx context.Context, m migration, s migrationStep, at progress, note func(tx *Tx, from, to progress) error) error {
	key, estimate, err := r.readKey(ctx, s.table)
	if err != nil {
		return err
	}
	rows, reported := 0, time.Now()
	for size := 500; ; {
		var next progress
		began := time.Now()
		err := r.transact(ctx, m, nil, func(tx *Tx) (err error) {
			next = progress{done: at.done}
			if next.after, err = key.find(tx, at.after, size); err != nil {
				return err
			}
			if next.after == "" {
				next.done++
			}
			if err := note(tx, at, next); err != nil {
				return err
			}
			statement, args, err := key.limit(s.statements[0], at.after, next.after)
			if err != nil {
				return err
			}
			return tx.Do(statement, args...)
		})
		if err != nil || next.done > at.done {
			return err
		}
		at, rows = next, rows+size
		if took := time.Since(began); took > pieceTime {
			size = max(size/2, 10)
		} else {
			size = min(size*2, 10_000)
		}
		if time.Since(reported) > reportTime {
			r.db.config.Log.Info("updating the database schema", "migration", m.name, "statement", firstLine(s.statements[0]), "rows", rows, "of", estimate)
			reported = time.Now()
		}
		if err := r.db.config.stepDone(); err != nil {
			return err
		}
	}
}

// A tableKey is the primary key of a table.
type tableKey struct {
	table   string
	columns []string
	types   []string
}

// readKey returns the primary key of a table, and about how many rows it has.
func (r *inSteps) readKey(ctx context.Context, table string) (*tableKey, int64, error) {
	k := &tableKey{table: table}
	var estimate int64
	err := r.db.Read(ctx, func(tx *Tx) error {
		err := tx.Row("SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = to_regclass($1)", table).Scan(&estimate)
		if err != nil {
			return err
		}
		return tx.Each(func(scan func(...any) error) error {
			var column, kind string
			err := scan(&column, &kind)
			k.columns, k.types = append(k.columns, column), append(k.types, kind)
			return err
		}, `SELECT quote_ident(a.attname), format_type(a.atttypid, a.atttypmod) FROM pg_index i
			JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
			WHERE i.indrelid = to_regclass($1) AND i.indisprimary ORDER BY array_position(CAST(i.indkey AS int2[]), a.attnum)`, table)
	})
	return k, estimate, err
}

// find returns the key of the last row of a piece of the given size, as JSON. It
// returns an empty string for the last piece, and if the table has no key.
func (k *tableKey) find(tx *Tx, after string, size int) (last string, err error) {
	if len(k.columns) == 0 {
		return "", nil
	}
	texts := make([]string, len(k.columns))
	for i, column := range k.columns {
		texts[i] = "CAST(" + column + " AS text)"
	}
	statement, args, err := k.limit("SELECT CAST(json_build_array("+strings.Join(texts, ", ")+") AS text) FROM "+k.table, after, "")
	if err != nil {
		return "", err
	}
	err = tx.Row(fmt.Sprintf("%s\nORDER BY %s LIMIT 1 OFFSET %d", statement, strings.Join(k.columns, ", "), size-1), args...).Scan(&last)
	if errors.Is(err, ErrNoRows) {
		return "", nil
	}
	return last, err
}

// limit limits a statement to the rows after one key and up to another. Either may
// be empty.
func (k *tableKey) limit(statement, after, last string) (string, []any, error) {
	var conditions []string
	var args []any
	for _, bound := range []struct{ operator, key string }{{">", after}, {"<=", last}} {
		if bound.key == "" {
			continue
		}
		var values []string
		if err := json.Unmarshal([]byte(bound.key), &values); err != nil {
			return "", nil, err
		}
		var ours, theirs []string
		for i, column := range k.columns {
			args = append(args, values[i])
			ours = append(ours, k.table+"."+column)
			theirs = append(theirs, fmt.Sprintf("CAST(CAST($%d AS text) AS %s)", len(args), k.types[i]))
		}
		conditions = append(conditions, fmt.Sprintf("(%s) %s (%s)", strings.Join(ours, ", "), bound.operator, strings.Join(theirs, ", ")))
	}
	if len(conditions) > 0 {
		statement = withCondition(statement, strings.Join(conditions, " AND "))
	}
	return statement, args, nil
}
