package job_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// childURL is the environment variable with the database of a child. A child is
// this program, run as a process that only runs jobs.
const childURL = "FRONTDESK_JOB_CHILD"

// step is a job of the crash test. Each run begins with a row in starts and ends
// with a row in completions. Some runs fail at first.
type step struct{ Ref int }

func (step) Kind() string { return "step" }

// child runs jobs until it is stopped or killed.
func child(url string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	db, err := sqldb.Open(ctx, sqldb.Config{URL: url})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer db.Close()
	var working sync.Once
	r := job.New(job.Config{
		DB: db, Workers: 8,
		Lease: 300 * time.Millisecond,
		Poll:  20 * time.Millisecond, // SQLite cannot announce what the parent adds
		// The job must not die because of the kills.
		MaxAttempts: 10_000,
		Backoff:     func(int) time.Duration { return 10 * time.Millisecond },
		Log:         slog.New(slog.DiscardHandler),
	})
	job.Handle(r, func(ctx context.Context, j *job.Job, args step) error {
		fails := 0
		if args.Ref%5 == 0 && j.Attempt == 1 {
			fails = 1
		}
		err := db.Write(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.Exec(`INSERT INTO starts (ref, late, fails) SELECT $1, count(*), $2 FROM completions WHERE ref = $1`, args.Ref, fails)
			return err
		})
		if err != nil {
			return err
		}
		working.Do(func() { fmt.Println("working") }) // a job has begun and is not done, however slow the machine is
		if fails > 0 {
			return errors.New("once more")
		}
		return db.Write(ctx, func(tx *sqldb.Tx) error {
			if _, err := tx.Exec("INSERT INTO completions (ref) VALUES ($1)", args.Ref); err != nil {
				return err
			}
			return j.Done(tx)
		})
	})
	if err := r.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A runner's process is killed at random moments under load. Every job is still
// completed exactly once, and none begins after its completion.
func TestKilledRunnersLoseAndDoubleNothing(t *testing.T) { killRunners(t, 25) }

func killRunners(t *testing.T, kills int) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, sqldb.Config{URL: url})
		change(t, db, "CREATE TABLE starts (ref BIGINT NOT NULL, late BIGINT NOT NULL, fails BIGINT NOT NULL)")
		change(t, db, "CREATE TABLE completions (ref BIGINT NOT NULL)")
		change(t, db, "CREATE INDEX completions_ref ON completions (ref)")

		added, stopAdding := load(t, db)
		for range kills {
			p := spawn(t, url)
			if rand.N(10) > 0 { // otherwise perhaps before it has opened the database
				within(t, p.working)
			}
			time.Sleep(rand.N(150 * time.Millisecond)) // the random moment
			must(t, p.cmd.Process.Kill())
			within(t, p.ended)
		}
		stopAdding()

		last := spawn(t, url)
		for count(t, db, "SELECT count(*) FROM jobs") > 0 {
			select {
			case <-last.ended:
				t.Fatalf("the last child ended by itself: %v", last.err)
			case <-time.After(10 * time.Millisecond): // another process cannot notify
			}
		}
		must(t, last.cmd.Process.Signal(syscall.SIGTERM))
		within(t, last.ended)
		if last.err != nil {
			t.Errorf("the last child: %v", last.err)
		}

		jobs := *added
		starts := count(t, db, "SELECT count(*) FROM starts")
		meant := count(t, db, "SELECT count(*) FROM starts WHERE fails > 0")
		t.Logf("%d jobs, %d starts, %d of them meant to fail, %d kills", jobs, starts, meant, kills)
		if n := count(t, db, "SELECT count(*) FROM completions"); n != jobs {
			t.Errorf("%d completions of %d jobs", n, jobs)
		}
		if n := count(t, db, "SELECT count(DISTINCT ref) FROM completions"); n != jobs {
			t.Errorf("%d of %d jobs were completed", n, jobs)
		}
		if n := count(t, db, "SELECT count(*) FROM starts WHERE late > 0"); n != 0 {
			t.Errorf("%d starts came after the completion", n)
		}
		if n := count(t, db, "SELECT count(DISTINCT ref) FROM starts"); n != jobs {
			t.Errorf("%d of %d jobs began", n, jobs)
		}
		// A start is completed, fails on purpose, or was killed.
		if cut := starts - jobs - meant; cut < kills/6 {
			t.Errorf("only %d starts were cut off by %d kills: they missed the work", cut, kills)
		}
	})
}

// load adds jobs as fast as they are done, so that a few dozen always wait.
func load(t *testing.T, db *sqldb.DB) (added *int, stop func()) {
	added = new(int)
	ctx, cancel := context.WithCancel(context.Background())
	var adding sync.WaitGroup
	adding.Go(func() {
		for ctx.Err() == nil {
			if *added-count(t, db, "SELECT count(*) FROM completions") > 200 {
				time.Sleep(5 * time.Millisecond)
				continue
			}
			if err := db.Write(context.Background(), func(tx *sqldb.Tx) error {
				for i := range 10 {
					if err := job.Add(tx, step{*added + i}, time.Now()); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Errorf("add jobs: %v", err)
				return
			}
			*added += 10
		}
	})
	stop = func() {
		cancel()
		adding.Wait()
	}
	t.Cleanup(stop)
	return added, stop
}

func count(t testing.TB, db *sqldb.DB, query string) (n int) {
	if err := db.Read(context.Background(), func(tx *sqldb.Tx) error { return tx.Row(query).Scan(&n) }); err != nil {
		t.Error(err)
	}
	return n
}

// process is a child from the parent's view.
type process struct {
	cmd     *exec.Cmd
	working chan struct{} // closed when it runs its first job, or ends
	ended   chan struct{}
	err     error // valid once ended
}

func spawn(t *testing.T, url string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0]), working: make(chan struct{}), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), childURL+"="+url)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	must(t, err)
	must(t, p.cmd.Start())
	go func() {
		_, _ = bufio.NewReader(out).ReadString('\n')
		close(p.working)
		_, _ = io.Copy(io.Discard, out)
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		within(t, p.ended)
	})
	return p
}
