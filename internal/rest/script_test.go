package rest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// script is a plain text file in testdata/scripts. It shows a behaviour of the API
// as requests and their exact replies. README.md in that folder explains the
// format.
type script struct {
	name  string
	rules []string // ids of docs/rules.md that it proves
	rate  scriptRate
	steps []scriptStep
}

// scriptStep is one exchange, with what happens before it.
type scriptStep struct {
	caption string
	line    int // in the file, from 1
	before  []string
	repeat  int

	method, target string
	header         [][2]string
	body           string
	wrong          bool
	as             string

	status int
	reply  [][2]string // the headers to check
	want   string      // the body
}

const scriptFolder = "testdata/scripts"

func readScripts(t testing.TB) []script {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(scriptFolder, "*.txt"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts in %s (%v)", scriptFolder, err)
	}
	var all []script
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseScript(string(text))
		if err != nil {
			t.Errorf("%s:%v", name, err)
			continue
		}
		s.name = strings.TrimSuffix(filepath.Base(name), ".txt")
		all = append(all, s)
	}
	return all
}

// TestScripts runs every script on both engines.
func TestScripts(t *testing.T) {
	scripts := readScripts(t)
	var mu sync.Mutex
	ran := map[string]int{}
	exchanges := 0
	audit := &auditing{traced: map[desk.Operation]int{}, silent: map[string]bool{}}
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		ran[t.Name()] = 0
		for _, s := range scripts {
			engine := t.Name()
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				n := s.play(t, db, audit)
				mu.Lock()
				defer mu.Unlock()
				ran[engine]++
				exchanges += n
			})
		}
	})
	// A script that ended early, or an engine that was skipped, proves nothing.
	if picked := flag.Lookup("test.run").Value.String(); strings.Contains(picked, "/") {
		return
	}
	if untold := audit.untold(); len(untold) > 0 && !t.Failed() {
		t.Errorf("no script has the audit log tell of %s", strings.Join(untold, ", "))
	}
	for engine, n := range ran {
		if n != len(scripts) && !t.Failed() {
			t.Errorf("%s ran %d of %d scripts", engine, n, len(scripts))
		}
	}
	if len(ran) != 2 && os.Getenv("CI") != "" {
		t.Errorf("ran on %v, not on both engines", slices.Collect(maps.Keys(ran)))
	}
	t.Logf("%d scripts, %d exchanges", len(scripts), exchanges)
}

// play runs the script on its own stage and returns the number of exchanges.
func (s script) play(t *testing.T, db *sqldb.DB, audit *auditing) (exchanges int) {
	st := newStage(t, db, s.rate)
	caption := ""
	st.client.Transport = watchAudit(t, st, audit, func() string { return s.name + ": " + caption }, checkContract(t, st.client.Transport))
	vars := maps.Clone(st.ids)
	for _, step := range s.steps {
		caption = step.caption
		for _, line := range step.before {
			if err := st.direct(line, vars); err != nil {
				t.Fatalf("%s.txt:%d: %s: %v", s.name, step.line, line, err)
			}
		}
		for n := range step.repeat {
			vars["n"] = strconv.Itoa(n + 1)
			exchanges++
			if problems := step.run(st, vars); len(problems) > 0 {
				t.Errorf("%s.txt:%d: %s\n%s", s.name, step.line, step.caption, strings.Join(problems, "\n"))
			}
			if t.Failed() {
				t.Fatalf("%s.txt:%d: stopped at %s", s.name, step.line, step.caption)
			}
		}
	}
	return exchanges
}

// direct does what a line before a request says.
func (s *stage) direct(line string, vars map[string]string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "mail":
		text, err := expand(rest, vars)
		if err != nil {
			return err
		}
		return s.receiveMail(text)
	case line == "tells":
		return s.tells()
	case strings.HasPrefix(line, "mailed\n"):
		return s.checkSent(strings.TrimPrefix(line, "mailed\n"), vars)
	case line == "nothing mailed":
		return s.checkSent("", vars)
	case word == "relay":
		return s.relay.setAnswer(rest)
	case word == "clock" && strings.HasPrefix(rest, "+"):
		d, err := time.ParseDuration(rest[1:])
		s.setClock(s.clock().Add(d))
		return err
	case word == "clock":
		to, err := time.Parse(time.RFC3339, rest)
		s.setClock(to)
		return err
	case word == "wait": // the rate limit has its own clock
		d, err := time.ParseDuration(rest)
		time.Sleep(d)
		return err
	case line == "number events":
		return s.numberEvents()
	case line == "note use":
		s.noteUse()
		return nil
	case word == "hold":
		return s.holdKey(rest)
	case word == "joins":
		return s.join(rest)
	case word == "guest":
		return s.makeGuest(rest)
	case word == "gone":
		return s.lose(rest)
	case word == "sends":
		return s.send(strings.Fields(rest))
	case word == "says", word == "reacts", word == "answers", word == "unsays":
		return s.hear(word, rest)
	}
	return errors.New("not a directive")
}

