package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// keptConnection is a connection on which a client sends one call after the other.
type keptConnection struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
}

func keepConnection(t *testing.T, p *process) *keptConnection {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	return &keptConnection{t, conn, bufio.NewReader(conn)}
}

// get makes a call, and reports whether the server keeps the connection.
func (k *keptConnection) get(path, token string) (status int, body string, kept bool) {
	k.t.Helper()
	_, err := fmt.Fprintf(k.conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", path, token)
	must(k.t, err)
	w, err := http.ReadResponse(k.r, nil)
	must(k.t, err)
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	must(k.t, err)
	return w.StatusCode, string(text), !w.Close
}

// After SIGTERM a node goes on answering, says that it is not ready, and asks clients to
// open another connection. The next signal ends the drain, and nothing was cut.
func TestDrainAnswersAndSendsClientsElsewhere(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	token := in.account()
	operations := freeAddr(t)
	mail := freeAddr(t)
	p := in.start("--drain", "1h", "--shutdown-grace", "1h", "--operations-addr", operations, "--mail-domain", "reply.acme.test", "--mail-listen", mail)
	kept, idle := keepConnection(t, p), keepConnection(t, p)
	for _, k := range []*keptConnection{kept, idle} {
		if status, body, kept := k.get("/v1/rest/account", token); status != 200 || !kept {
			t.Fatalf("before the drain: %d %s, kept %t", status, body, kept)
		}
	}
	sender := greeted(t, mail)
	must(t, p.Process.Signal(syscall.SIGTERM))
	await(t, "the drain", func() bool {
		status, _, _ := keepConnection(t, p).get("/readyz", "")
		return status == http.StatusServiceUnavailable
	})

	if status, body, kept := kept.get("/readyz", ""); status != 503 || body != "stopping\n" || kept {
		t.Errorf("/readyz says %d %q, and the connection is kept: %t", status, body, kept)
	}
	if _, err := kept.r.ReadByte(); err != io.EOF {
		t.Errorf("the connection did not end after its answer: %v", err)
	}
	for name, k := range map[string]*keptConnection{"a kept connection": idle, "a new connection": keepConnection(t, p)} {
		if status, body, kept := k.get("/v1/rest/account", token); status != 200 || kept {
			t.Errorf("%s: %d %s, kept %t", name, status, body, kept)
		}
	}
	if w, err := http.Get("http://" + operations + "/readyz"); err != nil || w.StatusCode != 503 {
		t.Errorf("the operations address: %v %v", w, err)
	}
	if said := sender.answer(); !strings.HasPrefix(said, "421 ") {
		t.Errorf("a mail server that waits is told %q", said)
	}
	if said := dialMail(t, mail).answer(); !strings.HasPrefix(said, "421 ") {
		t.Errorf("a new mail server is told %q", said)
	}

	must(t, p.Process.Signal(syscall.SIGTERM))
	if err := p.Wait(); err != nil {
		t.Errorf("stopped with %v:\n%s", err, p.logs)
	}
	if problems := loggedProblems(p.logs.String()); problems != "" {
		t.Error(problems)
	}
}

// mailClient speaks SMTP by hand.
type mailClient struct{ r *bufio.Reader }

func dialMail(t *testing.T, addr string) mailClient {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	return mailClient{bufio.NewReader(conn)}
}

// greeted connects, and reads the greeting.
func greeted(t *testing.T, addr string) mailClient {
	t.Helper()
	c := dialMail(t, addr)
	if said := c.answer(); !strings.HasPrefix(said, "220 ") {
		t.Fatalf("the greeting is %q", said)
	}
	return c
}

func (c mailClient) answer() string {
	line, err := c.r.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return line
}

// How long a server drains unless it is told: a lone one does not.
func TestDrainTime(t *testing.T) {
	t.Parallel()
	hour := time.Hour
	for _, c := range []struct {
		given  *time.Duration
		engine sqldb.Engine
		want   time.Duration
	}{
		{nil, sqldb.SQLite, 0},
		{nil, sqldb.Postgres, nodeDrain},
		{new(time.Duration), sqldb.Postgres, 0},
		{&hour, sqldb.SQLite, hour},
	} {
		if got := (&serverSettings{Drain: c.given}).drainTime(c.engine); got != c.want {
			t.Errorf("%v on %s: %s, want %s", c.given, c.engine, got, c.want)
		}
	}
}

// A second server on a SQLite database is refused. Commands work beside the first one,
// and its lock ends with it, even if it is killed.
func TestASQLiteDatabaseHasOneServer(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	in.account()
	p := in.start()
	for _, command := range []string{"serve", "demo"} {
		_, errs, code := in.run(command, "--addr", freeAddr(t), "--operations-addr=")
		if code != exitFailed || !strings.Contains(errs, "another server uses the data folder "+in.dir) || !strings.Contains(errs, "FRONTDESK_DATABASE_URL") {
			t.Errorf("a second server (%s) ended with %d: %s", command, code, errs)
		}
	}
	for _, args := range [][]string{{"token", "create", "--email", "admin@acme.test", "--scope", "read_only"}, {"jobs", "dead"}, {"audit", "verify"}, {"backup", filepath.Join(t.TempDir(), "copy.db")}} {
		in.mustRun(args...)
	}
	p.Process.Kill()
	p.Wait()
	in.start()
}

// A node with the sandbox says that other nodes cannot use it. A server that is alone
// does not.
func TestTheSandboxBelongsToOneNode(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		p := install(t, url).start("--sandbox")
		await(t, "the code in the log", func() bool { return strings.Contains(p.logs.String(), " code=") })
		p.Process.Signal(syscall.SIGTERM)
		p.Wait()
		if warned := strings.Contains(p.logs.String(), "Other nodes cannot use it"); warned != (sqldb.EngineOf(url) == sqldb.Postgres) {
			t.Errorf("warned: %t\n%s", warned, p.logs)
		}
	})
}

