package job_test

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// node is a runner with its own connection to the database, as another process would
// have.
type node struct {
	*job.Runner
	db    *sqldb.DB
	url   string
	stage *stage
}

// startNode starts a runner and waits until other processes can wake it.
func startNode(t *testing.T, url string, workers int, change func(*job.Config)) node {
	t.Helper()
	db := dbtest.Open(t, sqldb.Config{URL: url})
	c := quiet(db, newClock(start))
	c.Workers = workers
	if change != nil {
		change(&c)
	}
	n := node{Runner: job.New(c), db: db, url: url}
	n.stage = handle(n.Runner)
	awaitListening(t, db)
	run(t, n.Runner)
	n.awaitAttending(t)
	return n
}

// awaitAttending waits until the runner attends to the jobs of its process. Before, the
// other nodes hear of them.
func (n node) awaitAttending(t *testing.T) {
	t.Helper()
	if n.db.Engine() == sqldb.SQLite {
		return
	}
	elsewhere, err := sqldb.Open(t.Context(), sqldb.Config{URL: n.url})
	must(t, err)
	defer elsewhere.Close()
	awaitListening(t, elsewhere)
	rung := elsewhere.Rung("jobs")
	for before := rung.Load(); ; before = rung.Load() {
		ring(t, n.db)
		sendMarker(t, n.db, elsewhere)
		if rung.Load() == before {
			return
		}
	}
}

// awaitListening waits until a process hears what others ring, which begins with a
// ring of every bell.
func awaitListening(t *testing.T, db *sqldb.DB) {
	t.Helper()
	if db.Engine() == sqldb.SQLite {
		return
	}
	bell, stop := db.Listen("listening")
	defer stop()
	for {
		write(t, db, func(tx *sqldb.Tx) error { return tx.Do("SELECT pg_notify('frontdesk', 'test listening')") })
		select {
		case <-bell:
			return
		default:
		}
	}
}

// nodes starts two runners on one PostgreSQL.
func nodes(t *testing.T, workers int) (here, there node) {
	t.Helper()
	url := dbtest.URL(t, sqldb.Postgres)
	return startNode(t, url, workers, nil), startNode(t, url, workers, nil)
}

// runHere adds jobs to a node until it runs one itself, and returns that. The other node
// may still have to look because it was started, and so take a job; it lets it go.
func runHere(t *testing.T, here, there node) *playing {
	t.Helper()
	for {
		add(t, here.db, echo{}, start)
		select {
		case p := <-here.stage.runs:
			return p
		case p := <-there.stage.runs:
			p.verdict <- nil
		case <-time.After(5 * time.Minute):
			t.Fatal("nobody ran the job")
		}
	}
}

// Jobs that a node adds and runs cost the other nodes nothing.
func TestJobsOfOneNodeLeaveOthersAlone(t *testing.T) {
	here, there := nodes(t, 4)
	sendMarker(t, here.db, there.db)
	before, effort, own := there.db.Stats(), there.Effort(), here.Effort()
	const jobs = 50
	for range jobs {
		runHere(t, here, there).verdict <- nil
	}
	sendMarker(t, here.db, there.db)
	// The other node may still have had to record the end of its own job.
	const few = 5
	if after := there.Effort(); after.Turns-effort.Turns > few || after.Looks-effort.Looks > few {
		t.Errorf("%d turns and %d looks for %d jobs of another node", after.Turns-effort.Turns, after.Looks-effort.Looks, jobs)
	}
	if n := there.db.Stats().Transactions - before.Transactions; n > few {
		t.Errorf("%d transactions for %d jobs of another node", n, jobs)
	}
	if n := here.Effort().Looks - own.Looks; n > few {
		t.Errorf("%d looks for %d jobs that were certainly due", n, jobs)
	}
}

// sendMarker returns when a process has heard of everything that another has rung.
func sendMarker(t *testing.T, from, to *sqldb.DB) {
	t.Helper()
	bell, stop := to.Listen("marker")
	defer stop()
	write(t, from, func(tx *sqldb.Tx) error { tx.Ring("marker"); return nil })
	within(t, bell)
}

// A node without a free worker lets others run its jobs at once.
func TestFullNodePassesJobsOn(t *testing.T) {
	here, there := nodes(t, 2)
	busy := []*playing{runHere(t, here, there), runHere(t, here, there)}
	for n := 2; n < 5; n++ {
		add(t, here.db, echo{N: n}, start)
		p := there.stage.next(t)
		if p.args.N != n {
			t.Errorf("job %d ran there, want %d", p.args.N, n)
		}
		p.verdict <- nil
	}
	// Several at once, of which only one finds a worker here.
	busy[0].verdict <- nil
	write(t, here.db, func(tx *sqldb.Tx) error {
		for n := 5; n < 8; n++ {
			if err := job.Add(tx, echo{N: n}, start); err != nil {
				return err
			}
		}
		return nil
	})
	for range 3 {
		select {
		case p := <-here.stage.runs:
			defer func() { p.verdict <- nil }()
		case p := <-there.stage.runs:
			p.verdict <- nil
		case <-time.After(5 * time.Minute):
			t.Fatal("a job waits although a worker is free")
		}
	}
	busy[1].verdict <- nil
}

