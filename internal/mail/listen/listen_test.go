package listen

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/mail"
)

// room is a mailroom in memory. Everybody at acme.example is here.
type room struct {
	mu    sync.Mutex
	taken []takenMail
	fail  error                        // what Take returns
	held  func(e Envelope) (free bool) // called before a mail is kept
}

type takenMail struct {
	Envelope
	content string
}

func (r *room) Knows(_ context.Context, address string) error {
	switch {
	case address == "broken@acme.example":
		return errors.New("the database is gone")
	case !strings.HasSuffix(address, "@acme.example"):
		return mail.Refusal{Reason: "Nobody here has this address."}
	}
	return nil
}

func (r *room) Take(_ context.Context, e Envelope, content io.Reader) error {
	all, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	if r.held != nil {
		r.held(e)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail == nil {
		e.To = slices.Clone(e.To)
		r.taken = append(r.taken, takenMail{e, string(all)})
	}
	return r.fail
}

func (r *room) all() []takenMail {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.taken)
}

// stranger is a network that no client here is in, so that clients are no peers.
var stranger = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}

func serve(t *testing.T, r *room, o Options, network, at string) (*Server, net.Addr) {
	t.Helper()
	l, err := net.Listen(network, at)
	if err != nil {
		t.Fatal(err)
	}
	o.Name, o.Log = "mx.acme.example", slog.New(slog.DiscardHandler)
	s := New(r, o)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.Shutdown(ctx)
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s, l.Addr()
}

// client speaks the protocol letter by letter.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
}

func dial(t *testing.T, at net.Addr) *client {
	t.Helper()
	conn, err := net.Dial(at.Network(), at.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{t, conn, bufio.NewReader(conn)}
}

// send writes something and returns the answer, without the lines that say that more
// follows.
func (c *client) send(text string) string {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, text); err != nil {
		return "gone: " + err.Error()
	}
	return c.answer()
}

func (c *client) answer() string {
	for {
		line, err := c.r.ReadString('\n')
		if err != nil {
			return "gone"
		}
		if len(line) < 4 || line[3] != '-' {
			return strings.TrimRight(line, "\r\n")
		}
	}
}

// expect sends lines and checks how the answer to each begins.
func (c *client) expect(exchanges ...string) {
	c.t.Helper()
	for i := 0; i < len(exchanges); i += 2 {
		if got := c.send(exchanges[i] + "\r\n"); !strings.HasPrefix(got, exchanges[i+1]) {
			c.t.Fatalf("%.60q is answered with %q, want %s", exchanges[i], got, exchanges[i+1])
		}
	}
}

// begins greets, and sends everything up to the content of a mail.
func (c *client) begins() *client {
	c.t.Helper()
	if got := c.answer(); !strings.HasPrefix(got, "220 ") {
		c.t.Fatalf("greeted with %q", got)
	}
	c.expect("EHLO there.example", "250 ", "MAIL FROM:<jo@there.example>", "250 ", "RCPT TO:<help@acme.example>", "250 ", "DATA", "354 ")
	return c
}

// The mail is kept as it came, without the dots that the protocol adds, and before the
// client is told so.
func TestTake(t *testing.T) {
	r := &room{}
	_, at := serve(t, r, Options{Peers: stranger}, "tcp", "127.0.0.1:0")
	c := dial(t, at).begins()
	kept := make(chan bool)
	r.held = func(Envelope) bool { kept <- true; return <-kept }
	io.WriteString(c.conn, "Subject: A dot\r\n\r\n..\r\n...x\r\nüber\r\n.\r\n")
	<-kept
	c.conn.SetReadDeadline(time.Now())
	if line, err := c.r.ReadString('\n'); err == nil {
		t.Errorf("answered before the mail was kept: %q", line)
	}
	c.conn.SetReadDeadline(time.Time{})
	kept <- true
	if got := c.answer(); !strings.HasPrefix(got, "250 ") {
		t.Errorf("answered %q", got)
	}
	c.expect("QUIT", "221 ")
	all := r.all()
	if len(all) != 1 || all[0].content != "Subject: A dot\r\n\r\n.\r\n..x\r\nüber\r\n" {
		t.Fatalf("kept: %+v", all)
	}
	e := all[0].Envelope
	if e.From != "jo@there.example" || !slices.Equal(e.To, []string{"help@acme.example"}) || e.Hello != "there.example" || e.Client != netip.MustParseAddr("127.0.0.1") || e.Peer {
		t.Errorf("envelope: %+v", e)
	}
}

