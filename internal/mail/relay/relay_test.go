package relay

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/desk"
)

// server is a relay that follows a script: what it must be told, and what it answers.
// A mail is told as its text up to the dot. The answer "drop" ends the connection,
// "encrypt" begins TLS, and "hang" answers nothing.
type server struct {
	t        *testing.T
	listener net.Listener
	ended    chan struct{}
	hung     chan struct{}
	tls      *tls.Config
}

func serve(t *testing.T, config *tls.Config, script ...string) (*server, Relay) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t, l, make(chan struct{}), make(chan struct{}), config}
	go func() {
		defer close(s.ended)
		conn, err := l.Accept()
		if err == nil {
			s.follow(conn, script)
		}
	}()
	t.Cleanup(func() { l.Close(); <-s.ended })
	r, err := Parse("smtp://jo:secret@" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r.user = ""
	return s, r
}

func (s *server) follow(conn net.Conn, script []string) {
	defer func() { conn.Close() }()
	if script[0] == "encrypt" {
		conn, script = tls.Server(conn, s.tls), script[1:]
	}
	in := bufio.NewReader(conn)
	io.WriteString(conn, "220 relay.example ESMTP\r\n")
	for i := 0; i < len(script); i += 2 {
		told, err := hear(in, strings.Contains(script[i], "\n"))
		if err != nil {
			return
		}
		if told != script[i] {
			s.t.Errorf("the relay is told %q, want %q", told, script[i])
		}
		switch answer := script[i+1]; answer {
		case "drop":
			return
		case "hang":
			close(s.hung)
			in.ReadByte()
			return
		case "encrypt":
			io.WriteString(conn, "220 2.0.0 Go ahead\r\n")
			conn = tls.Server(conn, s.tls)
			in = bufio.NewReader(conn)
		default:
			io.WriteString(conn, answer+"\r\n")
		}
	}
	if told, err := hear(in, false); err == nil && told != "QUIT" {
		s.t.Errorf("the relay is told %q after all", told)
	}
}

func hear(in *bufio.Reader, mail bool) (told string, err error) {
	for {
		line, err := in.ReadString('\n')
		switch {
		case err != nil:
			return told, err
		case !mail:
			return strings.TrimRight(line, "\r\n"), nil
		case line == ".\r\n":
			return told, nil
		}
		told += line
	}
}

const plain = "250-relay.example\r\n250 8BITMIME"

func open(t *testing.T, r Relay) *Session {
	t.Helper()
	s, err := r.Open(t.Context(), "desk.example")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mailed(extra ...string) []string {
	return append([]string{"EHLO desk.example", plain, "MAIL FROM:<bounce@desk.example> BODY=8BITMIME", "250 OK", "RCPT TO:<jo@there.example>", "250 OK", "DATA", "354 Go ahead"}, extra...)
}

const aMail = "Subject: Hello\r\n\r\n.dot\r\n"

func send(ctx context.Context, s *Session) error {
	return s.Send(ctx, "bounce@desk.example", "jo@there.example", []byte(aMail))
}

func TestSend(t *testing.T) {
	second := mailed("Subject: Hello\r\n\r\n..dot\r\n", "250 OK")[2:]
	_, r := serve(t, nil, append(mailed("Subject: Hello\r\n\r\n..dot\r\n", "250 2.0.0 Queued"), second...)...)
	s := open(t, r)
	for range 2 {
		if err := send(t.Context(), s); err != nil {
			t.Errorf("Send: %v", err)
		}
	}
}

// What is known after a mail could not be sent.
func TestOutcomes(t *testing.T) {
	stuffed := "Subject: Hello\r\n\r\n..dot\r\n"
	to := mailed()[:4]
	for name, c := range map[string]struct {
		script  []string
		kind    desk.Kind
		is      error
		message string
	}{
		"nobody has this address": {append(to[:4:4], "RCPT TO:<jo@there.example>", "550 5.1.1 No such\tuser", "RSET", "250 OK"), desk.Refused, nil, "The mail server answers: 550 5.1.1 No such user"},
		"the sender is refused":   {append(to[:2:2], to[2], "553 Not you", "RSET", "250 OK"), desk.Refused, nil, "The mail server answers: 553 Not you"},
		"later":                   {append(to[:4:4], "RCPT TO:<jo@there.example>", "451 4.7.1 Greylisted", "RSET", "250 OK"), desk.Busy, nil, "The mail server asks to try later: 451 4.7.1 Greylisted"},
		"the mail is refused":     {mailed(stuffed, "554 5.7.1 Spam", "RSET", "250 OK"), desk.Refused, nil, "The mail server answers: 554 5.7.1 Spam"},
		"the mail is put off":     {mailed(stuffed, "452 4.3.1 Full", "RSET", "250 OK"), desk.Busy, nil, "The mail server asks to try later: 452 4.3.1 Full"},
		"gone before the mail":    {append(to[:2:2], to[2], "drop"), desk.Unavailable, nil, "The mail server cannot be reached."},
		"gone after the mail":     {mailed(stuffed, "drop"), 0, ErrPerhaps, ""},
		"closing after the mail":  {mailed(stuffed, "421 4.3.2 Going down", "RSET", "drop"), desk.Busy, nil, "The mail server asks to try later: 421 4.3.2 Going down"},
	} {
		t.Run(name, func(t *testing.T) {
			_, r := serve(t, nil, c.script...)
			s := open(t, r)
			err := send(t.Context(), s)
			var e *desk.Error
			switch {
			case c.is != nil:
				if !errors.Is(err, c.is) {
					t.Errorf("got %v, want %v", err, c.is)
				}
			case !errors.As(err, &e) || e.Kind != c.kind || e.Message != c.message:
				t.Errorf("got %v", err)
			}
			if alive := c.script[len(c.script)-1] == "250 OK"; s.Broken() == alive {
				t.Errorf("broken: %v", s.Broken())
			}
		})
	}
}

// A recipient that is refused does not keep others from getting theirs.
func TestSessionGoesOn(t *testing.T) {
	_, r := serve(t, nil, append(append(mailed()[:4:4], "RCPT TO:<jo@there.example>", "550 No", "RSET", "250 OK"), mailed("Subject: Hello\r\n\r\n..dot\r\n", "250 OK")[2:]...)...)
	s := open(t, r)
	if err := send(t.Context(), s); desk.KindOf(err) != desk.Refused {
		t.Errorf("the first: %v", err)
	}
	if err := send(t.Context(), s); err != nil {
		t.Errorf("the second: %v", err)
	}
}

// A caller who no longer waits knows as little as the connection tells.
func TestGivingUp(t *testing.T) {
	for name, c := range map[string]struct {
		script  []string
		perhaps bool
	}{
		"before the mail": {append(mailed()[:2:2], "MAIL FROM:<bounce@desk.example> BODY=8BITMIME", "hang"), false},
		"after the mail":  {mailed("Subject: Hello\r\n\r\n..dot\r\n", "hang"), true},
	} {
		there, r := serve(t, nil, c.script...)
		s := open(t, r)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-there.hung; cancel() }()
		if err := send(ctx, s); errors.Is(err, ErrPerhaps) != c.perhaps || !c.perhaps && desk.KindOf(err) != desk.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
		if err := send(t.Context(), s); desk.KindOf(err) != desk.Unavailable {
			t.Errorf("%s, afterwards: %v", name, err)
		}
	}
}

