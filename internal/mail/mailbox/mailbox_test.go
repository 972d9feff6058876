package mailbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2/imapclient"

	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/mailtest"
)

// poll is so long that a test which waits for it is seen to hang.
const poll = time.Hour

func settings(d *mailtest.IMAP, user string) Settings {
	return Settings{Host: d.Host, Port: d.Port, TLS: "none", User: user, Password: d.Password, Folder: "INBOX", authority: d.Authority}
}

func open(t *testing.T, s Settings) *Session {
	t.Helper()
	session, err := Open(t.Context(), s, (&net.Dialer{}).DialContext)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	return session
}

// read returns what is new after a position, and the position after it.
func read(t *testing.T, s *Session, since Position) (subjects string, after Position) {
	t.Helper()
	after, err := s.New(t.Context(), since, func(m Mail) error {
		parsed, err := mail.Parse(m.Raw)
		subjects += parsed.Subject + " "
		if m.Cut {
			subjects += "(cut) "
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(subjects), after
}

func expect(t *testing.T, s *Session, since Position, want string) Position {
	t.Helper()
	got, after := read(t, s, since)
	if got != want {
		t.Errorf("new are %q, want %q", got, want)
	}
	return after
}

func subject(text string) string { return "Subject: " + text + "\r\n\r\nHello\r\n" }

// The tests of a real server share one.
func TestDovecot(t *testing.T) {
	d := mailtest.Dovecot(t)
	for name, test := range map[string]func(*testing.T, *mailtest.IMAP){
		"new mail": testNewMail, "idle": testIdle, "polling": testPolling, "interrupted": testInterrupted, "made anew": testMadeAnew,
		"large": testLarge, "encryption": testEncryption, "refused": testRefused, "removed": testRemoved,
	} {
		t.Run(name, func(t *testing.T) { test(t, d) })
	}
}

// Old mail is not for us; new mail is, once, in order, and stays unread for people.
func testNewMail(t *testing.T, d *mailtest.IMAP) {
	d.Put("nora", "INBOX", subject("old"))
	s := open(t, settings(d, "nora"))
	at := expect(t, s, Position{}, "")
	if at.Validity == 0 || at.UID == 0 {
		t.Errorf("the end is at %+v", at)
	}
	for _, text := range []string{"a", "b", "c"} {
		d.Put("nora", "INBOX", subject(text))
	}
	at = expect(t, s, at, "a b c")
	expect(t, s, at, "")
	d.Put("nora", "INBOX", subject("d"))
	at = expect(t, open(t, settings(d, "nora")), at, "d")
	expect(t, s, at, "")
	if seen := d.Seen("nora", "INBOX"); seen != 0 {
		t.Errorf("%d mails are marked as read", seen)
	}
	// An empty folder has an end, too.
	d.Folder("nora", "Support")
	inSupport := settings(d, "nora")
	inSupport.Folder = "Support"
	s = open(t, inSupport)
	at = expect(t, s, Position{}, "")
	d.Put("nora", "Support", subject("e"))
	expect(t, s, at, "e")
}

func testIdle(t *testing.T, d *mailtest.IMAP) {
	s := open(t, settings(d, "ida"))
	_, at := read(t, s, Position{})
	for _, text := range []string{"before", "during"} {
		var waited chan error
		if text == "during" { // perhaps: nothing tells that a server listens
			waited = make(chan error)
			go func() { waited <- s.Wait(t.Context(), poll) }()
		}
		d.Put("ida", "INBOX", subject(text))
		if waited == nil {
			waited = make(chan error, 1)
			waited <- s.Wait(t.Context(), poll)
		}
		if err := <-waited; err != nil {
			t.Fatal(err)
		}
		at = expect(t, s, at, text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Wait(ctx, poll); err == nil {
		t.Error("waiting does not end with its context")
	}
}

// unable is a connection with a server that does not have IDLE.
type unable struct{ net.Conn }

func (c unable) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	copy(b, bytes.ReplaceAll(b[:n], []byte(" IDLE"), []byte(" XXXX")))
	return n, err
}

func testPolling(t *testing.T, d *mailtest.IMAP) {
	s, err := Open(t.Context(), settings(d, "polly"), func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := net.Dial(network, address)
		return unable{conn}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.idles {
		t.Fatal("the server has IDLE")
	}
	_, at := read(t, s, Position{})
	d.Put("polly", "INBOX", subject("a"))
	if err := s.Wait(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	expect(t, s, at, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Wait(ctx, poll); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting ends with %v", err)
	}
}

// A mail that could not be taken is read again.
func testInterrupted(t *testing.T, d *mailtest.IMAP) {
	s := open(t, settings(d, "iris"))
	_, at := read(t, s, Position{})
	for _, text := range []string{"a", "b", "c"} {
		d.Put("iris", "INBOX", subject(text))
	}
	full, taken := errors.New("the disk is full"), 0
	at, err := s.New(t.Context(), at, func(Mail) error {
		if taken++; taken == 2 {
			return full
		}
		return nil
	})
	if err != full {
		t.Errorf("got %v", err)
	}
	expect(t, s, at, "b c")
}

func testMadeAnew(t *testing.T, d *mailtest.IMAP) {
	there := settings(d, "mara")
	there.Folder = "Support"
	d.Put("mara", "Support", subject("a"))
	s := open(t, there)
	_, at := read(t, s, Position{})

	people, err := imapclient.DialInsecure(fmt.Sprint(d.Host, ":", d.Port), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer people.Close()
	for _, command := range []*imapclient.Command{people.Login("mara", d.Password), people.Delete("Support"), people.Create("Support", nil)} {
		if err := command.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	d.Put("mara", "Support", subject("b"))
	s = open(t, there)
	at, err = s.New(t.Context(), at, func(Mail) error { t.Error("a mail is taken"); return nil })
	if !errors.Is(err, ErrRenumbered) {
		t.Errorf("got %v", err)
	}
	d.Put("mara", "Support", subject("c"))
	expect(t, s, at, "c")
}

func testRemoved(t *testing.T, d *mailtest.IMAP) {
	s := open(t, settings(d, "rosa"))
	_, at := read(t, s, Position{})
	if m, found, err := s.fetch(t.Context(), at.UID+1); found || err != nil {
		t.Errorf("got %+v, %v", m, err)
	}
}

// A mail that is too large is reported, with its beginning.
func testLarge(t *testing.T, d *mailtest.IMAP) {
	s := open(t, settings(d, "lara"))
	_, at := read(t, s, Position{})
	d.Put("lara", "INBOX", subject("huge")+strings.Repeat(strings.Repeat("x", 998)+"\r\n", mail.MostBytes/1000+1))
	d.Put("lara", "INBOX", subject("small"))
	var large Mail
	_, err := s.New(t.Context(), at, func(m Mail) error {
		if large.Raw == nil {
			large = m
		}
		return nil
	})
	if err != nil || !large.Cut || len(large.Raw) != mostOfLarge || large.Size <= mail.MostBytes {
		t.Errorf("%d of %d bytes, cut: %v, %v", len(large.Raw), large.Size, large.Cut, err)
	}
	expect(t, s, at, "huge (cut) small")
}

func testEncryption(t *testing.T, d *mailtest.IMAP) {
	for kind, port := range map[string]int{"implicit": d.TLSPort, "starttls": d.Port} {
		there := settings(d, "tess")
		there.TLS, there.Port = kind, port
		expect(t, open(t, there), Position{}, "")
		there.authority = nil
		_, err := Open(t.Context(), there, (&net.Dialer{}).DialContext)
		var e *desk.Error
		if !errors.As(err, &e) || e.Kind != desk.Unavailable || !strings.Contains(e.Message, "certificate") {
			t.Errorf("%s with another's certificate: %v", kind, err)
		}
	}
}

func testRefused(t *testing.T, d *mailtest.IMAP) {
	for name, c := range map[string]struct {
		change func(*Settings)
		kind   desk.Kind
		lost   bool
	}{
		"wrong password":  {func(s *Settings) { s.Password = "wr\"ong é" }, desk.Internal, true},
		"no such folder":  {func(s *Settings) { s.Folder = "Büro" }, desk.Refused, false},
		"nobody is there": {func(s *Settings) { s.Port = 1 }, desk.Unavailable, false},
	} {
		there := settings(d, "rita")
		c.change(&there)
		_, err := Open(t.Context(), there, (&net.Dialer{}).DialContext)
		if desk.KindOf(err) != c.kind || errors.Is(err, ErrLost) != c.lost || strings.Contains(fmt.Sprint(err, there), there.Password) {
			t.Errorf("%s: %v", name, err)
		}
	}
	refusal := desk.Errorf(desk.Refused, "This is a private address.")
	_, err := Open(t.Context(), settings(d, "rita"), func(context.Context, string, string) (net.Conn, error) { return nil, refusal })
	if err != refusal {
		t.Errorf("an address that must not be called: %v", err)
	}
}

// A server of which tests know what it says. A script is what it answers to each command,
// where T stands for the tag of the command. After the last answer it is silent.
func scripted(t *testing.T, script ...string) Dial {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { theirs.Close() })
		go func() {
			in := bufio.NewReader(theirs)
			for i, answer := range script {
				line := ""
				if i > 0 {
					var err error
					if line, err = in.ReadString('\n'); err != nil {
						return
					}
				}
				tag, command, _ := strings.Cut(line, " ")
				if strings.HasPrefix(command, "SELECT") || strings.Contains(command, "BODY[") {
					t.Errorf("%q may mark mails as read", command)
				}
				for _, part := range strings.Split(answer, "\n") {
					if after, ok := strings.CutPrefix(part, "T "); ok {
						part = tag + " " + after
					}
					io.WriteString(theirs, part+"\r\n")
				}
			}
			io.Copy(io.Discard, in)
		}()
		return ours, nil
	}
}

const (
	greeting = "* OK [CAPABILITY IMAP4rev1] Hello"
	welcome  = "T OK [CAPABILITY IMAP4rev1] Welcome"
	done     = "T OK Done"
	opened   = "* 1 EXISTS\n* OK [UIDVALIDITY 7] Valid\n* OK [UIDNEXT 5] Next\nT OK [READ-ONLY] Open"
)

// What servers do that Dovecot does not.
func TestOddServers(t *testing.T) {
	flood := "* OK " + strings.Repeat("x", mostAnswers)
	for name, c := range map[string]struct {
		tls    string
		script []string
		want   string
	}{
		"refuses everyone":      {"none", []string{"* BYE Go away"}, "cannot be reached"},
		"is no mail server":     {"none", []string{"HTTP/1.1 400 Bad Request"}, "cannot be reached"},
		"has no STARTTLS":       {"starttls", []string{greeting, "T BAD Unknown"}, "no encryption"},
		"is busy":               {"none", []string{greeting, "T NO [UNAVAILABLE] Later"}, "cannot be reached"},
		"sends too much":        {"none", []string{greeting, flood}, "cannot be reached"},
		"refuses to list":       {"none", []string{greeting, welcome, opened, done, "T NO Not\tnow"}, "answers: Not now"},
		"breaks off":            {"none", []string{greeting, welcome, opened, done, "* 1 FETCH (UID 5"}, "cannot be reached"},
		"does not send a mail":  {"none", []string{greeting, welcome, opened, done, "* 1 FETCH (UID 5)\nT OK", "T OK", "* 1 FETCH (UID 5)\nT OK"}, "5 0 true"},
		"sends NIL for a mail":  {"none", []string{greeting, welcome, opened, done, "* 1 FETCH (UID 5)\nT OK", "* 1 FETCH (UID 5 BODY[]<0> NIL)\nT OK", "* 1 FETCH (UID 5)\nT OK"}, "5 0 true"},
		"is not in order":       {"none", []string{greeting, welcome, opened, done, "* 2 FETCH (UID 8)\n* 1 FETCH (UID 5)\nT OK", "* 1 FETCH (UID 5 BODY[]<0> \"x\")\nT OK", "* 2 FETCH (UID 8 BODY[]<0> {2}\nyy)\nT OK"}, "5 1 false 8 2 false"},
		"names only an old one": {"none", []string{greeting, welcome, opened, done, "* 1 FETCH (UID 3)\nT OK"}, ""},
		"numbers no mails":      {"none", []string{greeting, welcome, "* OK [UIDNEXT 5] Next\nT OK Open"}, "does not number"},
		"tells no end":          {"none", []string{greeting, welcome, "* OK [UIDVALIDITY 7] Valid\nT OK Open", "* 1 FETCH (UID 3)\n* 2 FETCH (UID 4)\nT OK", done, done}, ""},
	} {
		s, err := Open(t.Context(), Settings{Host: "imap.example", TLS: c.tls}, scripted(t, c.script...))
		var got []string
		if err == nil {
			if s.end != (Position{7, 4}) {
				t.Errorf("%s: the end is at %+v", name, s.end)
			}
			_, err = s.New(t.Context(), s.end, func(m Mail) error {
				got = append(got, fmt.Sprint(m.At.UID, " ", len(m.Raw), " ", m.Cut))
				return nil
			})
			s.conn.Close() // it would wait for a goodbye
		}
		if err != nil {
			got = append(got, err.Error())
		}
		if text := strings.Join(got, " "); !strings.Contains(text, c.want) || c.want == "" && text != "" {
			t.Errorf("a server that %s: %s", name, text)
		}
	}
}

// A server that says nothing is left when the context ends.
func TestSilence(t *testing.T) {
	for name, script := range map[string][]string{
		"from the beginning": {}, "after the password": {greeting}, "when opening": {greeting, welcome}, "when asked": {greeting, welcome, opened}, "when listing": {greeting, welcome, opened, done},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		s, err := Open(ctx, Settings{Host: "imap.example", TLS: "none"}, scripted(t, script...))
		if err == nil {
			_, err = s.New(ctx, s.end, func(Mail) error { return nil })
		}
		cancel()
		if desk.KindOf(err) != desk.Unavailable || !strings.Contains(err.Error(), "too long") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
