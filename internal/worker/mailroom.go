package worker

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"frontdesk/internal/mail"
	"frontdesk/internal/mail/listen"
	"frontdesk/internal/mail/verify"
)

// Mailroom takes in the mail of a listener.
type Mailroom struct {
	Worker *Worker
	// Name is this server's, as the header of a mail shows it.
	Name string
	// Authserv is the name of the mail server beside us whose checks we believe. Empty
	// means none.
	Authserv string
	// Verifier checks who wrote a mail that no mail server beside us handed over. nil
	// means that nothing is known.
	Verifier *verify.Verifier
}

// Knows returns nil if mail for an address is for somebody here.
func (r Mailroom) Knows(ctx context.Context, address string) error {
	return r.Worker.Knows(ctx, address)
}

// Take takes a mail in. When it returns nil, the mail is on disk.
func (r Mailroom) Take(ctx context.Context, e listen.Envelope, content io.Reader) error {
	var raw bytes.Buffer
	r.writeTrace(&raw, e)
	trace := raw.Len()
	leave, err := readMail(ctx, &raw, content)
	defer leave()
	if err != nil {
		return err
	}
	check := func(ctx context.Context, m mail.Mail) mail.Checks {
		switch {
		case e.Peer:
			return mail.ReadChecks(m.Header, r.Authserv)
		case r.Verifier == nil:
			return mail.Checks{}
		}
		return r.Verifier.Check(ctx, verify.Envelope{Client: e.Client, Hello: e.Hello, From: e.From}, raw.Bytes()[trace:], m)
	}
	return r.Worker.TakeMail(ctx, IncomingMail{From: e.From, To: e.To, Raw: raw.Bytes(), Check: check})
}

// writeTrace writes how the mail came to us, above its header.
func (r Mailroom) writeTrace(w *bytes.Buffer, e listen.Envelope) {
	client := "a local socket"
	if e.Client.IsValid() {
		client = "[" + e.Client.String() + "]"
	}
	fmt.Fprintf(w, "Return-Path: <%s>\r\nReceived: from %s (%s) by %s; %s\r\n",
		headerWord(e.From), headerWord(e.Hello), client, r.Name, r.Worker.store.Now().Format("Mon, 02 Jan 2006 15:04:05 -0700"))
}

// headerWord returns a word that a client gave us, without what means something in a
// header.
func headerWord(s string) string {
	return strings.Map(func(c rune) rune {
		if c <= ' ' || c >= 0x7f || strings.ContainsRune(`<>()"\;`, c) {
			return -1
		}
		return c
	}, s)
}

const (
	// smallMail is how large a mail may be that is read at once. mostLarge is how many
	// larger ones a process holds in memory at a time; others wait, and their servers
	// with them.
	smallMail = 1 << 20
	mostLarge = 6
)

var largeMails = make(chan struct{}, mostLarge)

// readMail reads a mail to its end. leave must be called when the mail is no longer in
// memory.
func readMail(ctx context.Context, raw *bytes.Buffer, content io.Reader) (leave func(), err error) {
	w := mailWriter{ctx: ctx, raw: raw}
	_, err = io.Copy(&w, content)
	return w.leave, err
}

// mailWriter keeps a mail in memory.
type mailWriter struct {
	ctx     context.Context
	raw     *bytes.Buffer
	isLarge bool
}

func (w *mailWriter) Write(b []byte) (int, error) {
	if !w.isLarge && w.raw.Len()+len(b) > smallMail {
		select {
		case largeMails <- struct{}{}:
			w.isLarge = true
		case <-w.ctx.Done():
			return 0, context.Cause(w.ctx)
		}
	}
	return w.raw.Write(b)
}

func (w *mailWriter) leave() {
	if w.isLarge {
		<-largeMails
	}
}
