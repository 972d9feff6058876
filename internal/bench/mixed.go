package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/sqldb"
)

// The mixed load shows that a desk in use stays stable: its memory does not grow,
// and a read that is held up by others does not take much longer than a lucky one.
//
//  1. The server is the real binary, filled through its API and restarted.
//  2. Calls without pauses show for a while how many are possible.
//  3. Then a share of that rate is called (see turn), of all kinds at random, over
//     more requests than the server keeps in memory.
//
// Some of the calls go to a bare answer of net/http (hello). Its tail shows what
// the machine does to a call that does nothing, including other work on it.
//
// Why not without pauses: callers who wait only for their answers fill both cores
// whatever the server does. All calls queue then, and the median with them, so that
// a server that stalls now and then looks even. And because callers stop calling
// while it stalls, the calls that would have suffered are never made. At a rate
// that does not depend on the answers both show. -share 1 makes calls without
// pauses.

const (
	// reached is how long calls are made without pauses, to see how many are
	// possible.
	reached = 20 * time.Second
	// steady is the line of the report after which memory must not grow.
	steady = 3
	// mixedLines is the number of lines, at most a minute apart.
	mixedLines = 10
	// followers is how many event streams are open.
	followers = 20

	// helloName is the kind of the calls to the bare answer. They have their own
	// callers, because the others may be waiting.
	helloName = "hello"
	besides   = 4

	// Goals: megabytes, for both engines; growth; and p99 of a read divided by its
	// median.
	idleGoal   = 60.0
	mixedGoal  = 250.0
	growthGoal = 1.05
	tailGoal   = 10.0
)

// mixedCall is a kind of call, and how many of a thousand are of it.
type mixedCall struct {
	name   string
	parts  int
	write  bool
	encode func(s *served, i int, random *rand.Rand) string
}

// mixedCalls are what people at work and their browsers ask for.
var mixedCalls = []mixedCall{
	{name: helloName, parts: 40, encode: func(*served, int, *rand.Rand) string { return "GET /\n" }},
	{"get", 300, false, func(s *served, _ int, random *rand.Rand) string { return get("/requests/%d", s.popular(random)) }},
	{"messages", 150, false, func(s *served, _ int, random *rand.Rand) string {
		return get("/requests/%d?include=messages", s.popular(random))
	}},
	{"newest", 150, false, func(*served, int, *rand.Rand) string { return get("/requests?limit=50") }},
	{"open", 140, false, func(*served, int, *rand.Rand) string { return get("/requests?limit=50&state=open") }},
	{"rare", 60, false, func(s *served, _ int, random *rand.Rand) string {
		return get("/requests/search?limit=50&query=order%d+", random.IntN(len(s.ids)))
	}},
	{"common", 20, false, func(*served, int, *rand.Rand) string { return get("/requests/search?limit=50&query=printer") }},
	{"days", 3, false, func(*served, int, *rand.Rand) string {
		return post("/insights/query", `{"query": {"measures": ["Requests.count"],
			"time_dimensions": [{"dimension": "Requests.created_at", "granularity": "day", "date_range": "from 30 days ago to now"}]}}`)
	}},
	{"months", 2, false, func(*served, int, *rand.Rand) string {
		return post("/insights/query", `{"query": {"measures": ["Requests.first_response_time_p50", "Requests.first_response_time_p95"],
			"time_dimensions": [{"dimension": "Requests.created_at", "granularity": "month"}]}}`)
	}},
	{"update", 75, true, func(s *served, i int, random *rand.Rand) string {
		return withBody("PATCH", fmt.Sprintf("/requests/%d", s.anyOpen(random)), fmt.Sprintf(`{"title": "Title %d"}`, i))
	}},
	{"message", 70, true, func(s *served, i int, random *rand.Rand) string {
		return post(fmt.Sprintf("/requests/%d/message", s.anyOpen(random)), fmt.Sprintf(`{"html_body": "<p>Please try again with number %d.</p>"}`, i))
	}},
	{"create", 30, true, func(s *served, i int, random *rand.Rand) string {
		return post("/requests", fmt.Sprintf(`{"description": "<p>The label printer prints number %d twice since this morning. Can you help?</p>", "requester_email": %q}`,
			i, author(random.IntN(len(s.ids)), len(s.ids))))
	}},
}

