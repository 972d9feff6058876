// Package slack connects the desk to Slack workspaces: it makes chat's events
// of what Slack calls us with, and Slack's calls of what chat's Connector is
// asked for. Timestamps, markup, rate limits and error codes are Slack's and
// end here; it knows neither accounts nor requests, and keeps nothing on disk.
package slack

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/chat"
)

// system is Slack's name in the API.
const system = "slack"

// Config is the Slack app of this installation.
type Config struct {
	ClientID, ClientSecret string
	// SigningSecret proves that a call comes from Slack. Without one none is
	// believed.
	SigningSecret string
	// API is the Web API's address with the slash at the end. Defaults to
	// https://slack.com/api/.
	API string
	// Authorize is the page where a person allows us in. Defaults to
	// https://slack.com/oauth/v2/authorize.
	Authorize string
	// PublicURL is where people and Slack reach this server, with no slash at
	// the end.
	PublicURL string
	// Client makes the calls. Defaults to one of its own. Redirects are not
	// followed, whatever it says.
	Client *http.Client
	// Unlimited calls as fast as it can, for a server that has not Slack's
	// limits, such as the sandbox. Pauses that are asked for are kept all the
	// same.
	Unlimited bool
	// Log receives what an operator should know. Defaults to slog.Default().
	Log *slog.Logger
}

// App is our app at Slack, for all workspaces. It is a chat.System and safe
// for concurrent use.
type App struct {
	cfg    Config
	client *http.Client
	pace   *pacer

	mu         sync.Mutex
	workspaces map[string]workspace // by id
}

// workspace is what a process remembers of one. There are as many as were
// connected, and it can be learnt again.
type workspace struct {
	url string // where people open it, without the slash at the end
	me  identity
}

// New makes the app of a configuration.
func New(c Config) *App {
	if c.API == "" {
		c.API = "https://slack.com/api/"
	}
	if c.Authorize == "" {
		c.Authorize = "https://slack.com/oauth/v2/authorize"
	}
	if c.Client == nil {
		c.Client = newClient()
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	// A redirect would carry a token to wherever it points.
	client := *c.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &App{cfg: c, client: &client, pace: newPacer(c.Unlimited), workspaces: map[string]workspace{}}
}

// newClient has no timeout for a whole exchange: a file may take long. Calls
// have their own.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,
		ExpectContinueTimeout: time.Second,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConns:          100,
		MaxIdleConnsPerHost:   20,
	}}
}

// Name is slack.
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

// Link is where people open a message.
func (a *App) Link(in chat.Installation, at chat.Ref, thread string) string {
	return link(addressOf(in), at.Channel, at.ID, thread)
}

// Linked is the message of a permalink.
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

// addressOf is where people open a workspace, without the slash at the end; empty
// where it is not known.
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

// bot is the caller that most is done as.
func (c *connector) bot() caller { return caller{workspace: c.in.Workspace, token: c.in.Bot.Token} }

// as is somebody who lets us act as them; the bot where there is nobody.
func (c *connector) as(who *chat.Credential) caller {
	if who == nil {
		return c.bot()
	}
	return caller{workspace: c.in.Workspace, token: who.Token, person: true}
}

// identity is who we are in the workspace. What messages name a bot by, only
// Slack knows, so it is asked once.
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
