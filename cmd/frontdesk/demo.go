package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"frontdesk/internal/desk"
)

// demoEmail is the sample account's admin; .test is nobody's domain.
const demoEmail = "mira@acme.test"

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
	return s.serve(ctx, listener, func(o *opened, url string) error {
		token, err := o.demoToken(ctx)
		if err != nil {
			return err
		}
		fmt.Printf(demoScreen, url, demoEmail, token.Secret, s.Data)
		return nil
	})
}

// demoToken makes the sample account at the first start, and a new token at
// each: secrets are shown once.
func (o *opened) demoToken(ctx context.Context) (desk.MadeToken, error) {
	found, err := o.service.MembersByEmail(ctx, demoEmail)
	if err != nil {
		return desk.MadeToken{}, err
	}
	var account desk.AccountID
	var member desk.Member
	if len(found) > 0 {
		account, member = found[0].Account, found[0].Member
	} else {
		name, role := "Mira Vance", desk.Admin
		a, m, err := o.service.NewAccount(ctx, "Acme Support", desk.NewMember{Email: demoEmail, Name: &name, Role: &role})
		if err != nil {
			return desk.MadeToken{}, err
		}
		account, member = a.ID, m
	}
	week := time.Now().Add(7 * 24 * time.Hour).Truncate(time.Millisecond)
	return o.service.NewToken(ctx, account, member, desk.NewToken{Name: "demo", Scope: desk.ReadWrite, ExpiresAt: &week})
}

const demoScreen = `
Frontdesk is running: %[1]s
The API, to read and try in a browser: %[1]s/docs

You are %[2]s, admin of the sample account. Paste these lines into another terminal:

  T=%[3]s
  curl -s -H "Authorization: Bearer $T" %[1]s/v1/rest/account
  curl -s -H "Authorization: Bearer $T" -H 'Content-Type: application/json' %[1]s/v1/rest/members -d '{"email":"jo@acme.test","role":"agent"}'
  curl -s -H "Authorization: Bearer $T" %[1]s/v1/rest/events

The token is good for 7 days. The data is in %[4]s; stop with Ctrl-C, start again to go on.
`