func TestSignIn(t *testing.T) {
	for name, c := range map[string]struct {
		script []string
		want   error
	}{
		"plain":   {[]string{"EHLO desk.example", "250-relay.example\r\n250 AUTH LOGIN PLAIN", "AUTH PLAIN AGpvAHNlY3JldA==", "235 OK"}, nil},
		"login":   {[]string{"EHLO desk.example", "250-relay.example\r\n250 AUTH LOGIN", "AUTH LOGIN", "334 VXNlcm5hbWU6", "am8=", "334 UGFzc3dvcmQ6", "c2VjcmV0", "235 OK"}, nil},
		"refused": {[]string{"EHLO desk.example", "250-relay.example\r\n250 AUTH PLAIN", "AUTH PLAIN AGpvAHNlY3JldA==", "535 5.7.8 Wrong", "*", "501 OK"}, ErrLost},
	} {
		_, r := serve(t, nil, c.script...)
		r.user = "jo"
		s, err := r.Open(t.Context(), "desk.example")
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error tells the password: %v", name, err)
		}
		if s != nil {
			s.Close()
		}
	}
}

// Nothing is sent without encryption, unless the relay is on this machine.
func TestEncryption(t *testing.T) {
	inside, outside := certificate(t)
	_, r := serve(t, nil, "EHLO desk.example", plain)
	r.local = false
	if _, err := r.Open(t.Context(), "desk.example"); !errors.Is(err, ErrLost) {
		t.Errorf("without encryption: %v", err)
	}
	able := "250-relay.example\r\n250 STARTTLS"
	_, r = serve(t, inside, append([]string{"EHLO desk.example", able, "STARTTLS", "encrypt"}, mailed("Subject: Hello\r\n\r\n..dot\r\n", "250 OK")...)...)
	r.local, r.tls = false, outside
	if err := send(t.Context(), open(t, r)); err != nil {
		t.Errorf("STARTTLS: %v", err)
	}
	_, r = serve(t, inside, append([]string{"encrypt"}, mailed("Subject: Hello\r\n\r\n..dot\r\n", "250 OK")...)...)
	r.local, r.tls, r.implicit = false, outside, true
	if err := send(t.Context(), open(t, r)); err != nil {
		t.Errorf("smtps: %v", err)
	}
	_, r = serve(t, inside, "EHLO desk.example", able, "STARTTLS", "encrypt", "EHLO desk.example", plain)
	if _, err := r.Open(t.Context(), "desk.example"); desk.KindOf(err) != desk.Unavailable {
		t.Errorf("another's certificate: %v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	there, r := serve(t, nil, "drop")
	there.listener.Close()
	_, err := r.Open(t.Context(), "desk.example")
	var e *desk.Error
	if !errors.As(err, &e) || e.Kind != desk.Unavailable || strings.Contains(e.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"smtp://jo:secret@relay.example":          "smtp://relay.example:587 jo secret",
		"smtps://relay.example":                   "smtps://relay.example:465  ",
		"smtp://127.0.0.1:25":                     "smtp://127.0.0.1:25   on this machine",
		"smtp://[::1]:2525/":                      "smtp://[::1]:2525   on this machine",
		"smtp://jo%40a.example:p%3A%2F@r.example": "smtp://r.example:587 jo@a.example p:/",
		"http://relay.example":                    "must begin with smtp:// or smtps://",
		"smtp://":                                 "must name a host",
		"smtp://relay.example/inbox":              "must have nothing after the host and the port",
		"smtp://:secret@relay.example":            "must have a user if it has a password",
		"smtp://relay.example:secret%":            "must be an address like smtp://user:password@host:587",
	} {
		r, err := Parse(text)
		got := fmt.Sprint(r, " ", r.user, " ", r.password)
		if r.local {
			got += " on this machine"
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// certificate returns what a server and its clients need for TLS.
func certificate(t *testing.T) (inside, outside *tls.Config) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: roots, ServerName: "example.com"}
}
