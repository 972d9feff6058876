package limit

import (
	"io"
	"net/http"
	"time"
)

// Bodies sets a read deadline on the body of every call. If a call is refused
// before its body is read, nothing else would bound how long the body may take. A
// handler that reads the body sets its own deadline, and extends it while the body
// keeps coming.
//
// The server waits for the body before it answers, and again before it accepts the
// next call. Without a deadline, anyone could hold connections by promising a body
// that never comes. A call without a body has no deadline, and the deadline is
// removed once the body is complete. Otherwise it would end the call itself,
// however long the call may take.
func Bodies(patience time.Duration, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			connection := http.NewResponseController(w)
			_ = connection.SetReadDeadline(time.Now().Add(patience)) // fails only without a connection
			r.Body = &deadlineBody{r.Body, connection}
		}
		h.ServeHTTP(w, r)
	})
}

// deadlineBody is a body that removes the deadline once it is complete.
type deadlineBody struct {
	io.ReadCloser
	connection *http.ResponseController
}

func (p *deadlineBody) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if err == io.EOF {
		_ = p.connection.SetReadDeadline(time.Time{})
	}
	return n, err
}
