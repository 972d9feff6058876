package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const (
	// adminEmail is the caller's.
	adminEmail = "admin@acme.test"
	// imported is how many requests one call imports, which is the maximum.
	imported = 50
	// soon is how far ahead jobs are waited for at the end of a round. Work that
	// follows a call counts even if it was delayed for a while.
	soon = 10 * time.Second
	// still is how long a quiet server must have used hardly any CPU. Its work at
	// rest comes far less often.
	still  = 10 * time.Millisecond
	hardly = 100 * time.Microsecond
	// patience is how long a server may take to become quiet.
	patience = time.Hour
	// untilMerge is a bit more than the time after which a server at rest merges its
	// search index.
	untilMerge = 3 * time.Second
	// restTime is how long a server is watched at rest.
	restTime = 3 * time.Second
	// idleTime is how long nobody has called a server whose memory at rest is looked
	// at. A server notices ten quiet seconds and then gives memory back.
	idleTime = 20 * time.Second
)

// served is a server whose calls are measured. It is the real binary, so that
// nothing is left out, and may be of any revision. It is filled over HTTP for the
// same reason: the requests have everything that follows from them, audit log
// included.
//
// One without a database is the bare answer that others are compared with.
type served struct {
	name     string // its name in the report
	binary   string
	cmd      *exec.Cmd
	env      []string
	pid      int
	addr     string
	metrics  string // the address of its metrics
	url      string // of its database
	token    string
	look     *sql.Conn // reads its database, at no cost to the server
	postgres *postgresServer
	drop     []func()

	ids  []int64      // ids of the requests, in the order of their samples
	deep string       // a cursor after nine tenths of the list
	made atomic.Int64 // calls made, so that no two are the same
	idle usage        // use at rest, per second
}

// usage is what a server used for something.
type usage struct {
	cpu      float64                // ms of the server's own CPU
	postgres float64                // ms of PostgreSQL's
	counts   [len(counters)]float64 // NaN if the revision does not count
	answered float64                // seconds until the last answer
	behind   float64                // seconds from then until it was quiet
}

// counters are the metrics that are shown per call.
var counters = [...]string{"frontdesk_db_statements_total", "frontdesk_db_transactions_total", "frontdesk_jobs_worked_total"}

// startServed starts a binary on an empty database.
func startServed(ctx context.Context, name, binary string, engine sqldb.Engine, server string, postgres *postgresServer) (s *served) {
	s = &served{name: name, binary: binary, postgres: postgres}
	started := false
	defer func() {
		if !started {
			s.close() // nobody else will
		}
	}()
	url, drop := freshURL(engine, server)
	s.url, s.drop = url, append(s.drop, drop)
	folder := filepath.Dir(url)
	if engine == sqldb.Postgres {
		folder = must(os.MkdirTemp("", "frontdesk-bench-"))
		s.drop = append(s.drop, func() { os.RemoveAll(folder) })
		s.env = append(s.env, "FRONTDESK_DATABASE_URL="+url)
	}
	s.addr, s.metrics = freeAddr(), freeAddr()
	// Use a public address elsewhere, because otherwise a chat system would be
	// offered.
	s.env = append(os.Environ(), append(s.env, "FRONTDESK_DATA="+folder, "FRONTDESK_ADDR="+s.addr, "FRONTDESK_OPERATIONS_ADDR="+s.metrics,
		"FRONTDESK_URL=http://desk.example", "FRONTDESK_RATE_LIMIT=0", "FRONTDESK_LOG_LEVEL=error")...)
	s.command(ctx, "account", "create", "--name", "Bench", "--email", adminEmail)
	s.token = s.newToken(ctx)
	s.serve(ctx)
	s.openLook(ctx, engine, url)
	started = true
	return s
}

// freeAddr returns an address that nobody listens on.
func freeAddr() string {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	check(l.Close())
	return l.Addr().String()
}

// command runs a command of the binary and returns its output.
func (s *served) command(ctx context.Context, args ...string) string {
	cmd := exec.CommandContext(ctx, s.binary, args...)
	cmd.Env, cmd.Stderr = s.env, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		check(fmt.Errorf("frontdesk %s: %w", strings.Join(args, " "), err))
	}
	return strings.TrimSpace(string(out))
}

func (s *served) newToken(ctx context.Context) string {
	return s.command(ctx, "token", "create", "--email", adminEmail, "--scope", "read_write")
}

// serve starts the server and waits until it answers.
func (s *served) serve(ctx context.Context) {
	s.cmd = exec.CommandContext(ctx, s.binary, "serve")
	s.cmd.Env, s.cmd.Stderr = s.env, os.Stderr
	check(s.cmd.Start())
	s.pid = s.cmd.Process.Pid
	for range 2000 {
		if r, err := http.Get("http://" + s.addr + "/healthz"); err == nil {
			check(r.Body.Close())
			return
		}
		check(pause(ctx, 10*time.Millisecond))
	}
	check(fmt.Errorf("%s does not answer", s.binary))
}