// Addresses of others are refused before any content, since we pass nothing on. A
// failure of ours refuses nothing for good.
func TestRefused(t *testing.T) {
	r := &room{}
	_, at := serve(t, r, Options{}, "tcp", "127.0.0.1:0")
	c := dial(t, at)
	c.answer()
	c.expect("EHLO there.example", "250 ", "MAIL FROM:<>", "250 ",
		"RCPT TO:<jo@elsewhere.example>", "550 5.1.1 Nobody here has this address.",
		"RCPT TO:<@acme.example:jo@elsewhere.example>", "550 5.1.1 ",
		"RCPT TO:<jo%elsewhere.example@other.example>", "550 5.1.1 ",
		"RCPT TO:<broken@acme.example>", "451 4.3.0 The mail could not be taken now. Please try again later.",
		"DATA", "503 ", "RCPT TO:<help@acme.example>", "250 ")
	r.fail = errors.New("the disk is full")
	c.expect("DATA", "354 ", "Subject: Full\r\n\r\nHello\r\n.", "451 4.3.0 ")
	r.fail = fmt.Errorf("parse: %w", mail.Refusal{Reason: "The mail has more than 50 parts."})
	c.expect("MAIL FROM:<jo@there.example>", "250 ", "RCPT TO:<help@acme.example>", "250 ", "DATA", "354 ", "\r\nHello\r\n.", "550 5.6.0 The mail has more than 50 parts.")
	r.fail = nil
	if all := r.all(); len(all) != 0 {
		t.Errorf("kept: %+v", all)
	}
	c.expect("MAIL FROM:<jo@there.example>", "250 ", "RCPT TO:<help@acme.example>", "250 ", "DATA", "354 ", "\r\nHello\r\n.", "250 ")
	if all := r.all(); len(all) != 1 || len(all[0].To) != 1 || all[0].From != "jo@there.example" {
		t.Errorf("kept: %+v", all)
	}
}

// Only CR LF . CR LF ends a mail, and another line end anywhere refuses it and ends the
// connection. So a second mail cannot hide in a first one, whatever a server before us
// takes for an end.
func TestSmuggling(t *testing.T) {
	second := "MAIL FROM:<boss@acme.example>\r\nRCPT TO:<help@acme.example>\r\nDATA\r\nSubject: Hidden\r\n\r\nPay\r\n.\r\n"
	for _, end := range []string{"\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\r.\r\n", "\r\n.\r", "\r\r\n.\r\n", "\n\n.\r\n", "\n\r.\r\n", "\r\n\x00.\n"} {
		t.Run(fmt.Sprintf("%q", end), func(t *testing.T) {
			r := &room{}
			_, at := serve(t, r, Options{}, "tcp", "127.0.0.1:0")
			c := dial(t, at).begins()
			got := c.send("Subject: First\r\n\r\nHello" + end + second + "\r\n.\r\n" + second)
			if got != "550 5.6.0 Each line must end with CR and LF." {
				t.Errorf("answered %q", got)
			}
			if got := c.answer(); got != "gone" {
				t.Errorf("answered %q afterwards", got)
			}
			if all := r.all(); len(all) != 0 {
				t.Errorf("kept: %+v", all)
			}
		})
	}
}

