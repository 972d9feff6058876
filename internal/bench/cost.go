package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// The cost of a call is the CPU that the server uses from before some calls until
// it is quiet again, divided by their number. So everything that follows a call
// counts, wherever it happens:
//
//  1. The server is the real binary in its own process, on a desk that was filled
//     through its own API.
//  2. It is quiet when nothing is left to do (see quiet). A round also waits at its
//     end for jobs that are delayed by some seconds.
//  3. Calls are made alone, where each pays for everything that follows it, and in
//     groups, where they can share it. A call that changes something is alone only
//     if the server is quiet before the next.
//  4. What a server uses at rest is measured once and subtracted, because calls
//     made alone mostly wait.
//  5. Contenders take turns, among them a bare "hello" of net/http, and the median
//     of the rounds' ratios counts.

const (
	// grouped is the number of concurrent callers.
	grouped = 64
	// flat is how much more a call may cost with ten times as many requests.
	flat = 1.3
	// asked is how many requests the reads use, so that some are read again.
	asked = 500
)

// operation is something that is asked of a desk.
type operation struct {
	name string
	// call returns the call with a number, which no other call has: a method and a
	// path and, after a newline, the body.
	call func(s *served, i int) string
	// alone and inGroups are the numbers of calls in a round.
	alone, inGroups int
	// changes says that work follows a call.
	changes bool
	// of is how many requests one call is about. Each counts as one. Defaults to 1.
	of int

	// Goals; 0 for none.
	hello float64 // on SQLite: in multiples of the bare answer's CPU
	ms    float64 // on SQLite: CPU
	rate  float64 // on PostgreSQL, in groups: calls a second
}

// bareAnswer is what the others are compared with.
var bareAnswer = operation{name: "hello", call: func(*served, int) string { return "GET /\n" }, alone: 2000, inGroups: 6400}

// operations are in an order in which the desk changes as late as possible.
var operations = []operation{
	reads("get one", 3, func(s *served, i int) string { return get("/requests/%d", s.some(i)) }),
	reads("get one that nobody asked for", 0, func(s *served, i int) string { return get("/requests/%d", s.ids[i*7919%len(s.ids)]) }),
	reads("get one with its messages", 0, func(s *served, i int) string { return get("/requests/%d?include=messages", s.some(i)) }),
	reads("list 50, newest", 15, func(*served, int) string { return get("/requests?limit=50") }),
	reads("list 50, open", 0, func(*served, int) string { return get("/requests?limit=50&state=open") }),
	// The same number of authors on both desks, because the cache has room for the
	// requests of all authors only on the smaller one.
	reads("list 50, of one author", 0, func(s *served, i int) string {
		return get("/requests?limit=50&author_emails=%s", author(i%100, len(s.ids)))
	}),
	reads("page at 90% depth", 0, func(s *served, _ int) string { return get("/requests?limit=50&next_cursor=%s", s.deep) }),
	// With a trailing space, because otherwise it would be a beginning.
	reads("search, a rare word", 25, func(s *served, i int) string {
		return get("/requests/search?limit=50&query=order%d+", pick(i, len(s.ids)))
	}),
	reads("search, a common word", 60, func(*served, int) string { return get("/requests/search?limit=50&query=printer") }),
	reads("search, two words", 0, func(_ *served, i int) string {
		return get("/requests/search?limit=50&query=%s+%s", word(i%100), word(i*7%100))
	}),
	{name: "update", alone: 60, inGroups: 640, changes: true, hello: 25, call: func(s *served, i int) string {
		return withBody("PATCH", fmt.Sprintf("/requests/%d", s.open(i)), fmt.Sprintf(`{"title": "Title %d"}`, i))
	}},
	{name: "add a message", alone: 60, inGroups: 640, changes: true, hello: 35, call: func(s *served, i int) string {
		return post(fmt.Sprintf("/requests/%d/message", s.open(i)), fmt.Sprintf(`{"html_body": "<p>Please try again with number %d.</p>"}`, i))
	}},
	{name: "create", alone: 60, inGroups: 640, changes: true, hello: 30, rate: 1000, call: func(_ *served, i int) string {
		return post("/requests", fmt.Sprintf(`{"description": "<p>The label printer prints number %d twice since this morning. Can you help?</p>", "requester_email": "jo.7@customer.test"}`, i))
	}},
	{name: "import, each request", alone: 4, inGroups: 8, changes: true, of: imported, ms: 0.4, call: func(s *served, i int) string {
		return importCall(len(s.ids)+i*imported, imported, len(s.ids))
	}},
}

