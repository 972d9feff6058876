package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/internal/demo"
	"frontdesk/internal/sandbox"
)

type sandboxCommand struct {
	Serve  sandboxServeCommand  `cmd:"" help:"Run a chat workspace that speaks Slack's protocol in its own process."`
	People sandboxPeopleCommand `cmd:"" help:"List the people in the workspace."`
	Token  sandboxTokenCommand  `cmd:"" help:"Print a token for acting as one of these people."`
}

// sandboxConfig returns the configuration of the sandbox in the data folder.
func (s *settings) sandboxConfig() (sandbox.Config, error) {
	log, err := s.logger()
	return sandbox.Config{
		Path:      filepath.Join(s.Data, "sandbox.db"),
		Workspace: &sandbox.WorkspaceConfig{Name: "Acme", OwnerName: demo.Owner.Name, OwnerEmail: demo.Owner.Email},
		Log:       log,
	}, err
}

type sandboxServeCommand struct {
	Listen      string   `placeholder:"ADDRESS" default:"127.0.0.1:8090" help:"The address to listen on."`
	Manifest    string   `type:"existingfile" placeholder:"FILE" help:"Register the app in this manifest, in Slack's JSON format."`
	AllowRemote bool     `help:"Let other machines and proxies reach the workspace. Use it only in a network that you trust."`
	Fault       []string `placeholder:"FAULT" sep:"none" help:"Misbehave in this way, such as drop_answer:probability=0.3. You can repeat this flag."`
	Seed        uint64   `placeholder:"N" help:"The seed of the random choices. The same seed repeats the same faults."`

	RetryAfter []time.Duration `placeholder:"DURATION" help:"When to resend an event that the app did not accept, such as 0s,1m,5m. After the last attempt, the sandbox drops the event."`
}

func (c *sandboxServeCommand) Run(ctx context.Context, s *settings) error {
	cfg, err := s.sandboxConfig()
	if err != nil {
		return err
	}
	cfg.AllowRemote, cfg.Faults.Seed, cfg.RetryAfter = c.AllowRemote, c.Seed, c.RetryAfter
	for _, text := range c.Fault {
		f, err := sandbox.ParseFault(text)
		if err != nil {
			return err
		}
		cfg.Faults.Faults = append(cfg.Faults.Faults, f)
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --listen", err)
	}
	credentials := ""
	if c.Manifest != "" {
		if cfg.App, credentials, err = s.addApp(ctx, c.Manifest); err != nil {
			l.Close()
			return err
		}
	}
	return sandbox.Serve(ctx, l, cfg, func(b *sandbox.Sandbox) {
		fmt.Printf(sandboxScreen, l.Addr(), b.Code())
		fmt.Print(credentials)
	})
}

// addApp registers the app in a manifest. It returns the credentials of a new app
// only, because secrets are shown once.
func (s *settings) addApp(ctx context.Context, path string) (app *sandbox.AppConfig, credentials string, err error) {
	manifest, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	app = &sandbox.AppConfig{Manifest: manifest}
	err = s.withSandbox(ctx, func(b *sandbox.Sandbox) error {
		before, err := b.Apps(ctx)
		if err != nil {
			return err
		}
		made, err := b.RegisterApp(ctx, *app)
		if err == nil && !slices.ContainsFunc(before, func(a sandbox.App) bool { return a.ID == made.ID }) {
			credentials = fmt.Sprintf(appScreen, made.Manifest.Display.Name, made.ClientID, made.ClientSecret, made.SigningSecret)
		}
		return err
	})
	return app, credentials, err
}

const appScreen = `Registered the app %s. Its credentials are not shown again:
FRONTDESK_SLACK_CLIENT_ID=%s
FRONTDESK_SLACK_CLIENT_SECRET=%s
FRONTDESK_SLACK_SIGNING_SECRET=%s
`

const sandboxScreen = `The sandbox workspace is at http://%s/sandbox/api/
To act as one of its people: frontdesk sandbox people, frontdesk sandbox token --user U…
Use this code to register or authorize an app, or to change faults. Each start has a new one: %s
`

// withSandbox opens the sandbox, calls fn and closes it.
func (s *settings) withSandbox(ctx context.Context, fn func(*sandbox.Sandbox) error) error {
	cfg, err := s.sandboxConfig()
	if err != nil {
		return err
	}
	b, err := sandbox.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer b.Close()
	return fn(b)
}

// listPeople returns the users of every workspace, without bots.
func listPeople(ctx context.Context, b *sandbox.Sandbox) (all []sandbox.User, err error) {
	workspaces, err := b.Workspaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range workspaces {
		users, err := b.Users(ctx, w.ID)
		if err != nil {
			return nil, err
		}
		for _, u := range users {
			if !u.IsBot {
				all = append(all, u)
			}
		}
	}
	return all, nil
}

type sandboxPeopleCommand struct{}

func (sandboxPeopleCommand) Run(ctx context.Context, s *settings) error {
	return s.withSandbox(ctx, func(b *sandbox.Sandbox) error {
		all, err := listPeople(ctx, b)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tNAME\tEMAIL\t")
		for _, u := range all {
			left := ""
			if u.Deleted {
				left = "left"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", u.ID, u.RealName, u.Profile.Email, left)
		}
		return w.Flush()
	})
}

type sandboxTokenCommand struct {
	User string `required:"" placeholder:"USER" help:"The ID or the email address of the person."`
}

func (c *sandboxTokenCommand) Run(ctx context.Context, s *settings) error {
	return s.withSandbox(ctx, func(b *sandbox.Sandbox) error {
		all, err := listPeople(ctx, b)
		if err != nil {
			return err
		}
		for _, u := range all {
			if u.ID != c.User && !strings.EqualFold(u.Profile.Email, c.User) {
				continue
			}
			if u.Deleted {
				return fmt.Errorf("%s has left the workspace", u.RealName)
			}
			token, err := b.Token(ctx, u.ID)
			if err != nil {
				return err
			}
			fmt.Println(token)
			return nil
		}
		return fmt.Errorf("the workspace has no person %s; to list its people: frontdesk sandbox people", c.User)
	})
}