// A mail may be as large as the limit and have as many recipients, and no more.
func TestLimits(t *testing.T) {
	r := &room{}
	_, at := serve(t, r, Options{}, "tcp", "127.0.0.1:0")
	line := strings.Repeat("x", 1022) + "\r\n"
	for more, want := range map[int]string{0: "250 ", 1: "552 "} {
		c := dial(t, at).begins()
		go func() {
			w := bufio.NewWriter(c.conn)
			for range mail.MostBytes/len(line) - 1 {
				w.WriteString(line)
			}
			w.WriteString(strings.Repeat("x", more) + line + ".\r\n")
			w.Flush()
		}()
		if got := c.answer(); !strings.HasPrefix(got, want) {
			t.Errorf("%d bytes more than allowed are answered with %q", more, got)
		}
	}
	if all := r.all(); len(all) != 1 || len(all[0].content) != mail.MostBytes {
		t.Errorf("%d mails were kept", len(all))
	}
}

// A mail has at most a hundred recipients. Those after them are refused, by SMTP and by
// LMTP, and the others get the mail.
func TestMostRecipients(t *testing.T) {
	for _, lmtp := range []bool{false, true} {
		r := &room{}
		_, at := serve(t, r, Options{LMTP: lmtp}, "tcp", "127.0.0.1:0")
		c := dial(t, at)
		c.answer()
		hello, answers := "EHLO", 1
		if lmtp {
			hello, answers = "LHLO", mail.MostRecipients
		}
		c.expect(hello+" there.example", "250 ", "MAIL FROM:<jo@there.example>", "250 ")
		for i := range mail.MostRecipients {
			c.expect(fmt.Sprintf("RCPT TO:<help%d@acme.example>", i), "250 ")
		}
		for range 2 {
			c.expect("RCPT TO:<one.more@acme.example>", "552 5.5.3 A mail may have at most 100 recipients.")
		}
		c.expect("DATA", "354 ", "Subject: Hello\r\n\r\nHello.\r\n.", "250 ")
		for range answers - 1 {
			if got := c.answer(); !strings.HasPrefix(got, "250 ") {
				t.Errorf("a recipient is answered with %q", got)
			}
		}
		if all := r.all(); len(all) != 1 || len(all[0].To) != mail.MostRecipients {
			t.Errorf("%d mails were kept", len(all))
		}
	}
}

// A client that goes away in the middle of a mail has not sent one, and one that says
// nothing is not waited for.
func TestUnfinished(t *testing.T) {
	r := &room{}
	_, at := serve(t, r, Options{}, "tcp", "127.0.0.1:0")
	c := dial(t, at).begins()
	io.WriteString(c.conn, "Subject: Half\r\n\r\nHel")
	c.conn.(*net.TCPConn).CloseWrite()
	if got := c.answer(); strings.HasPrefix(got, "2") {
		t.Errorf("half a mail is answered with %q", got)
	}
	s, at := serve(t, r, Options{}, "tcp", "127.0.0.1:0")
	s.time = time.Millisecond
	silent := dial(t, at)
	for got := ""; got != "gone"; got = silent.answer() {
		if !strings.HasPrefix(got, "220 ") && !strings.HasPrefix(got, "421 ") && got != "" {
			t.Errorf("a silent client is told %q", got)
		}
	}
	if all := r.all(); len(all) != 0 {
		t.Errorf("kept: %+v", all)
	}
}

