package main

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"sync"

	"frontdesk/internal/demo"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox/mailbox"
	"frontdesk/internal/service"
)

// mailboxAuthserv is how the mail server of the demo's customers signs its checks.
const mailboxAuthserv = "mail.sandbox.test"

// prepareMailbox lets a demo exchange mail with its customers, whose mailboxes it has
// itself. It changes nothing if the settings name other mail servers.
func (s *settings) prepareMailbox() (err error) {
	m := &s.Mail
	if m.Relay != "" || m.Domain != "" || m.Listen != "" || m.LMTP != "" {
		return nil
	}
	if m.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	if m.mailbox, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		m.listener.Close()
		return err
	}
	m.Relay, m.Domain, m.Authserv = "smtp://"+m.mailbox.Addr().String(), demo.MailDomain, mailboxAuthserv
	return nil
}

// openMailbox opens the mailboxes of the demo's customers, if there are any.
func (s *settings) openMailbox(ctx context.Context, o *resources, url string) (err error) {
	if s.Mail.mailbox == nil {
		return nil
	}
	people := desk.Each(demo.Correspondents(), func(c demo.Correspondent) mailbox.Person { return mailbox.Person(c) })
	o.mailbox, err = mailbox.Open(ctx, mailbox.Config{Path: filepath.Join(s.Data, "mailbox.db"), Server: s.Mail.listener.Addr().String(), Domains: []string{demo.MailDomain},
		Authserv: mailboxAuthserv, People: people, URL: url, AllowRemote: s.Chat.SandboxRemote, Log: o.log,
		Contacts: func(context.Context) ([]string, error) { return []string{"support@" + demo.MailDomain}, nil }})
	return err
}

// serveMailbox serves the mailboxes, if there are any: their pages, and their mail.
func (s *settings) serveMailbox(running *sync.WaitGroup, o *resources) {
	if o.mailbox == nil {
		return
	}
	running.Go(func() {
		if err := o.mailbox.SMTP.Serve(s.Mail.mailbox); err != nil {
			o.log.Error("the mailbox has stopped", "error", err)
		}
	})
}

// handleMailbox serves what the page of the mailboxes reads and does. Whoever is signed
// in may be any of the customers.
func (o *resources) handleMailbox(mux *http.ServeMux, s *service.Service, app http.Handler, cookie string) {
	if o.mailbox == nil {
		return // the page of the web app says that there are none
	}
	mux.Handle("/mailbox", app)
	mux.Handle("/mailbox/", o.mailbox.Handler("/mailbox", func(r *http.Request) (bool, error) {
		return signedIn(s, r, cookie).Account != 0, nil
	}))
}
