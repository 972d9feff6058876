package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The errors that a caller can distinguish. Any other error is a mistake in the SQL
// or a fault of the machine.
var (
	// ErrNoRows is returned by Row.Scan if there is no row. The transaction stays
	// usable.
	ErrNoRows = sql.ErrNoRows
	// ErrUnique says that a row with the same key already exists.
	ErrUnique = errors.New("a row with this key exists")
	// ErrReference says that a row refers to a missing row, or that a deleted row
	// is still referred to.
	ErrReference = errors.New("a row that this one refers to is missing or still in use")
	// ErrCheck says that a value breaks a CHECK or NOT NULL rule of its table.
	ErrCheck = errors.New("a value breaks a rule of its table")
	// ErrUnavailable says that the database cannot do it now. It is locked, full,
	// unreachable, closing, or has too many conflicting writers. Trying again later
	// may work.
	ErrUnavailable = errors.New("the database is unavailable")

	// errConflict says that the transaction lost against a concurrent one and is
	// safe to run again. It never leaves the package.
	errConflict = errors.New("conflict with a concurrent transaction")
	errClosing  = fmt.Errorf("%w: it is closing", ErrUnavailable)
	// errWait begins the error of a caller whose own time was up first.
	errWait = errors.New("wait for the database")
)

// translate wraps a driver's error with one of the errors above.
func translate(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if kind := kindOf(err); kind != nil {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

func kindOf(err error) error {
	for _, known := range []error{ErrUnique, ErrReference, ErrCheck, ErrUnavailable, errConflict} {
		if errors.Is(err, known) {
			return nil // already translated
		}
	}
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return sqliteKind(e.Code())
	}
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return postgresKind(e.Code)
	}
	if isConnectionLoss(err) || errors.Is(err, context.DeadlineExceeded) {
		return ErrUnavailable
	}
	return nil
}

func sqliteKind(code int) error {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return ErrUnique
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return ErrReference
	case sqlite3.SQLITE_CONSTRAINT_CHECK, sqlite3.SQLITE_CONSTRAINT_NOTNULL:
		return ErrCheck
	}
	switch code & 0xff { // the low byte is the primary code
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_READONLY:
		return ErrUnavailable
	}
	return nil
}

// readOnlyServer is what a standby answers to a write.
const readOnlyServer = "25006"

func postgresKind(code string) error {
	switch code {
	case "23505":
		return ErrUnique
	case "23503":
		return ErrReference
	case "23514", "23502":
		return ErrCheck
	case "40001", "40P01": // serialization failure, deadlock
		return errConflict
	case readOnlyServer,
		"25P03", // the server's own limit on an idle transaction
		"55P03": // the server's own limit on the wait for a lock
		return ErrUnavailable
	}
	switch code[:min(2, len(code))] {
	case "08", // connection exception
		"53", // insufficient resources: disk full, out of memory, too many connections
		"57", // operator intervention: shutdown, cancelled, cannot connect now
		"58": // system error: I/O
		return ErrUnavailable
	}
	return nil
}

// isConnectionLoss reports whether the connection failed, not the statement.
func isConnectionLoss(err error) bool {
	var netErr net.Error
	var connectErr *pgconn.ConnectError
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, pgconn.ErrConnClosed) ||
		errors.As(err, &netErr) || errors.As(err, &connectErr) || pgconn.Timeout(err) || isFatal(err)
}

// isFatal reports whether err is the last message of a PostgreSQL connection. An
// administrator or a shutdown of the server has ended the connection.
func isFatal(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.SeverityUnlocalized == "FATAL" || e.SeverityUnlocalized == "PANIC")
}

// waitEnded returns the error for a caller whose context ended before its turn.
func waitEnded(ctx context.Context) error {
	return fmt.Errorf("%w: %w", errWait, context.Cause(ctx))
}
