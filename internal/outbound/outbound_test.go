package outbound

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestDo(t *testing.T) {
	var got *http.Request
	var body []byte
	w := newWorld(t, Config{UserAgent: "Frontdesk/1.2"}, func(rw http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		http.SetCookie(rw, &http.Cookie{Name: "a", Value: "b", Path: "/"})
		rw.Header().Set("Retry-After", "7")
		rw.WriteHeader(http.StatusTeapot)
		io.WriteString(rw, "short and stout")
	})
	for range 2 { // the second time there could be a cookie
		req, err := http.NewRequest(http.MethodPost, w.at("EXAMPLE.com", "/hook?a=b"), strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Webhook-Id", "1")
		a, err := w.Do(t.Context(), req, 100)
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != http.StatusTeapot || a.Header.Get("Retry-After") != "7" || string(a.Body) != "short and stout" || a.Cut {
			t.Errorf("got %+v", a)
		}
		if got.Method != http.MethodPost || got.RequestURI != "/hook?a=b" || got.Host != strings.TrimPrefix(w.at(host, ""), "https://") || string(body) != "hello" || got.ProtoMajor != 2 {
			t.Errorf("sent %s %s %s to %s: %q", got.Method, got.RequestURI, got.Proto, got.Host, body)
		}
		want := []string{"Content-Length", "User-Agent", "Webhook-Id"}
		var sent []string
		for name := range got.Header {
			sent = append(sent, name)
		}
		if slices.Sort(sent); !slices.Equal(sent, want) || got.UserAgent() != "Frontdesk/1.2" {
			t.Errorf("sent the headers %v", got.Header)
		}
		if len(req.Header) != 1 {
			t.Errorf("the caller's headers are %v", req.Header)
		}
	}
}

func TestUserAgent(t *testing.T) {
	agents := make(chan string, 2)
	w := newWorld(t, Config{}, func(_ http.ResponseWriter, r *http.Request) { agents <- r.UserAgent() })
	req, _ := http.NewRequest(http.MethodGet, w.at(host, "/"), nil)
	if _, err := w.Do(t.Context(), req, 0); err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "mine")
	if _, err := w.Do(t.Context(), req, 0); err != nil {
		t.Fatal(err)
	}
	if a, b := <-agents, <-agents; a != "Frontdesk" || b != "mine" {
		t.Errorf("called as %q and %q", a, b)
	}
}

// Do also refuses what CheckURL refuses, and closes the body.
func TestDoChecksURL(t *testing.T) {
	for _, address := range []string{
		"http://example.com/", "https://127.0.0.1/", "https://localhost/", "https://2130706433/", "https://[fe80::1]/", "https://u:p@example.com/", "ftp://example.com/",
	} {
		body := &closable{}
		req, err := http.NewRequest(http.MethodPost, address, body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(Config{}).Do(t.Context(), req, 1); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", address, err)
		}
		if !body.closed {
			t.Errorf("%s: the body is open", address)
		}
	}
}