// balancer passes connections on to the nodes that say that they are ready, one after
// the other, as a load balancer does that knows nothing of HTTP.
type balancer struct {
	t    *testing.T
	url  string
	next atomic.Int64

	mu    sync.Mutex
	nodes map[string]*balanced // by address
	order []string
}

type balanced struct {
	ready bool
	open  int // connections that lead there
}

// checkEvery is how often the balancer checks a node.
const checkEvery = 100 * time.Millisecond

func newBalancer(t *testing.T) *balancer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	b := &balancer{t: t, url: "http://" + l.Addr().String(), nodes: map[string]*balanced{}}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { stop(); l.Close(); running.Wait() })
	running.Go(func() {
		for tick := time.NewTicker(checkEvery); ; {
			select {
			case <-tick.C:
				b.check()
			case <-ctx.Done():
				tick.Stop()
				return
			}
		}
	})
	running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { b.pass(client) })
		}
	})
	return b
}

// add adds a node, which gets connections once it is ready.
func (b *balancer) add(p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := strings.TrimPrefix(p.url, "http://")
	b.nodes[at] = &balanced{}
	b.order = append(b.order, at)
}

func (b *balancer) check() {
	b.mu.Lock()
	all := b.order
	b.mu.Unlock()
	for _, at := range all {
		w, err := http.Get("http://" + at + "/readyz")
		if err == nil {
			w.Body.Close()
		}
		b.mu.Lock()
		b.nodes[at].ready = err == nil && w.StatusCode == http.StatusOK
		b.mu.Unlock()
	}
}

// choose returns a node that is ready, or an empty address.
func (b *balancer) choose() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.order {
		at := b.order[int(b.next.Add(1))%len(b.order)]
		if b.nodes[at].ready {
			b.nodes[at].open++
			return at
		}
	}
	return ""
}

func (b *balancer) pass(client net.Conn) {
	defer client.Close()
	at := b.choose()
	if at == "" {
		return
	}
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.nodes[at].open--
	}()
	node, err := net.Dial("tcp", at)
	if err != nil {
		return // the client finds out that nobody answers
	}
	defer node.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(node, client)
		node.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(client, node)
	client.Close()
	<-ended
}

// leftAlone reports whether the balancer has noticed that a node is not ready, and no
// connection leads there any more, except so many streams.
func (b *balancer) leftAlone(p *process, streams int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.nodes[strings.TrimPrefix(p.url, "http://")]
	return !n.ready && n.open <= streams
}

func (b *balancer) ready() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, node := range b.nodes {
		if node.ready {
			n++
		}
	}
	return n
}

