package mailbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/smtp"
	"net/textproto"
	"regexp"
	"strings"
	"time"

	"frontdesk/internal/mail"
	"frontdesk/internal/mail/listen"
)

// room takes mail in for everybody.
type room struct{ *Mailbox }

// missing is the name of people who have no mailbox, whatever their domain is. With it
// one can try what happens to mail that cannot be delivered.
const missing = "nobody"

// Knows refuses only who is missing.
func (r room) Knows(_ context.Context, address string) error {
	if name, _, _ := strings.Cut(address, "@"); strings.EqualFold(name, missing) && !r.isProduct(address) {
		return mail.Refusal{Reason: "There is no mailbox with this address."}
	}
	return nil
}

// Take keeps a mail for its recipients. What is for the product goes on to its server
// first, because that can fail; the sender then tries the whole mail again.
func (r room) Take(ctx context.Context, e listen.Envelope, content io.Reader) error {
	source, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	if !e.Client.IsLoopback() && !r.cfg.AllowRemote {
		return mail.Refusal{Reason: "This server takes mail only from the machine that it runs on."}
	}
	here, product := r.split(e.To)
	if len(product) > 0 {
		err := r.submit(ctx, e.From, product, source)
		if refused, ok := errors.AsType[*Refused](err); ok && refused.Code >= 500 {
			return mail.Refusal{Reason: enhancedCode.ReplaceAllString(refused.Answer, "")} // our own server adds one
		}
		if err != nil {
			return err
		}
	}
	if len(here) == 0 {
		return nil
	}
	return r.keep(ctx, time.Now(), source, "", here)
}

// Refused is the answer of a mail server that does not take a mail.
type Refused struct {
	Recipient string // whom it refuses; empty if it refuses the mail
	Code      int    // as in 550
	Answer    string // its own words
}

func (r *Refused) Error() string {
	what := "the mail"
	if r.Recipient != "" {
		what = "mail for " + r.Recipient
	}
	return fmt.Sprintf("The mail server refused %s: %d %s", what, r.Code, r.Answer)
}

// enhancedCode is what many answers begin with, as in 5.1.1 (RFC 3463).
var enhancedCode = regexp.MustCompile(`^\d\.\d{1,3}\.\d{1,3} `)

// errServer says that the product's server cannot be reached, or does not answer.
var errServer = errors.New("the mail server does not answer")

// submitTime is how long the product's server may take for a mail.
const submitTime = time.Minute

// submit hands a mail to the product's server, for all recipients or for none. It
// returns a Refused for what the server refuses.
func (m *Mailbox) submit(ctx context.Context, from string, to []string, source []byte) error {
	ctx, cancel := context.WithTimeout(ctx, submitTime)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", m.cfg.Server)
	if err != nil {
		return fmt.Errorf("%w: %w", errServer, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	client, err := smtp.NewClient(conn, m.cfg.Server)
	if err != nil {
		return answerOf(err, "")
	}
	if err := client.Hello(serverName); err != nil {
		return answerOf(err, "")
	}
	if err := client.Mail(from); err != nil {
		return answerOf(err, "")
	}
	for _, a := range to {
		if err := client.Rcpt(a); err != nil {
			return answerOf(err, a)
		}
	}
	w, err := client.Data()
	if err != nil {
		return answerOf(err, "")
	}
	if _, err := w.Write(source); err != nil {
		return answerOf(err, "")
	}
	if err := w.Close(); err != nil {
		return answerOf(err, "")
	}
	_ = client.Quit() // the server has the mail
	return nil
}

// answerOf turns a server's answer into a Refused.
func answerOf(err error, recipient string) error {
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		return &Refused{Recipient: recipient, Code: said.Code, Answer: strings.Join(strings.Fields(said.Msg), " ")}
	}
	return fmt.Errorf("%w: %w", errServer, err)
}
