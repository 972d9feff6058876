package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// A replica is a standby that answers some of the reads, to leave the primary more
// room for writes. It is always a little behind. Still, a read sees everything that
// was committed before it began, by whichever process:
//
//  1. The primary says how far its log goes: one statement that reads no table.
//  2. The replica says whether it has replayed the log as far as that. A moment
//     later it usually has.
//  3. If it has not in Config.ReplicaWait, or if anything goes wrong, the primary
//     answers, and so it does for all reads of the next replicaRest.
//
// So whoever writes sees their own change, and whoever is told of a change sees it.
// After a fail-over a standby may have replayed a log that nobody else has. It is
// only asked again once it follows the timeline of the new primary.

const replicaRest = 2 * time.Second

type preferReplica struct{}

// PreferReplica returns a context with which Read and Look may be answered by the
// replica, if there is one. It is for reads that take the database a while: each
// costs two round trips more.
func PreferReplica(ctx context.Context) context.Context {
	return context.WithValue(ctx, preferReplica{}, true)
}

// CheckReplica returns an error if the replica cannot answer now. Without a replica it
// returns nil.
func (db *DB) CheckReplica(ctx context.Context) error {
	p, ok := db.backend.(*postgresDB)
	if !ok || p.replica == nil {
		return nil
	}
	_, err := p.replica.try(ctx, false, func(*Tx) error { return nil })
	return err
}

// replica is the pool of connections to a replica.
type replica struct {
	primary *postgresDB
	pool    *sql.DB
	opened  time.Time
	rests   atomic.Int64 // so long after opened, the primary answers; a clock that is set changes nothing
	failing atomic.Bool  // and the log says so
}

// errNoReplica says that a server has not the database of the primary.
var errNoReplica = errors.New("this server is no replica of FRONTDESK_DATABASE_URL: it belongs to another cluster, or the address names another database")

// openReplica opens the replica of p. It need not be reachable. But a server with
// another database is a mistake, which is better found at the start.
func openReplica(ctx context.Context, c Config, p *postgresDB) (*replica, error) {
	cfg, err := parsePostgresURL(c.ReplicaURL)
	if err != nil {
		return nil, err
	}
	same, err := p.identity(ctx)
	if err != nil {
		return nil, err
	}
	limit := cfg.AfterConnect
	cfg.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := limit(ctx, conn); err != nil {
			return err
		}
		is, err := conn.Exec(ctx, identity).ReadAll()
		if err == nil && string(is[0].Rows[0][0]) != same {
			err = errNoReplica
		}
		return err
	}
	r := &replica{primary: p, pool: newPool(cfg, c.Connections), opened: time.Now()}
	reach, cancel := context.WithTimeout(ctx, cfg.ConnectTimeout)
	defer cancel()
	switch err := r.pool.PingContext(reach); {
	case errors.Is(err, errNoReplica):
		r.pool.Close()
		return nil, errNoReplica
	case err != nil:
		r.fail(err)
	}
	return r, nil
}

// identity selects what a primary and its replicas have in common: the cluster and
// the database in it.
const identity = "SELECT s.system_identifier || ' ' || d.oid FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()"

func (p *postgresDB) identity(ctx context.Context) (is string, err error) {
	err = p.lookAtPrimary(ctx, func(tx *Tx) error { return tx.Row(identity).Scan(&is) })
	return is, err
}

// mark is a place in the log of the primary.
type mark struct {
	position string
	timeline int64
}

// mark returns how far the log goes that holds every commit so far. A server whose
// commits do not wait for the disk shows them before they are flushed.
func (p *postgresDB) mark(ctx context.Context) (m mark, err error) {
	err = p.lookAtPrimary(ctx, func(tx *Tx) error {
		return tx.Row(`SELECT (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END)::text,
			('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint`).Scan(&m.position, &m.timeline)
	})
	return m, err
}

