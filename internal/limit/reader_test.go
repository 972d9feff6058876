package limit

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const pieces, piece = 20, 8 << 10

// answerMuch writes in pieces, and reports the first error.
func answerMuch(ended chan<- error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for range pieces {
			if _, err := io.WriteString(w, strings.Repeat("x", piece)); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}
}

// Who asks for much and reads nothing holds the answer only for a while.
func TestClientsThatDoNotReadAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		conn := dial(t, Readers(patience, answerMuch(ended)))
		began := time.Now()
		send(t, conn, "GET / HTTP/1.1\nHost: x\n\n")
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("it ended with %v", err)
		}
		if held := time.Since(began); held != patience {
			t.Errorf("the answer was held for %s", held)
		}
	})
}

// A slow client gets everything, and its connection can be used again much later.
func TestSlowClientsGetEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 2)
		conn := dial(t, Readers(patience, answerMuch(ended)))
		r := bufio.NewReaderSize(conn, 1)
		for range 2 {
			send(t, conn, "GET / HTTP/1.1\nHost: x\n\n")
			w, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for b := make([]byte, 1<<10); err == nil; {
				time.Sleep(patience / 20)
				var n int
				n, err = io.ReadFull(w.Body, b)
				got += n
			}
			if sent := <-ended; sent != nil || got != pieces*piece {
				t.Errorf("it got %d bytes, %v", got, sent)
			}
			time.Sleep(10 * patience)
		}
	})
}

// A handler that sets deadlines itself is not overruled.
func TestHandlersSetTheirOwnDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		conn := dial(t, Readers(patience, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(5 * patience)); err != nil {
				t.Error(err)
			}
			answerMuch(ended)(w, r)
		})))
		began := time.Now()
		send(t, conn, "GET / HTTP/1.1\nHost: x\n\n")
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != 5*patience {
			t.Errorf("it ended with %v after %s", err, time.Since(began))
		}
	})
}
