package main

import (
	"context"
	"errors"
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
	Serve  sandboxServeCommand  `cmd:"" help:"Run a chat workspace that speaks Slack's protocol, as a process of its own."`
	People sandboxPeopleCommand `cmd:"" help:"List the people of the workspace."`
	Token  sandboxTokenCommand  `cmd:"" help:"Print the token that lets you act as one of them."`
}

// sandboxConfig is the workspace in the data folder.
func (s *settings) sandboxConfig() (sandbox.Config, error) {
	log, err := s.logger()
	return sandbox.Config{
		Path:      filepath.Join(s.Data, "sandbox.db"),
		Workspace: &sandbox.WorkspaceConfig{Name: "Acme", OwnerName: demo.Owner.Name, OwnerEmail: demo.Owner.Email},
		Log:       log,
	}, err
}

type sandboxServeCommand struct {
	Listen      string   `default:"127.0.0.1:8090" help:"The address to listen on."`
	Manifest    string   `type:"existingfile" placeholder:"FILE" help:"The manifest of an app to register, in Slack's JSON."`
	AllowRemote bool     `help:"Serve other machines and through proxies, too, in a network that you trust."`
	Fault       []string `placeholder:"KIND:SETTING=VALUE,…" sep:"none" help:"Misbehave, such as drop_answer:method=chat.postMessage,probability=0.3. May be given several times."`
	Seed        uint64   `placeholder:"N" help:"What the chance of faults begins with, to see the same ones again."`

	RetryAfter []time.Duration `placeholder:"0s,1m,5m" help:"When to send an event again that was not taken; after the last time it is given up."`
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

// addApp registers the app of a manifest. Its credentials are said of one that is
// new: secrets are shown once.
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

const appScreen = `The app %s is new. Its credentials are not shown again:
FRONTDESK_SLACK_CLIENT_ID=%s
FRONTDESK_SLACK_CLIENT_SECRET=%s
FRONTDESK_SLACK_SIGNING_SECRET=%s
`

const sandboxScreen = `The sandbox workspace is at http://%s/sandbox/api/
Act as one of its people: frontdesk sandbox people, frontdesk sandbox token --user U…
Apps, the authorize page and faults ask for this code, another at each start: %s
`

// withSandbox opens the workspace for a command.
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

// people are the users of every workspace, but bots.
func people(ctx context.Context, b *sandbox.Sandbox) (all []sandbox.User, err error) {
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
		all, err := people(ctx, b)
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
	User string `required:"" help:"The id or the email of the person."`
}

func (c *sandboxTokenCommand) Run(ctx context.Context, s *settings) error {
	return s.withSandbox(ctx, func(b *sandbox.Sandbox) error {
		all, err := people(ctx, b)
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
		return errors.New("the workspace has no such person; frontdesk sandbox people lists them")
	})
}
