// Command chaos runs three nodes of Frontdesk on a database cluster with fail-over, breaks one thing after the other under
// load, and then compares what callers were told with what is there: docs/chaos.md. With -cluster, it starts the same for
// people to try, and breaks nothing.
//
// Everything is on loopback, in one temporary folder, and ends with this process.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"frontdesk/internal/chaos/cluster"
)

var (
	minutes  = flag.Float64("minutes", 10, "how long things break")
	runs     = flag.Int("runs", 1, "how many runs, each with the next seed")
	seed     = flag.Uint64("seed", 0, "the seed of all random choices; 0 chooses one")
	only     = flag.String("only", "", "only faults whose names have this in them")
	callers  = flag.Int("callers", 12, "how many programs call the API")
	prebuilt = flag.String("frontdesk", "", "the frontdesk binary, whose clock stays right; without it, one is built")
	report   = flag.String("report", "", "write the report of the runs, if all are clean, into this page")
	try      = flag.Bool("cluster", false, "start everything, break nothing, and run until Ctrl-C")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := storms
	if *try {
		run = tryCluster
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// errUnclean ends a run whose ledger has problems. The report lists them.
var errUnclean = errors.New("the ledger is not clean")

// starting is how long everything may take to start.
const starting = 3 * time.Minute

// settling is how long everything may take to come to rest. A mail that was on its way when its node died is left alone for
// more than two minutes, and an event that a webhook refused twice for five.
const settling = 9 * time.Minute

// openWorld starts everything.
func openWorld(ctx context.Context, seed uint64) (*world, error) {
	began := time.Now()
	w, err := newWorld(ctx, seed)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	if w.binary, err = frontdesk(ctx, w.cluster.Folder); err != nil {
		return nil, errors.Join(err, w.close())
	}
	built := time.Now()
	patience, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	if err := w.open(patience); err != nil {
		return nil, errors.Join(err, w.keepLogs(), w.close())
	}
	fmt.Printf("the database cluster took %s, the binary %s, three nodes and their connections %s\n",
		started.Sub(began).Round(100*time.Millisecond), built.Sub(started).Round(100*time.Millisecond), time.Since(built).Round(100*time.Millisecond))
	return w, nil
}

// frontdesk returns the path of the binary. It builds one in the folder if none is given.
func frontdesk(ctx context.Context, folder string) (string, error) {
	if *prebuilt != "" {
		return filepath.Abs(*prebuilt)
	}
	return buildFrontdesk(ctx, folder)
}

// storms breaks things under load, and checks the ledger: as often as asked for, each time with another seed.
func storms(ctx context.Context) error {
	if err := cluster.OwnMounts(); err != nil { // not for those who try the cluster: they look into its folder
		return err
	}
	if *seed == 0 {
		*seed = rand.Uint64N(1_000_000) + 1
	}
	from, err := chooseFaults()
	if err != nil {
		return err
	}
	built := cleanCommit(*report)
	var tales []*tale
	for n := range uint64(*runs) {
		t, err := runStorm(ctx, *seed+n, from)
		if err != nil {
			return err
		}
		tales = append(tales, t)
	}
	if *report == "" {
		return nil
	}
	if built != cleanCommit(*report) {
		built = "" // somebody has changed what was built meanwhile
	}
	return writePage(*report, built, tales)
}

// runStorm makes one run, and prints its report.
func runStorm(ctx context.Context, seed uint64, from []fault) (*tale, error) {
	fmt.Printf("seed %d\n", seed)
	w, err := openWorld(ctx, seed)
	if err != nil {
		return nil, err
	}
	defer func() { w.close() }()
	began := time.Now()
	t := &tale{seed: seed, began: began, answers: &answers{}, ledger: &ledger{odd: map[string]int{}}}
	s := &storm{w: w, r: rand.New(rand.NewPCG(seed, 1)), long: *minutes >= 8, log: func(format string, args ...any) {
		fmt.Printf("%6.1fs  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}}
	length := time.Duration(*minutes * float64(time.Minute))
	if err := t.run(ctx, s, from, length); ctx.Err() != nil {
		return nil, errors.New("interrupted")
	} else if err != nil {
		return nil, errors.Join(err, w.keepLogs())
	}
	text, problems := t.write()
	fmt.Println(text)
	if problems > 0 {
		return nil, errors.Join(errUnclean, w.keepLogs())
	}
	return t, nil
}

// chooseFaults returns the faults that are asked for and can happen here.
func chooseFaults() (from []fault, err error) {
	for _, f := range faults {
		switch {
		case !strings.Contains(f.kind, *only):
		case f.needs == aClock && *prebuilt != "":
			fmt.Printf("left out: %s. The binary was given, so its clock cannot be moved.\n", f.kind)
		case f.needs == aDisk && !cluster.HasDisks():
			fmt.Printf("left out: %s. Only root can give databases disks of their own.\n", f.kind)
		default:
			from = append(from, f)
		}
	}
	if len(from) == 0 {
		return nil, fmt.Errorf("no fault has %q in its name", *only)
	}
	return from, nil
}

// run makes load while things break, waits until everything has come to rest, and fills the ledger.
func (t *tale) run(ctx context.Context, s *storm, from []fault, length time.Duration) error {
	w := s.w
	l := newLoad(w, t.answers)
	var first struct{ Events []struct{ ID string } }
	if err := w.ask(ctx, "GET", "/events?limit=100", nil, &first); err != nil {
		return err
	}
	t.ledger.before = len(first.Events)
	ctx, cancel := context.WithCancel(ctx)
	var calling, following sync.WaitGroup
	defer func() { cancel(); calling.Wait(); following.Wait() }()
	work, rest := context.WithTimeout(ctx, length)
	defer rest()
	for n := range *callers {
		c := &caller{load: l, n: n, r: rand.New(rand.NewPCG(t.seed, uint64(100+n)))}
		calling.Go(func() { c.run(ctx, work) })
	}
	for n := range 2 {
		m := &sender{load: l, n: n, r: rand.New(rand.NewPCG(t.seed, uint64(200+n)))}
		calling.Go(func() { m.run(ctx, work) })
	}
	var followers []*follower
	for n := range 2 {
		f := &follower{l: l, name: fmt.Sprintf("reader %d", n+1), after: first.Events[0].ID}
		g := &follower{l: l, name: fmt.Sprintf("stream %d", n+1), after: first.Events[0].ID}
		following.Go(func() { f.read(ctx) })
		following.Go(func() { g.stream(ctx) })
		followers = append(followers, f, g)
	}
	err := s.rage(ctx, work, from)
	t.faults, t.stopped = s.all, time.Now()
	if end := t.began.Add(length); end.Before(t.stopped) {
		t.stopped = end
	}
	rest()
	s.log("the load ends")
	calling.Wait()
	t.ended = time.Now()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		t.ledger.odd[err.Error()]++ // the ledger may say why
	}
	return t.balance(ctx, s, l, followers)
}

// balance waits until everything has come to rest, and fills the ledger.
func (t *tale) balance(ctx context.Context, s *storm, l *load, followers []*follower) error {
	b, err := openBooks(ctx, s.w)
	if err != nil {
		return err
	}
	defer b.db.Close()
	patience, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	if t.ledger.unfinished, err = b.settle(patience, s.log); err != nil {
		return err
	}
	t.settled = time.Now()
	s.log("at rest")
	if err := b.gather(ctx, t.ledger, l); err != nil {
		return err
	}
	awaitFollowers(ctx, t.ledger.feed, followers)
	t.ledger.readers = map[string][]event{}
	for _, f := range followers {
		t.ledger.readers[f.name] = f.events()
		t.again += f.again
	}
	t.ledger.hooks = s.w.endpoint.events()
	for _, w := range l.writes {
		t.ledger.writes = append(t.ledger.writes, *w)
	}
	for what, n := range l.odd {
		t.ledger.odd[what] += n
	}
	t.status, t.looks, t.logged, t.broken = l.status, l.looks, scanLogs(s.w.cluster.Folder, t.ledger), s.w.relay.broken
	said, err := s.w.run(ctx, "", "audit", "verify")
	if err != nil {
		t.ledger.audit = err.Error()
	}
	t.audit = said
	t.replicaReads, err = s.w.replicaReads(ctx)
	return err
}

// awaitFollowers gives followers time to get the last event. The ledger finds those that do not.
func awaitFollowers(ctx context.Context, feed []event, followers []*follower) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, f := range followers {
		for len(feed) > 0 && f.last() != feed[len(feed)-1].id && ctx.Err() == nil {
			pause(ctx, 100*time.Millisecond)
		}
	}
}

// keepLogs copies the logs out of the cluster's folder, which is removed.
func (w *world) keepLogs() error {
	folder, err := os.MkdirTemp("/tmp", "frontdesk-chaos-logs.") // the usual folder may be one that goes with us
	if err != nil {
		return err
	}
	logs, _ := filepath.Glob(filepath.Join(w.cluster.Folder, "*.log"))
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, filepath.Base(log)), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr, "the logs are in", folder)
	return nil
}