// Strangers have twenty connections for each address. Peers have as many as they want.
func TestConnections(t *testing.T) {
	for _, peers := range [][]netip.Prefix{stranger, {netip.MustParsePrefix("127.0.0.0/8")}} {
		_, at := serve(t, &room{}, Options{Peers: peers}, "tcp", "127.0.0.1:0")
		var in []*client
		for range mostOfOne {
			c := dial(t, at)
			if got := c.answer(); !strings.HasPrefix(got, "220 ") {
				t.Fatalf("connection %d is told %q", len(in)+1, got)
			}
			in = append(in, c)
		}
		want := "421 4.7.0 There are too many connections. Please try again later."
		if peers[0].Contains(netip.MustParseAddr("127.0.0.1")) {
			want = "220 mx.acme.example ESMTP"
		}
		if got := dial(t, at).answer(); got != want {
			t.Errorf("one more is told %q, want %q", got, want)
		}
		in[0].expect("QUIT", "221 ")
		if got := in[0].answer(); got != "gone" {
			t.Errorf("after the end: %q", got)
		}
		if got := dial(t, at).answer(); !strings.HasPrefix(got, "220 ") {
			t.Errorf("after one left, the next is told %q", got)
		}
	}
}

// What a client sends before the encryption begins is not taken for something that was
// sent inside it.
func TestEncryption(t *testing.T) {
	r := &room{}
	_, at := serve(t, r, Options{TLS: certificate(t)}, "tcp", "127.0.0.1:0")
	c := dial(t, at)
	c.answer()
	c.expect("EHLO there.example", "250 ")
	if got := c.send("STARTTLS\r\nMAIL FROM:<plain@there.example>\r\n"); !strings.HasPrefix(got, "503 ") {
		t.Errorf("STARTTLS with something behind it: %q", got)
	}
	if got := c.answer(); got != "gone" {
		t.Errorf("afterwards: %q", got)
	}
	d := dial(t, at)
	d.answer()
	d.expect("EHLO there.example", "250 ", "STARTTLS", "220 ")
	secure := tls.Client(d.conn, &tls.Config{InsecureSkipVerify: true})
	inside := &client{t, secure, bufio.NewReader(secure)}
	inside.expect("EHLO there.example", "250 ", "MAIL FROM:<jo@there.example>", "250 ", "RCPT TO:<help@acme.example>", "250 ", "DATA", "354 ",
		"\r\nHello\r\n.", "250 ", "MAIL FROM:<jo@there.example>", "250 ", "RCPT TO:<help@acme.example>", "250 ", "DATA", "354 ", "\r\nHello\n.\r\n.", "550 5.6.0 ")
	if got := inside.answer(); got != "gone" {
		t.Errorf("after a bare line end: %q", got)
	}
	if all := r.all(); len(all) != 1 || all[0].From != "jo@there.example" {
		t.Errorf("kept: %+v", all)
	}
}

// A mail server beside us is told about each recipient.
func TestLMTP(t *testing.T) {
	r := &room{}
	_, at := serve(t, r, Options{LMTP: true}, "unix", filepath.Join(t.TempDir(), "lmtp"))
	c := dial(t, at)
	c.answer()
	c.expect("LHLO mta.acme.example", "250 ", "MAIL FROM:<jo@there.example>", "250 ", "RCPT TO:<help@acme.example>", "250 ",
		"RCPT TO:<nobody@other.example>", "550 ", "RCPT TO:<sales@acme.example>", "250 ", "DATA", "354 ", "\r\nHello\r\n.", "250 ")
	if got := c.answer(); !strings.HasPrefix(got, "250 ") {
		t.Errorf("the second recipient: %q", got)
	}
	c.expect("NOOP", "250 ", "HELO x", "500 ")
	all := r.all()
	if len(all) != 1 || !all[0].Peer || all[0].Client.IsValid() || len(all[0].To) != 2 {
		t.Errorf("kept: %+v", all)
	}
}

