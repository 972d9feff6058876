package relay

import (
	"context"
	"sync"
	"time"

	"frontdesk/internal/desk"
)

// idleTime is how long a session is kept for the next mail. Relays end idle sessions
// after minutes.
const idleTime = 20 * time.Second

// Pool sends mails through a relay with a few sessions, which it keeps for a while.
// More mails at once wait for one of them. It is safe for concurrent use.
type Pool struct {
	relay Relay
	name  string
	room  chan struct{} // holds a token for each session that may be used at once

	mu   sync.Mutex
	idle []*keptSession
}

type keptSession struct {
	*Session
	ends *time.Timer
}

// NewPool returns a pool of at most so many sessions. name is how this server
// introduces itself.
func NewPool(r Relay, name string, most int) *Pool {
	return &Pool{relay: r, name: name, room: make(chan struct{}, most)}
}

// Send hands a mail over for one recipient. Its errors are those of Relay.Open and
// Session.Send.
func (p *Pool) Send(ctx context.Context, from, to string, mail []byte) error {
	select {
	case p.room <- struct{}{}:
		defer func() { <-p.room }()
	case <-ctx.Done():
		return p.relay.unavailable("wait for a connection", ctx.Err())
	}
	if s := p.take(); s != nil {
		err := s.Send(ctx, from, to, mail)
		if !s.Broken() || desk.KindOf(err) != desk.Unavailable {
			p.put(s)
			return err
		}
		s.Close() // the relay had ended the session, and certainly has not got the mail
	}
	s, err := p.relay.Open(ctx, p.name)
	if err != nil {
		return err
	}
	err = s.Send(ctx, from, to, mail)
	p.put(s)
	return err
}

// take returns an idle session, or nil if there is none.
func (p *Pool) take() *Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		s := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if s.ends.Stop() {
			return s.Session
		}
	}
	return nil
}

// put keeps a session for the next mail, or closes it if it is broken.
func (p *Pool) put(s *Session) {
	if s.Broken() {
		s.Close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, &keptSession{s, time.AfterFunc(idleTime, func() { s.Close() })})
}

// Close closes the idle sessions.
func (p *Pool) Close() {
	for s := p.take(); s != nil; s = p.take() {
		s.Close()
	}
}