// popular returns any request, but every second time one of a tenth that is read
// again and again.
func (s *served) popular(random *rand.Rand) int64 {
	i := random.IntN(len(s.ids))
	if random.IntN(2) == 0 {
		i -= i % 10
	}
	return s.ids[i]
}

// anyOpen returns one of the open requests, see sample.
func (s *served) anyOpen(random *rand.Rand) int64 {
	return s.ids[random.IntN(len(s.ids)/40)*40+random.IntN(2)]
}

// mixed is the load on one server.
type mixed struct {
	s       *served
	hello   string         // the address of the bare answer
	took    [][2]histogram // for each kind: since the last line, and before
	refused atomic.Int64   // told to come again later
	failed  atomic.Int64
	failure atomic.Pointer[error] // one of them
}

// lane is a group of callers with their calls.
type lane struct {
	callers int
	kinds   []int // indexes in mixedCalls
	parts   int   // sum of their shares
	gap     time.Duration

	mu     sync.Mutex // guards the fields below
	random *rand.Rand
	due    time.Time
}

// newLane makes a lane for the calls that which selects. rate is the total rate of
// all lanes; 0 means without pauses.
func newLane(callers int, rate float64, which func(mixedCall) bool) *lane {
	l := &lane{callers: callers, random: rand.New(rand.NewPCG(3, 5)), due: time.Now()}
	whole := 0
	for i, c := range mixedCalls {
		whole += c.parts
		if which(c) {
			l.kinds, l.parts = append(l.kinds, i), l.parts+c.parts
		}
	}
	if rate > 0 {
		l.gap = time.Duration(float64(time.Second) / rate * float64(whole) / float64(l.parts))
	}
	return l
}

// mixedLine is a line of the report.
type mixedLine struct {
	memory, most float64   // resident megabytes: the median, and the most
	rate         float64   // calls a second
	tails        []float64 // for each kind: p99 divided by the median
}

// benchMixed shows the memory and the times of a desk in use.
func benchMixed(ctx context.Context, engines map[sqldb.Engine]string) {
	binary, drop := buildBinary(ctx)
	defer drop()
	bare := startChild(ctx, helloName)
	defer bare.stop()
	fmt.Printf("Mixed load of %d callers for %v on %d requests, with %d streams of events\n", *callers, *duration, *requests, followers)
	for _, engine := range names(engines) {
		mixedOn(ctx, binary, bare.addr, engine, engines[engine])
	}
}

func mixedOn(ctx context.Context, binary, hello string, engine sqldb.Engine, server string) {
	var postgres *postgresServer
	if engine == sqldb.Postgres {
		postgres = findPostgres(server)
	}
	s := startServed(ctx, string(engine), binary, engine, server, postgres)
	defer s.close()
	s.fill(ctx, *requests)
	filled := memoryOf(s.pid, "VmHWM")
	s.stop()
	s.addProfile(ctx)
	s.serve(ctx)
	idle := s.idleMemory(ctx)
	fmt.Printf("  %9s memory: at most %.0f MB when filled; started again and quiet, %.0f MB (goal %.0f: %s)\n", s.name, filled, idle, idleGoal, mark(idle <= idleGoal))
	m := &mixed{s: s, hello: hello, took: make([][2]histogram, len(mixedCalls))}
	m.run(ctx)
}

// addProfile adds the caller to the chat system, because otherwise they may not ask
// for insights. No API call can do that.
func (s *served) addProfile(ctx context.Context) {
	db := must(sqldb.Open(ctx, sqldb.Config{URL: s.url}))
	defer db.Close()
	check(db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.Exec(`INSERT INTO users (account_id, user_id, name, email, email_folded, avatar, deleted, is_bot, revision, created_at, updated_at)
			SELECT id, 'U1', 'Admin', $1, $1, '', FALSE, FALSE, 1, created_at, created_at FROM accounts`, adminEmail)
		return err
	}))
}