// The end, the dots and the line ends are found wherever a read happens to end.
func TestContent(t *testing.T) {
	for text, want := range map[string]string{
		".\r\n": "", "a\r\n.\r\nrest": "a\r\n", "..\r\n.a\r\n...\r\n.\r\n": ".\r\na\r\n..\r\n", "\r\n\r\n.\r\n": "\r\n\r\n", "a.\r\nb.c\r\n.\r\n": "a.\r\nb.c\r\n",
		"a\n": "bare", "a\r": "cut", "a\rb": "bare", "\r\r\n": "bare", "\r\n\n": "bare", ".\n": "bare", ".\ra": "bare", ".\r\r\n": "bare", "a\r\n": "cut", "": "cut", ".": "cut", "a\x00\r\n.\r\n": "a\x00\r\n",
	} {
		for size := 2; size < 6; size++ {
			c := &content{from: bufio.NewReader(strings.NewReader(text)), left: 100}
			var got bytes.Buffer
			_, err := io.CopyBuffer(struct{ io.Writer }{&got}, struct{ io.Reader }{c}, make([]byte, size))
			switch {
			case want == "bare" && err == errBare, want == "cut" && err == io.ErrUnexpectedEOF, err == nil && got.String() == want:
			default:
				t.Errorf("%q, %d at a time: %q, %v", text, size, got.String(), err)
			}
		}
	}
}

// Addresses are read as the standard writes them.
func TestPath(t *testing.T) {
	for args, want := range map[string]string{
		"FROM:<jo@a.example>": "jo@a.example", "from: <jo@a.example> SIZE=3 BODY=8BITMIME": "jo@a.example SIZE=3 BODY=8BITMIME", "FROM:<>": "",
		"FROM:<@b.example,@c.example:jo@a.example>": "jo@a.example", `FROM:<"a > \" b"@a.example>`: `"a > \" b"@a.example`,
		"FROM:jo@a.example": "wrong", "TO:<jo@a.example>": "wrong", "FROM:<jo@a.example": "wrong", "FROM:<jo@a.example>SIZE=3": "wrong", "FROM:<@b.example>": "wrong", "": "wrong", `FROM:<"jo>`: "wrong",
	} {
		address, parameters, ok := path(args, "FROM:")
		got := strings.TrimSpace(address + " " + strings.Join(parameters, " "))
		if !ok {
			got = "wrong"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// Stopping waits for a mail that is on its way, and for no client that is silent.
func TestShutdown(t *testing.T) {
	r := &room{}
	s, at := serve(t, r, Options{}, "tcp", "127.0.0.1:0")
	silent := dial(t, at)
	silent.answer()
	c := dial(t, at).begins()
	io.WriteString(c.conn, "\r\nHel")
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(context.Background()) }()
	if got := silent.answer(); got != "421 4.3.2 This server is being stopped. Please try again later." {
		t.Errorf("a silent client is told %q", got)
	}
	select {
	case <-ended:
		t.Fatal("it did not wait for the mail")
	default:
	}
	if got := c.send("lo\r\n.\r\n"); !strings.HasPrefix(got, "250 ") {
		t.Errorf("the mail is answered with %q", got)
	}
	if err := <-ended; err != nil || len(r.all()) != 1 {
		t.Errorf("%v, kept %+v", err, r.all())
	}
}

// A server that turns clients away says so to those that wait and to those that come. It
// keeps the mail that is being received.
func TestTurnAway(t *testing.T) {
	const closing = "421 4.3.2 This server is being stopped. Please try again later."
	r := &room{}
	s, at := serve(t, r, Options{}, "tcp", "127.0.0.1:0")
	silent := dial(t, at)
	silent.answer()
	c := dial(t, at).begins()
	io.WriteString(c.conn, "\r\nHel")
	s.TurnAway()
	if got := silent.answer(); got != closing {
		t.Errorf("a silent client is told %q", got)
	}
	if got := dial(t, at).answer(); got != closing {
		t.Errorf("a new client is told %q", got)
	}
	if got := c.send("lo\r\n.\r\n"); !strings.HasPrefix(got, "250 ") {
		t.Errorf("the mail is answered with %q", got)
	}
	if got := c.answer(); got != closing || len(r.all()) != 1 {
		t.Errorf("after its mail the client is told %q, kept %+v", got, r.all())
	}
}

// certificate returns what a server needs for TLS.
func certificate(t *testing.T) *tls.Config {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	return &tls.Config{Certificates: s.TLS.Certificates}
}