// A node that stops leaves the jobs that it still adds to others.
func TestStoppedNodePassesJobsOn(t *testing.T) {
	url := dbtest.URL(t, sqldb.Postgres)
	here := dbtest.Open(t, sqldb.Config{URL: url})
	r := job.New(quiet(here, newClock(start)))
	s := handle(r)
	tell, ended := stoppable(r)
	add(t, here, echo{N: 1}, start)
	last := s.next(t)
	there := startNode(t, url, 4, nil)
	tell()
	for n := 2; ; n++ { // until the runner has heard that it is to stop, it takes jobs
		add(t, here, echo{N: n}, start)
		select {
		case p := <-s.runs:
			p.verdict <- nil
			continue
		case p := <-there.stage.runs:
			p.verdict <- nil
		case <-time.After(5 * time.Minute):
			t.Fatal("nobody ran the job")
		}
		break
	}
	last.verdict <- nil
	must(t, within(t, ended))
}

// A node dies after it has committed a job and before it has claimed it. Nobody is
// told, and another node finds the job with its next look.
func TestJobsOfADeadNodeAreFound(t *testing.T) {
	if job.DefaultPoll > 5*time.Second {
		t.Errorf("another node looks every %v, and takes over within seconds is what we promise", job.DefaultPoll)
	}
	dbtest.EachURL(t, func(t *testing.T, url string) {
		dead := dbtest.Open(t, sqldb.Config{URL: url})
		attendant := dead.Attend("jobs") // it hears of its jobs and does nothing
		defer attendant.Stop()
		there := startNode(t, url, 4, func(c *job.Config) { c.Poll = 0 }) // the default
		for n := range 2 {
			add(t, dead, echo{N: n}, start)
			p := there.stage.next(t)
			if p.args.N != n {
				t.Errorf("%+v ran", p.args)
			}
			p.verdict <- nil
		}
	})
}

// A look that finds nothing due writes nothing, and knows when to look again.
func TestLooksDoNotWrite(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := newClock(start)
		c.read = make(chan time.Time, 1)
		n := startNode(t, url, 4, func(config *job.Config) { config.Poll, config.Clock = time.Millisecond, c.Now })
		add(t, n.db, echo{N: 1}, start, job.At(start.Add(time.Hour)))
		ring(t, n.db) // and the turn after it sees the job
		looked := func() {
			t.Helper()
			for from := n.Effort().Looks; n.Effort().Looks < from+5; {
				within(t, c.read)
			}
		}
		looked()
		turns, writes := n.Effort().Turns, n.db.Stats().Writes
		looked()
		if got := n.Effort().Turns; got != turns {
			t.Errorf("%d turns while nothing was due", got-turns)
		}
		if got := n.db.Stats().Writes; got != writes {
			t.Errorf("%d writes while nothing was due", got-writes)
		}
		c.move(time.Hour)
		n.stage.next(t).verdict <- nil
	})
}

// Jobs for later wake nobody. Looks find them in time.
func TestJobsForLaterWakeNobody(t *testing.T) {
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)})
	rung := db.Rung("jobs")
	add(t, db, echo{N: 1}, start, job.At(start.Add(job.DefaultPoll)))
	if n := rung.Load(); n != 0 {
		t.Errorf("%d rings for a job that a look finds in time", n)
	}
	add(t, db, echo{N: 2}, start, job.At(start.Add(job.DefaultPoll/4)))
	if n := rung.Load(); n != 1 {
		t.Errorf("%d rings for a job that a look would find too late", n)
	}
}

// Of several nodes one writes for a tick, and the others only read.
func TestTicksOfOthersAreRead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		const schedules = 20
		statements := func() uint64 {
			t.Helper()
			r := job.New(quiet(db, newClock(start)))
			for n := range schedules {
				r.Every(fmt.Sprint("hourly ", n), time.Hour, other{N: n})
			}
			before := db.Stats().Statements
			oneTurn(t, db, r, start)
			return db.Stats().Statements - before
		}
		if n := statements(); n < 4*schedules {
			t.Errorf("%d statements for %d ticks", n, schedules)
		}
		if n := statements(); n > 2*schedules {
			t.Errorf("%d statements for %d ticks of another node", n, schedules)
		}
		if n := len(rows(t, db)); n != schedules {
			t.Errorf("%d jobs for %d ticks", n, schedules)
		}
	})
}
