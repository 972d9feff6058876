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

func (demoCommand) Run(ctx context.Context, s *settings) error {
	if s.Data == defaultData {
		s.Data = "frontdesk-demo" // apart from a real installation beside it
	}
	listener, err := net.Listen("tcp", s.Server.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		// Someone who only wants to look need not learn about ports.
		host, _, _ := net.SplitHostPort(s.Server.Addr)
		listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
		s.Server.OperationsAddr = ""
	}
	if err != nil {
		return err
	}
	// Only this machine may reach what everybody knows the password of, and have it
	// call the machines around it.
	local := servesThisMachine(listener, s.URL)
	if local {
		s.Webhook.AllowPrivate = true // who tries it out has a receiver on this machine
	}
	if err := s.makeDemoWorkspace(ctx); err != nil {
		return fmt.Errorf("make the sample workspace: %w", err)
	}
	return s.serve(ctx, listener, func(o *opened, url string) error {
		d, err := o.demoDesk(ctx)
		if err != nil {
			return err
		}
		password := samplePassword
		if !local {
			password = strings.ToLower(rand.Text()) // shown below, and nowhere again
			// At once: an earlier start for this machine has left the other.
			if err := d.LetIn(ctx, password); err != nil {
				return err
			}
		}
		if err := d.SetUp(ctx); err != nil {
			return err
		}
		// A new one at each start: secrets are shown once.
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
			o.log.Error("the sample requests are not complete", "error", err)
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

// demoDesk is the sample account, connected to its workspace.
func (o *opened) demoDesk(ctx context.Context) (d demo.Desk, err error) {
	d = demo.Desk{Service: o.service, Box: o.chats.sandbox, Past: o.serviceAt, Now: time.Now()}
	if d.Account, d.Owner, err = o.demoAccount(ctx); err != nil {
		return d, err
	}
	workspaces, err := o.chats.sandbox.Workspaces(ctx)
	if err != nil {
		return d, err
	}
	if len(workspaces) == 0 {
		return d, errors.New("the sandbox holds no workspace; remove sandbox.db from the data folder to have it made again")
	}
	d.Workspace = workspaces[0]
	err = o.chats.connect(ctx, o.service, d.Account, d.Workspace)
	if desk.KindOf(err) == desk.Conflict {
		err = nil // it is connected
	}
	return d, err
}

func (o *opened) demoAccount(ctx context.Context) (desk.AccountID, desk.Member, error) {
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

// samplePassword is everybody's in the demo, where only this machine reaches it.
const samplePassword = "frontdesk-demo"

// onLoopback reports whether only this machine reaches an address.
func onLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

const demoScreen = `
Frontdesk is running: %[1]s
Sign in as %[2]s with the password %[5]s
(maya@acme.test, tomas@acme.test and priya@acme.test have the same).
The API, to read and try in a browser: %[1]s/docs

You are %[2]s, admin of the sample account: six customers, about 300 requests
of the last 90 days, and a chat workspace in which two of the customers talk.
Paste these lines into another terminal:

  T=%[3]s
  curl -s -H "Authorization: Bearer $T" '%[1]s/v1/rest/requests?state=open&limit=5'
  curl -s -H "Authorization: Bearer $T" '%[1]s/v1/rest/requests/search?query=label+printer'
  curl -s -H "Authorization: Bearer $T" '%[1]s/v1/rest/users?query=harborpine'
  curl -s -H "Authorization: Bearer $T" '%[1]s/v1/rest/collections?include=channels'
  curl -s -H "Authorization: Bearer $T" -H 'Content-Type: application/json' %[1]s/v1/rest/collections -d '{"name":"Partners","kind":"chat"}'

The token is good for 7 days. The data is in %[4]s; stop with Ctrl-C, start again to go on.
`