// As the transport of an http.Client, the client calls no other addresses.
func TestTransport(t *testing.T) {
	w := newWorld(t, Config{}, func(rw http.ResponseWriter, r *http.Request) { io.WriteString(rw, r.UserAgent()) })
	c := &http.Client{Transport: w.Client}
	res, err := c.Get(w.at(host, "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if b, err := io.ReadAll(res.Body); err != nil || string(b) != "Frontdesk" {
		t.Errorf("got %q, %v", b, err)
	}
	w.names.set("inside.example.com", addrs("10.0.0.1"))
	for _, address := range []string{"https://10.0.0.2/", "http://example.com/", w.at("inside.example.com", "/")} {
		if _, err := c.Get(address); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

type closable struct{ closed bool }

func (c *closable) Read([]byte) (int, error) { return 0, io.EOF }
func (c *closable) Close() error             { c.closed = true; return nil }

// These names lead to addresses that must not be called. A real lookup happens, and
// its result is refused.
func TestNamesOfRefusedAddresses(t *testing.T) {
	var calls atomic.Int32
	handler := func(http.ResponseWriter, *http.Request) { calls.Add(1) }
	strict, open := newWorld(t, Config{}, handler), newWorld(t, Config{AllowPrivate: true}, handler)
	six := false
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		six = true
		l.Close()
	}
	for _, tt := range addresses {
		a := netip.MustParseAddr(tt.address)
		if tt.reach == public || a.Unmap() == standIn || a.Zone() != "" || a.Unmap().Is6() && !six {
			continue
		}
		for _, w := range []*world{strict, open} {
			if w == open && tt.reach != never {
				continue
			}
			w.names.set("hooks.test", []netip.Addr{a})
			_, err := w.get(t.Context(), w.at("hooks.test", "/"), 0)
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "hooks.test") || !strings.Contains(err.Error(), a.Unmap().String()) {
				t.Errorf("%s: %v", a, err)
			}
		}
	}
	if calls.Load() != 0 {
		t.Errorf("%d calls", calls.Load())
	}
}

// The name of this machine is refused, unless private addresses are allowed.
func TestLoopback(t *testing.T) {
	for _, allow := range []bool{false, true} {
		w := newWorld(t, Config{AllowPrivate: allow}, func(http.ResponseWriter, *http.Request) {})
		w.refusal = w.checkAddress
		a, err := w.get(t.Context(), w.at(host, "/"), 0)
		if allow && (err != nil || a.Status != http.StatusOK) {
			t.Errorf("allowed: %v, %v", a, err)
		}
		want := strings.TrimPrefix(w.at(host, ""), "https://") + " cannot be called. The address 127.0.0.1 is this machine. Only public addresses are called, unless the operator allows others."
		if !allow && (!errors.Is(err, ErrRefused) || err.Error() != want) {
			t.Errorf("not allowed: %v", err)
		}
	}
}

func TestPlainHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	if a, err := get(t.Context(), t, New(Config{AllowPrivate: true}), server.URL, 0); err != nil || a.Status != http.StatusOK {
		t.Errorf("%v, %v", a, err)
	}
	if _, err := get(t.Context(), t, New(Config{}), server.URL, 0); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
}

// A name leads to a public address at the first lookup, and elsewhere at the next
// call.
func TestRebinding(t *testing.T) {
	for _, tt := range []struct {
		allow bool
		to    string
	}{{false, "10.0.0.5"}, {false, "169.254.169.254"}, {true, "169.254.169.254"}} {
		var calls atomic.Int32
		w := newWorld(t, Config{AllowPrivate: tt.allow}, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
		w.names.set(host, addrs("127.0.0.1"), addrs(tt.to))
		if _, err := w.CheckURL(w.at(host, "/")); err != nil || w.names.lookups(host) != 0 {
			t.Fatalf("%v after %d lookups", err, w.names.lookups(host))
		}
		if _, err := w.get(t.Context(), w.at(host, "/"), 0); err != nil {
			t.Fatal(err)
		}
		// There was one lookup, and its address was checked and connected to.
		if n := w.names.lookups(host); n != 1 || !slices.Equal(w.looked, addrs("127.0.0.1")) {
			t.Errorf("%d lookups, looked at %v", n, w.looked)
		}
		w.Close() // otherwise the old connection would be reused
		if _, err := w.get(t.Context(), w.at(host, "/"), 0); !errors.Is(err, ErrRefused) {
			t.Errorf("%+v: %v", tt, err)
		}
		if n := w.names.lookups(host); n != 2 || !slices.Equal(w.looked, addrs("127.0.0.1", tt.to)) {
			t.Errorf("%d lookups, looked at %v", n, w.looked)
		}
		if calls.Load() != 1 {
			t.Errorf("%d calls", calls.Load())
		}
	}
}

// Of several addresses, only the allowed ones are connected to.
func TestSeveralAddresses(t *testing.T) {
	for _, tt := range []struct {
		allow  bool
		list   []netip.Addr
		called bool
	}{
		{false, addrs("10.0.0.5", "127.0.0.1"), true},
		{false, addrs("127.0.0.1", "10.0.0.5"), true},
		{true, addrs("169.254.169.254", "127.0.0.1"), true},
		{false, addrs("10.0.0.5", "192.168.1.1"), false},
		{true, addrs("169.254.169.254", "169.254.170.2"), false},
	} {
		var calls atomic.Int32
		w := newWorld(t, Config{AllowPrivate: tt.allow}, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
		w.names.set(host, tt.list)
		_, err := w.get(t.Context(), w.at(host, "/"), 0)
		if tt.called && err != nil || !tt.called && !errors.Is(err, ErrRefused) {
			t.Errorf("%v: %v", tt.list, err)
		}
		if (calls.Load() == 1) != tt.called {
			t.Errorf("%v: %d calls", tt.list, calls.Load())
		}
	}
}

func TestRedirects(t *testing.T) {
	var followed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer other.Close()
	for _, allow := range []bool{false, true} {
		var to string
		var status int
		w := newWorld(t, Config{AllowPrivate: allow}, func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				followed.Add(1)
			}
			rw.Header().Set("Location", to)
			rw.WriteHeader(status)
		})
		for _, to = range []string{other.URL, w.at(host, "/other"), "/other", "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://10.0.0.5/"} {
			for _, status = range []int{301, 302, 303, 307, 308} {
				a, err := w.get(t.Context(), w.at(host, "/"), 10)
				if err != nil || a.Status != status || a.Header.Get("Location") != to {
					t.Errorf("%d to %s: %+v, %v", status, to, a, err)
				}
			}
		}
	}
	if followed.Load() != 0 {
		t.Errorf("%d redirects were followed", followed.Load())
	}
}

