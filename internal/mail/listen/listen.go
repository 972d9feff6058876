// Package listen receives mail by SMTP (RFC 5321), and by LMTP (RFC 2033) from a mail
// server beside us. It speaks the protocol and bounds what a client may take. A
// Mailroom says which addresses are ours, and keeps the mail. The package must not
// know what is in a mail.
//
// The protocol is spoken here, and not by a library, because of how a line may end:
// see content.
package listen

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// A Mailroom takes mail in. Its errors may be a mail.Refusal, which the sender reads.
// After any other error the sender is asked to come again later.
type Mailroom interface {
	// Knows returns nil if mail for an address is for somebody here.
	Knows(ctx context.Context, address string) error
	// Take reads a mail to its end and keeps it. The sender is told that we have it when
	// Take has returned nil, and forgets it then, so it must be on disk. If reading
	// fails, Take must return an error and keep nothing.
	Take(ctx context.Context, e Envelope, content io.Reader) error
}

// Envelope is what the protocol says about a mail. Nothing of it is proved but Client.
type Envelope struct {
	From   string // empty for a report about another mail
	To     []string
	Client netip.Addr // zero for a Unix socket
	Hello  string     // how the client introduced itself
	Peer   bool       // the client is a mail server that hands us mail; see Options
}

// Options say how to listen.
type Options struct {
	Name string      // of this server, as clients see it
	TLS  *tls.Config // offered if it is not nil
	LMTP bool
	// Peers are the networks of mail servers that hand us mail. Their connections are
	// not counted. Every client of LMTP is a peer.
	Peers []netip.Prefix
	Log   *slog.Logger
}

const (
	// clientTime is how long a client may be silent, and how long it may take to send a
	// mail. RFC 5321 asks for five minutes.
	clientTime = 5 * time.Minute
	// takeTime is how long keeping a mail may take once it is there. Clients wait for
	// ten minutes.
	takeTime = 2 * time.Minute
	// mostConnections bounds the connections of all clients that are no peers, and
	// mostOfOne those of one address.
	mostConnections = 200
	mostOfOne       = 20
)

// Server receives mail until it is shut down.
type Server struct {
	room    Mailroom
	options Options
	time    time.Duration // clientTime, or less in a test

	mu      sync.Mutex
	closing bool
	on      []net.Listener
	talks   map[*talk]bool     // whether it waits for a command
	inside  map[netip.Addr]int // connections that count
	counted int                // of all addresses
	talking sync.WaitGroup
}

// New returns a server that hands mail to a room.
func New(room Mailroom, o Options) *Server {
	return &Server{room: room, options: o, time: clientTime, talks: map[*talk]bool{}, inside: map[netip.Addr]int{}}
}

// Serve receives mail from the clients of a listener. It returns nil after Shutdown.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	s.on = append(s.on, l)
	s.mu.Unlock()
	for {
		conn, err := l.Accept()
		switch {
		case err == nil:
			s.admit(conn)
		case errors.Is(err, net.ErrClosed) && s.isClosing():
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default: // too many open files, for example
			s.options.Log.Error("accept a connection for mail", "error", err)
			time.Sleep(100 * time.Millisecond) // so as not to fail again at once; nothing else says when it works again
		}
	}
}

// admit talks with a client, unless there are too many.
func (s *Server) admit(conn net.Conn) {
	t := newTalk(s, conn)
	if !s.enter(t) {
		go t.turnAway()
		return
	}
	s.talking.Go(func() {
		defer conn.Close()
		defer s.leave(t) // first, so that a client who sees the end can come again
		t.run()
	})
}

func (s *Server) enter(t *talk) bool {
	client := t.envelope.Client
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || !t.envelope.Peer && (s.counted >= mostConnections || s.inside[client] >= mostOfOne) {
		return false
	}
	s.talks[t] = false
	if !t.envelope.Peer {
		s.counted++
		s.inside[client]++
	}
	return true
}

func (s *Server) leave(t *talk) {
	client := t.envelope.Client
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.talks, t)
	if t.envelope.Peer {
		return
	}
	s.counted--
	if s.inside[client]--; s.inside[client] == 0 {
		delete(s.inside, client)
	}
}

// waits notes whether a talk waits for a command, and gives the client its time. A
// talk that waits is over when the server is closing.
func (s *Server) waits(t *talk, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.talks[t] = waits
	until := time.Now().Add(s.time)
	if waits && s.closing {
		until = time.Now()
	}
	t.raw.SetDeadline(until)
}

func (s *Server) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// TurnAway asks clients to come again later: those that wait and those that come. Mails
// that are being received are kept. Load balancers see it in the greeting.
func (s *Server) TurnAway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for t, waits := range s.talks {
		if waits {
			t.raw.SetReadDeadline(time.Now())
		}
	}
}

// Shutdown ends the listening. It waits until ctx ends for mails that are being
// received, and then drops their connections.
func (s *Server) Shutdown(ctx context.Context) error {
	s.TurnAway()
	s.mu.Lock()
	for _, l := range s.on {
		l.Close()
	}
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() { s.talking.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for t := range s.talks {
		t.raw.Close()
	}
	s.mu.Unlock()
	<-ended
	return context.Cause(ctx)
}

// isPeer reports whether a client hands us mail on behalf of others.
func (s *Server) isPeer(client netip.Addr) bool {
	return s.options.LMTP || slices.ContainsFunc(s.options.Peers, func(p netip.Prefix) bool { return p.Contains(client) })
}

// addressOf returns the address of a client, or the zero address of one at a Unix
// socket.
func addressOf(conn net.Conn) netip.Addr {
	at, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return at.AddrPort().Addr().Unmap()
}