func reads(name string, hello float64, call func(*served, int) string) operation {
	return operation{name: name, alone: 300, inGroups: 640, hello: hello, call: call}
}

// pick returns one of the numbers below n, always the same for the same i.
func pick(i, n int) int { return rand.New(rand.NewPCG(uint64(i%asked), 7)).IntN(n) }

// some returns one of the requests that are read again and again.
func (s *served) some(i int) int64 { return s.ids[pick(i, len(s.ids))] }

// open returns an open request. Both desks use the same number of them, because
// otherwise those of the smaller desk would end up with longer conversations.
func (s *served) open(i int) int64 {
	most := max(1, *requests/10/40)
	return s.ids[i%most*(len(s.ids)/most)/40*40]
}

func get(path string, args ...any) string { return "GET /v1/rest" + fmt.Sprintf(path, args...) + "\n" }

func post(path, body string) string { return withBody("POST", path, body) }

// withBody returns a call: the method and the path, followed by the body.
func withBody(method, path, body string) string { return method + " /v1/rest" + path + "\n" + body }

// benchCost compares a desk with many requests with one that has a tenth of them,
// or this revision with another, and both with the bare answer.
func benchCost(ctx context.Context, engines map[sqldb.Engine]string) {
	binary, drop := buildBinary(ctx)
	defer drop()
	bare := startChild(ctx, "hello")
	defer bare.stop()
	hello := &served{name: "hello", pid: bare.cmd.Process.Pid, addr: bare.addr}
	fmt.Printf("What a call costs until the server is quiet again, alone and in groups of %d, in CPU of the server: beside a bare net/http answer (hello), and ", grouped)
	contenders := []contender{{fmt.Sprint(*requests / 10), binary, *requests / 10}, {fmt.Sprint(*requests), binary, *requests}}
	if *against != "" {
		fmt.Printf("beside another revision (there), both with %d requests\n", *requests/10)
		contenders = []contender{{"there", *against, *requests / 10}, {"here", binary, *requests / 10}}
	} else {
		fmt.Printf("with %d requests beside %d\n", *requests, *requests/10)
	}
	for _, engine := range names(engines) {
		costOn(ctx, engine, engines[engine], hello, contenders)
	}
}

// buildBinary builds the binary of this checkout, because bin/frontdesk may be
// outdated; drop removes it.
func buildBinary(ctx context.Context) (binary string, drop func()) {
	folder := must(os.MkdirTemp("", "frontdesk-bench-"))
	drop = func() { os.RemoveAll(folder) }
	binary = filepath.Join(folder, "frontdesk")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", binary, "./cmd/frontdesk")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		drop()
		check(fmt.Errorf("build frontdesk: %w", err))
	}
	return binary, drop
}

// contender is a server that takes part.
type contender struct {
	name, binary string
	requests     int
}

// costOn measures all operations on one engine.
func costOn(ctx context.Context, engine sqldb.Engine, server string, hello *served, contenders []contender) {
	fmt.Printf("\n  %s\n", engine)
	var postgres *postgresServer
	if engine == sqldb.Postgres {
		postgres = findPostgres(server)
	}
	var desks []*served
	for _, c := range contenders {
		s := startServed(ctx, c.name, c.binary, engine, server, postgres)
		defer s.close()
		s.fill(ctx, c.requests)
		desks = append(desks, s)
	}
	for _, s := range desks { // after all are there, because PostgreSQL serves them all
		s.measureIdle(ctx)
		fmt.Printf("  %9s %s a second at rest\n", s.name, s.idle.show())
	}
	for _, op := range operations {
		if !strings.Contains(op.name, *calls) {
			continue
		}
		for i := range op.ways() {
			compareCost(ctx, engine, op, i, hello, desks)
		}
	}
	if !strings.Contains(streamsName, *calls) {
		return
	}
	for _, s := range desks {
		if *against == "" && s != desks[0] {
			break // the number of requests makes no difference to streams
		}
		s.benchStreams(ctx)
	}
}

// way is how calls are made.
type way struct {
	name  string
	lines int // connections
	calls int // in a round
}

func (op operation) ways() []way {
	return []way{{"alone", 1, op.alone}, {"in groups", grouped, op.inGroups}}
}

