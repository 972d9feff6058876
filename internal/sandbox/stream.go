package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The times of a stream are real times, not those of the sandbox's clock.
const (
	// mostStreams bounds the open streams of a member, in this process.
	mostStreams = 20
	// streamBatch is how many changes are read at once.
	streamBatch = 200
	// streamBeat is how often a stream shows that it is alive, and checks its
	// token.
	streamBeat = 15 * time.Second
	// streamLook is how often to look without being woken, because another process
	// may have the same file open.
	streamLook = 2 * time.Second
	// streamPause is how long to leave the database alone after a look.
	streamPause = 50 * time.Millisecond
	// streamWrite is how long a reader may take. A slower one is dropped.
	streamWrite = 10 * time.Second
)

// streams are the open ones.
type streams struct {
	mu     sync.Mutex
	open   map[string]int // by member
	ending chan struct{}  // closed when all must end
	ended  bool
}

func newStreams() *streams { return &streams{open: map[string]int{}, ending: make(chan struct{})} }

// take counts one more stream of a member, and reports whether that is allowed.
func (s *streams) take(user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[user] >= mostStreams {
		return false
	}
	s.open[user]++
	return true
}

func (s *streams) release(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[user]--; s.open[user] == 0 {
		delete(s.open, user)
	}
}

// EndStreams ends the open streams, and every later one at once. A server that
// stops waits for its calls, and streams would never end.
func (s *Sandbox) EndStreams() {
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	if !s.streams.ended {
		s.streams.ended = true
		close(s.streams.ending)
	}
}

// stream sends changes to one client as server-sent events.
type stream struct {
	s       *Sandbox
	token   string
	w       http.ResponseWriter
	control *http.ResponseController
	after   int64 // the last position that was sent
}

// serveStream tells a member's own client what to read again, as it happens. Like
// everything that clients use, it is not part of Slack's API, and only accepts
// members' own tokens.
func (s *Sandbox) serveStream(w http.ResponseWriter, r *http.Request) {
	st := &stream{s: s, token: bearerToken(r), w: w, control: http.NewResponseController(w)}
	var who *actor
	err := s.read(r.Context(), func(t *tx) (err error) {
		if who, err = t.member(st.token); err != nil {
			return err
		}
		st.after = t.lastChange(who.Team)
		return nil
	})
	if Code(err) != "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(http.StatusUnauthorized)
		s.refusal(w, err)
		return
	} else if err != nil {
		s.broken(w, err)
		return
	}
	if !s.streams.take(who.User) {
		s.tooFast(w, streamLook)
		return
	}
	defer s.streams.release(who.User)

	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // otherwise proxies buffer
	h.Set("Connection", "close")     // deadlines belong to the connection
	if err := st.run(r.Context()); err != nil && r.Context().Err() == nil && Code(err) == "" {
		s.cfg.Log.Error("sandbox: a stream failed", "error", err)
	}
}

// run sends changes until the reader leaves or is too slow, the token ends, or the
// sandbox does. It returns an error only for our own failure.
func (st *stream) run(ctx context.Context) error {
	bell, silence := st.s.db.Listen(changesTopic)
	defer silence()
	beat, look := time.NewTicker(streamBeat), time.NewTicker(streamLook)
	defer beat.Stop()
	defer look.Stop()
	// Send this at once: from here on nothing is missed, so the client now reads
	// the current state.
	if !st.send("data: {\"type\":\"hello\"}\n\n") {
		return nil
	}
	for {
		more, err := st.tellAll(ctx)
		switch {
		case errors.Is(err, errReaderGone):
			return nil
		case err != nil:
			return err
		case more:
			continue
		}
		select {
		case <-time.After(streamPause):
		case <-st.s.streams.ending:
			return nil
		case <-ctx.Done():
			return nil
		}
		select {
		case <-bell:
		case <-look.C:
		case <-beat.C:
			if !st.send(": still here\n\n") {
				return nil
			}
		case <-st.s.streams.ending:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

var errReaderGone = errors.New("the reader has gone")

// tellAll sends a batch of changes. more says that there may be others.
func (st *stream) tellAll(ctx context.Context) (more bool, err error) {
	var all []change
	var last int64
	err = st.s.read(ctx, func(t *tx) error {
		who, err := t.member(st.token)
		if err != nil {
			return err
		}
		all, last, more = t.changesSince(who, st.after, streamBatch)
		return nil
	})
	if err != nil {
		return false, err
	}
	st.after = last
	if len(all) == 0 {
		return more, nil
	}
	var text strings.Builder
	for _, c := range all {
		fmt.Fprintf(&text, "data: %s\n\n", encode(c))
	}
	if !st.send(text.String()) {
		return false, errReaderGone
	}
	return more, nil
}

// send writes within the reader's time limit. It reports whether the reader is
// still there.
func (st *stream) send(text string) bool {
	if st.control.SetWriteDeadline(time.Now().Add(streamWrite)) != nil {
		return false
	}
	_, err := st.w.Write([]byte(text))
	return err == nil && st.control.Flush() == nil
}
