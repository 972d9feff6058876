package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"

	"frontdesk/internal/chat"
	"frontdesk/internal/chat/slack"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/service"
)

// chatSettings say which chat system accounts are connected to: Slack, through
// the operator's own app there, or the sandbox, which speaks its protocol.
type chatSettings struct {
	Sandbox            bool   `env:"FRONTDESK_SANDBOX" help:"Serve the built-in chat workspace in place of Slack, to this machine. Its people are invented; it is for trying things. Without it, a server for this machine alone that has no Slack app offers it to be tried."`
	SandboxRemote      bool   `env:"FRONTDESK_SANDBOX_REMOTE" help:"Serve the built-in chat workspace to other machines and through proxies, too. It is for trying things, in a network that you trust."`
	SlackClientID      string `placeholder:"ID" env:"FRONTDESK_SLACK_CLIENT_ID" help:"The client id of your Slack app."`
	SlackClientSecret  string `placeholder:"SECRET" env:"FRONTDESK_SLACK_CLIENT_SECRET" help:"Its client secret."`
	SlackSigningSecret string `placeholder:"SECRET" env:"FRONTDESK_SLACK_SIGNING_SECRET" help:"Its signing secret."`
	SlackAPI           string `default:"https://slack.com/api/" env:"FRONTDESK_SLACK_API" help:"Where Slack's Web API is."`
	SlackAuthorize     string `default:"https://slack.com/oauth/v2/authorize" env:"FRONTDESK_SLACK_AUTHORIZE" help:"Where people allow Frontdesk in."`
	SlackUnlimited     bool   `env:"FRONTDESK_SLACK_UNLIMITED" help:"Call as fast as possible, for a sandbox in a process of its own, which has not Slack's limits."`
}

// chats is the chat system of this server, if it has one.
type chats struct {
	slack   *slack.App
	sandbox *sandbox.Sandbox // where it is in this process
	app     sandbox.App      // ours there
	offered bool             // it is there to be tried, and not in place of Slack
}

// openChats makes ready what the settings name. local is where this process is
// reached from this machine; offer has it offer the sandbox where they name none.
func (s *settings) openChats(ctx context.Context, local string, offer bool) (c chats, err error) {
	log, err := s.logger()
	if err != nil {
		return c, err
	}
	cfg := slack.Config{
		ClientID: s.Chat.SlackClientID, ClientSecret: s.Chat.SlackClientSecret, SigningSecret: s.Chat.SlackSigningSecret,
		API: s.Chat.SlackAPI, Authorize: s.Chat.SlackAuthorize, PublicURL: s.URL, Unlimited: s.Chat.SlackUnlimited, Log: log,
	}
	given := cfg.ClientID != "" || cfg.ClientSecret != "" || cfg.SigningSecret != ""
	wanted := s.Chat.Sandbox || s.Chat.SandboxRemote
	switch {
	case wanted && given:
		return c, errors.New("choose between the sandbox and a Slack app: FRONTDESK_SANDBOX and FRONTDESK_SLACK_CLIENT_ID cannot both be set")
	case wanted || offer && !given:
		c.offered = !wanted
		if c.sandbox, c.app, err = s.openSandbox(ctx, local); err != nil && c.offered {
			// Nobody asked for it: the server is none the worse without.
			log.Warn("the sandbox cannot be offered", "error", err)
			return chats{}, nil
		} else if err != nil {
			return c, err
		}
		cfg.ClientID, cfg.ClientSecret, cfg.SigningSecret = c.app.ClientID, c.app.ClientSecret, c.app.SigningSecret
		cfg.Unlimited = true // it is nobody else's
		cfg.API, cfg.Authorize, cfg.PublicURL = local+"/sandbox/api/", local+"/sandbox/oauth/v2/authorize", local
	case !given:
		return c, nil
	case cfg.ClientID == "" || cfg.ClientSecret == "" || cfg.SigningSecret == "":
		return c, errors.New("FRONTDESK_SLACK_CLIENT_ID, FRONTDESK_SLACK_CLIENT_SECRET and FRONTDESK_SLACK_SIGNING_SECRET belong together: set all three")
	}
	c.slack = slack.New(cfg)
	return c, nil
}

// openSandbox opens the workspace in the data folder and registers our app. Others
// that are registered there are called as webhooks are.
func (s *settings) openSandbox(ctx context.Context, local string) (*sandbox.Sandbox, sandbox.App, error) {
	cfg, err := s.sandboxConfig()
	if err != nil {
		return nil, sandbox.App{}, err
	}
	cfg.URL, cfg.Workspace, cfg.AllowRemote = local, nil, s.Chat.SandboxRemote
	if cfg.Outbound, err = s.Webhook.client(); err != nil {
		return nil, sandbox.App{}, err
	}
	box, err := sandbox.New(ctx, cfg)
	if err != nil {
		return nil, sandbox.App{}, err
	}
	app, err := box.RegisterApp(ctx, sandbox.AppConfig{Manifest: slack.Manifest(local)})
	if err != nil {
		box.Close()
		return nil, app, err
	}
	return box, app, nil
}

