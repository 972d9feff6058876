// Package relay hands mails to the mail server that sends them on. For each mail it
// says exactly what is known afterwards:
//
//   - nil: the relay has it.
//   - desk.Refused: the relay does not take it, and would not another time.
//   - desk.Busy: the relay did not take it, but may later.
//   - desk.Unavailable: the relay could not be reached. It does not have the mail.
//   - ErrLost: the relay does not let us in, whatever the mail is.
//   - ErrPerhaps: the mail was sent and no answer came. Nobody knows whether the relay
//     has it.
package relay

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/smtp"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"time"

	"frontdesk/internal/desk"
)

var (
	// ErrLost says that the relay refuses our user name and password, or has no
	// encryption to send them over.
	ErrLost = errors.New("the mail relay does not let us in")
	// ErrPerhaps says that nobody knows whether the relay has the mail.
	ErrPerhaps = errors.New("the mail relay did not answer after the mail was sent")
)

// Relay is a mail server that sends our mail on.
type Relay struct {
	addr, host     string
	implicit       bool // TLS from the first byte
	local          bool // loopback: encryption is not required
	user, password string
	// tls is for tests, which have certificates of their own.
	tls *tls.Config
}

// Parse reads smtp://user:password@host:587 or smtps://host:465. The errors do not
// repeat the password.
func Parse(text string) (Relay, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Relay{}, errors.New("must be an address like smtp://user:password@host:587")
	}
	r := Relay{host: u.Hostname(), implicit: u.Scheme == "smtps", user: u.User.Username()}
	r.password, _ = u.User.Password()
	port := u.Port()
	switch {
	case u.Scheme != "smtp" && u.Scheme != "smtps":
		return Relay{}, errors.New("must begin with smtp:// or smtps://")
	case r.host == "":
		return Relay{}, errors.New("must name a host")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return Relay{}, errors.New("must have nothing after the host and the port")
	case r.user == "" && r.password != "":
		return Relay{}, errors.New("must have a user if it has a password")
	case port == "" && r.implicit:
		port = "465"
	case port == "":
		port = "587"
	}
	r.addr = net.JoinHostPort(r.host, port)
	addr, err := netip.ParseAddr(r.host)
	r.local = r.host == "localhost" || err == nil && addr.IsLoopback()
	return r, nil
}

// Host returns the name or address of the relay.
func (r Relay) Host() string { return r.host }

// String returns the address without user and password.
func (r Relay) String() string {
	scheme := "smtp"
	if r.implicit {
		scheme = "smtps"
	}
	return scheme + "://" + r.addr
}

// Session is a connection with a relay. It is for one goroutine.
type Session struct {
	relay  Relay
	conn   net.Conn
	client *smtp.Client
	broken bool
}

// Open connects with the relay and signs in. name is how this server introduces
// itself. It returns Unavailable, Busy or ErrLost.
func (r Relay) Open(ctx context.Context, name string) (_ *Session, err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.addr)
	if err != nil {
		return nil, r.unavailable("connect", err)
	}
	stop := deadline(ctx, conn)
	defer stop()
	defer func() {
		if err != nil {
			conn.Close()
		}
	}()
	if r.implicit {
		conn = tls.Client(conn, r.config())
	}
	client, err := smtp.NewClient(conn, r.host)
	if err != nil {
		return nil, r.outcome("greet", err)
	}
	s := &Session{relay: r, conn: conn, client: client}
	if err := client.Hello(name); err != nil {
		return nil, r.outcome("introduce ourselves", err)
	}
	if err := s.encrypt(); err != nil {
		return nil, err
	}
	if r.user == "" {
		return s, nil
	}
	if err := client.Auth(s.login()); err != nil {
		if refused, ok := errors.AsType[*textproto.Error](err); ok && refused.Code >= 500 {
			return nil, fmt.Errorf("%w: %s answers %s", ErrLost, r, sentence(refused))
		}
		return nil, r.outcome("sign in", err)
	}
	return s, nil
}

