package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"frontdesk/internal/chaos/cluster"
)

// storm breaks one thing after the other, and mends it.
type storm struct {
	w    *world
	r    *rand.Rand
	long bool // there is time for pauses longer than any lease
	log  func(format string, args ...any)
	all  []struck
}

// struck is a fault that happened.
type struck struct {
	kind   string
	detail string
	began  time.Time
	mended time.Time // the fault was over
	whole  time.Time // everything was ready again
}

// fault is a way to break something. strike breaks it, waits, mends it, and says what it did.
type fault struct {
	kind   string
	strike func(ctx context.Context, s *storm) (detail string, err error)
	needs  need
}

// need is what a fault needs that not every run has.
type need int

const (
	nothing need = iota
	aClock       // that can be moved
	aDisk        // of its own for each database
)

// faults are all ways. A run goes through them in a random order, and then again.
var faults = []fault{
	{"a node is killed", killNode, nothing},
	{"a node is stopped", stopNode, nothing},
	{"a node is frozen", freezeNode, nothing},
	{"a node cannot reach the database", func(ctx context.Context, s *storm) (string, error) { return cutNode(ctx, s, refuse) }, nothing},
	{"a node's packets are swallowed", func(ctx context.Context, s *storm) (string, error) { return cutNode(ctx, s, swallow) }, nothing},
	{"a node's connections break", dropConnections, nothing},
	{"a node's clock is wrong", moveClock, aClock},
	{"a node's clock is wrong, and another node is killed", func(ctx context.Context, s *storm) (string, error) { return moveClockAnd(ctx, s, killOther) }, aClock},
	{"a node's clock is wrong, and the primary's PostgreSQL is killed", func(ctx context.Context, s *storm) (string, error) {
		return moveClockAnd(ctx, s, func(ctx context.Context, s *storm, _ *node) (string, error) { return killServer(ctx, s) })
	}, aClock},
	{"the primary's PostgreSQL is killed", killServer, nothing},
	{"the primary's machine dies", killMachine, nothing},
	{"the primary is switched", switchOver, nothing},
	{"the primary's machine hangs", freezePrimary, nothing},
	{"the primary's disk is full", fillPrimary, aDisk},
	{"a standby dies", killStandby, nothing},
	{"the synchronous standby hangs", freezeStandby, nothing},
	{"the synchronous standby hangs, then the primary's machine dies", freezeStandbyAndKill, nothing},
	{"the synchronous standby's disk is full", fillStandby, aDisk},
	{"the file store restarts", restartStore, nothing},
	{"the file store is full", fillStore, nothing},
	{"the webhook's endpoint is down", stopEndpoint, nothing},
}

// calm is how long nothing breaks between two faults.
const calm = 4 * time.Second

// mending is how long it may take until everything is ready again.
const mending = 3 * time.Minute

