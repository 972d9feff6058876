package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"frontdesk/internal/demo"
	"frontdesk/internal/desk"
)

type demoCommand struct{}

func (demoCommand) Help() string {
	return "The demo needs no account anywhere. Its data is in the folder frontdesk-demo, apart from the data of a real server."
}

func (demoCommand) Run(ctx context.Context, s *settings) error {
	if s.Data == defaultData {
		s.Data = "frontdesk-demo" // not in the data of a real server
	}
	if s.Server.Drain == nil {
		s.Server.Drain = new(time.Duration) // no load balancer has to notice, and whoever presses Ctrl-C wants it to end
	}
	listener, err := net.Listen("tcp", s.Server.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		// Someone who only wants to try it should not have to learn about ports.
		host, _, _ := net.SplitHostPort(s.Server.Addr)
		listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
		s.Server.OperationsAddr = ""
	}
	if err != nil {
		return err
	}
	// Only this machine may reach a demo with the well-known password, and let it
	// call private addresses.
	local := servesThisMachine(listener, s.URL)
	if local {
		s.Webhook.AllowPrivate = true // someone who tries webhooks has a receiver on this machine
		if err := s.prepareMailbox(); err != nil {
			return err
		}
	}
	if err := s.makeDemoWorkspace(ctx); err != nil {
		return fmt.Errorf("create the sample workspace: %w", err)
	}
	return s.serve(ctx, listener, func(o *resources, url string) error {
		d, err := o.demoDesk(ctx)
		if err != nil {
			return err
		}
		password := samplePassword
		if !local {
			password = strings.ToLower(rand.Text()) // printed below, and never again
			// First of all: an earlier start for this machine has set the well-known one.
			if err := d.LetIn(ctx, password); err != nil {
				return err
			}
		}
		if err := d.SetUp(ctx); err != nil {
			return err
		}
		// Each start creates a new token, because secrets are shown once.
		week := time.Now().Add(7 * 24 * time.Hour).Truncate(time.Millisecond)
		token, err := o.service.NewToken(ctx, d.Account, d.Owner, desk.NewToken{Name: "demo", Scope: desk.ReadWrite, ExpiresAt: desk.Just(week)})
		if err != nil {
			return err
		}
		if err := d.LetIn(ctx, password); err != nil {
			return err
		}
		fmt.Printf(demoScreen, url, demo.Owner.Email, token.Secret, s.Data, password)
		switch err := d.Fill(ctx); {
		case err == nil:
			o.log.Info("the sample requests are there")
		case ctx.Err() == nil:
			o.log.Error("could not create all sample requests", "error", err)
		}
		return nil
	})
}

func (s *settings) makeDemoWorkspace(ctx context.Context) error {
	s.Chat.Sandbox = true
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return err
	}
	cfg, err := s.sandboxConfig()
	if err != nil {
		return err
	}
	return demo.MakeWorkspace(ctx, cfg)
}

// demoDesk returns the sample account, connected to its workspace.
func (o *resources) demoDesk(ctx context.Context) (d demo.Desk, err error) {
	d = demo.Desk{Service: o.service, Worker: o.worker, Box: o.chats.sandbox, Past: o.serviceAt, Now: time.Now(), MailDomain: o.mail.Domain}
	if d.Account, d.Owner, err = o.demoAccount(ctx); err != nil {
		return d, err
	}
	workspaces, err := o.chats.sandbox.Workspaces(ctx)
	if err != nil {
		return d, err
	}
	if len(workspaces) == 0 {
		return d, errors.New("the sandbox has no workspace; delete sandbox.db in the data folder to create it again")
	}
	d.Workspace = workspaces[0]
	err = o.chats.connectWorkspace(ctx, o.service, d.Account, d.Workspace)
	if desk.KindOf(err) == desk.Conflict {
		err = nil // an earlier start has connected it
	}
	return d, err
}

func (o *resources) demoAccount(ctx context.Context) (desk.AccountID, desk.Member, error) {
	found, err := o.service.MembersByEmail(ctx, demo.Owner.Email)
	if err != nil {
		return 0, desk.Member{}, err
	}
	if len(found) > 0 {
		return found[0].Account, found[0].Member, nil
	}
	a, m, err := o.service.NewAccount(ctx, "Acme Support", desk.NewMember{Email: demo.Owner.Email, Name: &demo.Owner.Name})
	return a.ID, m, err
}

// samplePassword is the password of every member in a demo that only this machine
// can reach.
const samplePassword = "frontdesk-demo"

// onLoopback reports whether only this machine can reach an address.
func onLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

const demoScreen = `
Frontdesk is running: %[1]s
Sign in as %[2]s with the password %[5]s
(maya@acme.test, tomas@acme.test and priya@acme.test have the same password).
The API in a browser, to read and to try: %[1]s/docs

You are %[2]s, an admin of the sample account. It has six customers, about 300
requests from the last 90 days, and a chat workspace that two of the customers use.
The others write mail: be one of them at %[1]s/mailbox
To try the API, paste these lines into another terminal:

  T=%[3]s
  curl -s -H "Authorization: Bearer $T" '%[1]s/v1/rest/requests?state=open&limit=5'
  curl -s -H "Authorization: Bearer $T" '%[1]s/v1/rest/requests/search?query=label+printer'
  curl -s -H "Authorization: Bearer $T" '%[1]s/v1/rest/users?query=harborpine'
  curl -s -H "Authorization: Bearer $T" '%[1]s/v1/rest/collections?include=channels'
  curl -s -H "Authorization: Bearer $T" -H 'Content-Type: application/json' %[1]s/v1/rest/collections -d '{"name":"Partners","kind":"chat"}'

The token is valid for 7 days. The data is in %[4]s: other commands need --data %[4]s. Stop with Ctrl-C; the next start continues with the same data.
`