// run makes the calls and reports.
func (m *mixed) run(ctx context.Context) {
	following, leave := context.WithCancel(ctx)
	var streams sync.WaitGroup
	defer streams.Wait()
	defer leave()
	m.follow(following, &streams)
	m.showHead()
	together := newLane(*callers, 0, func(c mixedCall) bool { return c.name != helloName })
	all := m.load(ctx, reached, reached, together)
	for i := range m.took {
		m.took[i][1] = histogram{} // otherwise it would include those of this phase
	}
	lanes := []*lane{together}
	if *share < 1 {
		// Each kind has its own callers. Those who write wait for the disk, and
		// would be missing when reads are due.
		rate := all[0].rate * *share
		fmt.Printf("  %9s from here on %.0f calls a second, %.0f%% of those\n", "", rate, 100**share)
		lanes = []*lane{
			newLane(*callers/2, rate, func(c mixedCall) bool { return c.write }),
			newLane(*callers-*callers/2, rate, func(c mixedCall) bool { return !c.write && c.name != helloName }),
			newLane(besides, rate, func(c mixedCall) bool { return c.name == helloName }),
		}
	}
	all = m.load(ctx, *duration, min(time.Minute, *duration/mixedLines), lanes...)
	m.showEnd(all)
	leave()
	streams.Wait()
	fmt.Printf("  %9s quiet again: %.0f MB\n", "", m.s.idleMemory(ctx))
}

// follow opens streams, as browsers do. A stream that ends before ctx has failed.
func (m *mixed) follow(ctx context.Context, streams *sync.WaitGroup) {
	token := m.s.newToken(ctx)
	for range followers {
		lines, leave := m.s.openStream(ctx, token)
		streams.Go(func() {
			defer leave()
			for lines.Scan() {
			}
			if ctx.Err() == nil {
				m.fail(fmt.Errorf("a stream of events ended: %w", lines.Err()))
			}
		})
	}
}

// load makes all callers call for a while, and shows a line now and then.
func (m *mixed) load(ctx context.Context, length, every time.Duration, lanes ...*lane) (all []mixedLine) {
	began := time.Now()
	end := began.Add(length)
	var calling sync.WaitGroup
	defer calling.Wait()
	for _, l := range lanes {
		for range l.callers {
			calling.Go(func() { m.callUntil(ctx, l, end) })
		}
	}
	for at := every; at <= length; at += every {
		l := m.watch(ctx, at, began.Add(at))
		all = append(all, l)
	}
	return all
}

// callUntil makes one call after another.
func (m *mixed) callUntil(ctx context.Context, in *lane, end time.Time) {
	lines := map[string]*line{} // by address
	for {
		kind, call, due := in.turn(m.s)
		if due.After(end) || ctx.Err() != nil {
			break
		}
		if wait := time.Until(due); wait > 0 {
			if err := pause(ctx, wait); err != nil {
				break
			}
			due = time.Now() // a late timer is not the server's fault
		}
		addr := m.s.addr
		if mixedCalls[kind].name == helloName {
			addr = m.hello
		}
		status, err := m.ask(lines, addr, call)
		m.took[kind][0].add(time.Since(due))
		switch {
		case err != nil:
			m.fail(fmt.Errorf("%s: %w", call, err))
		case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
			m.refused.Add(1)
		case status/100 != 2:
			m.fail(fmt.Errorf("%s was answered %d", call, status))
		}
	}
	for _, l := range lines {
		l.close()
	}
}

// ask makes a call over the line to an address, and drops the line if that fails.
func (m *mixed) ask(lines map[string]*line, addr, call string) (status int, err error) {
	l := lines[addr]
	if l == nil {
		if l, err = dial(addr); err != nil {
			return 0, err
		}
		lines[addr] = l
	}
	if status, err = l.ask(encode(addr, m.s.token, call)); err != nil {
		l.close()
		delete(lines, addr)
	}
	return status, err
}

func (m *mixed) fail(err error) {
	m.failed.Add(1)
	m.failure.Store(&err)
}

// turn returns the next call, and when it is to be made. Any free caller takes it.
// If none is free, its time passes, but the call still counts from then on.
func (l *lane) turn(s *served) (kind int, call string, due time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	which, at := l.random.IntN(l.parts), 0
	for which >= mixedCalls[l.kinds[at]].parts {
		which -= mixedCalls[l.kinds[at]].parts
		at++
	}
	kind = l.kinds[at]
	call = mixedCalls[kind].encode(s, int(s.made.Add(1)), l.random)
	if l.gap == 0 {
		return kind, call, time.Now()
	}
	due = l.due
	l.due = due.Add(time.Duration(float64(l.gap) * l.random.ExpFloat64())) // like people who do not know of each other
	return kind, call, due
}

