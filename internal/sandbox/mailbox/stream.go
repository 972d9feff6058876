package mailbox

import (
	"net/http"
	"sync"
	"time"
)

const (
	// streamBeat is how often a stream shows that it is alive.
	streamBeat = 15 * time.Second
	// streamWrite is how long a reader may take. A slower one is dropped.
	streamWrite = 10 * time.Second
	// mostStreams bounds the open streams.
	mostStreams = 100
)

// streams counts the open ones, and ends them.
type streams struct {
	places chan struct{} // one for each stream that is open
	ending chan struct{} // closed when all must end
	end    func()
}

func newStreams() *streams {
	s := &streams{places: make(chan struct{}, mostStreams), ending: make(chan struct{})}
	s.end = sync.OnceFunc(func() { close(s.ending) })
	return s
}

// EndStreams ends the open streams, and every later one at once. A server that stops
// waits for its calls, and streams would never end.
func (m *Mailbox) EndStreams() { m.streams.end() }

// serveStream tells the page to read again, as soon as there is something new. It says
// nothing more, so a page that is late reads the current state.
func (m *Mailbox) serveStream(w http.ResponseWriter, r *http.Request) (any, error) {
	select {
	case m.streams.places <- struct{}{}:
		defer func() { <-m.streams.places }()
	default:
		writeJSON(w, http.StatusTooManyRequests, object{"message": "Too many pages show the mailbox."})
		return nil, nil
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // otherwise proxies buffer
	h.Set("Connection", "close")     // deadlines belong to the connection
	control := http.NewResponseController(w)
	send := func(text string) bool {
		if control.SetWriteDeadline(time.Now().Add(streamWrite)) != nil {
			return false
		}
		_, err := w.Write([]byte(text))
		return err == nil && control.Flush() == nil
	}
	bell, silence := m.db.Listen(changesTopic)
	defer silence()
	beat := time.NewTicker(streamBeat)
	defer beat.Stop()
	// The first one at once: what happened before the bell was there is read again.
	for text := "data: changed\n\n"; send(text); {
		select {
		case <-bell:
			text = "data: changed\n\n"
		case <-beat.C:
			text = ": still here\n\n"
		case <-m.streams.ending:
			return nil, nil
		case <-r.Context().Done():
			return nil, nil
		}
	}
	return nil, nil
}