// compareCost makes the calls of an operation in one of the ways, in turns, and
// reports what they cost.
func compareCost(ctx context.Context, engine sqldb.Engine, op operation, which int, hello *served, desks []*served) {
	w := op.ways()[which]
	var bare []float64
	used := make([][]usage, len(desks))
	for range *rounds {
		u := hello.round(ctx, bareAnswer, bareAnswer.ways()[which])
		bare = append(bare, u.cpu)
		for i, s := range desks {
			u = s.round(ctx, op, w)
			used[i] = append(used[i], u)
		}
	}
	cpu, both := make([][]float64, len(desks)), make([][]float64, len(desks)) // both includes PostgreSQL's, which may grow instead
	for i := range desks {
		for _, u := range used[i] {
			cpu[i], both[i] = append(cpu[i], u.cpu), append(both[i], u.cpu+u.postgres)
		}
	}
	fmt.Printf("  %s, %s (hello: %.3f ms)\n", op.name, w.name, median(bare))
	for i, s := range desks {
		u, times := medians(used[i]), median(ratios(cpu[i], bare))
		text := fmt.Sprintf("  %9s %s   %5.1f hello", s.name, u.show(), times)
		switch {
		case engine != sqldb.SQLite:
		case op.hello > 0:
			text += fmt.Sprintf(" (goal %.0f: %s)", op.hello, mark(times <= op.hello))
		case op.ms > 0:
			text += fmt.Sprintf(" (goal %.1f ms: %s)", op.ms, mark(u.cpu <= op.ms))
		}
		if w.lines > 1 {
			rate := float64(w.calls*max(1, op.of)) / u.answered
			text += fmt.Sprintf("   %.0f/s", rate)
			if op.rate > 0 && engine == sqldb.Postgres {
				text += fmt.Sprintf(" (goal %.0f: %s)", op.rate, mark(rate >= op.rate))
			}
		}
		if i > 0 {
			grown := median(ratios(both[i], both[0]))
			text += fmt.Sprintf("   %.2f times %s", grown, desks[0].name)
			if *against == "" {
				text += fmt.Sprintf(" (goal %.1f: %s)", flat, mark(grown <= flat))
			}
		}
		fmt.Println(text)
	}
}

// round makes the calls of one round and returns what each cost.
func (s *served) round(ctx context.Context, op operation, w way) usage {
	lines := make([]*line, min(w.lines, w.calls))
	for i := range lines {
		l := must(dial(s.addr))
		defer l.close()
		// Opening the connection costs something that does not belong to the calls.
		check(l.call([]byte("GET /healthz HTTP/1.1\r\nHost: " + s.addr + "\r\n\r\n")))
		lines[i] = l
	}
	s.quiet(ctx, 0)
	used := s.during(ctx, func() {
		if w.lines > 1 {
			s.callAll(lines, op, w.calls)
			return
		}
		for range w.calls {
			check(s.callOne(lines[0], op))
			if op.changes {
				s.quiet(ctx, 0)
			}
		}
	})
	return used.each(w.calls * max(1, op.of))
}

func (s *served) callOne(l *line, op operation) error {
	if err := l.call(encode(s.addr, s.token, op.call(s, int(s.made.Add(1))))); err != nil {
		return fmt.Errorf("%s, of %s: %w", op.name, s.name, err)
	}
	return nil
}

// callAll makes n calls, each on whichever line is free.
func (s *served) callAll(lines []*line, op operation, n int) {
	var begun atomic.Int64
	inParallel(len(lines), func(i int, going func() bool) error {
		for begun.Add(1) <= int64(n) && going() {
			if err := s.callOne(lines[i], op); err != nil {
				return err
			}
		}
		return nil
	})
}

// medians returns the median of each figure separately.
func medians(all []usage) (m usage) {
	of := func(figure func(usage) float64) float64 {
		return median(desk.Each(all, figure))
	}
	m.cpu, m.postgres = of(func(u usage) float64 { return u.cpu }), of(func(u usage) float64 { return u.postgres })
	m.answered = of(func(u usage) float64 { return u.answered })
	for i := range m.counts {
		m.counts[i] = of(func(u usage) float64 { return u.counts[i] })
	}
	return m
}

// show returns the CPU and the counts.
func (u usage) show() string {
	text := fmt.Sprintf("%8.3f ms", u.cpu)
	if u.postgres != 0 {
		text += fmt.Sprintf(" + %7.3f of PostgreSQL", u.postgres)
	}
	return text + u.showCounts()
}

// showCounts returns nothing for a revision that does not count.
func (u usage) showCounts() string {
	if slices.ContainsFunc(u.counts[:], math.IsNaN) {
		return ""
	}
	return fmt.Sprintf(", %5.1f statements, %4.1f transactions, %4.1f jobs", u.counts[0], u.counts[1], u.counts[2])
}

func mark(reached bool) string {
	if reached {
		return "reached"
	}
	return "MISSED"
}
