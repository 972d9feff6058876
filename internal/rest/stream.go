package rest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

const (
	// mostStreams is how many streams a token may have open in this process.
	mostStreams = 20
	// streamBatch is how many events are read at once. It limits what is held for a
	// slow reader.
	streamBatch = 50
	// beatTime is how often a stream shows that it is alive. Proxies close
	// connections that are silent for a minute.
	beatTime = 15 * time.Second
	// writeTime is how long a reader may take to receive one event.
	writeTime = 10 * time.Second
	// retryTime is how long clients wait before they reconnect.
	retryTime = 3 * time.Second

	// lookTime is how often to look for events without being woken. shortest is the
	// minimum time between two looks, because the bell rings for all accounts, and
	// because thousands of streams of a busy desk are told of a few changes at a time
	// for a quarter of what each alone would cost. What comes after a pause is told at
	// once.
	lookTime = 2 * time.Second
	shortest = 200 * time.Millisecond
	// watchTime is how often to check whether the token may still listen.
	watchTime = 500 * time.Millisecond
	// endTime is how long the last bytes of an ending stream may take.
	endTime = time.Second
)

// streams holds the open streams by token.
type streams struct {
	mu    sync.Mutex
	open  map[desk.TokenID]*audience
	leave context.CancelFunc // stops watch; nil while no stream has begun
}

// audience holds the streams of one token. One check tells for all of them whether
// the token may still listen.
type audience struct {
	size int
	ends map[*stream]func() // ends each stream that has begun
}

// take counts one more stream of a token. Past the limit it returns Busy.
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
			Message: fmt.Sprintf("This token already has %d open event streams, which is the maximum. Close one first, or use another token.", mostStreams)}
	}
	a.size++
	return nil
}

// begin arranges that end is called when the token may no longer listen, until done
// is called.
func (s *streams) begin(st *stream, end func()) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.open[st.caller.Token]
	a.ends[st] = end
	if s.leave == nil {
		var ctx context.Context
		ctx, s.leave = context.WithCancel(context.Background())
		go s.watch(ctx, st.server.service)
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(a.ends, st)
	}
}

// release counts one stream less.
func (s *streams) release(id desk.TokenID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.open[id]
	if a.size--; a.size > 0 {
		return
	}
	delete(s.open, id)
	if len(s.open) == 0 && s.leave != nil {
		s.leave()
		s.leave = nil
	}
}

// watch ends the streams of tokens that may no longer listen, even while they wait
// for their readers. It looks all tokens up together: thousands of people have an
// inbox open.
func (s *streams) watch(ctx context.Context, tokens *service.Service) {
	tick := time.NewTicker(watchTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		listening := s.listening()
		if tokens.RefreshTokens(ctx, slices.Collect(maps.Keys(listening))) != nil {
			continue // the database will be back
		}
		for id, st := range listening {
			if _, err := st.admitted(ctx); desk.KindOf(err) == desk.Forbidden {
				s.end(id)
			}
		}
	}
}

// listening returns one stream of each token that has begun one.
func (s *streams) listening() map[desk.TokenID]*stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[desk.TokenID]*stream, len(s.open))
	for id, a := range s.open {
		for st := range a.ends {
			all[id] = st
			break
		}
	}
	return all
}

// end ends each stream of a token once. A second call would give a stream more time.
func (s *streams) end(id desk.TokenID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.open[id]
	if a == nil {
		return // the last of them has just left
	}
	for _, end := range a.ends {
		end()
	}
	clear(a.ends)
}

// streamEvents starts a stream of the feed as server-sent events.
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

// streamPlace returns where a stream begins: where the client left off, otherwise
// at the end. A browser that lost a stream requests the same address again and
// sends its position in a header, so the header has priority.
func (s *Server) streamPlace(c *call) (int64, error) {
	var p desk.Problems
	place, given := c.query(&p).Get("after"), c.values.Has("after")
	name := "after"
	if last := c.req.Header.Get("Last-Event-ID"); last != "" {
		place, given, name = last, true, "Last-Event-ID"
	}
	seq, ok := s.service.EventPlace(c.caller, place)
	if given && !ok {
		p.Add(name, "is not a position in this feed; give the id of an event")
	}
	if err := p.Err(); err != nil || given {
		return seq, err
	}
	return s.service.FeedEnd(c.ctx, c.caller)
}

// stream is one open stream. It holds at most one batch of events. When it is
// woken, it reads the feed.
type stream struct {
	*call
	after    int64 // the last position that was sent
	presence *service.PresenceFollower
	notified *service.NotificationFollower
	control  *http.ResponseController
}

