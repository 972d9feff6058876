package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/relay"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/worker"
)

// scriptRelay is where the mail of a stage goes out.
type scriptRelay struct {
	tests  quickMail
	mu     sync.Mutex
	sent   []string // as text, since it was last looked at
	answer error    // to all mails until a script changes it
}

func (r *scriptRelay) Send(ctx context.Context, from, to string, raw []byte) error {
	if !strings.HasPrefix(from, string(mail.Bounce)+"+") {
		return r.tests.Send(ctx, from, to, raw)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answer != nil {
		return r.answer
	}
	m, err := mail.Parse(raw)
	if err != nil {
		return err
	}
	lines := []string{"Return-Path: <" + from + ">", "Delivered-To: " + to}
	for _, name := range []string{"From", "To", "Cc", "Reply-To", "Subject", "Auto-Submitted"} {
		if value := m.Header.Get(name); value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	text := strings.Join(lines, "\n") + "\n\n" + strings.TrimSpace(strings.ReplaceAll(m.Text, "\r\n", "\n"))
	r.sent = append(r.sent, text)
	return nil
}

// setAnswer sets how the relay answers: it takes mail, refuses it for a reason, or
// breaks off before it has said whether it takes it.
func (r *scriptRelay) setAnswer(how string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	reason, refuses := strings.CutPrefix(how, "refuses ")
	switch {
	case refuses:
		r.answer = desk.Errorf(desk.Refused, "The mail server answers: %s", reason)
	case how == "breaks off":
		r.answer = relay.ErrPerhaps
	case how == "takes":
		r.answer = nil
	default:
		return errors.New("a relay takes, breaks off, or refuses and says why")
	}
	return nil
}

// take returns what was sent since it was last called.
func (r *scriptRelay) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := strings.Join(r.sent, "\n\n--\n")
	r.sent = nil
	return sent
}

// sendMails sends the mails of Acme that wait. Stages share a database, so their jobs
// are left alone.
func (s *stage) sendMails() error {
	account := s.callers["admin"].Account
	var waiting []store.MailID
	err := s.store.Look(context.Background(), account, func(tx *store.Tx) (err error) {
		waiting, err = sqldb.Collect(tx.Tx, func(scan func(...any) error) (id store.MailID, err error) {
			err = scan(&id)
			return id, err
		}, "SELECT DISTINCT mail_id FROM mail_copies WHERE account_id = $1 AND wanted > shown ORDER BY mail_id", account)
		return err
	})
	for _, id := range waiting {
		err = errors.Join(err, s.worker.Do(context.Background(), &job.Job{ID: 1, Attempt: 1}, change.SendMail{Account: account, Mail: id}))
	}
	return err
}

// checkSent sends the mails that wait, and compares everything that was sent since the
// last look.
func (s *stage) checkSent(want string, vars map[string]string) error {
	if err := s.sendMails(); err != nil {
		return err
	}
	got := s.relay.take()
	if p := matchPlain(want, got, vars); len(p) > 0 {
		return fmt.Errorf("%s\ngot:\n%s", strings.Join(p, "\n"), got)
	}
	return nil
}

// receiveMail hands a mail to the server: "passed" if its sender's domain vouches for
// it, "failed" if that disowns it, "unknown" if it says nothing. The mail goes to the
// addresses in its To, or to those after "to".
func (s *stage) receiveMail(rest string) error {
	head, text, _ := strings.Cut(rest, "\n")
	result, to, other := strings.Cut(head, " to ")
	if !strings.Contains("\n"+text, "\nMessage-ID:") {
		s.mails++
		text = fmt.Sprintf("Message-ID: <%d@mail.example>\n", s.mails) + text
	}
	if !strings.Contains("\n"+text, "\nDate:") {
		text = "Date: " + s.clock().Format("Mon, 02 Jan 2006 15:04:05 -0700") + "\n" + text
	}
	in := worker.IncomingMail{Raw: []byte(strings.ReplaceAll(text, "\n", "\r\n") + "\r\n"), To: strings.Fields(to)}
	m, err := mail.Parse(in.Raw)
	if err != nil {
		return err
	}
	in.From = m.Author().Email
	if !other {
		in.To = desk.Each(m.To, func(a mail.Address) string { return a.Email })
	}
	checks := map[string]mail.Checks{"passed": {DMARC: "pass", Domain: desk.EmailDomain(in.From)}, "failed": {DMARC: "fail", Policy: "reject"}, "unknown": {}}
	found, ok := checks[result]
	if !ok {
		return fmt.Errorf("a mail is passed, failed or unknown, not %q", result)
	}
	in.Check = func(context.Context, mail.Mail) mail.Checks { return found }
	return s.worker.TakeMail(context.Background(), in)
}

// scriptMail is how stages take part in mail.
var scriptMail = change.Mail{Domain: "reply.desk.example", Tokens: mail.NewTokens(scriptKey), Sends: true, Relay: "relay.example",
	DKIM: &change.DKIM{Selector: "desk", Record: "v=DKIM1; k=rsa; p=MIIB"}}

// scriptMailTime is how long a stage waits for a test mail, which comes at once or
// never.
const scriptMailTime = 10 * time.Millisecond

// quickMail delivers mail for our collections at once, as if their addresses were
// forwarded to us. Mail for lost… never arrives, and mail for refused… is refused.
type quickMail struct{ store *store.Store }

func (q quickMail) Send(ctx context.Context, from, to string, raw []byte) error {
	switch {
	case strings.HasPrefix(to, "lost"):
		return nil
	case strings.HasPrefix(to, "refused"):
		return desk.Errorf(desk.Refused, "The mail server answers: 550 no such user")
	case strings.HasPrefix(to, "broken"):
		return errors.New("dial tcp 10.0.0.1:25: connection refused")
	case !bytes.Contains(raw, []byte("\r\n\r\n")):
		return errors.New("this is no mail")
	}
	ctx = context.WithoutCancel(ctx) // time is short on a stage
	m, err := mail.Parse(raw)
	if err != nil {
		return err
	}
	found, err := q.store.CollectionsAt(ctx, []string{desk.FoldEmail(to)})
	if err != nil {
		return err
	}
	return q.store.Write(ctx, found[desk.FoldEmail(to)].Account, func(tx *store.Tx) error {
		_, err := change.Setup{Mail: scriptMail}.TakeTestMail(tx, m.Header.Get(mail.TestHeader))
		return err
	})
}

// quietDNS knows what a script tells about it.
type quietDNS struct{}

func (quietDNS) LookupMX(_ context.Context, name string) ([]*net.MX, error) {
	if name == "reply.desk.example" {
		return []*net.MX{{Host: "desk.example.", Pref: 10}}, nil
	}
	return nil, &net.DNSError{IsNotFound: true}
}

func (quietDNS) LookupTXT(_ context.Context, name string) ([]string, error) {
	switch name {
	case "reply.desk.example":
		return []string{"v=spf1 include:relay.example -all", "something else"}, nil
	case "desk._domainkey.reply.desk.example":
		return []string{"v=DKIM1; k=rsa; p=MIIB"}, nil
	case "_dmarc.silent.example":
		return nil, &net.DNSError{IsTimeout: true}
	}
	return nil, &net.DNSError{IsNotFound: true}
}
