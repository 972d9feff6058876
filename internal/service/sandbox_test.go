package service

import (
	"context"
	"errors"
	"strings"
	"testing"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb/dbtest"
)

// boxes is a sandbox that has the workspaces it made.
type boxes struct {
	made   map[string]string // the owner's email, by workspace
	making func()            // called while one is made
	at     string            // its address
}

func (b *boxes) Make(_ context.Context, name, _, ownerEmail string) (chat.Installation, error) {
	if b.making != nil {
		b.making()
	}
	id := "TBOX-" + name
	b.made[id] = ownerEmail
	return chat.Installation{Workspace: id, Name: name, URL: b.at, Bot: chat.Credential{User: "U_DESK", Token: "xoxb-1"}}, nil
}

func (b *boxes) Address(_ context.Context, workspace string) (string, bool, error) {
	_, ok := b.made[workspace]
	return b.at, ok, nil
}

func (b *boxes) Users(_ context.Context, workspace string) ([]desk.SandboxUser, error) {
	return []desk.SandboxUser{{ID: "U_OWNER", Name: "Owner", Email: b.made[workspace], Owner: true}}, nil
}

func (b *boxes) Token(_ context.Context, workspace, user string) (string, error) {
	if user != "U_OWNER" {
		return "", desk.Missing("User")
	}
	return "xoxp-" + workspace, nil
}

func TestSandbox(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		box := &boxes{made: map[string]string{}, at: "http://127.0.0.1:1/sandbox/"}
		c := companyAt(t, url)
		with := func(b chat.Sandbox) *Service {
			c.box = b
			return c.another().Service
		}
		without, s := c.Service, with(box)

		// A server without a sandbox says so, and changes nothing.
		got, err := without.Sandbox(ctx, c.caller())
		must(t, err)
		if got.Connected || got.Offered {
			t.Errorf("a server without a sandbox offers %+v", got)
		}
		_, err = without.CreateSandbox(ctx, c.caller())
		wantKind(t, err, desk.Refused)
		_, err = without.CreateSandboxToken(ctx, c.caller(), desk.NewSandboxToken{User: "U_OWNER"})
		wantKind(t, err, desk.Refused)

		// If two try at the same time, there is one workspace connected.
		box.making = func() {
			box.making = nil
			_, err := s.CreateSandbox(ctx, c.caller())
			must(t, err)
		}
		_, err = s.CreateSandbox(ctx, c.caller())
		wantKind(t, err, desk.Conflict)
		if got, err = s.Sandbox(ctx, c.caller()); err != nil || !got.Connected || got.Offered || got.Team != "TBOX-Acme" || got.Users[0].Email != c.admin.Email {
			t.Errorf("after connecting: %+v %v", got, err)
		}
		token, err := s.CreateSandboxToken(ctx, c.caller(), desk.NewSandboxToken{User: "U_OWNER"})
		if err != nil || token.Secret != "xoxp-TBOX-Acme" {
			t.Errorf("the token is %+v %v", token, err)
		}

		// The server starts at another address, and so does its sandbox.
		box.at = "http://127.0.0.1:2/sandbox/"
		must(t, s.outside.FollowSandbox(ctx))
		if got, err = s.Sandbox(ctx, c.caller()); err != nil || got.URL != box.at {
			t.Errorf("at another address: %+v %v", got, err)
		}

		// If the sandbox lost the workspace, the connection is not used: nobody is
		// asked, and the connection does not count as lost.
		clear(box.made)
		if got, err = s.Sandbox(ctx, c.caller()); err != nil || got.Connected || got.Offered {
			t.Errorf("without its workspace: %+v %v", got, err)
		}
		_, err = s.CreateSandboxToken(ctx, c.caller(), desk.NewSandboxToken{User: "U_OWNER"})
		wantKind(t, err, desk.Refused)
		_, err = s.CreateSandbox(ctx, c.caller())
		wantKind(t, err, desk.Conflict)
		if len(box.made) > 0 {
			t.Error("a workspace was made that nobody uses")
		}
	})
}

// If the sandbox is this server's chat system, it is not tried with the credential
// of a workspace that is not in it.
func TestSandboxIsNotTriedWithAnothersCredential(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		w.connect()
		w.rests()
		w.close()
		w.company.box = &boxes{made: map[string]string{}}
		w.open()
		w.calls.take()
		err := w.outside.WithChat(ctx, w.account.ID, func(desk.Integration, chat.Connector) error {
			t.Error("the credential was tried")
			return nil
		})
		wantKind(t, err, desk.Refused)
		if !strings.Contains(err.Error(), "in the sandbox of another node") || !errors.Is(err, desk.ErrNotConnected) {
			t.Errorf("the caller is told %v", err)
		}
		w.rests()
		if n := w.calls.take(); len(n) > 0 {
			t.Errorf("the sandbox was called: %v", n)
		}
		l, err := w.Integrations(ctx, w.caller(), desk.Page{})
		must(t, err)
		if l.Items[0].Status != desk.StatusConnected {
			t.Errorf("the connection is %s", l.Items[0].Status)
		}
	})
}
