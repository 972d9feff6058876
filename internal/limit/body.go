package limit

import (
	"io"
	"net/http"
	"time"
)

// Bodies has the bodies of calls arrive in time: of a call that was refused before
// its body was wanted, nobody reads it, and it has so long. Whoever takes a body
// sets a read deadline of their own, and moves it on while the body keeps coming.
//
// The server waits for a body before it answers, and again before it takes the
// next call, so that without a deadline anybody could hold connections by
// promising a body that never comes. A call without a body has no deadline, and
// one whose body is complete has none any more: it would end the call itself,
// however long that may take.
func Bodies(patience time.Duration, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			connection := http.NewResponseController(w)
			_ = connection.SetReadDeadline(time.Now().Add(patience)) // there is none without a connection
			r.Body = &punctual{r.Body, connection}
		}
		h.ServeHTTP(w, r)
	})
}

// punctual is a body that lifts the deadline when it is complete.
type punctual struct {
	io.ReadCloser
	connection *http.ResponseController
}

func (p *punctual) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if err == io.EOF {
		_ = p.connection.SetReadDeadline(time.Time{})
	}
	return n, err
}
