package job_test

import (
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// A PgBouncer gives each transaction another session. Nobody can listen there. A
// runner is woken if it listens at the server itself, and otherwise finds its jobs when
// it looks.
func TestRunnerBehindAPooler(t *testing.T) {
	server := dbtest.URL(t, sqldb.Postgres)
	pooled := dbtest.StartBouncer(t, server) + "&default_query_exec_mode=cache_describe"
	for _, c := range []struct {
		name, listen string
		poll         time.Duration
	}{
		{"it listens at the server", server, time.Hour},
		{"it cannot listen", pooled, 10 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			here := dbtest.Open(t, sqldb.Config{URL: pooled, ListenURL: c.listen})
			there := dbtest.Open(t, sqldb.Config{URL: pooled, ListenURL: c.listen})
			config := quiet(there, newClock(start))
			config.Poll = c.poll
			r := job.New(config)
			s := handle(r)
			stop := run(t, r)
			for i := range 5 {
				add(t, here, echo{N: i}, start)
				s.next(t).verdict <- nil
			}
			stop()
			none(t, here)
			if got := r.Stats(); got != (job.Stats{Worked: 5}) {
				t.Errorf("%+v", got)
			}
		})
	}
}
