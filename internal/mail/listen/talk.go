package listen

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/mail"
)

const (
	// mostLine bounds a command. The standard asks for 512 bytes, and more for
	// extensions and long addresses.
	mostLine = 4096
	// mostMistakes is how many commands may be wrong before the client has to go.
	mostMistakes = 20
)

// talk is a conversation with a client.
type talk struct {
	s         *Server
	raw       net.Conn // guarded by nothing, because it never changes
	conn      net.Conn // raw, or TLS over it
	r         *bufio.Reader
	encrypted bool
	greeted   bool
	begun     bool // MAIL was given
	mistakes  int
	over      bool
	envelope  Envelope
}

func newTalk(s *Server, conn net.Conn) *talk {
	client := addressOf(conn)
	return &talk{s: s, raw: conn, conn: conn, r: bufio.NewReaderSize(conn, mostLine), envelope: Envelope{Client: client, Peer: s.isPeer(client)}}
}

// A reply is what a client is told: a code, an enhanced code (RFC 3463) and a sentence.
type reply struct {
	code     int
	enhanced string
	text     string
}

var (
	isDone       = reply{250, "2.0.0", "Done."}
	isTaken      = reply{250, "2.0.0", "We have the mail."}
	isUnknown    = reply{500, "5.5.2", "This command is unknown."}
	isTooEarly   = reply{503, "5.5.1", "Another command must come first."}
	isMalformed  = reply{501, "5.5.4", "The arguments of this command are wrong."}
	isTooLarge   = reply{552, "5.3.4", fmt.Sprintf("A mail may have at most %d MiB.", mail.MostBytes>>20)}
	isTooMany    = reply{552, "5.5.3", fmt.Sprintf("A mail may have at most %d recipients.", mail.MostRecipients)}
	isFailure    = reply{451, "4.3.0", "The mail could not be taken now. Please try again later."}
	isBare       = reply{550, "5.6.0", "Each line must end with CR and LF."}
	isTooLong    = reply{500, "5.5.2", "This command is too long."}
	isSilent     = reply{421, "4.4.2", "We have waited too long."}
	isClosing    = reply{421, "4.3.2", "This server is being stopped. Please try again later."}
	isFull       = reply{421, "4.7.0", "There are too many connections. Please try again later."}
	isWrongOften = reply{421, "4.7.0", "There were too many wrong commands."}
)

func (t *talk) say(r reply, more ...string) {
	for i, text := range append([]string{strings.TrimSpace(r.enhanced + " " + r.text)}, more...) {
		mark := "-"
		if i == len(more) {
			mark = " "
		}
		fmt.Fprintf(t.conn, "%d%s%s\r\n", r.code, mark, text)
	}
	if r.code >= 500 {
		if t.mistakes++; t.mistakes == mostMistakes && !t.over {
			t.end(isWrongOften)
		}
	}
}

// end says something and ends the conversation.
func (t *talk) end(r reply) {
	t.over = true
	t.say(r)
}

func (t *talk) turnAway() {
	defer t.raw.Close()
	t.raw.SetDeadline(time.Now().Add(t.s.time))
	if t.s.isClosing() {
		t.say(isClosing)
		return
	}
	t.say(isFull)
}

func (t *talk) run() {
	t.s.waits(t, false)
	t.say(reply{220, "", t.s.options.Name + " ESMTP"})
	for !t.over {
		t.s.waits(t, true)
		line, err := t.command()
		t.s.waits(t, false)
		switch {
		case err == nil:
			verb, args, _ := strings.Cut(line, " ")
			t.obey(strings.ToUpper(verb), strings.TrimSpace(args))
		case errors.Is(err, errBare):
			t.end(isBare)
		case errors.Is(err, bufio.ErrBufferFull):
			t.end(isTooLong)
		case errors.Is(err, os.ErrDeadlineExceeded) && t.s.isClosing():
			t.end(isClosing)
		case errors.Is(err, os.ErrDeadlineExceeded):
			t.end(isSilent)
		default:
			return // the client is gone
		}
	}
}

// command reads a line.
func (t *talk) command() (string, error) {
	line, err := t.r.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	text, ok := bytes.CutSuffix(line, []byte("\r\n"))
	if !ok || bytes.IndexByte(text, '\r') >= 0 {
		return "", errBare
	}
	return string(text), nil
}

func (t *talk) obey(verb, args string) {
	hello := "EHLO"
	if t.s.options.LMTP {
		hello = "LHLO"
	}
	switch verb {
	case hello:
		t.greet(args, true)
	case "HELO":
		if t.s.options.LMTP {
			t.say(isUnknown)
			return
		}
		t.greet(args, false)
	case "STARTTLS":
		t.encrypt()
	case "MAIL":
		t.begin(args)
	case "RCPT":
		t.address(args)
	case "DATA":
		t.receive(args)
	case "RSET":
		t.reset()
		t.say(isDone)
	case "NOOP":
		t.say(isDone)
	case "VRFY":
		t.say(reply{252, "2.1.5", "Send a mail and see."})
	case "QUIT":
		t.end(reply{221, "2.0.0", "Goodbye."})
	default:
		t.say(isUnknown)
	}
}

// reset forgets a mail that was begun.
func (t *talk) reset() { t.begun, t.envelope.From, t.envelope.To = false, "", nil }

