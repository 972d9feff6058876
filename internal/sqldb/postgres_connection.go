package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// A process can freeze, and a machine can lose power or its network, in the middle
// of anything. Nobody closes its connections then. Two limits free what it held:
//
//  1. A transaction that idles for longer than its process may take ends at the
//     server, and its locks with it. The limit is part of BEGIN. So it costs no
//     round trip, each transaction can have its own, and it also works behind a
//     pooler that gives each transaction another session.
//  2. A connection whose other end no longer acknowledges what it receives is
//     closed, by the kernel of whichever side is still there.

// idleLimit is the server's setting of the first limit.
const idleLimit = "idle_in_transaction_session_timeout"

// The second limit: a silent peer is asked after peerIdle, and is given up after
// peerTimeout.
const (
	peerIdle     = 15 * time.Second
	peerInterval = 5 * time.Second
	peerProbes   = 3
	peerTimeout  = peerIdle + peerProbes*peerInterval
)

// parsePostgresURL returns how to connect to the server that an address names.
func parsePostgresURL(address string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(address)
	if err != nil {
		// Without err: pgx masks the password in the URL that it repeats, but not
		// for every mistake.
		return nil, errors.New("the PostgreSQL address is not valid; it looks like postgres://user:password@host:5432/database")
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "frontdesk"
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 5 * time.Second
	}
	cfg.DialFunc = dialPeer
	cfg.AfterConnect = setSession(cfg.RuntimeParams)
	return cfg, nil
}

// dialPeer connects with the second limit on our side.
func dialPeer(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: peerIdle, Interval: peerInterval, Count: peerProbes},
		Control: func(network, _ string, c syscall.RawConn) error {
			if strings.HasPrefix(network, "tcp") {
				return c.Control(func(fd uintptr) { setUserTimeout(fd, peerTimeout) })
			}
			return nil
		},
	}
	return d.DialContext(ctx, network, address)
}

// setSession returns a function that sets the second limit on the server's side and
// the cost of a page, unless the operator's address sets them. It is a statement and
// not part of the connection's start, because poolers refuse settings there that they
// do not know.
func setSession(given map[string]string) pgconn.AfterConnectFunc {
	quoted := func(n int64) string { return fmt.Sprintf("'%d'", n) }
	var all []string
	for _, s := range []struct{ name, value string }{
		{"tcp_keepalives_idle", quoted(int64(peerIdle.Seconds()))},
		{"tcp_keepalives_interval", quoted(int64(peerInterval.Seconds()))},
		{"tcp_keepalives_count", quoted(peerProbes)},
		{"tcp_user_timeout", quoted(peerTimeout.Milliseconds())},
		{"random_page_cost", pageCost},
	} {
		if given[s.name] == "" {
			all = append(all, fmt.Sprintf("set_config('%s', %s, FALSE)", s.name, s.value))
		}
	}
	return func(ctx context.Context, c *pgconn.PgConn) error {
		if len(all) == 0 {
			return nil
		}
		err := c.Exec(ctx, "SELECT "+strings.Join(all, ", ")).Close()
		if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) && !isFatal(err) {
			return nil // a server that does not know one of them works without them
		}
		return err
	}
}

// pageCost is what the planner believes a page costs that is not beside the one
// before. PostgreSQL's own 4 is meant for disks that move a head: with it, a list of
// 50 reads a whole table of some thousand rows instead of 50 places. A value that
// somebody chose for the server stays.
const pageCost = "CASE current_setting('random_page_cost') WHEN '4' THEN '1.1' ELSE current_setting('random_page_cost') END"

// What begins a transaction.
const (
	beginSerializable  = "begin isolation level serializable"
	beginReadCommitted = "begin isolation level read committed"
	beginSnapshot      = "begin isolation level repeatable read read only"
)

// transaction is open on a connection of the pool.
type transaction struct {
	db    *postgresDB
	conn  *sql.Conn
	tx    pgx.Tx
	ended bool // of one that writes
}

// begin opens a transaction that the server ends once it has idled for as long as
// idle. A server answers BEGIN at once. So begin does not wait long for a connection
// that died silently, even if the caller has a lot of time, and a reader may have no
// deadline at all.
func (p *postgresDB) begin(ctx context.Context, conn *sql.Conn, begin string, idle time.Duration) (*transaction, error) {
	begin += p.limitIdle(idle)
	wait, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	t := &transaction{db: p, conn: conn}
	err := conn.Raw(func(c any) (err error) {
		t.tx, err = c.(*stdlib.Conn).Conn().BeginTx(wait, pgx.TxOptions{BeginQuery: begin})
		return err
	})
	var refused *pgconn.PgError
	switch {
	case err == nil:
		return t, nil
	case errors.As(err, &refused) && refused.Code == "0A000": // of all that begins, a standby does not support what is serializable
		return nil, fmt.Errorf("%w: %w", errStandby, err)
	case wait.Err() != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%w: no answer in %s", driver.ErrBadConn, p.patience)
	default:
		return nil, err
	}
}

// limitIdle returns what sets the first limit after a BEGIN. Long work needs more time
// than an operator gives everything else.
func (p *postgresDB) limitIdle(idle time.Duration) string {
	if p.idleSet && idle <= p.config.WriteTimeout {
		return ""
	}
	return fmt.Sprintf("; set local %s = %d", idleLimit, min(max(idle.Milliseconds(), 1), math.MaxInt32))
}

// rollback undoes the transaction, unless it has ended.
func (t *transaction) rollback() error {
	ctx, cancel := context.WithTimeout(context.Background(), t.db.patience)
	defer cancel()
	return translate(t.conn.Raw(func(any) error { return t.tx.Rollback(ctx) }))
}

// errStandby says that a server is a standby and begins no serializable transaction.
var errStandby = fmt.Errorf("%w: the server is a standby", ErrUnavailable)

// demoted reports whether err says that the server no longer takes writes: after a
// fail-over it is a standby. The address may name the new primary, too. So the
// connection is closed, and another one looks for it.
func (p *postgresDB) demoted(conn *sql.Conn, err error) bool {
	var e *pgconn.PgError
	if !errors.Is(err, errStandby) && !(errors.As(err, &e) && e.Code == readOnlyServer) {
		return false
	}
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	p.dropIdle()
	return true
}
