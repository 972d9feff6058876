package job_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// BenchmarkRunner runs jobs that do nothing, one after the other and many at once,
// while a hundred thousand others wait for tomorrow.
func BenchmarkRunner(b *testing.B) {
	for _, engine := range []sqldb.Engine{sqldb.SQLite, sqldb.Postgres} {
		for _, workers := range []int{1, 16, 64} {
			for _, waiting := range []int{0, 100_000} {
				b.Run(fmt.Sprintf("%s/workers=%d/waiting=%d", engine, workers, waiting), func(b *testing.B) {
					benchmarkRunner(b, engine, workers, waiting)
				})
			}
		}
	}
}

func benchmarkRunner(b *testing.B, engine sqldb.Engine, workers, waiting int) {
	db := dbtest.Open(b, sqldb.Config{URL: dbtest.URL(b, engine)})
	addMany(b, db, waiting, job.At(start.Add(24*time.Hour)))
	addMany(b, db, b.N)
	if engine == sqldb.Postgres {
		change(b, db, "ANALYZE jobs") // as the database's own housekeeping would
	}
	c := quiet(db, newClock(start))
	c.Workers = workers
	r := job.New(c)
	ran := make(chan struct{}, b.N)
	job.Handle(r, func(context.Context, *job.Job, echo) error { ran <- struct{}{}; return nil })
	b.ResetTimer()
	stop := run(b, r)
	for range b.N {
		within(b, ran)
	}
	stop()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}

func addMany(b *testing.B, db *sqldb.DB, n int, opts ...job.Option) {
	b.Helper()
	must(b, db.Pieces(context.Background(), func(tx *sqldb.Tx) (bool, error) {
		for range 500 {
			if n == 0 {
				return false, nil
			}
			if err := job.Add(tx, echo{N: n}, start, opts...); err != nil {
				return false, err
			}
			n--
		}
		return true, nil
	}))
}
