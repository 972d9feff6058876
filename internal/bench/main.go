// Command bench measures what the design promises, as ratios within one run:
// contenders take turns, several rounds each, and the median of the rounds' ratios
// counts. A number alone means nothing on a machine that others use.
//
// Servers run in their own processes, so that their CPU can be separated from that
// of the load. Load goes only to loopback and stops on its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"frontdesk/internal/sqldb"
)

var (
	rounds   = flag.Int("rounds", 5, "rounds of each comparison")
	length   = flag.Duration("length", time.Second, "how long a contender runs in one round")
	requests = flag.Int("requests", 100_000, "how many requests the larger desk has; the smaller has a tenth")
	only     = flag.String("only", "", "run one comparison: cost, get, list, write, job, event, mail, insights, start, people, nodes, mixed or backup")
	facts    = flag.Int("facts", 1_000_000, "how many requests insights are asked about")
	calls    = flag.String("calls", "", "of the cost, only operations whose names have this in them")
	duration = flag.Duration("duration", 10*time.Minute, "how long the mixed load lasts")
	callers  = flag.Int("callers", 64, "how many make the mixed load, or call the nodes")
	share    = flag.Float64("share", 0.6, "how many calls the mixed load makes, of those that could be made; 1 is without pause")
	engine   = flag.String("engine", "", "measure one engine: sqlite or postgres")
	against  = flag.String("against", "", "compare the cost, or the nodes, with this frontdesk binary; the cost of both with the smaller desk")
	people   = flag.Int("people", 2000, "how many people have an inbox open")
	nodes    = flag.Int("nodes", 0, "measure only so many nodes; 0 means one, two and three")
	server   = flag.String("server", "", "internal: be this server")
)

func main() {
	flag.Parse()
	defer showFailure()
	debug.SetGCPercent(400)                        // as frontdesk serve does; for every contender, to be fair
	slog.SetDefault(slog.New(slog.DiscardHandler)) // a busy machine is what we measure, so do not warn about it
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *server != "" {
		runServer(ctx, *server)
		return
	}
	engines := map[sqldb.Engine]string{sqldb.SQLite: ""}
	if url := os.Getenv("FRONTDESK_TEST_POSTGRES"); url != "" {
		engines[sqldb.Postgres] = url
	} else {
		fmt.Println("No PostgreSQL: run `make bench`, which starts one.")
	}
	for _, b := range []struct {
		name     string
		run      func(context.Context, map[sqldb.Engine]string)
		onDemand bool // runs only if -only names it
	}{
		{"cost", benchCost, false}, {"get", benchGet, false}, {"list", benchList, false}, {"write", benchWrite, false}, {"job", benchJob, false},
		{"event", benchEvent, false}, {"mail", benchMail, false}, {"insights", benchInsights, false}, {"start", benchStart, false}, {"people", benchPeople, false}, {"nodes", benchNodes, true}, {"mixed", benchMixed, true}, {"backup", benchBackup, true},
	} {
		if *only == b.name || *only == "" && !b.onDemand {
			b.run(ctx, engines)
			fmt.Println()
		}
	}
}

// failure is an error that ends the run, and where it occurred.
type failure struct {
	err  error
	file string
	line int
}

// check ends the run if there is an error, because nothing can be measured then. It
// panics, so that everything that was started is stopped on the way out, and main
// shows the error. A goroutine or a transaction returns its error instead.
func check(err error) { failOn(err) }

// must is check for a call that returns something.
func must[T any](v T, err error) T {
	failOn(err)
	return v
}

func failOn(err error) {
	if err != nil {
		_, file, line, _ := runtime.Caller(2)
		panic(failure{err, filepath.Base(file), line})
	}
}

// showFailure shows the error that ended the run, if one did.
func showFailure() {
	switch f := recover().(type) {
	case nil:
	case failure:
		fmt.Fprintf(os.Stderr, "bench: %s:%d: %v\n", f.file, f.line, f.err)
		os.Exit(1)
	default:
		panic(f)
	}
}

// names returns the engines in the order in which they are shown.
func names(engines map[sqldb.Engine]string) []sqldb.Engine {
	if *engine != "" {
		return []sqldb.Engine{sqldb.Engine(*engine)}
	}
	all := []sqldb.Engine{sqldb.SQLite}
	if _, ok := engines[sqldb.Postgres]; ok {
		all = append(all, sqldb.Postgres)
	}
	return all
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}

// ratios divides round by round.
func ratios(a, b []float64) (all []float64) {
	for i := range a {
		all = append(all, a[i]/b[i])
	}
	return all
}

// verdict returns a ratio next to its goal.
func verdict(ratio, goal float64) string {
	return fmt.Sprintf("%.2f (goal %.2f or better: %s)", ratio, goal, mark(ratio >= goal))
}
