package sandbox

import (
	"bytes"
	"net/http"
)

// faulty returns a handler whose answers the faults may spoil, after the work is
// done.
func (s *Sandbox) faulty(name string, do http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		done := s.underway.begin()
		defer done()
		m := s.faults.call(name)
		if m.rateLimit > 0 {
			s.tooFast(w, m.rateLimit)
			return
		}
		if m == (mishap{}) {
			do(w, r)
			return
		}
		held := &heldAnswer{header: w.Header()}
		do(held, r)
		done()
		if m.late > 0 {
			s.faults.hold(m.holder, 1)
			come, stop := s.clock.At(s.clock.Now().Add(m.late))
			select {
			case <-come:
			case <-r.Context().Done():
			}
			stop()
			s.faults.hold(m.holder, -1)
		}
		switch {
		case m.drop:
			hangUp(w)
		case m.err:
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(http.StatusInternalServerError)
			w.Write([]byte(`{"ok":false,"error":"internal_error"}` + "\n"))
		default:
			held.send(w)
		}
	}
}

// heldAnswer keeps an answer back.
type heldAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (h *heldAnswer) Header() http.Header { return h.header }

func (h *heldAnswer) WriteHeader(status int) {
	if h.status == 0 {
		h.status = status
	}
}

func (h *heldAnswer) Write(b []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	return h.body.Write(b)
}

func (h *heldAnswer) send(w http.ResponseWriter) {
	if h.status != 0 {
		w.WriteHeader(h.status)
	}
	w.Write(h.body.Bytes())
}

// hangUp cuts the connection without an answer.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		// The server's own way to end a request without an answer.
		panic(http.ErrAbortHandler)
	}
	conn.Close()
}
