// Package linear connects the desk to Linear workspaces: it makes Linear's
// GraphQL calls of what tracker's Tracker is asked for, and tracker's Heard of what
// Linear's webhooks say. Markdown, workflow states, rate limits and error codes are
// Linear's and end here; it knows neither accounts nor requests, and keeps nothing
// on disk.
package linear

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

// system is Linear's name in the API.
const system = "linear"

// Config is how this server reaches Linear.
type Config struct {
	// API is the address of the GraphQL API. Defaults to
	// https://api.linear.app/graphql.
	API string
	// Client makes the calls. Defaults to one of its own. Redirects are not
	// followed, whatever it says.
	Client *http.Client
	// Unlimited calls as fast as it can, for a server that has not Linear's
	// limits. Pauses that are asked for are kept all the same.
	Unlimited bool
	// Log receives what an operator should know. Defaults to slog.Default().
	Log *slog.Logger
}

// Linear is Linear, for all workspaces. It is a tracker.System and safe for
// concurrent use.
type Linear struct {
	cfg    Config
	client *http.Client
	pace   *pacer
}

// New makes Linear of a configuration.
func New(c Config) *Linear {
	if c.API == "" {
		c.API = "https://api.linear.app/graphql"
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
	return &Linear{cfg: c, client: &client, pace: newPacer(c.Unlimited)}
}

// newClient has no timeout for a whole exchange: calls have their own.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   5 * time.Second,
		ExpectContinueTimeout: time.Second,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConns:          100,
		MaxIdleConnsPerHost:   20,
	}}
}

// Name is linear.
func (l *Linear) Name() string { return system }

// mostToken bounds a token. Linear's are a third of it.
const mostToken = 200

// Check says what a credential lacks. Only the token matters: it says which
// workspace it is for, and who we are there.
func (l *Linear) Check(c tracker.Credential) error {
	var p desk.Problems
	plain := func(r rune) bool { return r > ' ' && r < 0x7f }
	switch {
	case c.Token == "":
		p.Add("token", "is required")
	case len(c.Token) > mostToken || strings.TrimFunc(c.Token, plain) != "":
		p.Add("token", "must be a personal API key of Linear")
	}
	return p.Err()
}

// Tracker talks to the workspace of a credential. All that have the same token
// share its pace.
func (l *Linear) Tracker(c tracker.Credential) tracker.Tracker {
	return &workspace{linear: l, token: c.Token}
}

// workspace is a tracker.Tracker.
type workspace struct {
	linear *Linear
	token  string
}

const placeQuery = `query Place {
  viewer { id }
  organization { id name urlKey }
}`

// Place is the workspace.
func (w *workspace) Place(ctx context.Context) (tracker.Place, error) {
	var told struct {
		Viewer       struct{ ID string }
		Organization struct{ ID, Name, URLKey string }
	}
	if err := w.call(ctx, "Place", placeQuery, nil, &told); err != nil {
		return tracker.Place{}, err
	}
	return tracker.Place{ID: told.Organization.ID, Name: told.Organization.Name, URL: "https://linear.app/" + told.Organization.URLKey, User: told.Viewer.ID}, nil
}
