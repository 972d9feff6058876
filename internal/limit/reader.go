package limit

import (
	"net/http"
	"time"
)

// Readers ends the connection of a client that does not read its answer: each piece
// of it must be received within patience. Without a deadline, anyone could hold
// answers in memory, and whatever they are read from, by asking for much and
// reading nothing. A slow client that keeps reading gets everything.
//
// A handler that sets a write deadline, as streams do, sets all of them.
func Readers(patience time.Duration, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connection := http.NewResponseController(w)
		// The deadline of the last call on this connection may still be set.
		_ = connection.SetWriteDeadline(time.Time{}) // fails only without a connection
		h.ServeHTTP(&deadlineWriter{w, connection, patience}, r)
	})
}

// deadlineWriter moves the deadline with each piece that is written.
type deadlineWriter struct {
	http.ResponseWriter
	connection *http.ResponseController
	patience   time.Duration // 0: the handler sets deadlines
}

func (w *deadlineWriter) Write(b []byte) (int, error) {
	if w.patience > 0 {
		_ = w.connection.SetWriteDeadline(time.Now().Add(w.patience))
	}
	return w.ResponseWriter.Write(b)
}

// SetWriteDeadline is called by http.ResponseController.
func (w *deadlineWriter) SetWriteDeadline(at time.Time) error {
	w.patience = 0
	return w.connection.SetWriteDeadline(at)
}

// Unwrap gives http.ResponseController the rest.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
