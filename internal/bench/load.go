package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load sends the same GET over a number of connections, each waiting for its answer
// before the next, and returns the answers a second. It writes to the socket
// directly, because a real client would cost as much as the server and flatter the
// slower one.
func load(ctx context.Context, addr, path, token string, connections int, d time.Duration) (float64, error) {
	return loadCalls(ctx, addr, token, []string{"GET " + path + "\n"}, connections, d)
}

// loadCalls does what load does for several calls in turn. Each is a method and a
// path and, after a newline, the body.
func loadCalls(ctx context.Context, addr, token string, calls []string, connections int, d time.Duration) (float64, error) {
	requests := make([][]byte, len(calls))
	for i, call := range calls {
		requests[i] = encode(addr, token, call)
	}
	var answered atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began := time.Now()
	end := began.Add(d)
	for i := range connections {
		wg.Go(func() {
			n, err := drive(ctx, addr, requests, i*len(requests)/connections, end)
			answered.Add(n)
			if err != nil {
				failed.Store(&err)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(answered.Load()) / time.Since(began).Seconds(), nil
}

// encode returns a call as it is sent.
func encode(addr, token, call string) []byte {
	line, body, _ := strings.Cut(call, "\n")
	head := line + " HTTP/1.1\r\nHost: " + addr + "\r\nAuthorization: Bearer " + token + "\r\n"
	if body != "" {
		head += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	return []byte(head + "\r\n" + body)
}

func drive(ctx context.Context, addr string, requests [][]byte, first int, end time.Time) (n int64, err error) {
	l, err := dial(addr)
	if err != nil {
		return 0, err
	}
	defer l.close()
	for i := first; time.Now().Before(end) && ctx.Err() == nil; i++ {
		if err := l.call(requests[i%len(requests)]); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// line is a connection for calls, one after the other.
type line struct {
	conn net.Conn
	r    *bufio.Reader
}

func dial(addr string) (*line, error) {
	conn, err := net.Dial("tcp", addr)
	return &line{conn, bufio.NewReaderSize(conn, 64<<10)}, err
}

func (l *line) close() { l.conn.Close() }

// call sends an encoded call and reads its answer, which must be successful.
func (l *line) call(request []byte) error {
	status, err := l.ask(request)
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("answered %d", status)
	}
	return err
}

// ask sends an encoded call, reads its answer and returns its status.
func (l *line) ask(request []byte) (status int, err error) {
	if _, err := l.conn.Write(request); err != nil {
		return 0, err
	}
	return readAnswer(l.r)
}

func readAnswer(r *bufio.Reader) (status int, err error) {
	length := -1
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		switch {
		case status == 0:
			if _, err := fmt.Sscanf(string(line), "HTTP/1.1 %d", &status); err != nil {
				return 0, fmt.Errorf("answered %q", line)
			}
		case len(line) == 2:
			if length < 0 && status != http.StatusNoContent {
				return 0, fmt.Errorf("the answer, a %d, has no length", status)
			}
			_, err := io.CopyN(io.Discard, r, int64(max(0, length)))
			return status, err
		case bytes.HasPrefix(line, []byte("Content-Length: ")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[16:]))); err != nil {
				return 0, err
			}
		}
	}
}

// repeat calls fn from many goroutines at once and returns the calls a second.
func repeat(ctx context.Context, callers int, d time.Duration, fn func() error) (float64, error) {
	var calls atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began := time.Now()
	for range callers {
		wg.Go(func() {
			for time.Since(began) < d && ctx.Err() == nil {
				if err := fn(); err != nil {
					failed.Store(&err)
					return
				}
				calls.Add(1)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(calls.Load()) / time.Since(began).Seconds(), nil
}
