package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
)

// Processes on several machines share a PostgreSQL database, and judge by the time
// what another has written: leases, above all. The clocks of machines differ. So
// all of them go by the clock of the server that they write to:
//
//  1. An answer of the server bounds how far its clock is from ours: it was read
//     after we asked, and before the answer came.
//  2. A time within the bounds is left as it is, so that it does not tremble. Any
//     other is moved to the nearest bound.
//  3. Between two answers, time passes by the machine's steady clock. Whoever sets
//     its clock meanwhile changes nothing.
type serverClock struct {
	steady func() time.Duration // since this clock was made
	zero   atomic.Int64         // the server's time when steady was 0, in nanoseconds since 1970
}

// clockCheck is how often the server is asked for its time.
const clockCheck = 5 * time.Second

// newServerClock returns a clock that shows the machine's time until it hears of the
// server's.
func newServerClock(machine func() time.Time) *serverClock {
	began := machine()
	c := &serverClock{steady: func() time.Duration { return machine().Sub(began) }}
	c.zero.Store(began.UnixNano())
	return c
}

func (c *serverClock) now() time.Time { return time.Unix(0, c.zero.Load()+int64(c.steady())) }

// hear corrects the clock: the server's showed server at some moment from asked to
// answered.
func (c *serverClock) hear(asked, answered time.Duration, server time.Time) {
	least, most := server.UnixNano()-int64(answered), server.UnixNano()-int64(asked)
	c.zero.Store(min(max(c.zero.Load(), least), most))
}

// serverTime asks for the time, in microseconds since 1970.
const serverTime = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"

// askTime asks the server for its time.
func (c *serverClock) askTime(ctx context.Context, pool *sql.DB) error {
	conn, err := pool.Conn(ctx) // its wait does not count
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(driver any) error {
		asked := c.steady()
		results, err := driver.(*stdlib.Conn).Conn().PgConn().Exec(ctx, serverTime).ReadAll()
		answered := c.steady()
		if err != nil {
			return err
		}
		micros, err := strconv.ParseInt(string(results[0].Rows[0][0]), 10, 64)
		if err != nil {
			return fmt.Errorf("the server's time: %w", err)
		}
		c.hear(asked, answered, time.UnixMicro(micros))
		return nil
	})
}

// followClock asks for the time now and then. Without an answer, the clock goes on by
// itself.
func (p *postgresDB) followClock() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	following.Go(func() {
		for sleep(ctx, p.config.clockCheck); ctx.Err() == nil; sleep(ctx, p.config.clockCheck) {
			wait, cancel := context.WithTimeout(ctx, p.patience)
			_ = p.clock.askTime(wait, p.pool) // whoever needs the database says that it is away
			cancel()
		}
	})
	return func() {
		cancel()
		following.Wait()
	}
}

// Now returns the time by which all processes on this database go: that of the
// PostgreSQL server, or that of this machine.
func (db *DB) Now() time.Time { return db.backend.now() }