// beginAt begins a transaction that sees what was committed before a mark, or is of
// no use. What it checks with must be older than its snapshot, so it checks in a
// transaction before. The two are chained, because a pooler might have the second
// one run on another server. The control file may say late on which timeline the
// server is, but never too early.
const beginAt = beginSnapshot + `; SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= '%s'
	AND (SELECT greatest(c.timeline_id, r.min_recovery_end_timeline) FROM pg_control_checkpoint() c, pg_control_recovery() r) = %d; commit and chain`

// errBehind says that a replica has not replayed as much as was asked for.
var errBehind = errors.New("the replica is behind")

// read runs fn on the replica. answered is false if the primary must answer.
func (r *replica) read(ctx context.Context, single bool, fn func(*Tx) error) (answered bool, err error) {
	if r == nil || ctx.Value(preferReplica{}) == nil || int64(time.Since(r.opened)) < r.rests.Load() {
		return false, nil
	}
	fnErr, err := r.try(ctx, single, fn)
	switch {
	case err == nil:
		r.primary.stats.replicaReads.Add(1)
		if r.failing.CompareAndSwap(true, false) {
			r.primary.log.Info("the replica answers again")
		}
		return true, fnErr
	case ctx.Err() != nil:
		return true, waitEnded(ctx)
	}
	r.fail(err)
	return false, nil
}

// fail lets the primary answer for a while. The log tells of trouble once, and not
// of a replica that is behind, which is common; a metric counts those.
func (r *replica) fail(err error) {
	r.primary.stats.replicaMisses.Add(1)
	r.rests.Store(int64(time.Since(r.opened) + r.primary.config.replicaRest))
	if !errors.Is(err, errBehind) && r.failing.CompareAndSwap(false, true) {
		r.primary.log.Warn("the replica cannot answer, so the primary does", slog.Any("error", err))
	}
}

// try runs fn on the replica. err is not nil if fn did not run to its end there.
func (r *replica) try(ctx context.Context, single bool, fn func(*Tx) error) (fnErr, err error) {
	wait, cancel := context.WithTimeout(ctx, r.primary.config.ReplicaWait)
	defer cancel()
	m, err := r.primary.mark(wait)
	if err != nil {
		return nil, err
	}
	conn, err := r.pool.Conn(wait)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := r.begin(wait, conn, m); err != nil {
		return nil, err
	}
	defer r.end(conn)
	run, cancel := context.WithTimeout(ctx, r.primary.config.WriteTimeout)
	defer cancel()
	tx := newTx(run, Postgres, conn, r.primary.stats)
	tx.single = single
	fnErr = tx.run(fn)
	if tx.err != nil && !errors.Is(tx.err, errEnded) {
		return nil, tx.err
	}
	return fnErr, nil
}

// begin begins a transaction that sees what was committed before m.
func (r *replica) begin(wait context.Context, conn *sql.Conn, m mark) error {
	begin := fmt.Sprintf(beginAt, m.position, m.timeline) + r.primary.limitIdle(r.primary.config.WriteTimeout/2)
	for pause := time.Millisecond; ; pause *= 2 {
		there := false
		err := conn.Raw(func(c any) error {
			results, err := c.(*stdlib.Conn).Conn().PgConn().Exec(wait, begin).ReadAll()
			there = err == nil && string(results[1].Rows[0][0]) == "t"
			return err
		})
		if err != nil || there {
			return err
		}
		r.end(conn)
		select {
		case <-time.After(pause):
		case <-wait.Done():
			return errBehind
		}
	}
}

// end ends the transaction, which only read. A connection that does not take it is
// not used again.
func (r *replica) end(conn *sql.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), r.primary.patience)
	defer cancel()
	_ = conn.Raw(func(c any) error {
		if err := c.(*stdlib.Conn).Conn().PgConn().Exec(ctx, "rollback").Close(); err != nil {
			return driver.ErrBadConn
		}
		return nil
	})
}

func (r *replica) close() error {
	if r == nil {
		return nil
	}
	return r.pool.Close()
}
