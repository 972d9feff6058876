package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/schema"
	"frontdesk/internal/store"
)

type accountCommand struct {
	Create accountCreateCommand `cmd:"" help:"Make an account with its first admin."`
}

type accountCreateCommand struct {
	Name   string `required:"" help:"The account's name."`
	Email  string `required:"" help:"The email of its first admin."`
	Person string `placeholder:"NAME" help:"The admin's name."`
	// Whoever sees the processes of this machine sees its arguments, too.
	Password bool   `help:"Read the admin's password from the standard input. Without it, a link to choose one is printed."`
	Chat     string `enum:"sandbox,none" default:"none" help:"sandbox connects it to a workspace of its own in the built-in chat system."`
}

func (c *accountCreateCommand) Run(ctx context.Context, s *settings) error {
	if c.Chat == "sandbox" {
		s.Chat.Sandbox = true
	}
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	var password string
	if c.Password {
		if password, err = readPassword(os.Stdin); err == nil {
			err = desk.CheckPassword("password", password, c.Email)
		}
		if err != nil {
			return err
		}
	}
	role := desk.Admin
	admin := desk.NewMember{Email: c.Email, Role: &role}
	if c.Person != "" {
		admin.Name = &c.Person
	}
	a, m, err := o.service.NewAccount(ctx, c.Name, admin)
	if err != nil {
		return err
	}
	fmt.Printf("Account %d, %s, with the admin %s.\n", a.ID, a.Name, m.Email)
	if c.Chat == "sandbox" {
		w, err := o.chats.join(ctx, o.service, a, m)
		if err != nil {
			return fmt.Errorf("the account is there, but it could not be connected to the sandbox: %w", err)
		}
		fmt.Printf("It is connected to the sandbox workspace %s (%s). Start the service with --sandbox to have both.\n", w.Name, w.ID)
	}
	if c.Password {
		if err := o.service.SetPassword(ctx, a.ID, m, password); err != nil {
			return fmt.Errorf("the account is there, but its admin has no password yet: %w", err)
		}
		fmt.Println("The admin can sign in with the password.")
	} else {
		i, err := o.service.NewInvitation(ctx, a.ID, m.ID)
		if err != nil {
			return fmt.Errorf("the account is there, but its admin has no link to choose a password: %w", err)
		}
		fmt.Printf("To choose a password, start the service and open: %s\n", i.URL)
	}
	fmt.Printf("For programs, a token: frontdesk token create --email %s --scope read_write\n", m.Email)
	return nil
}

type tokenCommand struct {
	Create tokenCreateCommand `cmd:"" help:"Make an access token and print it."`
}

type tokenCreateCommand struct {
	Email   string        `required:"" help:"The member it acts as."`
	Scope   string        `required:"" enum:"read_only,read_write" help:"read_only or read_write."`
	Name    string        `default:"command line" help:"A name to recognise it by."`
	Expires time.Duration `default:"8760h" help:"How long it is valid; 0 is until it is revoked."`
	Account int64         `placeholder:"ID" help:"The account, where several have a member with this email."`
}

func (c *tokenCreateCommand) Run(ctx context.Context, s *settings) error {
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	found, err := o.service.MembersByEmail(ctx, c.Email)
	if err != nil {
		return err
	}
	m, err := c.choose(found)
	if err != nil {
		return err
	}
	n := desk.NewToken{Name: c.Name, Scope: desk.Scope(c.Scope), ExpiresAt: desk.Null[time.Time]()}
	if c.Expires != 0 {
		n.ExpiresAt = desk.Just(o.store.Now().Add(c.Expires))
	}
	if m.Member.Role == desk.Viewer && n.Scope != desk.ReadOnly {
		return fmt.Errorf("%s is a viewer, whose tokens are read_only", c.Email)
	}
	t, err := o.service.NewToken(ctx, m.Account, m.Member, n)
	if err != nil {
		return err
	}
	fmt.Println(t.Secret)
	return nil
}

func (c *tokenCreateCommand) choose(found []store.AccountMember) (store.AccountMember, error) {
	var names []string
	for _, m := range found {
		if int64(m.Account) == c.Account || c.Account == 0 && len(found) == 1 {
			return m, nil
		}
		names = append(names, fmt.Sprintf("%d (%s)", m.Account, m.AccountName))
	}
	if len(found) == 0 {
		return store.AccountMember{}, fmt.Errorf("no account has a member %s; make one with: frontdesk account create", c.Email)
	}
	return store.AccountMember{}, fmt.Errorf("%s is a member of the accounts %s; choose one with --account", c.Email, strings.Join(names, ", "))
}

type migrateCommand struct{}

func (migrateCommand) Run(ctx context.Context, s *settings) error {
	log, err := s.logger()
	if err != nil {
		return err
	}
	db, err := s.database(ctx, log)
	if err != nil {
		return err
	}
	defer db.Close()
	ran, err := db.Migrate(ctx, schema.Files)
	if err != nil {
		return err
	}
	fmt.Printf("%d migrations ran; the tables are up to date.\n", ran)
	return nil
}

type reindexCommand struct{}

func (reindexCommand) Run(ctx context.Context, s *settings) error {
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	if err := o.service.Reindex(ctx); err != nil {
		return err
	}
	fmt.Println("The search indexes will be put anew by the service, within half a minute where it runs. Searches go on meanwhile.")
	return nil
}

type backupCommand struct {
	To string `arg:"" optional:"" help:"The file to write (frontdesk-<date>.db)."`
}

func (c *backupCommand) Run(ctx context.Context, s *settings) error {
	o, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	path := c.To
	if path == "" {
		path = "frontdesk-" + time.Now().Format("2006-01-02-150405") + ".db"
	}
	if err := o.db.Backup(ctx, schema.Files, path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %.1f MB, an SQLite file.\nThe key is not in it: keep a copy of the key file apart from the backup. Without it, sealed secrets cannot be read.\n", path, float64(info.Size())/1e6)
	return nil
}