// Each of three nodes is replaced while callers call through a load balancer. No call is
// refused or cut, and a follower of the feed misses nothing.
func TestRollingUpgradeRefusesNothing(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.Postgres))
	token := in.account()
	// Nodes share the key, not the folder.
	node := func() *process {
		n := *in
		n.dir = t.TempDir()
		n.env = append(append([]string{}, in.env...), "FRONTDESK_KEY_FILE="+filepath.Join(in.dir, "key"), "FRONTDESK_DATA="+n.dir)
		return n.start("--drain", "1h", "--shutdown-grace", "1h", "--url", "https://desk.acme.test")
	}
	b := newBalancer(t)
	nodes := []*process{node(), node(), node()}
	for _, p := range nodes {
		b.add(p)
	}
	await(t, "three nodes that are ready", func() bool { return b.ready() == 3 })

	w := &upgradeWorld{t: t, url: b.url, token: token, seen: map[string]int{}}
	ctx, stop := context.WithCancel(t.Context())
	var callers, follower sync.WaitGroup
	follower.Go(func() { w.follow(ctx) })
	await(t, "a stream", func() bool { return w.following.Load() })
	calling, enough := context.WithCancel(ctx)
	for n := range 6 {
		callers.Go(func() { w.call(calling, n) })
	}
	for i, old := range nodes {
		w.await(20)
		must(t, old.Process.Signal(syscall.SIGTERM))
		await(t, "the balancer to leave the node alone", func() bool { return b.leftAlone(old, 1) })
		must(t, old.Process.Signal(syscall.SIGTERM))
		if err := old.Wait(); err != nil {
			t.Errorf("node %d stopped with %v:\n%s", i, err, old.logs)
		}
		b.add(node())
		await(t, "the new node", func() bool { return b.ready() == 3 })
	}
	w.await(20)
	enough()
	callers.Wait()
	await(t, "the follower", func() bool { return w.missing() == 0 })
	stop()
	follower.Wait()
	w.check()
}

// upgradeWorld is what callers and a follower know.
type upgradeWorld struct {
	t         *testing.T
	url       string
	token     string
	answers   atomic.Int64
	following atomic.Bool

	mu     sync.Mutex
	failed []string
	made   []string       // events that were acknowledged, by the email of their member
	seen   map[string]int // how often the follower has seen each
	began  int            // streams
}

// await waits for n more answers.
func (w *upgradeWorld) await(n int64) {
	w.t.Helper()
	until := w.answers.Load() + n
	await(w.t, "more answers", func() bool { return w.answers.Load() >= until })
}

// call makes calls until ctx ends, on a connection that it keeps if it may. Every second
// one creates a member.
func (w *upgradeWorld) call(ctx context.Context, caller int) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for n := 0; ctx.Err() == nil; n++ {
		c, want := call{method: "GET", path: "/account", token: w.token}, http.StatusOK
		email := fmt.Sprintf("caller-%d-%d@acme.test", caller, n)
		if n%2 == 1 {
			c, want = call{method: "POST", path: "/members", token: w.token, body: map[string]string{"email": email}}, http.StatusCreated
		}
		status, body, _, err := c.do(context.WithoutCancel(ctx), client, w.url)
		w.mu.Lock()
		if err != nil || status != want {
			w.failed = append(w.failed, fmt.Sprintf("%s %s: %d %.200s %v", c.method, c.path, status, body, err))
		} else if n%2 == 1 {
			w.made = append(w.made, email)
		}
		w.mu.Unlock()
		w.answers.Add(1)
	}
}

// follow follows the feed until ctx ends. When a stream ends, it begins another where
// the last one was.
func (w *upgradeWorld) follow(ctx context.Context) {
	last := ""
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, "GET", w.url+"/v1/rest/events/stream", nil)
		if err != nil {
			w.t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer "+w.token)
		if last != "" {
			req.Header.Set("Last-Event-ID", last)
		}
		r, err := http.DefaultClient.Do(req)
		if err == nil && r.StatusCode == http.StatusOK {
			w.mu.Lock()
			w.began++
			w.mu.Unlock()
			for lines := bufio.NewScanner(r.Body); lines.Scan(); {
				line := lines.Text()
				if id, ok := strings.CutPrefix(line, "id: "); ok {
					last = id
					w.following.Store(true)
				}
				if _, email, ok := strings.Cut(line, `"email":"`); ok && strings.HasPrefix(line, "data: ") {
					email, _, _ = strings.Cut(email, `"`)
					w.mu.Lock()
					w.seen[email]++
					w.mu.Unlock()
				}
			}
		} else if !errors.Is(err, context.Canceled) {
			w.t.Errorf("the stream was refused: %v %v", r, err)
		}
		if err == nil {
			r.Body.Close()
		}
	}
}

func (w *upgradeWorld) missing() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, email := range w.made {
		if w.seen[email] == 0 {
			n++
		}
	}
	return n
}

func (w *upgradeWorld) check() {
	w.t.Helper()
	if len(w.failed) > 0 {
		w.t.Errorf("%d of %d calls were refused or cut, such as %s", len(w.failed), w.answers.Load(), w.failed[0])
	}
	for email, times := range w.seen {
		if times != 1 {
			w.t.Errorf("the follower has seen %s %d times", email, times)
		}
	}
	if len(w.made) < 20 || w.began < 2 {
		w.t.Errorf("only %d members and %d streams", len(w.made), w.began)
	}
	w.t.Logf("%d calls, none refused or cut; %d members, seen once each on %d streams", w.answers.Load(), len(w.made), w.began)
}