// watch checks the memory each second, and shows a line at the end.
func (m *mixed) watch(ctx context.Context, at time.Duration, end time.Time) (l mixedLine) {
	began, server, database, ours, everything := time.Now(), cpuOf(m.s.pid), m.s.postgres.cpu(), cpuOf(os.Getpid()), busy()
	var memories []float64
	for {
		check(pause(ctx, min(time.Second, time.Until(end))))
		memories = append(memories, memoryOf(m.s.pid, "VmRSS"))
		if !time.Now().Before(end) {
			break
		}
	}
	length := time.Since(began)
	server, database, ours, everything = cpuOf(m.s.pid)-server, m.s.postgres.cpu()-database, cpuOf(os.Getpid())-ours, busy()-everything
	h := m.s.heap(ctx)
	l = mixedLine{memory: median(memories), most: slices.Max(memories)}
	var made int64
	var times strings.Builder
	for i := range m.took {
		recent := &m.took[i][0]
		made += recent.size()
		fmt.Fprintf(&times, " %12s", showTail(recent))
		l.tails = append(l.tails, tail(recent))
		recent.drainInto(&m.took[i][1])
	}
	l.rate = float64(made) / length.Seconds()
	fmt.Printf("  %9v %7.0f %5.0f %9s %7.0f %7d %6d %6.2f %6.2f%s\n", at, l.memory, l.most, h.show(), l.rate, m.refused.Load(), m.failed.Load(),
		cores(server+database, length), cores(everything-server-database-ours, length), times.String())
	return l
}

// tail returns p99 divided by the median, NaN without calls.
func tail(h *histogram) float64 { return float64(h.quantile(0.99)) / float64(h.quantile(0.5)) }

// showTail returns the median and p99, in milliseconds.
func showTail(h *histogram) string {
	ms := func(of float64) float64 { return h.quantile(of).Seconds() * 1000 }
	return fmt.Sprintf("%.2f/%.1f", ms(0.5), ms(0.99))
}

func (m *mixed) showHead() {
	fmt.Printf("  %9s %7s %5s %9s %7s %7s %6s %6s %6s", "", "MB", "most", "heap/goal", "calls/s", "refused", "failed", "CPU", "others")
	for _, c := range mixedCalls {
		fmt.Printf(" %12s", c.name)
	}
	fmt.Println()
}

// showEnd compares the whole run with the goals.
func (m *mixed) showEnd(all []mixedLine) {
	most := 0.0
	for _, l := range all {
		most = max(most, l.most)
	}
	early, late := all[min(steady, len(all))-1].memory, all[len(all)-1].memory
	fmt.Printf("  %9s memory: at most %.0f MB (goal %.0f: %s), %.0f MB in line %d and %.0f in the last, which is %.2f times as much (goal %.2f: %s)\n", m.s.name,
		most, mixedGoal, mark(most <= mixedGoal), early, steady, late, late/early, growthGoal, mark(late <= growthGoal*early))
	for i, c := range mixedCalls {
		h := &m.took[i][1]
		times, text := tail(h), ""
		var each []float64 // their median ignores lines that other work has spoilt
		for _, l := range all {
			if !math.IsNaN(l.tails[i]) {
				each = append(each, l.tails[i])
			}
		}
		if !c.write && c.name != helloName {
			text = fmt.Sprintf(" (goal %.0f: %s)", tailGoal, mark(times <= tailGoal))
		}
		fmt.Printf("  %9s %-8s %8d calls, median and p99 %s ms, p999 %.1f: %.1f times the median%s, %.1f in the median of the lines\n", "",
			c.name, h.size(), showTail(h), h.quantile(0.999).Seconds()*1000, times, text, median(each))
	}
	fmt.Printf("  %9s %d refused (429, 503), %d failed (goal 0: %s)\n", "", m.refused.Load(), m.failed.Load(), mark(m.failed.Load() == 0))
	if err := m.failure.Load(); err != nil {
		fmt.Printf("  %9s one of them: %.300s\n", "", *err)
	}
}
