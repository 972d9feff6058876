package chattest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

// trouble is how the system currently misbehaves.
type trouble struct {
	Fault
	calls  int // by connectors, in total
	struck int
	since  int // calls when the fault began
	until  time.Time
	chance *rand.Rand
}

// pause is how long the system asks a caller to wait.
type pause time.Duration

func (pause) Error() string { return "too fast" }

var (
	errCut    = errors.New("the connection was cut")
	errBroken = errors.New("something went wrong inside")
)

// misbehave puts a fault in force.
func (s *system) misbehave(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.trouble.calls
	s.trouble = trouble{Fault: f, calls: calls, since: calls, until: time.Now().Add(f.Delay), chance: rand.New(rand.NewPCG(1, 2))}
	s.ring()
}

// strikes decides whether the fault strikes this time, if it is one of these kinds.
func (t *trouble) strikes(kinds ...FaultKind) bool {
	strikes := slices.Contains(kinds, t.Kind) && (t.Call == 0 || t.calls-t.since == t.Call) && (t.Chance == 0 || t.chance.Float64() < t.Chance)
	if strikes {
		t.struck++
	}
	return strikes
}

func (t *trouble) down() bool { return t.Kind == Down && time.Now().Before(t.until) }

// call runs a connector's call. It does what is asked for, and then the answer may
// go wrong.
func (s *system) call(ctx context.Context, token string, do func(by *account) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	t := &s.trouble
	t.calls++
	struck, f := t.strikes(DropAnswer, LateAnswer, ErrorAnswer, RateLimit), t.Fault
	if t.down() {
		s.mu.Unlock()
		return errCut
	}
	if struck && f.Kind == RateLimit {
		s.mu.Unlock()
		return pause(f.Delay)
	}
	err := error(noEntry)
	if k := s.keys[token]; k != nil && !k.revoked {
		err = do(k.account)
	}
	s.mu.Unlock()
	switch {
	case !struck:
	case f.Kind == DropAnswer:
		return errCut
	case f.Kind == ErrorAnswer:
		return errBroken
	case f.Kind == LateAnswer:
		select {
		case <-time.After(f.Delay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// tidings are the notes for the one listener, in order.
type tidings struct {
	edge  edge
	queue []note
	bell  chan struct{}
}

// note is something to report, not before it is due.
type note struct {
	what  tiding
	at    time.Time // when it happened
	due   time.Time
	entry entry // as it was then
	group group
	users []string // users who revoke their permission
	user  string   // the user who reacts, presses or submits
	glyph string
	on    bool
}

// tiding is the kind of a note.
type tiding int

const (
	entryIs tiding = iota
	entryGone
	glyphIs
	peopleChanged
	forumsChanged
	teamIs
	revoked
)

func (s *system) ring() {
	select {
	case s.tidings.bell <- struct{}{}:
	default:
	}
}

// tellOf reports what happens in a forum, if a bot is in it.
func (s *system) tellOf(f *forum, n note) {
	if s.hears(f) {
		s.tell(n)
	}
}

// tell queues a note for the listener, as far as the fault allows.
func (s *system) tell(n note) {
	n.at, n.due = s.now(), time.Now()
	times := 1
	if t := &s.trouble; t.strikes(DuplicateEvent, ReorderEvent, DelayEvent, LoseEvent) {
		switch t.Kind {
		case LoseEvent:
			times = 0
		case DuplicateEvent:
			times = 2
		case DelayEvent:
			n.due = n.due.Add(t.Delay)
		case ReorderEvent:
			n.due = n.due.Add(time.Duration(t.chance.Float64() * float64(t.Delay)))
		}
	}
	for range times {
		s.tidings.queue = append(s.tidings.queue, n)
	}
	s.ring()
}

// run delivers notes until ctx ends. A note that the listener does not accept is
// delivered again.
func (s *system) run(ctx context.Context) {
	for {
		n, wait := s.next()
		if n != nil {
			if err := s.tidings.edge.hear(ctx, *n); err == nil {
				continue
			}
			s.mu.Lock()
			n.due = time.Now().Add(20 * time.Millisecond)
			s.tidings.queue = append(s.tidings.queue, *n)
			s.mu.Unlock()
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-s.tidings.bell:
		case <-time.After(wait):
		}
	}
}

// next takes the first due note off the queue, or returns how long until one may be
// due.
func (s *system) next() (*note, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.trouble.down() {
		return nil, s.trouble.until.Sub(now)
	}
	wait := time.Minute
	first := -1
	for i, n := range s.tidings.queue {
		if n.due.After(now) {
			wait = min(wait, n.due.Sub(now))
		} else if first < 0 || n.due.Before(s.tidings.queue[first].due) {
			first = i
		}
	}
	if first < 0 {
		return nil, wait
	}
	n := s.tidings.queue[first]
	s.tidings.queue = slices.Delete(s.tidings.queue, first, first+1)
	return &n, 0
}
