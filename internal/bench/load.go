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
func load(ctx context.Context, addr, path, token string, connections int, d time.Duration) float64 {
	request := encode(addr, token, "GET "+path+"\n")
	var answered atomic.Int64
	began := time.Now()
	inParallel(connections, func(_ int, _ func() bool) error {
		l, err := dial(addr)
		if err != nil {
			return err
		}
		defer l.close()
		for time.Since(began) < d && ctx.Err() == nil {
			if err := l.call(request); err != nil {
				return err
			}
			answered.Add(1)
		}
		return nil
	})
	return float64(answered.Load()) / time.Since(began).Seconds()
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
func repeat(ctx context.Context, callers int, d time.Duration, fn func() error) float64 {
	var calls atomic.Int64
	began := time.Now()
	inParallel(callers, func(_ int, _ func() bool) error {
		for time.Since(began) < d && ctx.Err() == nil {
			if err := fn(); err != nil {
				return err
			}
			calls.Add(1)
		}
		return nil
	})
	return float64(calls.Load()) / time.Since(began).Seconds()
}

// inParallel calls fn in n goroutines, with their numbers, and waits for them. An
// error of one of them ends the run; going tells the others that there is none yet.
func inParallel(n int, fn func(i int, going func() bool) error) {
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if err := fn(i, func() bool { return failed.Load() == nil }); err != nil {
				failed.Store(&err)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		check(*err)
	}
}
