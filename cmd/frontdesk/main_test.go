package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
)

// beFrontdesk makes the test binary behave as the command. Tests can then run the
// command in its own process without building it again.
const beFrontdesk = "FRONTDESK_TEST_BE_FRONTDESK"

func TestMain(m *testing.M) {
	if os.Getenv(beFrontdesk) != "" {
		main()
	}
	os.Exit(m.Run())
}

// installation is a data folder and a database, and runs commands on them.
type installation struct {
	t     testing.TB
	dir   string
	env   []string
	stdin string // for commands that run to their end
	umask string // empty means the test's own
}

// install prepares an installation on the database at url.
func install(t testing.TB, url string) *installation {
	i := &installation{t: t, dir: t.TempDir()}
	if sqldb.EngineOf(url) == sqldb.SQLite {
		i.dir = filepath.Dir(url)
	} else {
		i.env = append(i.env, "FRONTDESK_DATABASE_URL="+url)
	}
	i.env = append(i.env, "FRONTDESK_DATA="+i.dir)
	return i
}

func (i *installation) command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		i.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	for _, v := range os.Environ() { // a developer's own settings must not reach the test
		if !strings.HasPrefix(v, "FRONTDESK_") && !strings.HasPrefix(v, "OTEL_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(append(cmd.Env, beFrontdesk+"=1"), i.env...)
	cmd.Dir = i.dir
	if i.umask != "" {
		cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", "umask " + i.umask + `; exec "$0" "$@"`}, cmd.Args...)
	}
	return cmd
}

// run runs a command to its end.
func (i *installation) run(args ...string) (stdout, stderr string, code int) {
	i.t.Helper()
	cmd := i.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(i.stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		i.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// mustRun runs a command that must succeed and returns what it printed.
func (i *installation) mustRun(args ...string) string {
	i.t.Helper()
	out, errs, code := i.run(args...)
	if code != 0 {
		i.t.Fatalf("frontdesk %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// account creates an account and returns a token of its admin.
func (i *installation) account() (token string) {
	i.mustRun("account", "create", "--name", "Acme", "--email", "admin@acme.test")
	return strings.TrimSpace(i.mustRun("token", "create", "--email", "admin@acme.test", "--scope", "read_write"))
}

// process is a running server.
type process struct {
	*exec.Cmd
	url  string
	logs *logs
}

// logs collects the output of a running process.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start starts a server and waits until it is ready.
func (i *installation) start(args ...string) *process {
	i.t.Helper()
	return i.startAt(freeAddr(i.t), args...)
}

// startAt is start at a given address.
func (i *installation) startAt(addr string, args ...string) *process {
	i.t.Helper()
	p := &process{url: "http://" + addr, logs: &logs{}}
	p.Cmd = i.command(append([]string{"serve", "--addr", addr, "--operations-addr=", "--rate-limit=0", "--drain=0s"}, args...)...)
	p.Stdout, p.Stderr = p.logs, p.logs
	if err := p.Start(); err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	p.awaitReady(i.t)
	return p
}

func (p *process) awaitReady(t testing.TB) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for time.Now().Before(deadline) {
		if r, err := http.Get(p.url + "/readyz"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(2 * time.Millisecond) // polls another process
	}
	t.Fatalf("the server is not ready:\n%s", p.logs)
}

// freeAddr returns an address that nobody else uses or gets. The kernel does not hand out ports of this range. Otherwise
// another server or connection could take the port before the process that is told to use it.
func freeAddr(t testing.TB) string {
	t.Helper()
	const first, ports = 10000, 10000 // with-postgres uses higher ports
	for range ports {
		n := os.Getpid()*97 + int(portsTaken.Add(1)) // processes that run at the same time begin at different ports
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+n%ports))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

var portsTaken atomic.Uint32

// call is a call to the API.
type call struct {
	method, path, token, key string
	body                     any
}

// do makes the call. If the server dies during the call, it returns an error.
func (c call) do(ctx context.Context, client *http.Client, url string) (status int, body []byte, header http.Header, err error) {
	var in io.Reader
	if c.body != nil {
		b, err := json.Marshal(c.body)
		if err != nil {
			return 0, nil, nil, err
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, c.method, url+"/v1/rest"+c.path, in)
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Idempotency-Key", c.key)
		// Go's client retries a call with this header when the connection breaks.
		// The test wants to retry it itself.
		req.GetBody = nil
	}
	r, err := client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer r.Body.Close()
	body, err = io.ReadAll(r.Body)
	return r.StatusCode, body, r.Header, err
}

// get reads a path of the API into v.
func (p *process) get(t testing.TB, token, path string, v any) {
	t.Helper()
	status, body, _, err := call{method: "GET", path: path, token: token}.do(t.Context(), http.DefaultClient, p.url)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%d %s", status, body)
	}
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
}

// shell runs lines as if a person had pasted them.
func shell(t testing.TB, lines string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", lines).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
