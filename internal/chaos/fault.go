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
}

// faults are all ways. A run goes through them in a random order, and then again.
var faults = []fault{
	{"a node is killed", killNode},
	{"a node is stopped", stopNode},
	{"a node is frozen", freezeNode},
	{"a node cannot reach the database", func(ctx context.Context, s *storm) (string, error) { return cutNode(ctx, s, refuse) }},
	{"a node's packets are swallowed", func(ctx context.Context, s *storm) (string, error) { return cutNode(ctx, s, swallow) }},
	{"a node's connections break", dropConnections},
	{"the primary's PostgreSQL is killed", killServer},
	{"the primary's machine dies", killMachine},
	{"the primary is switched", switchOver},
	{"a standby dies", killStandby},
	{"the file store restarts", restartStore},
	{"the file store is full", fillStore},
	{"the webhook's endpoint is down", stopEndpoint},
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
	d := (from + time.Duration(s.r.Int64N(int64(to-from)))).Round(100 * time.Millisecond)
	pause(ctx, d)
	return d
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
	o.proxy.set(m)
	d := s.hold(ctx, 3*time.Second, 20*time.Second)
	o.proxy.set(pass)
	return fmt.Sprintf("%s was cut off for %s", o.name, d), nil
}

func dropConnections(_ context.Context, s *storm) (string, error) {
	o := s.node()
	o.proxy.drop()
	return fmt.Sprintf("%s lost its connections", o.name), nil
}

func (s *storm) primary() (*cluster.Database, error) {
	d := s.w.cluster.Primary()
	if d == nil {
		return nil, errors.New("there is no primary")
	}
	return d, nil
}

// awaitPrimary waits until another database is the primary.
func (s *storm) awaitPrimary(ctx context.Context, old *cluster.Database) (time.Duration, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, mending)
	defer cancel()
	for {
		if d := s.w.cluster.Primary(); d != nil && d != old {
			return time.Since(began).Round(100 * time.Millisecond), nil
		}
		if pause(ctx, 50*time.Millisecond); ctx.Err() != nil {
			return 0, errors.New("no other database has become the primary")
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
	return fmt.Sprintf("%s was killed, another was primary after %s", d.Name, took), err
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
	return fmt.Sprintf("%s and its Patroni were killed, another was primary after %s", d.Name, took), errors.Join(err, d.Start())
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
	return fmt.Sprintf("%s handed over, another was primary after %s", d.Name, took), err
}

func killStandby(ctx context.Context, s *storm) (string, error) {
	d, err := s.primary()
	if err != nil {
		return "", err
	}
	standby := s.w.cluster.Databases[s.r.IntN(len(s.w.cluster.Databases))]
	for standby == d {
		standby = s.w.cluster.Databases[s.r.IntN(len(s.w.cluster.Databases))]
	}
	what := "an asynchronous standby"
	if standby.Synchronous() {
		what = "the synchronous standby"
	}
	if err := standby.Kill(); err != nil {
		return "", err
	}
	held := s.hold(ctx, 2*time.Second, 10*time.Second)
	return fmt.Sprintf("%s, %s, was dead for %s", standby.Name, what, held), standby.Start()
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

// stopEndpoint is short: an event that fails twice comes again only after minutes.
func stopEndpoint(ctx context.Context, s *storm) (string, error) {
	s.w.endpoint.stop()
	d := s.hold(ctx, time.Second, 3*time.Second)
	return fmt.Sprintf("it was down for %s", d), s.w.endpoint.start()
}
