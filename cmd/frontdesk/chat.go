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
	"frontdesk/internal/sqldb"
	"frontdesk/internal/worker"
)

// chatSettings choose the chat system: Slack, through an app that the operator
// created there, or the sandbox, which speaks Slack's protocol.
type chatSettings struct {
	Sandbox            bool   `env:"FRONTDESK_SANDBOX" help:"Use the built-in chat workspace instead of Slack, for trials. Its people are invented, and only this machine can reach it. A server without a Slack app that only this machine can reach offers it without this flag."`
	SandboxRemote      bool   `env:"FRONTDESK_SANDBOX_REMOTE" help:"Let other machines and proxies reach the built-in chat workspace. Use it only in a network that you trust."`
	SlackClientID      string `placeholder:"ID" env:"FRONTDESK_SLACK_CLIENT_ID" help:"The client ID of your Slack app."`
	SlackClientSecret  string `placeholder:"SECRET" env:"FRONTDESK_SLACK_CLIENT_SECRET" help:"The client secret of your Slack app."`
	SlackSigningSecret string `placeholder:"SECRET" env:"FRONTDESK_SLACK_SIGNING_SECRET" help:"The signing secret of your Slack app."`
	SlackAPI           string `placeholder:"URL" default:"https://slack.com/api/" env:"FRONTDESK_SLACK_API" help:"The address of Slack's Web API."`
	SlackAuthorize     string `placeholder:"URL" default:"https://slack.com/oauth/v2/authorize" env:"FRONTDESK_SLACK_AUTHORIZE" help:"The page on which people authorize Frontdesk."`
	SlackUnlimited     bool   `env:"FRONTDESK_SLACK_UNLIMITED" help:"Ignore Slack's rate limits. Use it with a sandbox that runs in its own process."`
}

// chats is the chat system of this server. The zero value is none.
type chats struct {
	slack   *slack.App
	sandbox *sandbox.Sandbox // nil unless it runs in this process
	app     sandbox.App      // Frontdesk's own app in the sandbox
	offered bool             // an admin can try the sandbox, but it does not replace Slack
}

// openChats opens the chat system that the settings name. localURL is this
// server's address on this machine. With offerSandbox, it offers the sandbox if
// the settings name no chat system.
func (s *settings) openChats(ctx context.Context, localURL string, offerSandbox bool, log *slog.Logger) (c chats, err error) {
	cfg := slack.Config{
		ClientID: s.Chat.SlackClientID, ClientSecret: s.Chat.SlackClientSecret, SigningSecret: s.Chat.SlackSigningSecret,
		API: s.Chat.SlackAPI, Authorize: s.Chat.SlackAuthorize, PublicURL: s.URL, Unlimited: s.Chat.SlackUnlimited, Log: log,
	}
	hasSlack := cfg.ClientID != "" || cfg.ClientSecret != "" || cfg.SigningSecret != ""
	wantsSandbox := s.Chat.Sandbox || s.Chat.SandboxRemote
	switch {
	case wantsSandbox && hasSlack:
		return c, errors.New("choose between the sandbox and a Slack app: FRONTDESK_SANDBOX and FRONTDESK_SLACK_CLIENT_ID cannot both be set")
	case wantsSandbox || offerSandbox && !hasSlack:
		c.offered = !wantsSandbox
		if c.sandbox, c.app, err = s.openSandbox(ctx, localURL); err != nil && c.offered {
			// Nobody asked for the sandbox, so the server starts without it.
			log.Warn("could not open the sandbox; the server does not offer it", "error", err)
			return chats{}, nil
		} else if err != nil {
			return c, err
		}
		cfg.ClientID, cfg.ClientSecret, cfg.SigningSecret = c.app.ClientID, c.app.ClientSecret, c.app.SigningSecret
		cfg.Unlimited = true // the sandbox has no rate limits
		cfg.API, cfg.Authorize, cfg.PublicURL = localURL+"/sandbox/api/", localURL+"/sandbox/oauth/v2/authorize", localURL
	case !hasSlack:
		return c, nil
	case cfg.ClientID == "" || cfg.ClientSecret == "" || cfg.SigningSecret == "":
		return c, errors.New("FRONTDESK_SLACK_CLIENT_ID, FRONTDESK_SLACK_CLIENT_SECRET and FRONTDESK_SLACK_SIGNING_SECRET belong together: set all three")
	}
	c.slack = slack.New(cfg)
	return c, nil
}

