package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

const (
	// mostStreams is how many streams a token may have open, in this process.
	mostStreams = 20
	// streamBatch is how many events are read at once, and so how much is kept for
	// who reads slowly.
	streamBatch = 50
	// beatTime is how often a stream shows that it is alive: proxies close what is
	// silent for a minute.
	beatTime = 15 * time.Second
	// writeTime is how long a reader may take for one event.
	writeTime = 10 * time.Second
	// retryTime is after how long clients come back.
	retryTime = 3 * time.Second

	// lookTime is how often to look without having been woken, and shortest how
	// long to leave the database alone in any case: the bell rings for all accounts.
	lookTime = 2 * time.Second
	shortest = 50 * time.Millisecond
	// watchTime is how often to look whether the token may still listen.
	watchTime = 500 * time.Millisecond
	// endTime is for the last bytes of a stream that ends.
	endTime = time.Second
)

// streams are those that are open, by the token that they listen with.
type streams struct {
	mu   sync.Mutex
	open map[desk.TokenID]*audience
}

// audience are the streams of one token. Whether it may still listen is looked
// at once for all of them.
type audience struct {
	size  int
	ends  map[*stream]func() // of those that have begun
	leave context.CancelFunc // of who looks; nil before the first has begun
}

// take counts one more of a token; past the most, it gives Busy.
func (s *streams) take(id desk.TokenID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.open[id]
	if a == nil {
		a = &audience{ends: map[*stream]func(){}}
		s.open[id] = a
	}
	if a.size >= mostStreams {
		return &desk.Error{Kind: desk.Busy, RetryAfter: retryTime,
			Message: fmt.Sprintf("This token has %d event streams open, which is the most. Close one first, or use another token.", mostStreams)}
	}
	a.size++
	return nil
}

// begin has a stream ended when its token may not listen any more, until done.
func (s *streams) begin(st *stream, end func()) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.open[st.caller.Token]
	a.ends[st] = end
	if a.leave == nil {
		var ctx context.Context
		ctx, a.leave = context.WithCancel(context.WithoutCancel(st.ctx))
		go s.watch(ctx, a)
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(a.ends, st)
	}
}

// release counts one less.
func (s *streams) release(id desk.TokenID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.open[id]
	if a.size--; a.size > 0 {
		return
	}
	delete(s.open, id)
	if a.leave != nil {
		a.leave()
	}
}

// watch ends the streams of a token when it may not listen any more, also while
// they wait for their readers.
func (s *streams) watch(ctx context.Context, a *audience) {
	tick := time.NewTicker(watchTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if st := s.anyOf(a); st != nil {
			if _, err := st.admitted(ctx); desk.KindOf(err) == desk.Forbidden {
				s.end(a)
			}
		}
	}
}

// anyOf is one of an audience, nil where none has begun.
func (s *streams) anyOf(a *audience) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range a.ends {
		return st
	}
	return nil
}

// end ends an audience, each stream once: to be told again would give it more
// time.
func (s *streams) end(a *audience) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, end := range a.ends {
		end()
	}
	clear(a.ends)
}

// streamEvents begins a stream of the feed as server-sent events.
func (s *Server) streamEvents(c *call) (any, error) {
	after, err := s.streamPlace(c)
	if err != nil {
		return nil, err
	}
	if c.req.Method != http.MethodHead {
		if err := s.streams.take(c.caller.Token); err != nil {
			return nil, err
		}
	}
	return &stream{call: c, after: after}, nil
}

// streamPlace is where a stream begins: where the client was, else at the end. A
// browser that has lost a stream asks for the same address again and says in a
// header where it was, so that the header wins.
func (s *Server) streamPlace(c *call) (int64, error) {
	var p desk.Problems
	place, given := c.query(&p).Get("after"), c.values.Has("after")
	name := "after"
	if last := c.req.Header.Get("Last-Event-ID"); last != "" {
		place, given, name = last, true, "Last-Event-ID"
	}
	seq, ok := s.service.EventPlace(c.caller, place)
	if given && !ok {
		p.Add(name, "is not a place in this feed; give the id of an event")
	}
	if err := p.Err(); err != nil || given {
		return seq, err
	}
	return s.service.FeedEnd(c.ctx, c.caller)
}

// stream is a stream on its way out. It holds no more than a batch of events;
// what it is woken for, it reads from the feed.
type stream struct {
	*call
	after   int64 // the last place that was sent
	control *http.ResponseController
}

