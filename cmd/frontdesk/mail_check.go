package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
)

type mailCommand struct {
	Check      mailCheckCommand      `cmd:"" help:"Say how mail is configured, send a mail and wait for the answer."`
	Postmaster mailPostmasterCommand `cmd:"" help:"Show the mail for postmaster and abuse of the mail domain."`
}

type mailCheckCommand struct {
	To   string        `placeholder:"ADDRESS" help:"Send a mail to this address. Answer it, and the check sees that answers come in."`
	Wait time.Duration `placeholder:"DURATION" default:"5m" help:"How long to wait for the answer. 0 does not wait."`
}

func (mailCheckCommand) Help() string {
	return "Answers come in through the running server: start it with the same settings first."
}

func (c *mailCheckCommand) Run(ctx context.Context, s *settings, o *resources) error {
	if c.To != "" {
		var p desk.Problems
		if p.Email("--to", &c.To); p.Err() != nil {
			return errors.New("--to must be an email address, such as jo@example.com")
		}
	}
	s.printMail(o)
	switch {
	case c.To == "":
		return nil
	case o.mail.Domain == "":
		return errors.New("set FRONTDESK_MAIL_DOMAIN first")
	case !o.mail.Sends:
		return errors.New("set FRONTDESK_MAIL_RELAY first: without it no mail is sent")
	}
	// Mail for the postmaster is kept whoever it is from, so the answer is found there.
	reply := "postmaster+" + strings.ToLower(rand.Text()) + "@" + o.mail.Domain
	d := mail.Draft{
		From: mail.Address{Name: "Frontdesk", Email: o.mail.NoReply()}, ReplyTo: mail.Address{Email: reply}, To: []mail.Address{{Email: c.To}},
		Subject: "A check of Frontdesk's mail", Date: time.Now(), MessageID: mail.NewMessageID(o.mail.Domain),
		HTML: "<p>This mail shows that Frontdesk can send mail. Answer it to show that answers come in.</p>",
	}
	raw, err := d.Bytes()
	if err != nil {
		return err
	}
	if err := o.mail.Send(ctx, reply, c.To, raw); err != nil {
		return fmt.Errorf("the mail was not sent: %w", err)
	}
	fmt.Printf("\nSent to %s. The relay has taken it.\n", c.To)
	if c.Wait <= 0 {
		return nil
	}
	fmt.Printf("Waiting %s for the answer to %s…\n", c.Wait, reply)
	return o.awaitAnswer(ctx, reply, c.Wait)
}

// awaitAnswer waits until a mail for an address has come in. The server that receives
// it is another process, so the database is asked once a second.
func (o *resources) awaitAnswer(ctx context.Context, address string, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for tick := time.NewTicker(time.Second); ; {
		all, err := o.store.PostmasterMails(ctx, 20)
		if err != nil && ctx.Err() == nil {
			return err
		}
		for _, m := range all {
			if desk.FoldEmail(m.Recipient) == address {
				fmt.Printf("An answer came in from %s: %s\n", m.Sender, m.Subject)
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("no answer came in. Is the server running with the same settings? Does the MX record of the mail domain lead to it? docs/email.md says what to look at")
		}
	}
}

// printMail prints how mail is configured.
func (s *settings) printMail(o *resources) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	line := func(name, value, otherwise string) {
		if value == "" {
			value = otherwise
		}
		fmt.Fprintf(w, "%s\t%s\n", name, value)
	}
	line("mail domain", o.mail.Domain, "not set: there is no mail (FRONTDESK_MAIL_DOMAIN)")
	relay := ""
	if o.mail.Sends {
		relay = o.mail.relay
	}
	line("relay", relay, "not set: no mail is sent (FRONTDESK_MAIL_RELAY)")
	signed := ""
	if o.mail.DKIM != nil {
		signed = "signed, selector " + o.mail.DKIM.Selector
	}
	line("DKIM", signed, "mail is not signed (FRONTDESK_MAIL_DKIM_KEY)")
	line("SMTP", s.Mail.Listen, "not received by SMTP (FRONTDESK_MAIL_LISTEN)")
	encrypted := ""
	if s.Mail.TLSCert != "" {
		encrypted = "offered"
	}
	line("STARTTLS", encrypted, "not offered (FRONTDESK_MAIL_TLS_CERT)")
	line("LMTP", s.Mail.LMTP, "not received by LMTP (FRONTDESK_MAIL_LMTP)")
	line("peers", strings.Join(s.Mail.Peers, ", "), "none")
	line("checks", s.Mail.Authserv, "made here; of mail from peers nothing is known (FRONTDESK_MAIL_AUTHSERV)")
}

type mailPostmasterCommand struct {
	ID int64 `arg:"" optional:"" help:"Print the mail with this ID as it came."`
}

// mostListed is how many mails for the postmaster are listed.
const mostListed = 50

func (c *mailPostmasterCommand) Run(ctx context.Context, o *resources) error {
	if c.ID != 0 {
		raw, err := o.store.PostmasterMail(ctx, c.ID)
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(raw)
		return err
	}
	all, err := o.store.PostmasterMails(ctx, mostListed)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Println("No mail for the postmaster has come in.")
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tRECEIVED AT\tTO\tFROM\tSUBJECT")
	for _, m := range all {
		fmt.Fprintf(w, "%d\t%s\t%.40s\t%.40q\t%.60q\n", m.ID, m.ReceivedAt.Format(time.DateTime), m.Recipient, m.Sender, m.Subject)
	}
	return w.Flush()
}
