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

// signInSettings are those of an OpenID provider that people may sign in with.
type signInSettings struct {
	OIDCIssuer       string `name:"oidc-issuer" placeholder:"URL" env:"FRONTDESK_OIDC_ISSUER" help:"The OpenID provider that members may sign in with, such as https://accounts.example.com; without it, none."`
	OIDCClientID     string `name:"oidc-client-id" placeholder:"ID" env:"FRONTDESK_OIDC_CLIENT_ID" help:"The id that the provider has given to this service."`
	OIDCClientSecret string `name:"oidc-client-secret" placeholder:"SECRET" env:"FRONTDESK_OIDC_CLIENT_SECRET" help:"The secret that belongs to it."`
	OIDCName         string `name:"oidc-name" placeholder:"NAME" env:"FRONTDESK_OIDC_NAME" help:"The provider's name on the button; by default its host."`
}

func (s signInSettings) provider() webapp.Provider {
	return webapp.Provider{Issuer: s.OIDCIssuer, ClientID: s.OIDCClientID, ClientSecret: s.OIDCClientSecret, Name: s.OIDCName}
}

// check refuses half a provider: the button would lead nowhere.
func (s signInSettings) check() error {
	if s.OIDCIssuer != "" && s.OIDCClientID == "" {
		return errors.New("FRONTDESK_OIDC_ISSUER is set and FRONTDESK_OIDC_CLIENT_ID is not")
	}
	return nil
}

// sayFirstRun writes into the log where the first account is made, while there is
// none.
func (o *opened) sayFirstRun(ctx context.Context) error {
	first, err := o.service.FirstRun(ctx)
	if err == nil && first {
		o.log.Info("there is no account yet; whoever opens this address makes the first", "address", o.service.FirstRunURL())
	}
	return err
}

type memberCommand struct {
	Password memberPasswordCommand `cmd:"" help:"Give a member a new password, read from the standard input. They are signed out everywhere."`
	Invite   memberInviteCommand   `cmd:"" help:"Print a link with which a member chooses a password."`
}

// memberName is how a member is named on the command line.
type memberName struct {
	Email   string `required:"" help:"The member's email."`
	Account int64  `placeholder:"ID" help:"The account, where several have a member with this email."`
}

func (p memberName) find(ctx context.Context, o *opened) (store.AccountMember, error) {
	found, err := o.service.MembersByEmail(ctx, p.Email)
	if err != nil {
		return store.AccountMember{}, err
	}
	return (&tokenCreateCommand{Email: p.Email, Account: p.Account}).choose(found)
}

type memberPasswordCommand struct {
	memberName `embed:""`
}

func (c *memberPasswordCommand) Run(ctx context.Context, s *settings) error {
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
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
	fmt.Printf("%s has the new password.\n", m.Member.Email)
	return nil
}

type memberInviteCommand struct {
	memberName `embed:""`
}

func (c *memberInviteCommand) Run(ctx context.Context, s *settings) error {
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
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

// readPassword reads a line. In a terminal it says what for; it does not hide
// what is typed.
func readPassword(from *os.File) (string, error) {
	if info, err := from.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprint(os.Stderr, "The new password (it is shown): ")
	}
	line, err := bufio.NewReader(io.LimitReader(from, 4096)).ReadString('\n')
	if err != nil && (!errors.Is(err, io.EOF) || line == "") {
		return "", fmt.Errorf("read the password from the standard input: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