// openLook opens the connection that reads the database.
func (s *served) openLook(ctx context.Context, engine sqldb.Engine, url string) {
	driver, source := "sqlite", "file:"+url+"?mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(5000)"
	if engine == sqldb.Postgres {
		driver, source = "pgx", url
	}
	db := must(sql.Open(driver, source))
	s.drop = append(s.drop, func() { db.Close() })
	s.look = must(db.Conn(ctx))
	if engine == sqldb.Postgres {
		var pid int
		check(s.look.QueryRowContext(ctx, "SELECT pg_backend_pid()").Scan(&pid))
		s.postgres.ours[pid] = true
	}
}

// stop ends the server; serve starts it again.
func (s *served) stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(os.Interrupt)
		_ = s.cmd.Wait()
	}
}

func (s *served) close() {
	s.stop()
	if s.look != nil {
		s.look.Close()
	}
	for i := len(s.drop) - 1; i >= 0; i-- {
		s.drop[i]()
	}
}

// pause sleeps, unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// during returns what the server uses from before fn until it is quiet again, minus
// what it would have used at rest, because calls made alone mostly wait.
func (s *served) during(ctx context.Context, fn func()) (u usage) {
	// Reading the counts costs something, so it stays outside the measurement.
	before := s.counts(ctx)
	began, cpu, postgres := time.Now(), cpuOf(s.pid), s.postgres.cpu()
	fn()
	u.answered = time.Since(began).Seconds()
	s.quiet(ctx, soon)
	seconds := time.Since(began).Seconds()
	u.behind = seconds - u.answered
	u.cpu = (cpuOf(s.pid)-cpu).Seconds()*1000 - s.idle.cpu*seconds
	u.postgres = (s.postgres.cpu()-postgres).Seconds()*1000 - s.idle.postgres*seconds
	after := s.counts(ctx)
	for i := range u.counts {
		u.counts[i] = after[i] - before[i] - s.idle.counts[i]*seconds
	}
	return u
}

// each returns the share of one call of n.
func (u usage) each(n int) usage {
	u.cpu, u.postgres = u.cpu/float64(n), u.postgres/float64(n)
	for i := range u.counts {
		u.counts[i] /= float64(n)
	}
	return u
}

// measureIdle measures what the server uses when nobody calls it.
func (s *served) measureIdle(ctx context.Context) {
	s.idle = usage{}
	u := s.during(ctx, func() { check(pause(ctx, restTime)) })
	seconds := u.answered + u.behind
	s.idle = usage{cpu: u.cpu / seconds, postgres: u.postgres / seconds}
	for i := range u.counts {
		s.idle.counts[i] = u.counts[i] / seconds
	}
}

// counts reads the counters.
func (s *served) counts(ctx context.Context) (values [len(counters)]float64) {
	var text []byte
	if s.metrics != "" {
		text = must(fetch(ctx, "GET", "http://"+s.metrics+"/metrics", "", ""))
	}
	for i, name := range counters {
		values[i] = metric(text, name)
	}
	return values
}

// heap reads the server's own numbers about its memory.
func (s *served) heap(ctx context.Context) heap {
	text := must(fetch(ctx, "GET", "http://"+s.metrics+"/metrics", "", ""))
	return heap{metric(text, "go_memstats_heap_inuse_bytes") / 1e6, metric(text, "go_memstats_next_gc_bytes") / 1e6}
}

// metric returns NaN if there is no metric of that name.
func metric(text []byte, name string) float64 {
	if m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text); m != nil {
		if value, err := strconv.ParseFloat(string(m[1]), 64); err == nil {
			return value
		}
	}
	return math.NaN()
}

// unfinished counts what is left to do, from the database: events without a number,
// jobs, and the search index. It is empty if there is nothing.
const unfinished = `/* every account: the bench has one */
	SELECT 'events without a number' WHERE EXISTS (SELECT 1 FROM events WHERE seq IS NULL)
	UNION ALL SELECT 'an audit log without a number' WHERE EXISTS (SELECT 1 FROM audit_logs WHERE seq IS NULL)
	UNION ALL SELECT 'a search index that is behind' WHERE EXISTS (
		SELECT 1 FROM sequences s LEFT JOIN search_progress p ON p.account_id = s.account_id
		WHERE p.account_id IS NULL OR p.walk_id IS NOT NULL OR p.seq < s.event_seq)
	UNION ALL SELECT * FROM (SELECT 'a job ' || kind FROM jobs WHERE dead_at IS NULL AND (length(owner) > 0 OR run_at <= $1) ORDER BY run_at, id LIMIT 1) j
	LIMIT 1`

// quiet waits until the server has nothing left to do. The database must show no
// work that is due by then. And the process must have used hardly any CPU for a
// while, in case it has work that no table shows.
func (s *served) quiet(ctx context.Context, ahead time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	left := "its CPU"
	for look := 500 * time.Microsecond; ; look = min(look*5/4, 20*time.Millisecond) {
		err := sql.ErrNoRows
		if s.look != nil {
			err = s.look.QueryRowContext(ctx, unfinished, time.Now().Add(ahead).UnixMilli()).Scan(&left)
		}
		wait, before := look, cpuOf(s.pid)
		if errors.Is(err, sql.ErrNoRows) {
			err, wait = nil, still
		}
		if err == nil {
			err = pause(ctx, wait)
		}
		if err != nil {
			check(fmt.Errorf("waiting for the server to be quiet, last for %s: %w", left, err))
		}
		if wait == still && cpuOf(s.pid)-before < hardly {
			return
		}
	}
}