// serve writes events until the client leaves, the token may no longer listen, or
// the server stops.
func (st *stream) serve() {
	h := st.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // otherwise proxies would wait for more
	if st.req.Method == http.MethodHead {
		return
	}
	defer st.server.streams.release(st.caller.Token)
	// Deadlines belong to the connection, and must not affect its next request.
	h.Set("Connection", "close")
	st.control = http.NewResponseController(st.w)

	ctx, cancel := context.WithCancel(st.ctx)
	defer cancel()
	end := func() {
		cancel()
		_ = st.control.SetWriteDeadline(time.Now().Add(endTime)) // in case the reader has stopped reading
	}
	defer context.AfterFunc(st.server.stopping, end)()
	defer context.AfterFunc(st.server.draining, func() {
		select {
		case <-time.After(rand.N(st.server.spread + 1)):
			end()
		case <-ctx.Done():
		}
	})()
	defer st.server.streams.begin(st, end)()
	if err := st.run(ctx); err != nil && ctx.Err() == nil {
		st.server.log.ErrorContext(st.ctx, "stream failed", "request_id", st.requestID(), "account", int64(st.caller.Account), "error", err)
	}
}

// run sends events. It returns an error only for our own faults.
func (st *stream) run(ctx context.Context) error {
	bell, silence := st.server.service.EventBell()
	defer silence()
	st.presence = st.server.service.FollowPresence(st.caller)
	defer st.presence.Stop()
	st.notified = st.server.service.FollowNotifications(st.caller)
	defer st.notified.Stop()
	beat, look := time.NewTicker(st.server.beatTime), time.NewTicker(st.server.lookTime)
	defer beat.Stop()
	defer look.Stop()
	// The position is sent at once, without an event. A client that loses the
	// stream before the first event can then say where it was.
	if !st.write(ctx, fmt.Appendf(nil, "retry: %d\nid: %s\n\n", retryTime.Milliseconds(), st.server.service.EventID(st.caller, st.after))) || !st.flush() {
		return nil
	}
	for {
		more, err := st.send(ctx)
		switch {
		case errors.Is(err, errReaderGone) || desk.KindOf(err) == desk.Forbidden:
			return nil
		case desk.KindOf(err) == desk.Unavailable:
			// The database will be back, so the stream stays open. A browser whose
			// request for a stream is refused once never asks again.
		case err != nil:
			return err
		case more:
			continue
		}
		pause := time.NewTimer(shortest)
		var heard, moved, told <-chan struct{} // set after the pause
		for waiting := true; waiting; {
			select {
			case <-pause.C:
				heard, moved, told = bell, st.presence.Bell(), st.notified.Bell()
			case <-heard:
				waiting = false
			case <-moved:
				waiting = false
			case <-told:
				if err := st.sendNotifications(ctx); errors.Is(err, errReaderGone) || desk.KindOf(err) == desk.Forbidden {
					return nil
				} else if err != nil && desk.KindOf(err) != desk.Unavailable {
					return err
				}
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

// send sends a batch of the events after the last position. more reports whether
// there may be others.
func (st *stream) send(ctx context.Context) (more bool, err error) {
	caller, err := st.admitted(ctx)
	if err != nil {
		return false, err
	}
	if err := st.sendPresence(ctx, caller); err != nil {
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
	// The last event may be followed by events that the caller may not see. The new
	// position skips these when the client comes back.
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

// sendPresence sends who else is at the requests where the session is, if that has
// changed. It is no event of the feed, so it has no id and moves no position.
func (st *stream) sendPresence(ctx context.Context, caller service.Caller) error {
	news, err := st.server.service.PresenceNews(ctx, caller, st.presence)
	if err != nil || len(news) == 0 {
		return err
	}
	for _, p := range news {
		data, err := wire.JSON(wire.NewPresenceEvent(p))
		if err != nil {
			return err
		}
		if !st.write(ctx, fmt.Appendf(nil, "event: %s\ndata: %s\n\n", desk.PresenceChanged, data)) {
			return errReaderGone
		}
	}
	if !st.flush() {
		return errReaderGone
	}
	return nil
}

// sendNotifications sends how many unread notifications the member has. Like presence it
// is no event of the feed.
func (st *stream) sendNotifications(ctx context.Context) error {
	caller, err := st.admitted(ctx)
	if err != nil {
		return err
	}
	count, err := st.server.service.NotificationCount(ctx, caller)
	if err != nil {
		return err
	}
	data, err := wire.JSON(wire.NewNotificationEvent(count))
	if err != nil {
		return err
	}
	if !st.write(ctx, fmt.Appendf(nil, "event: %s\ndata: %s\n\n", desk.NotificationsChanged, data)) || !st.flush() {
		return errReaderGone
	}
	return nil
}

// written encodes events, once for all callers who get the same ones.
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

// admitted checks whether the token may listen right now.
func (st *stream) admitted(ctx context.Context) (service.Caller, error) {
	caller, err := st.server.callerOf(ctx, st.req)
	if err == nil {
		err = desk.May(desk.StreamEvents, caller.Role, caller.Scope)
	}
	return caller, err
}

// write sends one piece within the time limit. It reports whether the reader is
// still there.
func (st *stream) write(ctx context.Context, text []byte) bool {
	if st.control.SetWriteDeadline(time.Now().Add(st.server.writeTime)) != nil {
		return false
	}
	// This must follow the deadline: whoever ends the stream first cancels and then
	// sets another deadline.
	if ctx.Err() != nil {
		_ = st.control.SetWriteDeadline(time.Now().Add(endTime))
		return false
	}
	_, err := st.w.Write(text)
	return err == nil
}

func (st *stream) flush() bool { return st.control.Flush() == nil }
