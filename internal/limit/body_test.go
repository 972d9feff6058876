package limit

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const patience = 10 * time.Second

// dial connects to a server of h whose clock the test controls.
func dial(t *testing.T, h http.Handler) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	listener := &oneConn{conn: theirs, closed: make(chan struct{})}
	server := &http.Server{Handler: h, ReadHeaderTimeout: patience}
	go server.Serve(listener)
	t.Cleanup(func() { ours.Close(); server.Close(); synctest.Wait() })
	return ours
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error   { close(l.closed); return nil }
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

func send(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, strings.ReplaceAll(text, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
}

func refuse(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusForbidden) }

// A body that is promised but does not come holds no connection, however much of it
// has arrived. A call whose body comes is answered as usual.
func TestRefusedBodiesAreNotWaitedFor(t *testing.T) {
	for name, begun := range map[string]string{"nothing of it": "", "some of it": "x=1"} {
		synctest.Test(t, func(t *testing.T) {
			conn := dial(t, Bodies(patience, http.HandlerFunc(refuse)))
			began := time.Now()
			send(t, conn, "POST / HTTP/1.1\nHost: x\nContent-Length: 1000\n\n"+begun)
			_ = conn.SetReadDeadline(began.Add(time.Hour))
			answer, err := io.ReadAll(conn) // until the server closes the connection
			if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 403") {
				t.Errorf("%s: %q, %v", name, answer, err)
			}
			if held := time.Since(began); held < patience || held > 2*patience {
				t.Errorf("%s: the connection was held for %s", name, held)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		conn := dial(t, Bodies(patience, http.HandlerFunc(refuse)))
		r := bufio.NewReader(conn)
		for range 2 { // the connection stays open
			send(t, conn, "POST / HTTP/1.1\nHost: x\nContent-Length: 3\n\n")
			time.Sleep(patience - time.Millisecond)
			send(t, conn, "x=1")
			w, err := http.ReadResponse(r, nil)
			if err != nil || w.StatusCode != http.StatusForbidden || w.Close {
				t.Fatalf("%+v, %v", w, err)
			}
			if _, err := io.Copy(io.Discard, w.Body); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A call whose body has been read, or that has none, may take as long as it needs.
func TestCallsHaveNoDeadline(t *testing.T) {
	long := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		select {
		case <-time.After(100 * patience):
		case <-r.Context().Done():
			t.Error("the call was ended")
		}
	}
	for _, call := range []string{
		"GET / HTTP/1.1\nHost: x\n\n",
		"POST / HTTP/1.1\nHost: x\nContent-Length: 3\n\nx=1",
		"POST / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n3\nx=1\n0\n\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			conn := dial(t, Bodies(patience, http.HandlerFunc(long)))
			send(t, conn, call)
			if w, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || w.StatusCode != http.StatusOK {
				t.Errorf("%q: %v, %v", call, w, err)
			}
		})
	}
}

// A handler that reads a body can give it more time, or less.
func TestReadersMoveTheDeadline(t *testing.T) {
	take := func(each time.Duration, want string, gaveUp bool) {
		synctest.Test(t, func(t *testing.T) {
			got := make(chan error, 1)
			conn := dial(t, Bodies(patience, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				connection, text := http.NewResponseController(w), ""
				for b := make([]byte, 10); ; {
					_ = connection.SetReadDeadline(time.Now().Add(each))
					n, err := r.Body.Read(b)
					if text += string(b[:n]); err != nil {
						if text != want {
							t.Errorf("read %q, want %q", text, want)
						}
						got <- err
						return
					}
				}
			})))
			go io.Copy(io.Discard, conn) // the answer
			send(t, conn, "POST / HTTP/1.1\nHost: x\nContent-Length: 3\n\n")
			for _, letter := range "abc" {
				time.Sleep(5 * patience)
				if _, err := io.WriteString(conn, string(letter)); err != nil {
					break // the server has given up
				}
			}
			if err := <-got; errors.Is(err, os.ErrDeadlineExceeded) != gaveUp {
				t.Errorf("it ended with %v", err)
			}
		})
	}
	take(6*patience, "abc", false)
	take(4*patience, "", true)
}