// idleMemory returns the megabytes that a server holds once it is quiet and nobody
// has called it for a while.
func (s *served) idleMemory(ctx context.Context) float64 {
	s.quiet(ctx, soon)
	check(pause(ctx, idleTime))
	return memoryOf(s.pid, "VmRSS")
}

// fill imports n requests and reports what that took.
func (s *served) fill(ctx context.Context, n int) {
	must(s.send(ctx, post("/collections", `{"name": "API", "kind": "api"}`)))
	s.ids = make([]int64, n)
	used := s.during(ctx, func() {
		var next atomic.Int64
		inParallel(4, func(_ int, going func() bool) error {
			for going() {
				first := int(next.Add(imported)) - imported
				if first >= n {
					break
				}
				if err := s.importSome(ctx, first, min(imported, n-first)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if s.postgres != nil {
		// As PostgreSQL does by itself within minutes, but not in the middle of a
		// round.
		for _, statement := range []string{"VACUUM ANALYZE", "CHECKPOINT"} {
			must(s.look.ExecContext(ctx, statement))
		}
	}
	goal := 2 * float64(n) / 10_000
	fmt.Printf("  %9s %s for each of %d requests imported in %.1f s, and %.1f s of work behind them (goal %.2f: %s)\n",
		s.name, used.each(n).show(), n, used.answered, used.behind, goal, mark(used.behind <= goal))
	check(pause(ctx, untilMerge))
	s.quiet(ctx, 0)
	s.deep = s.deepCursor(ctx, n)
}

// importSome imports samples and keeps their ids.
func (s *served) importSome(ctx context.Context, first, n int) error {
	answer, err := s.send(ctx, importCall(first, n, len(s.ids)))
	if err != nil {
		return err
	}
	var made struct {
		Requests []struct {
			ID int64 `json:"id"`
		} `json:"requests"`
	}
	if err := json.Unmarshal(answer, &made); err != nil || len(made.Requests) != n {
		return fmt.Errorf("%d requests were imported, not %d: %w", len(made.Requests), n, err)
	}
	for i, r := range made.Requests {
		s.ids[first+i] = r.ID
	}
	return nil
}

// importCall returns a call that imports samples, for a desk with of requests.
func importCall(first, n, of int) string {
	type person struct {
		Name  string `json:"name"`
		Email string `json:"email"`
	}
	type message struct {
		HTML      string    `json:"html_body"`
		Author    person    `json:"author"`
		Responder bool      `json:"is_responder"`
		CreatedAt time.Time `json:"created_at"`
	}
	type request struct {
		Title     string        `json:"title"`
		State     desk.State    `json:"state"`
		Priority  desk.Priority `json:"priority"`
		Requester person        `json:"requester"`
		CreatedAt time.Time     `json:"created_at"`
		Messages  []message     `json:"messages"`
	}
	began := time.Now().UTC().Truncate(time.Second).Add(-time.Duration(of) * 10 * time.Minute)
	all := make([]request, n)
	for j := range all {
		i := first + j
		r := sample(desk.Collection{}, i, of, began.Add(time.Duration(i%of)*10*time.Minute))
		all[j] = request{r.Title, *r.State, r.Priority, person{r.Author.Name, r.Author.Email}, r.CreatedAt, nil}
		for _, m := range talk(r, i) {
			all[j].Messages = append(all[j].Messages, message{m.HTML, person{m.Author.Name, m.Author.Email}, m.Responder, m.CreatedAt})
		}
	}
	body, _ := json.Marshal(map[string]any{"requests": all}) // cannot fail
	return post("/requests/batch", string(body))
}

// deepCursor returns the cursor after nine tenths of the list.
func (s *served) deepCursor(ctx context.Context, n int) string {
	before := time.Now().Add(-time.Duration(n) * 9 * time.Minute).UTC().Format(time.RFC3339)
	body := must(s.send(ctx, get("/requests?limit=1&before=%s", before)))
	var page struct {
		Metadata struct {
			Next string `json:"next_cursor"`
		} `json:"response_metadata"`
	}
	if err := json.Unmarshal(body, &page); err != nil || page.Metadata.Next == "" {
		check(fmt.Errorf("no cursor in %.200s: %w", body, err))
	}
	// It was made with a bound that the calls do not have, but the cursor does not
	// include the bound.
	return page.Metadata.Next
}

// send makes a call and reads its answer, with a client whose cost does not matter.
func (s *served) send(ctx context.Context, call string) ([]byte, error) {
	line, body, _ := strings.Cut(call, "\n")
	method, path, _ := strings.Cut(line, " ")
	return fetch(ctx, method, "http://"+s.addr+path, s.token, body)
}

func fetch(ctx context.Context, method, url, token, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s answered %s: %.300s", method, url, answer.Status, text)
	}
	return text, err
}