// rage strikes until work ends.
func (s *storm) rage(ctx, work context.Context, from []fault) error {
	for work.Err() == nil {
		for _, n := range s.r.Perm(len(from)) {
			if pause(work, calm); work.Err() != nil {
				return nil
			}
			if err := s.strike(ctx, from[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *storm) strike(ctx context.Context, f fault) (err error) {
	is := struck{kind: f.kind, began: time.Now()}
	s.log("%s", f.kind)
	is.detail, err = f.strike(ctx, s)
	is.mended = time.Now()
	if err != nil {
		return fmt.Errorf("%s: %w", f.kind, err)
	}
	patience, cancel := context.WithTimeout(ctx, mending)
	defer cancel()
	err = errors.Join(s.w.cluster.AwaitStandbys(patience, len(s.w.cluster.Databases)-1), s.w.awaitReady(patience))
	is.whole = time.Now()
	s.all = append(s.all, is)
	s.log("  %s; mended after %s, whole after %s", is.detail, is.mended.Sub(is.began).Round(100*time.Millisecond), is.whole.Sub(is.began).Round(100*time.Millisecond))
	if err != nil {
		return fmt.Errorf("after this fault not everything became ready again: %s: %w", f.kind, err)
	}
	return nil
}

// hold waits for a random time, and returns it for the report.
func (s *storm) hold(ctx context.Context, from, to time.Duration) time.Duration {
	d := s.span(from, to)
	pause(ctx, d)
	return d
}

// span returns a random time.
func (s *storm) span(from, to time.Duration) time.Duration {
	return (from + time.Duration(s.r.Int64N(int64(to-from)))).Round(100 * time.Millisecond)
}

func (s *storm) node() *node { return s.w.nodes[s.r.IntN(len(s.w.nodes))] }

func killNode(ctx context.Context, s *storm) (string, error) {
	o := s.node()
	o.process.Kill()
	d := s.hold(ctx, time.Second, 8*time.Second)
	return fmt.Sprintf("%s was killed for %s", o.name, d), o.start()
}

func stopNode(_ context.Context, s *storm) (string, error) {
	o := s.node()
	began := time.Now()
	err := o.restart()
	return fmt.Sprintf("%s stopped within %s", o.name, time.Since(began).Round(10*time.Millisecond)), err
}

// freezeNode stops a node's process and lets it continue as if nothing had happened. In a long run that is after all of its
// leases have run out.
func freezeNode(ctx context.Context, s *storm) (string, error) {
	o := s.node()
	from, to := 5*time.Second, 15*time.Second
	if s.long {
		from, to = 62*time.Second, 75*time.Second
	}
	o.process.Signal(syscall.SIGSTOP)
	d := s.hold(ctx, from, to)
	o.process.Signal(syscall.SIGCONT)
	return fmt.Sprintf("%s was frozen for %s", o.name, d), nil
}

func cutNode(ctx context.Context, s *storm, m mode) (string, error) {
	o := s.node()
	o.ways.set(m)
	d := s.hold(ctx, 3*time.Second, 20*time.Second)
	o.ways.set(pass)
	return fmt.Sprintf("%s was cut off for %s", o.name, d), nil
}

func dropConnections(_ context.Context, s *storm) (string, error) {
	o := s.node()
	o.ways.drop()
	return fmt.Sprintf("%s lost its connections", o.name), nil
}

// wrongClock is by how much a node's clock is wrong, ahead or behind: more than any lease.
const wrongClock = 90 * time.Second

// moveClock sets a node's clock, and sets it right some time later.
func moveClock(ctx context.Context, s *storm) (string, error) {
	return moveClockAnd(ctx, s, func(ctx context.Context, s *storm, _ *node) (string, error) {
		return fmt.Sprintf("for %s", s.hold(ctx, 10*time.Second, 25*time.Second)), nil
	})
}

// moveClockAnd does something else while a node's clock is wrong.
func moveClockAnd(ctx context.Context, s *storm, do func(context.Context, *storm, *node) (string, error)) (string, error) {
	o, by, direction := s.node(), wrongClock, "ahead"
	if s.r.IntN(2) == 0 {
		by, direction = -wrongClock, "behind"
	}
	if err := o.moveClock(ctx, by); err != nil {
		return "", err
	}
	s.hold(ctx, 3*time.Second, 8*time.Second) // so that it has done some work
	did, err := do(ctx, s, o)
	return fmt.Sprintf("%s was %s %s, %s", o.name, wrongClock, direction, did), errors.Join(err, o.moveClock(ctx, 0))
}

// killOther kills a node other than the given one.
func killOther(ctx context.Context, s *storm, not *node) (string, error) {
	o := s.node()
	for o == not {
		o = s.node()
	}
	o.process.Kill()
	d := s.hold(ctx, 5*time.Second, 20*time.Second) // the first node may think that all leases of the dead one have ended, or that none will
	return fmt.Sprintf("and %s was killed for %s", o.name, d), o.start()
}

func (s *storm) primary() (*cluster.Database, error) {
	d := s.w.cluster.Primary()
	if d == nil {
		return nil, errors.New("there is no primary")
	}
	return d, nil
}

// awaitPrimary waits until there is a primary again, and says how long that took. It is usually another database. If Patroni
// knows of none that has everything, it starts the old one again.
func (s *storm) awaitPrimary(ctx context.Context, old *cluster.Database) (string, error) {
	const stays = 10 * time.Second // the old one may be called primary for a moment
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, mending)
	defer cancel()
	back := began
	for {
		switch d := s.w.cluster.Primary(); {
		case d == nil:
			back = time.Now()
		case d != old:
			return fmt.Sprintf("%s was primary after %s", d.Name, time.Since(began).Round(100*time.Millisecond)), nil
		case time.Since(back) > stays:
			return fmt.Sprintf("it was primary again after %s", back.Sub(began).Round(100*time.Millisecond)), nil
		}
		if pause(ctx, 50*time.Millisecond); ctx.Err() != nil {
			return "", errors.New("there is no primary")
		}
	}
}

func killServer(ctx context.Context, s *storm) (string, error) {
	d, err := s.primary()
	if err != nil {
		return "", err
	}
	if err := d.KillServer(); err != nil {
		return "", err
	}
	took, err := s.awaitPrimary(ctx, d)
	return fmt.Sprintf("%s was killed, %s", d.Name, took), err
}

func killMachine(ctx context.Context, s *storm) (string, error) {
	d, err := s.primary()
	if err != nil {
		return "", err
	}
	if err := d.Kill(); err != nil {
		return "", err
	}
	took, err := s.awaitPrimary(ctx, d)
	return fmt.Sprintf("%s and its Patroni were killed, %s", d.Name, took), errors.Join(err, d.Start())
}

func switchOver(ctx context.Context, s *storm) (string, error) {
	began := time.Now()
	d, err := s.primary()
	if err != nil {
		return "", err
	}
	// Patroni refuses while the standby that commits with the primary is not yet as far as it is.
	for refused := s.w.cluster.Switchover(ctx); refused != nil; refused = s.w.cluster.Switchover(ctx) {
		if pause(ctx, 500*time.Millisecond); ctx.Err() != nil || time.Since(began) > mending {
			return "", refused
		}
	}
	took, err := s.awaitPrimary(ctx, d)
	return fmt.Sprintf("%s handed over, %s", d.Name, took), err
}

// freezePrimary lets the primary's machine hang for longer than its lease. When it goes on, another is the primary.
func freezePrimary(ctx context.Context, s *storm) (string, error) {
	d, err := s.primary()
	if err != nil {
		return "", err
	}
	if err := d.Freeze(); err != nil {
		return "", err
	}
	took, err := s.awaitPrimary(ctx, d)
	held := s.hold(ctx, time.Second, 5*time.Second)
	return fmt.Sprintf("%s hung, %s; it went on %s later", d.Name, took, held), errors.Join(err, d.Thaw())
}

// fillPrimary leaves the primary no room. PostgreSQL refuses what needs some, and gives up if it cannot write ahead.
func fillPrimary(ctx context.Context, s *storm) (string, error) {
	d, err := s.primary()
	if err != nil {
		return "", err
	}
	did, err := fillDisk(ctx, s, d)
	if now := s.w.cluster.Primary(); now != d && now != nil {
		did += ", and " + now.Name + " took over"
	}
	return did, err
}

func fillStandby(ctx context.Context, s *storm) (string, error) {
	d, err := s.standby(true)
	if err != nil {
		return "", err
	}
	return fillDisk(ctx, s, d)
}

func fillDisk(ctx context.Context, s *storm, d *cluster.Database) (string, error) {
	used, err := d.DiskUsed()
	if err != nil {
		return "", err
	}
	long := s.span(5*time.Second, 20*time.Second)
	return fmt.Sprintf("the disk of %s, of which %d MB were in use, was full for %s", d.Name, used>>20, long), d.FillDisk(ctx, long)
}

// standby returns a random standby, or the one that commits with the primary.
func (s *storm) standby(synchronous bool) (*cluster.Database, error) {
	for _, n := range s.r.Perm(len(s.w.cluster.Databases)) {
		if d := s.w.cluster.Databases[n]; d.Standby() && (d.Synchronous() || !synchronous) {
			return d, nil
		}
	}
	return nil, errors.New("there is no standby")
}

func killStandby(ctx context.Context, s *storm) (string, error) {
	d, err := s.standby(false)
	if err != nil {
		return "", err
	}
	what := "an asynchronous standby"
	if d.Synchronous() {
		what = "the synchronous standby"
	}
	if err := d.Kill(); err != nil {
		return "", err
	}
	held := s.hold(ctx, 2*time.Second, 10*time.Second)
	return fmt.Sprintf("%s, %s, was dead for %s", d.Name, what, held), d.Start()
}

func freezeStandby(ctx context.Context, s *storm) (string, error) {
	d, err := s.standby(true)
	if err != nil {
		return "", err
	}
	if err := d.Freeze(); err != nil {
		return "", err
	}
	held := s.hold(ctx, 5*time.Second, 30*time.Second)
	return fmt.Sprintf("%s hung for %s", d.Name, held), d.Thaw()
}

// freezeStandbyAndKill is the hardest moment for synchronous replication: commits wait for a standby that hangs, for longer
// than nodes wait for a commit, and then the standby becomes the primary without them. Nobody may have been told of them.
func freezeStandbyAndKill(ctx context.Context, s *storm) (string, error) {
	standby, err := s.standby(true)
	if err != nil {
		return "", err
	}
	d, err := s.primary()
	if err != nil {
		return "", err
	}
	if err := standby.Freeze(); err != nil {
		return "", err
	}
	held := s.hold(ctx, 11*time.Second, 14*time.Second)
	if err := errors.Join(d.Kill(), standby.Thaw()); err != nil {
		return "", err
	}
	took, err := s.awaitPrimary(ctx, d)
	return fmt.Sprintf("%s hung for %s, then %s was killed, and %s", standby.Name, held, d.Name, took), errors.Join(err, d.Start())
}

func restartStore(ctx context.Context, s *storm) (string, error) {
	s.w.bucket.stop()
	d := s.hold(ctx, time.Second, 6*time.Second)
	return fmt.Sprintf("it was down for %s", d), s.w.bucket.start()
}

func fillStore(ctx context.Context, s *storm) (string, error) {
	s.w.bucket.full.Store(true)
	defer s.w.bucket.full.Store(false)
	return fmt.Sprintf("it was full for %s", s.hold(ctx, 3*time.Second, 8*time.Second)), nil
}

// stopEndpoint is short, so that what fails then is accepted when it comes again, some five seconds later.
func stopEndpoint(ctx context.Context, s *storm) (string, error) {
	const again = 10 * time.Second
	for began := time.Now(); s.w.endpoint.setPatient(true) > 0 && time.Since(began) < 3*again && ctx.Err() == nil; {
		pause(ctx, 50*time.Millisecond)
	}
	s.w.endpoint.stop()
	d := s.hold(ctx, time.Second, 3*time.Second)
	err := s.w.endpoint.start()
	pause(ctx, again)
	s.w.endpoint.setPatient(false)
	return fmt.Sprintf("it was down for %s", d), err
}
