package move

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/sqldb"
)

// Databases between which accounts move give out ids from ranges of their own, so
// that no two of them give out the same one. The first id of a range is a multiple
// of its size, and the largest is still a number that JavaScript can hold.
const (
	idRange   = 1_000_000_000_000
	mostRange = 9000
)

// counters are the last ids that a database has given out, by table.
type counters map[string]int64

// UseRange makes an empty database give out its ids from a range: the second of
// them, and not the first, for range 1. So accounts can move between databases.
func UseRange(ctx context.Context, db *sqldb.DB, number int64) error {
	if db.Engine() != sqldb.Postgres {
		return errors.New("ranges of ids need PostgreSQL: SQLite always continues after the largest id")
	}
	if number < 0 || number > mostRange {
		return fmt.Errorf("ranges have the numbers 0 to %d", mostRange)
	}
	return db.Claim(ctx, func(tx *sqldb.Tx) error {
		var some bool
		if err := tx.Row("SELECT EXISTS (SELECT 1 FROM accounts)").Scan(&some); err != nil {
			return err
		}
		if some {
			return errors.New("the database has accounts already: choose a range before the first one is made")
		}
		names, err := sqldb.Collect(tx, func(scan func(...any) error) (name string, err error) {
			err = scan(&name)
			return name, err
		}, "SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema() ORDER BY sequencename")
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, err := tx.Exec("SELECT setval($1::regclass, $2, FALSE)", name, number*idRange+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// readCounters reads them from a database.
func readCounters(tx *sqldb.Tx, engine sqldb.Engine, all []table) (counters, error) {
	c := counters{}
	for _, t := range all {
		if !t.hasID {
			continue
		}
		query := "SELECT seq FROM sqlite_sequence WHERE name = $1"
		if engine == sqldb.Postgres {
			query = "SELECT coalesce(last_value, 0) FROM pg_sequences WHERE schemaname = current_schema() AND sequencename = $1 || '_id_seq'"
		}
		var last int64
		if err := tx.Row(query, t.name).Scan(&last); err != nil && !errors.Is(err, sqldb.ErrNoRows) {
			return nil, err
		}
		c[t.name] = last
	}
	return c, nil
}

// set makes a database give out the next ids after its own and, if an account came
// from the same range, after those that were given out where it was. SQLite knows no
// ranges: it always continues after the largest id.
func (c counters) set(from, to *sqldb.Tx, engine sqldb.Engine) error {
	for name, last := range c {
		var came int64
		if err := from.Row("SELECT seq FROM sqlite_sequence WHERE name = $1", name).Scan(&came); err != nil && !errors.Is(err, sqldb.ErrNoRows) {
			return err
		}
		if came/idRange == last/idRange || engine == sqldb.SQLite {
			last = max(last, came)
		}
		if err := setCounter(to, engine, name, last); err != nil {
			return fmt.Errorf("the ids of %s: %w", name, err)
		}
	}
	return nil
}

// setCounter sets the last id that was given out.
func setCounter(tx *sqldb.Tx, engine sqldb.Engine, name string, last int64) error {
	if last == 0 {
		return nil
	}
	if engine == sqldb.Postgres {
		_, err := tx.Exec("SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", name, last)
		return err
	}
	if _, err := tx.Exec("DELETE FROM sqlite_sequence WHERE name = $1", name); err != nil {
		return err
	}
	_, err := tx.Exec("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", name, last)
	return err
}