// Go's library reads the environment only once, so this needs another process.
func TestEnvironmentProxy(t *testing.T) {
	if os.Getenv("OUTBOUND_TEST_PROXIED") != "" {
		for _, allow := range []bool{false, true} {
			w := newWorld(t, Config{AllowPrivate: allow}, func(http.ResponseWriter, *http.Request) {})
			if a, err := w.get(t.Context(), w.at(host, "/"), 0); err != nil || a.Status != http.StatusOK {
				t.Errorf("%v, %v", a, err)
			}
		}
		return
	}
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		rw.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	child := exec.Command(os.Args[0], "-test.run=^TestEnvironmentProxy$", "-test.count=1")
	child.Env = append(os.Environ(), "OUTBOUND_TEST_PROXIED=1", "NO_PROXY=", "no_proxy=")
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		child.Env = append(child.Env, name+"="+proxy.URL, strings.ToLower(name)+"="+proxy.URL)
	}
	if out, err := child.CombinedOutput(); err != nil || asked.Load() != 0 {
		t.Errorf("%v, the proxy was asked %d times\n%s", err, asked.Load(), out)
	}
}

// How much of a body is read.
func TestBody(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(make([]byte, 10<<20))
	z.Close()
	gone := make(chan struct{})
	w := newWorld(t, Config{}, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hello":
			io.WriteString(rw, "hello")
		case "/endless":
			defer close(gone)
			for {
				if _, err := rw.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
		case "/gzip":
			rw.Header().Set("Content-Encoding", "gzip")
			rw.Write(zipped.Bytes())
		}
	})
	for _, tt := range []struct {
		path string
		most int
		want string
		cut  bool
	}{
		{"/hello", 6, "hello", false},
		{"/hello", 5, "hello", false},
		{"/hello", 4, "hell", true},
		{"/hello", 0, "", true},
		{"/nothing", 0, "", false},
		{"/endless", 3, "\x00\x00\x00", true},
		{"/gzip", zipped.Len(), zipped.String(), false}, // as it was sent
		{"/gzip", 3, "\x1f\x8b\x08", true},
	} {
		a, err := w.get(t.Context(), w.at(host, tt.path), tt.most)
		if err != nil || a.Status != http.StatusOK || string(a.Body) != tt.want || a.Cut != tt.cut {
			t.Errorf("%d of %s: %d bytes, cut %v, %v", tt.most, tt.path, len(a.Body), a.Cut, err)
		}
	}
	<-gone // the server notices that nobody reads any more
}