// serve writes events until the client goes, the token may not listen any more,
// or the server stops.
func (st *stream) serve() {
	h := st.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies wait for more otherwise
	if st.req.Method == http.MethodHead {
		return
	}
	defer st.server.streams.release(st.caller.Token)
	// Deadlines belong to the connection, and are not for who would use it next.
	h.Set("Connection", "close")
	st.control = http.NewResponseController(st.w)

	ctx, cancel := context.WithCancel(st.ctx)
	defer cancel()
	end := func() {
		cancel()
		_ = st.control.SetWriteDeadline(time.Now().Add(endTime)) // for a reader that has stopped reading
	}
	defer context.AfterFunc(st.server.stopping, end)()
	defer st.server.streams.begin(st, end)()
	if err := st.run(ctx); err != nil && ctx.Err() == nil {
		st.server.log.ErrorContext(st.ctx, "stream failed", "request_id", st.requestID(), "account", int64(st.caller.Account), "error", err)
	}
}

// run sends what happens. It gives an error where it is our own fault.
func (st *stream) run(ctx context.Context) error {
	bell, silence := st.server.service.EventBell()
	defer silence()
	beat, look := time.NewTicker(st.server.beatTime), time.NewTicker(st.server.lookTime)
	defer beat.Stop()
	defer look.Stop()
	// The place at once, without an event: who loses the stream before the first
	// one can say where it was.
	if !st.write(ctx, fmt.Appendf(nil, "retry: %d\nid: %s\n\n", retryTime.Milliseconds(), st.server.service.EventID(st.caller, st.after))) || !st.flush() {
		return nil
	}
	for {
		more, err := st.send(ctx)
		switch {
		case errors.Is(err, errReaderGone) || desk.KindOf(err) == desk.Forbidden:
			return nil
		case desk.KindOf(err) == desk.Unavailable:
			// It will be back; a browser that gets no stream for once asks never again.
		case err != nil:
			return err
		case more:
			continue
		}
		pause := time.NewTimer(shortest)
		var heard <-chan struct{} // after the pause
		for waiting := true; waiting; {
			select {
			case <-pause.C:
				heard = bell
			case <-heard:
				waiting = false
			case <-look.C:
				waiting = false
			case <-beat.C:
				if !st.write(ctx, []byte(": still here\n\n")) || !st.flush() {
					return nil
				}
			case <-ctx.Done():
				pause.Stop()
				return nil
			}
		}
		pause.Stop()
	}
}

var errReaderGone = errors.New("the reader has gone")

// send sends a batch of what is behind the last place. more says that there may
// be others.
func (st *stream) send(ctx context.Context) (more bool, err error) {
	caller, err := st.admitted(ctx)
	if err != nil {
		return false, err
	}
	f, err := st.server.service.NextEvents(ctx, caller, st.after, streamBatch)
	if err != nil || f.To == st.after {
		return false, err
	}
	texts, err := written(f)
	if err != nil {
		return false, err
	}
	for i, e := range f.Events {
		if !st.write(ctx, texts[i]) {
			return false, errReaderGone
		}
		st.after = e.Seq
	}
	// What is behind the last event and is not for them is not to be looked at
	// again when they come back.
	if f.To > st.after {
		if !st.write(ctx, fmt.Appendf(nil, "id: %s\n\n", st.server.service.EventID(caller, f.To))) {
			return false, errReaderGone
		}
		st.after = f.To
	}
	if !st.flush() {
		return false, errReaderGone
	}
	return f.More, nil
}

// written is how events look, written once for all who are given the same.
func written(f service.Feed) ([][]byte, error) {
	if f.Written != nil {
		if texts := f.Written.Load(); texts != nil {
			return *texts, nil
		}
	}
	texts := make([][]byte, len(f.Events))
	for i, e := range f.Events {
		data, err := wire.JSON(wire.NewEvent(e)) // on one line
		if err != nil {
			return nil, err
		}
		texts[i] = fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Type, data)
	}
	if f.Written != nil {
		f.Written.Store(&texts)
	}
	return texts, nil
}

// admitted looks whether the token may listen at this moment.
func (st *stream) admitted(ctx context.Context) (service.Caller, error) {
	caller, err := st.server.callerOf(ctx, st.req)
	if err == nil {
		err = desk.May(desk.StreamEvents, caller.Role, caller.Scope)
	}
	return caller, err
}

// write gives the reader its time for one piece. It reports whether they are
// still there.
func (st *stream) write(ctx context.Context, text []byte) bool {
	if st.control.SetWriteDeadline(time.Now().Add(st.server.writeTime)) != nil {
		return false
	}
	// Behind the deadline: who ends the stream cancels first and then sets another.
	if ctx.Err() != nil {
		_ = st.control.SetWriteDeadline(time.Now().Add(endTime))
		return false
	}
	_, err := st.w.Write(text)
	return err == nil
}

func (st *stream) flush() bool { return st.control.Flush() == nil }
