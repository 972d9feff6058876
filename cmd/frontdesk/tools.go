package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/index"
	"frontdesk/internal/move"
	"frontdesk/internal/store"
)

type accountCommand struct {
	Create accountCreateCommand `cmd:"" help:"Create an account and its first admin."`
	Export accountExportCommand `cmd:"" help:"Write an account with everything that it has to a file."`
	Import accountImportCommand `cmd:"" help:"Bring an account from a file into this database."`
}

type accountCreateCommand struct {
	Name   string `required:"" placeholder:"NAME" help:"The account's name."`
	Email  string `required:"" placeholder:"EMAIL" help:"The email address of its first admin."`
	Person string `placeholder:"NAME" help:"The admin's name."`
	// Not an argument: everyone who can list the processes of this machine would see it.
	Password bool   `help:"Read the admin's password from standard input. Without this flag, the command prints a link for choosing one."`
	Chat     string `placeholder:"SYSTEM" enum:"sandbox,none" default:"none" help:"sandbox or none. With sandbox, the account gets its own workspace in the built-in chat system."`
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
	fmt.Printf("Created account %d, %s, with the admin %s.\n", a.ID, a.Name, m.Email)
	if c.Chat == "sandbox" {
		w, err := o.chats.addWorkspace(ctx, o.service, a, m)
		if err != nil {
			return fmt.Errorf("created the account, but could not connect it to the sandbox: %w", err)
		}
		fmt.Printf("It is connected to the sandbox workspace %s (%s). Start the server with --sandbox to use it.\n", w.Name, w.ID)
	}
	if c.Password {
		if err := o.service.SetPassword(ctx, a.ID, m, password); err != nil {
			return fmt.Errorf("created the account, but could not set the admin's password: %w", err)
		}
		fmt.Println("The admin can sign in with this password.")
	} else {
		i, err := o.service.NewInvitation(ctx, a.ID, m.ID)
		if err != nil {
			return fmt.Errorf("created the account, but could not create a link for choosing a password: %w", err)
		}
		fmt.Printf("To choose a password, start the server and open: %s\n", i.URL)
	}
	fmt.Printf("To create a token for a program: frontdesk token create --email %s --scope read_write\n", m.Email)
	return nil
}

type tokenCommand struct {
	Create tokenCreateCommand `cmd:"" help:"Create an access token and print it."`
}

type tokenCreateCommand struct {
	Email   string        `required:"" placeholder:"EMAIL" help:"The email address of the member that the token acts as."`
	Scope   string        `required:"" placeholder:"SCOPE" enum:"read_only,read_write" help:"read_only or read_write."`
	Name    string        `placeholder:"NAME" default:"command line" help:"A name to recognise the token by."`
	Expires time.Duration `placeholder:"DURATION" default:"8760h" help:"How long the token is valid. 0 means until it is revoked."`
	Account int64         `placeholder:"ID" help:"The account, if several have a member with this email address."`
}

func (c *tokenCreateCommand) Run(ctx context.Context, o *resources) error {
	m, err := memberName{c.Email, c.Account}.find(ctx, o)
	if err != nil {
		return err
	}
	n := desk.NewToken{Name: c.Name, Scope: desk.Scope(c.Scope), ExpiresAt: desk.Null[time.Time]()}
	if c.Expires != 0 {
		n.ExpiresAt = desk.Just(o.store.Now().Add(c.Expires))
	}
	if m.Member.Role == desk.Viewer && n.Scope != desk.ReadOnly {
		return fmt.Errorf("%s is a viewer: a viewer's tokens can only be read_only", c.Email)
	}
	t, err := o.service.NewToken(ctx, m.Account, m.Member, n)
	if err != nil {
		return err
	}
	fmt.Println(t.Secret)
	return nil
}

// chooseMember returns the member with the given account, or the only member if
// account is 0.
func chooseMember(found []store.AccountMember, email string, account int64) (store.AccountMember, error) {
	var names []string
	for _, m := range found {
		if int64(m.Account) == account || account == 0 && len(found) == 1 {
			return m, nil
		}
		names = append(names, fmt.Sprintf("%d (%s)", m.Account, m.AccountName))
	}
	if len(found) == 0 {
		return store.AccountMember{}, fmt.Errorf("no account has the member %s; create one with: frontdesk account create", email)
	}
	return store.AccountMember{}, fmt.Errorf("%s is a member of the accounts %s; choose one with --account", email, strings.Join(names, ", "))
}

type migrateCommand struct {
	IDRange int64 `placeholder:"N" default:"-1" help:"Have an empty PostgreSQL database give out its ids from range N, 0 to 9000. Accounts can move between databases with different ranges."`
}

func (c migrateCommand) Run(ctx context.Context, s *settings) error {
	log, err := s.logger()
	if err != nil {
		return err
	}
	db, err := s.database(ctx, log)
	if err != nil {
		return err
	}
	defer db.Close()
	ran, err := migrate(ctx, db, log)
	if err != nil {
		return err
	}
	fmt.Printf("The database schema is up to date. Migrations run: %d.\n", ran)
	if c.IDRange >= 0 {
		if err := move.UseRange(ctx, db, c.IDRange); err != nil {
			return err
		}
		fmt.Printf("New ids come from range %d.\n", c.IDRange)
	}
	return nil
}

type reindexCommand struct{}

func (reindexCommand) Run(ctx context.Context, o *resources) error {
	if err := index.Forget(ctx, o.db); err != nil {
		return err
	}
	fmt.Println("A running server starts to rebuild the search indexes within half a minute. Search keeps working meanwhile.")
	return nil
}