// The client gives up on a server that does not answer when the context or the
// client's own timeout ends.
func TestSlow(t *testing.T) {
	release := make(chan struct{})
	handler := func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/header": // sends no header
		case "/body":
			io.WriteString(rw, "begun")
			http.NewResponseController(rw).Flush()
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}
	w, quick := newWorld(t, Config{}, handler), newWorld(t, Config{Timeout: 50 * time.Millisecond}, handler)
	defer close(release)
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for _, tt := range []struct {
		w    *world
		ctx  context.Context
		path string
	}{{w, short, "/header"}, {quick, t.Context(), "/header"}, {quick, t.Context(), "/body"}} {
		a, err := tt.w.get(tt.ctx, tt.w.at(host, tt.path), 100)
		if !errors.Is(err, context.DeadlineExceeded) || err.Error() != strings.TrimPrefix(tt.w.at(host, ""), "https://")+" did not answer in time." {
			t.Errorf("%s: %v", tt.path, err)
		}
		// If an answer has begun, its status is known.
		if tt.path == "/body" && (a.Status != http.StatusOK || string(a.Body) != "begun") {
			t.Errorf("%+v", a)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.get(ctx, w.at(host, "/header"), 0); !errors.Is(err, context.Canceled) || !strings.HasSuffix(err.Error(), "was cancelled.") {
		t.Error(err)
	}
}

// Many calls to an endpoint that hangs do not hold up another endpoint on the same
// host, in either version of HTTP.
func TestHangingNeighbour(t *testing.T) {
	for version, many := range map[int]int{1: 40, 2: 300} { // in HTTP/2, more than the streams of one connection
		release := make(chan struct{})
		hanging := make(chan struct{}, many)
		w := newWorld(t, Config{}, func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hang" {
				hanging <- struct{}{}
				<-release
			}
		})
		if version == 1 {
			w.transport.Protocols = new(http.Protocols)
			w.transport.Protocols.SetHTTP1(true)
		}
		var calls sync.WaitGroup
		for range many {
			calls.Go(func() {
				if _, err := w.get(t.Context(), w.at(host, "/hang"), 0); err != nil {
					t.Error(err)
				}
			})
		}
		for range many {
			<-hanging
		}
		if a, err := w.get(t.Context(), w.at(host, "/"), 0); err != nil || a.Status != http.StatusOK {
			t.Errorf("HTTP/%d: %v, %v", version, a, err)
		}
		close(release)
		calls.Wait()
	}
}

func TestLongHeader(t *testing.T) {
	w := newWorld(t, Config{}, func(rw http.ResponseWriter, _ *http.Request) {
		for range 100 {
			rw.Header().Add("A", strings.Repeat("a", 1<<10))
		}
	})
	if a, err := w.get(t.Context(), w.at(host, "/"), 0); err == nil {
		t.Errorf("a header of %d values was read", len(a.Header["A"]))
	}
}

func TestFailuresSayWhy(t *testing.T) {
	w := newWorld(t, Config{}, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/break" {
			rw.Write([]byte("begun"))
			http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		}
	})
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer plain.Close()
	w.names.set("other.test", addrs("127.0.0.1"))
	at := func(name, address string) string {
		_, port, _ := net.SplitHostPort(address)
		return name + ":" + port
	}
	server := w.server.Listener.Addr().String()
	for _, tt := range []struct{ address, want string }{
		{"https://nobody.test/", "There is no host named nobody.test."},
		{"https://" + host + ":1", host + ":1 refused the connection."},
		{"https://" + at(host, plain.Listener.Addr().String()), at(host, plain.Listener.Addr().String()) + " does not speak TLS."},
		{"https://" + at("other.test", server), "The certificate of " + at("other.test", server) + " is not valid: certificate is valid for example.com, *.example.com, not other.test."},
		{w.at(host, "/break"), "The call to " + at(host, server) + " broke off."},
	} {
		a, err := w.get(t.Context(), tt.address, 100)
		var e *Error
		if !errors.As(err, &e) || e.Message != tt.want || e.Err == nil || errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", tt.address, err)
		}
		if strings.HasSuffix(tt.address, "/break") && (a.Status != http.StatusOK || string(a.Body) != "begun") {
			t.Errorf("%+v", a)
		}
	}
	stranger := New(Config{AllowPrivate: true}) // does not know the certificate's issuer
	if _, err := get(t.Context(), t, stranger, w.server.URL, 0); err == nil || !strings.Contains(err.Error(), "is not valid: ") {
		t.Error(err)
	}
}