// encrypt begins to speak TLS. Mail and password are not sent without it, unless the
// relay is on this machine.
func (s *Session) encrypt() error {
	if s.relay.implicit {
		return nil
	}
	if able, _ := s.client.Extension("STARTTLS"); !able {
		if s.relay.local {
			return nil
		}
		return fmt.Errorf("%w: %s offers no encryption (STARTTLS)", ErrLost, s.relay)
	}
	if err := s.client.StartTLS(s.relay.config()); err != nil {
		return s.relay.unavailable("encrypt the connection", err)
	}
	return nil
}

func (r Relay) config() *tls.Config {
	if r.tls != nil {
		return r.tls.Clone()
	}
	return &tls.Config{ServerName: r.host, MinVersion: tls.VersionTLS12}
}

// Send hands a mail over for one recipient. from is the envelope's sender.
func (s *Session) Send(ctx context.Context, from, to string, mail []byte) (err error) {
	if s.broken {
		return s.relay.unavailable("send", net.ErrClosed)
	}
	stop := deadline(ctx, s.conn)
	defer stop()
	if err := s.client.Mail(from); err != nil {
		return s.failed("send from "+from, err)
	}
	if err := s.client.Rcpt(to); err != nil {
		return s.failed("send to "+to, err)
	}
	w, err := s.client.Data()
	if err != nil {
		return s.failed("send a mail", err)
	}
	if _, err := w.Write(mail); err != nil {
		// The dot that ends a mail was not sent, so the relay cannot have it.
		s.broken = true
		return s.relay.unavailable("send a mail", err)
	}
	if err = w.Close(); err == nil {
		return nil
	}
	if _, ok := errors.AsType[*textproto.Error](err); ok {
		return s.failed("send a mail", err)
	}
	s.broken = true
	return fmt.Errorf("%w: %w", ErrPerhaps, err)
}

// failed returns the outcome of a command. The next mail begins anew, if the relay is
// still there.
func (s *Session) failed(what string, err error) error {
	if _, ok := errors.AsType[*textproto.Error](err); !ok || s.client.Reset() != nil {
		s.broken = true
	}
	return s.relay.outcome(what, err)
}

// Broken reports whether the session is of no more use.
func (s *Session) Broken() bool { return s.broken }

// Close says goodbye.
func (s *Session) Close() error {
	if s.broken {
		return s.conn.Close()
	}
	s.conn.SetDeadline(time.Now().Add(5 * time.Second))
	if err := s.client.Quit(); err != nil {
		return s.conn.Close()
	}
	return nil
}

// outcome turns an answer, or its absence, into what it means.
func (r Relay) outcome(what string, err error) error {
	answer, ok := errors.AsType[*textproto.Error](err)
	switch {
	case !ok:
		return r.unavailable(what, err)
	case answer.Code >= 500:
		return &desk.Error{Kind: desk.Refused, Message: "The mail server answers: " + sentence(answer), Err: fmt.Errorf("%s: %w", what, err)}
	}
	return &desk.Error{Kind: desk.Busy, Message: "The mail server asks to try later: " + sentence(answer), Err: fmt.Errorf("%s: %w", what, err)}
}

func (r Relay) unavailable(what string, err error) error {
	message := "The mail server cannot be reached."
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		message = "The mail server takes too long to answer."
	}
	return &desk.Error{Kind: desk.Unavailable, Message: message, Err: fmt.Errorf("%s at %s: %w", what, r, err)}
}

// mostAnswer bounds how much of a relay's answer people are shown.
const mostAnswer = 500

// sentence makes an answer fit to be shown: on one line, and not too long.
func sentence(answer *textproto.Error) string {
	text := fmt.Sprint(answer.Code, " ", desk.CleanText(strings.ToValidUTF8(answer.Msg, "")))
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > mostAnswer {
		return string(letters[:mostAnswer]) + "…"
	}
	return text
}

// deadline ends a connection's calls when a context ends.
func deadline(ctx context.Context, conn net.Conn) (stop func() bool) {
	conn.SetDeadline(time.Time{})
	return context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
}
