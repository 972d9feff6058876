package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"frontdesk/internal/store"
	"frontdesk/internal/webapp"
)

// signInSettings describe the OpenID provider that people can sign in with.
type signInSettings struct {
	OIDCIssuer       string `name:"oidc-issuer" placeholder:"URL" env:"FRONTDESK_OIDC_ISSUER" help:"Let members sign in with this OpenID provider, such as https://accounts.example.com."`
	OIDCClientID     string `name:"oidc-client-id" placeholder:"ID" env:"FRONTDESK_OIDC_CLIENT_ID" help:"The client ID that the provider gave to Frontdesk."`
	OIDCClientSecret string `name:"oidc-client-secret" placeholder:"SECRET" env:"FRONTDESK_OIDC_CLIENT_SECRET" help:"The client secret that the provider gave to Frontdesk."`
	OIDCName         string `name:"oidc-name" placeholder:"NAME" env:"FRONTDESK_OIDC_NAME" help:"The provider's name on the sign-in button. Default: its host"`
}

func (s signInSettings) provider() webapp.Provider {
	return webapp.Provider{Issuer: s.OIDCIssuer, ClientID: s.OIDCClientID, ClientSecret: s.OIDCClientSecret, Name: s.OIDCName}
}

// check rejects an incomplete provider. Its sign-in button would not work.
func (s signInSettings) check() error {
	if s.OIDCIssuer != "" && s.OIDCClientID == "" {
		return errors.New("FRONTDESK_OIDC_ISSUER is set but FRONTDESK_OIDC_CLIENT_ID is not: set both")
	}
	return nil
}

// logFirstRunURL logs the link that creates the first account, if there is no
// account yet. The server is up by now, and a database that is away does not end it.
func (o *resources) logFirstRunURL(ctx context.Context) {
	switch first, err := o.service.FirstRun(ctx); {
	case err != nil:
		o.log.Warn("whether there is an account could not be read. If there is none, start the server again: it then logs the link that creates the first one", "error", err)
	case first:
		o.log.Info("there is no account yet. Anyone with this link can create the first one; open it before you share the log", "address", o.service.FirstRunURL())
	}
}

type memberCommand struct {
	Password memberPasswordCommand `cmd:"" help:"Set a member's password, read from standard input. This signs them out everywhere."`
	Invite   memberInviteCommand   `cmd:"" help:"Print a link for a member to choose a password."`
}

// memberName are the flags that choose a member.
type memberName struct {
	Email   string `required:"" placeholder:"EMAIL" help:"The member's email address."`
	Account int64  `placeholder:"ID" help:"The account, if several have a member with this email address."`
}

func (p memberName) find(ctx context.Context, o *resources) (store.AccountMember, error) {
	found, err := o.service.MembersByEmail(ctx, p.Email)
	if err != nil {
		return store.AccountMember{}, err
	}
	return chooseMember(found, p.Email, p.Account)
}

type memberPasswordCommand struct {
	memberName `embed:""`
}

func (c *memberPasswordCommand) Run(ctx context.Context, o *resources) error {
	m, err := c.find(ctx, o)
	if err != nil {
		return err
	}
	password, err := readPassword(os.Stdin)
	if err != nil {
		return err
	}
	if err := o.service.SetPassword(ctx, m.Account, m.Member, password); err != nil {
		return err
	}
	fmt.Printf("Set the password of %s.\n", m.Member.Email)
	return nil
}

type memberInviteCommand struct {
	memberName `embed:""`
}

func (c *memberInviteCommand) Run(ctx context.Context, o *resources) error {
	m, err := c.find(ctx, o)
	if err != nil {
		return err
	}
	i, err := o.service.NewInvitation(ctx, m.Account, m.Member.ID)
	if err != nil {
		return err
	}
	fmt.Println(i.URL)
	return nil
}

// readPassword reads a line. In a terminal it shows a prompt, but it does not hide
// the password.
func readPassword(from *os.File) (string, error) {
	if info, err := from.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprint(os.Stderr, "New password (visible while you type): ")
	}
	line, err := bufio.NewReader(io.LimitReader(from, 4096)).ReadString('\n')
	if err != nil && (!errors.Is(err, io.EOF) || line == "") {
		return "", fmt.Errorf("read the password from standard input: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