func (t *talk) greet(name string, extended bool) {
	if name == "" {
		t.say(isMalformed)
		return
	}
	t.reset()
	t.greeted, t.envelope.Hello = true, name
	if !extended {
		t.say(reply{250, "", t.s.options.Name})
		return
	}
	able := []string{"PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", "SIZE " + strconv.Itoa(mail.MostBytes)}
	if t.s.options.TLS != nil && !t.encrypted {
		able = append(able, "STARTTLS")
	}
	t.say(reply{250, "", t.s.options.Name}, able...)
}

// encrypt begins to speak TLS. Commands that came with this one were sent before it, by
// whoever could write to the connection, so they end it.
func (t *talk) encrypt() {
	switch {
	case t.s.options.TLS == nil || t.encrypted:
		t.say(isUnknown)
		return
	case t.r.Buffered() > 0:
		t.end(isTooEarly)
		return
	}
	t.say(reply{220, "2.0.0", "Go ahead."})
	inside := tls.Server(t.conn, t.s.options.TLS)
	if err := inside.Handshake(); err != nil {
		t.over = true
		return
	}
	t.reset()
	t.conn, t.r, t.encrypted, t.greeted = inside, bufio.NewReaderSize(inside, mostLine), true, false
}

// begin is told who sends a mail. Anybody may.
func (t *talk) begin(args string) {
	from, parameters, ok := path(args, "FROM:")
	switch {
	case !t.greeted || t.begun:
		t.say(isTooEarly)
		return
	case !ok:
		t.say(isMalformed)
		return
	}
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		switch strings.ToUpper(name) {
		case "SIZE":
			if n, err := strconv.ParseUint(value, 10, 63); err != nil || n > mail.MostBytes {
				t.say(isTooLarge)
				return
			}
		case "BODY", "SMTPUTF8": // any bytes are taken
		default:
			t.say(reply{555, "5.5.4", "This parameter is unknown."})
			return
		}
	}
	t.begun, t.envelope.From = true, from
	t.say(isDone)
}

// address is told whom a mail is for. An address that is not ours is refused here,
// because we pass nothing on.
func (t *talk) address(args string) {
	to, parameters, ok := path(args, "TO:")
	switch {
	case !t.begun:
		t.say(isTooEarly)
		return
	case !ok || to == "":
		t.say(isMalformed)
		return
	case len(parameters) > 0:
		t.say(reply{555, "5.5.4", "This parameter is unknown."})
		return
	case len(t.envelope.To) == mail.MostRecipients:
		t.say(isTooMany)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), takeTime)
	defer cancel()
	if err := t.s.room.Knows(ctx, to); err != nil {
		t.say(t.reason(err, "5.1.1"))
		return
	}
	t.envelope.To = append(t.envelope.To, to)
	t.say(isDone)
}

// receive receives a mail.
func (t *talk) receive(args string) {
	switch {
	case args != "":
		t.say(isMalformed)
		return
	case len(t.envelope.To) == 0:
		t.say(isTooEarly)
		return
	}
	t.say(reply{354, "", "Send the mail, and then a line with only a dot."})
	t.s.waits(t, false)
	ctx, cancel := context.WithTimeout(context.Background(), t.s.time+takeTime)
	defer cancel()
	c := &content{from: t.r, left: mail.MostBytes}
	err := t.s.room.Take(ctx, t.envelope, c)
	c.drain()
	t.s.waits(t, false) // for the answer
	answer := isTaken
	switch {
	case c.failure == errBare:
		t.end(isBare)
		return
	case c.failure == errTooLarge:
		answer = isTooLarge
	case c.failure != io.EOF:
		t.over = true // the client is gone
		return
	case err != nil:
		answer = t.reason(err, "5.6.0")
	}
	answers := 1
	if t.s.options.LMTP {
		answers = len(t.envelope.To)
	}
	t.reset()
	for range answers {
		t.say(answer)
	}
}

// reason turns an error of the room into what the client reads.
func (t *talk) reason(err error, enhanced string) reply {
	if refusal, ok := errors.AsType[mail.Refusal](err); ok {
		return reply{550, enhanced, refusal.Reason}
	}
	t.s.options.Log.Error("take a mail in", "client", t.envelope.Client.String(), "error", err)
	return isFailure
}

// path reads FROM:<address> with the parameters that follow. A route before the
// address, as in <@a.example,@b.example:jo@c.example>, is left out.
func path(args, word string) (address string, parameters []string, ok bool) {
	if len(args) < len(word) || !strings.EqualFold(args[:len(word)], word) {
		return "", nil, false
	}
	args, ok = strings.CutPrefix(strings.TrimLeft(args[len(word):], " "), "<")
	end := closing(args)
	if !ok || end < 0 {
		return "", nil, false
	}
	address = args[:end]
	if strings.HasPrefix(address, "@") {
		if _, address, ok = strings.Cut(address, ":"); !ok {
			return "", nil, false
		}
	}
	rest := args[end+1:]
	if rest != "" && rest[0] != ' ' {
		return "", nil, false
	}
	return address, strings.Fields(rest), true
}

// closing returns where the > is that ends an address, or -1. A quoted part may hold
// others.
func closing(text string) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quoted:
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == '>' && !quoted:
			return i
		}
	}
	return -1
}