// run makes the exchange and returns what differs from the expected reply.
func (step scriptStep) run(st *stage, vars map[string]string) []string {
	r, err := step.request(st, vars)
	if err != nil {
		return []string{err.Error()}
	}
	w, body, err := step.send(st, r)
	if err != nil {
		return []string{err.Error()}
	}
	var p []string
	if w.StatusCode != step.status {
		p = append(p, fmt.Sprintf("status %d, want %d", w.StatusCode, step.status))
	}
	p = append(p, step.replyHeaders(w.Header, vars)...)
	p = append(p, alwaysHeaders(w)...)
	switch kind := step.replyKind(); {
	case step.method == http.MethodHead:
		p = append(p, matchBody("", body, vars)...)
	case kind != "application/json":
		p = append(p, matchPlain(step.want, body, vars)...)
	default:
		if got := w.Header.Get("Content-Type"); body != "" && got != kind {
			p = append(p, fmt.Sprintf("Content-Type is %q", got))
		}
		p = append(p, matchBody(step.want, body, vars)...)
	}
	if len(p) > 0 {
		p = append(p, "got:", strconv.Itoa(w.StatusCode), body)
	}
	return p
}

// send makes the call and reads the reply completely. A stream has no end, so it
// reads as many lines as are expected.
func (step scriptStep) send(st *stage, r *http.Request) (*http.Response, string, error) {
	if r.Method == http.MethodGet && step.replyKind() == "text/event-stream" {
		return st.listen(r, strings.Count(step.want, "\n")+1)
	}
	return st.do(r)
}

// replyKind returns the expected Content-Type of the reply.
func (step scriptStep) replyKind() string {
	for _, h := range step.reply {
		if h[0] == "Content-Type" {
			return h[1]
		}
	}
	return "application/json"
}

func (step scriptStep) request(st *stage, vars map[string]string) (*http.Request, error) {
	target, err := expand(step.target, vars)
	if err != nil {
		return nil, err
	}
	body, err := expand(step.body, vars)
	if err != nil {
		return nil, err
	}
	if body, err = fill(body); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(context.Background(), step.method, st.server.URL+target, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if step.as != "nobody" {
		caller, ok := st.callers[step.as]
		if !ok {
			return nil, fmt.Errorf("nobody is called %q", step.as)
		}
		r.Header.Set("Authorization", "Bearer "+caller.secret)
	}
	seen := map[string]bool{}
	for _, h := range step.header {
		value, err := expand(h[1], vars)
		if err != nil {
			return nil, err
		}
		switch {
		case h[0] == "Transfer-Encoding":
			r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(body)) // sent in chunks
		case value == "(none)":
			r.Header.Del(h[0])
		case seen[h[0]]:
			r.Header.Add(h[0], value)
		default:
			r.Header.Set(h[0], value)
		}
		seen[h[0]] = true
	}
	if step.wrong {
		r = wrongRequest(r)
	}
	return r, nil
}

// replyHeaders checks the headers that the step names. A header that is "(none)"
// must be missing.
func (step scriptStep) replyHeaders(got http.Header, vars map[string]string) (p []string) {
	for _, h := range step.reply {
		name, want := h[0], h[1]
		has := got.Values(name)
		switch {
		case want == "(none)" && len(has) == 0:
		case want == "(none)":
			p = append(p, fmt.Sprintf("header %s is %q, want none", name, has))
		case len(has) != 1:
			p = append(p, fmt.Sprintf("header %s is %q, want %s", name, has, want))
		default:
			if problem := matchText(want, has[0], vars); problem != "" {
				p = append(p, "header "+name+": "+problem)
			}
		}
	}
	return p
}

// alwaysHeaders checks what applies to every response of the API.
func alwaysHeaders(w *http.Response) (p []string) {
	if id := w.Header.Get("X-Request-Id"); !requestIDShape.MatchString(id) {
		p = append(p, fmt.Sprintf("X-Request-Id is %q", id))
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if got := w.Header.Get(name); got != want {
			p = append(p, fmt.Sprintf("%s is %q, want %q", name, got, want))
		}
	}
	return p
}