// openSandbox opens the sandbox in the data folder and registers Frontdesk's app.
// Other apps that are registered there may be called only where webhooks may.
func (s *settings) openSandbox(ctx context.Context, localURL string) (*sandbox.Sandbox, sandbox.App, error) {
	cfg, err := s.sandboxConfig()
	if err != nil {
		return nil, sandbox.App{}, err
	}
	cfg.URL, cfg.Workspace, cfg.AllowRemote = localURL, nil, s.Chat.SandboxRemote
	if cfg.Outbound, err = s.Webhook.client(); err != nil {
		return nil, sandbox.App{}, err
	}
	box, err := sandbox.New(ctx, cfg)
	if err != nil {
		return nil, sandbox.App{}, err
	}
	app, err := box.RegisterApp(ctx, sandbox.AppConfig{Manifest: slack.Manifest(localURL)})
	if err != nil {
		box.Close()
		return nil, app, err
	}
	return box, app, nil
}

// systems returns the chat systems for the service: one or none.
func (c chats) systems() []chat.System {
	switch {
	case c.slack == nil:
		return nil
	case c.offered:
		return []chat.System{offeredSandbox{c.slack}}
	}
	return []chat.System{c.slack}
}

// serviceSandbox returns the sandbox for the service, or nil if there is none.
func (c chats) serviceSandbox() chat.Sandbox {
	if c.sandbox == nil {
		return nil
	}
	return workspaces{c.sandbox, c.app}
}

// logSandbox logs the code for the sandbox's endpoints that take no token, and warns if
// other nodes may use the same database.
func (o *resources) logSandbox() {
	if o.chats.sandbox == nil {
		return
	}
	o.log.Info("use this code to register an app in the sandbox, to authorize one, or to change faults", "code", o.chats.sandbox.Code())
	if o.db.Engine() == sqldb.Postgres {
		o.log.Warn("the built-in chat workspace lives in the data folder of this node. Other nodes cannot use it: run only this one, or connect Slack")
	}
}

// endStreams ends the sandbox's event streams at a shutdown. They would never end
// by themselves.
func (c chats) endStreams() {
	if c.sandbox != nil {
		c.sandbox.EndStreams()
	}
}

// handle serves the addresses that the chat system calls, and the sandbox itself.
// cookie is the name of the session cookie.
func (c chats) handle(mux *http.ServeMux, s *service.Service, w *worker.Worker, cookie string) {
	if c.sandbox == nil {
		mux.Handle("/sandbox/", http.NotFoundHandler()) // otherwise the web app would answer
	}
	if c.slack == nil {
		return
	}
	mux.Handle("/integrations/slack/", c.slack.Handler(w.Receive, func(r *http.Request, state, code string) error {
		return s.Connect(r.Context(), signedIn(s, r, cookie), desk.Slack, state, code)
	}))
	if c.sandbox != nil {
		mux.Handle("/sandbox/", c.sandbox.Handler(sandboxAdmins(s, cookie)))
		// Links to messages in the sandbox lead to its page in the web app.
		mux.Handle("GET /sandbox/{$}", http.RedirectHandler("/sandbox", http.StatusSeeOther))
		mux.HandleFunc("GET /sandbox/archives/{channel}/{message}", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, messagePage(r.PathValue("channel"), r.PathValue("message"), r.URL.Query().Get("thread_ts")), http.StatusSeeOther)
		})
	}
}

// signedIn returns who is signed in with the browser that made a call, or the zero
// Caller for nobody.
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

// linkedMessage matches a message in a link: its ts without the dot.
var linkedMessage = regexp.MustCompile(`^p(\d+)(\d{6})$`)

// messagePage returns the path in the web app of a sandbox message in its thread.
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

// addWorkspace creates a sandbox workspace for an account and connects the two.
// The account's admin becomes the workspace's owner.
func (c chats) addWorkspace(ctx context.Context, s *service.Service, a desk.Account, admin desk.Member) (sandbox.Workspace, error) {
	w, err := c.sandbox.AddWorkspace(ctx, sandbox.WorkspaceConfig{Name: a.Name, OwnerName: admin.Name, OwnerEmail: admin.Email})
	if err != nil {
		return w, err
	}
	return w, c.connectWorkspace(ctx, s, a.ID, w)
}

// connectWorkspace connects an account to a sandbox workspace, like its owner on
// the authorization page. It returns Conflict if the account is already connected.
func (c chats) connectWorkspace(ctx context.Context, s *service.Service, account desk.AccountID, w sandbox.Workspace) error {
	in, err := workspaces{c.sandbox, c.app}.install(ctx, w)
	if err != nil {
		return err
	}
	_, err = s.Install(ctx, account, desk.Slack, in)
	return err
}

// localURL returns a listener's address for calls from this machine.
func localURL(l net.Listener) string {
	host, port, err := net.SplitHostPort(l.Addr().String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