func (c chats) systems() []chat.System {
	switch {
	case c.slack == nil:
		return nil
	case c.offered:
		return []chat.System{offered{c.slack}}
	}
	return []chat.System{c.slack}
}

// box is the sandbox for the service, nil where there is none.
func (c chats) box() chat.Sandbox {
	if c.sandbox == nil {
		return nil
	}
	return workspaces{c.sandbox, c.app}
}

// sayCode writes into the log what opens the sandbox's doors that take no token.
func (c chats) sayCode(log *slog.Logger) {
	if c.sandbox != nil {
		log.Info("whoever registers an app in the sandbox, lets one in or switches faults is asked for this code", "code", c.sandbox.Code())
	}
}

// endStreams ends what would last for ever at a shutdown.
func (c chats) endStreams() {
	if c.sandbox != nil {
		c.sandbox.EndStreams()
	}
}

// handle serves what the chat system calls, and the sandbox itself. cookie is
// the name of the one that people are signed in by.
func (c chats) handle(mux *http.ServeMux, s *service.Service, cookie string) {
	if c.sandbox == nil {
		mux.Handle("/sandbox/", http.NotFoundHandler()) // it is no page of the web app
	}
	if c.slack == nil {
		return
	}
	mux.Handle("/integrations/slack/", c.slack.Handler(s.Receive, func(r *http.Request, state, code string) error {
		return s.Connect(r.Context(), signedIn(s, r, cookie), desk.Slack, state, code)
	}))
	if c.sandbox != nil {
		mux.Handle("/sandbox/", c.sandbox.Handler(sandboxAdmins(s, cookie)))
		// Where its links lead: people read it on the page of the web app.
		mux.Handle("GET /sandbox/{$}", http.RedirectHandler("/sandbox", http.StatusSeeOther))
		mux.HandleFunc("GET /sandbox/archives/{channel}/{message}", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, messagePage(r.PathValue("channel"), r.PathValue("message"), r.URL.Query().Get("thread_ts")), http.StatusSeeOther)
		})
	}
}

// signedIn is who is signed in with the browser that makes a call; zero for nobody.
func signedIn(s *service.Service, r *http.Request, cookie string) service.Caller {
	session, err := r.Cookie(cookie)
	if err != nil {
		return service.Caller{}
	}
	c, err := s.AuthenticateSession(r.Context(), session.Value)
	if err != nil {
		return service.Caller{}
	}
	return c
}

// linkedMessage is how a link names a message: its ts without the point.
var linkedMessage = regexp.MustCompile(`^p(\d+)(\d{6})$`)

// messagePage is the address in the web app of a message in the sandbox, in its thread.
func messagePage(channel, message, thread string) string {
	at := url.Values{"channel": {channel}}
	if ts := linkedMessage.FindStringSubmatch(message); thread != "" {
		at.Set("thread", thread)
	} else if ts != nil {
		at.Set("thread", ts[1]+"."+ts[2])
	}
	return "/sandbox?" + at.Encode()
}

// run delivers the sandbox's events until ctx ends.
func (c chats) run(ctx context.Context) error {
	if c.sandbox == nil {
		return nil
	}
	return c.sandbox.Run(ctx)
}

func (c chats) Close() {
	if c.sandbox != nil {
		c.sandbox.Close()
	}
}

// join connects an account to a sandbox workspace of its own, with its admin as
// the workspace's owner.
func (c chats) join(ctx context.Context, s *service.Service, a desk.Account, admin desk.Member) (sandbox.Workspace, error) {
	w, err := c.sandbox.AddWorkspace(ctx, sandbox.WorkspaceConfig{Name: a.Name, OwnerName: admin.Name, OwnerEmail: admin.Email})
	if err != nil {
		return w, err
	}
	return w, c.connect(ctx, s, a.ID, w)
}

// connect connects an account to a sandbox workspace, as its owner's visit to
// the authorization page would. It gives Conflict when the account is connected.
func (c chats) connect(ctx context.Context, s *service.Service, account desk.AccountID, w sandbox.Workspace) error {
	in, err := workspaces{c.sandbox, c.app}.install(ctx, w)
	if err != nil {
		return err
	}
	_, err = s.Install(ctx, account, desk.Slack, in)
	return err
}

// localURL is where a listener is reached from this machine.
func localURL(l net.Listener) string {
	host, port, err := net.SplitHostPort(l.Addr().String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
