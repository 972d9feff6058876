// Package slack connects the desk to Slack workspaces. It turns Slack's calls to us
// into chat's events, and the calls of chat's Connector into calls to Slack.
// Timestamps, markup, rate limits and error codes are Slack's and stay in here. It
// knows neither accounts nor requests, and keeps nothing on disk.
package slack

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"frontdesk/internal/chat"
	"frontdesk/internal/remote"
)

const (
	system = "slack" // Slack's name in the API
	called = "Slack" // and for people
)

// Config is the Slack app of this installation.
type Config struct {
	ClientID, ClientSecret string
	// SigningSecret proves that a call comes from Slack. Without one, no call is
	// accepted.
	SigningSecret string
	// API is the Web API's address with a trailing slash. Defaults to
	// https://slack.com/api/.
	API string
	// Authorize is the page where a person authorises us. Defaults to
	// https://slack.com/oauth/v2/authorize.
	Authorize string
	// PublicURL is where people and Slack reach this server, without a trailing
	// slash.
	PublicURL string
	// Client makes the calls. Defaults to a client of its own. Redirects are never
	// followed, whatever it says.
	Client *http.Client
	// Unlimited turns our own pacing off, for a server without Slack's limits, such
	// as the sandbox. Requested pauses still apply.
	Unlimited bool
	// Log receives what an operator should know. Defaults to slog.Default().
	Log *slog.Logger
}

// App is our app at Slack, for all workspaces. It is a chat.System and safe
// for concurrent use.
type App struct {
	cfg    Config
	remote *remote.System

	mu         sync.Mutex
	workspaces map[string]workspace // by id
}

// workspace is what a process remembers about one. There are as many as were
// connected, and everything can be learned again.
type workspace struct {
	url string // where people open it, without a trailing slash
	me  identity
}

// New makes the app of a configuration.
func New(c Config) *App {
	c.API = cmp.Or(c.API, "https://slack.com/api/")
	c.Authorize = cmp.Or(c.Authorize, "https://slack.com/oauth/v2/authorize")
	c.Log = cmp.Or(c.Log, slog.Default())
	r := remote.New(remote.Config{Name: called, CallTime: callTime, Client: c.Client, Unlimited: c.Unlimited, Log: c.Log})
	return &App{cfg: c, remote: r, workspaces: map[string]workspace{}}
}

// Name returns slack.
func (a *App) Name() string { return system }

// Connector talks to an installation's workspace. All connectors of a
// workspace share its pace.
func (a *App) Connector(in chat.Installation) chat.Connector {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.workspaces[in.Workspace]
	w.url = addressOf(in)
	a.workspaces[in.Workspace] = w
	return &connector{app: a, in: in}
}

// Link returns where people open a message.
func (a *App) Link(in chat.Installation, at chat.Ref, thread string) string {
	return link(addressOf(in), at.Channel, at.ID, thread)
}

// Linked returns the message of a permalink.
func (a *App) Linked(in chat.Installation, address string) (chat.Ref, error) {
	base, at, ok := linked(address)
	if !ok {
		return chat.Ref{}, chat.ErrNoLink
	}
	if ours := addressOf(in); ours != "" && !sameAddress(base, ours) {
		return chat.Ref{}, chat.ErrElsewhere
	}
	return at, nil
}

// addressOf returns where people open a workspace, without a trailing slash; empty
// if unknown.
func addressOf(in chat.Installation) string { return strings.TrimSuffix(in.URL, "/") }

func (a *App) workspace(id string) workspace {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.workspaces[id]
}

// connector is a chat.Connector for one workspace, and its chat.Presence.
type connector struct {
	app *App
	in  chat.Installation
}

// bot returns the caller for most calls.
func (c *connector) bot() caller { return caller{workspace: c.in.Workspace, token: c.in.Bot.Token} }

// as returns the caller for a person who lets us act as them, or the bot if there
// is none.
func (c *connector) as(who *chat.Credential) caller {
	if who == nil {
		return c.bot()
	}
	return caller{workspace: c.in.Workspace, token: who.Token, person: true}
}

// identity returns who we are in the workspace. Only Slack knows the bot id that
// messages use, so we ask once.
func (c *connector) identity(ctx context.Context) (identity, error) {
	if me := c.app.workspace(c.in.Workspace).me; me.user == c.in.Bot.User && me.bot != "" {
		return me, nil
	}
	var told struct {
		BotID string `json:"bot_id"`
	}
	if err := c.app.call(ctx, c.bot(), "auth.test", url.Values{}, &told); err != nil {
		return identity{}, err
	}
	me := identity{user: c.in.Bot.User, bot: told.BotID}
	c.app.mu.Lock()
	defer c.app.mu.Unlock()
	w := c.app.workspaces[c.in.Workspace]
	w.me = me
	c.app.workspaces[c.in.Workspace] = w
	return me, nil
}
