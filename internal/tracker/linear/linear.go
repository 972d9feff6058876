// Package linear connects the desk to Linear workspaces. It implements
// tracker.Tracker with Linear's GraphQL API, and converts webhook calls to
// tracker.Heard. Markdown, workflow states, rate limits and error codes of Linear
// do not leave this package. It knows neither accounts nor requests, and stores
// nothing on disk.
package linear

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
	"frontdesk/internal/tracker"
)

const (
	system = "linear" // Linear's name in the API
	called = "Linear" // and for people
)

// Config configures how this server reaches Linear.
type Config struct {
	// API is the address of the GraphQL API. Defaults to
	// https://api.linear.app/graphql.
	API string
	// Client makes the calls. Defaults to a client of our own. Redirects are never
	// followed.
	Client *http.Client
	// Unlimited makes calls without our own rate limit, for a server that does not
	// have Linear's limits. Pauses that the server asks for still apply.
	Unlimited bool
	// Log receives messages for the operator. Defaults to slog.Default().
	Log *slog.Logger
}

// Linear connects to all workspaces. It is a tracker.System and safe for concurrent
// use.
type Linear struct {
	cfg    Config
	remote *remote.System
}

// New makes a Linear from a configuration.
func New(c Config) *Linear {
	if c.API == "" {
		c.API = "https://api.linear.app/graphql"
	}
	return &Linear{cfg: c, remote: remote.New(remote.Config{Name: called, CallTime: callTime, Client: c.Client, Unlimited: c.Unlimited, Log: c.Log})}
}

// Name returns "linear".
func (l *Linear) Name() string { return system }

// mostToken bounds the length of a token. Linear's have a third of it.
const mostToken = 200

// Check returns an error that says what is wrong with a credential. Only the token
// matters. It identifies the workspace and our user there.
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

// Tracker returns a tracker for the workspace of a credential. Trackers with the
// same token share its rate limit.
func (l *Linear) Tracker(c tracker.Credential) tracker.Tracker {
	return &workspace{linear: l, token: c.Token}
}

// workspace implements tracker.Tracker.
type workspace struct {
	linear *Linear
	token  string
}

const placeQuery = `query Place {
  viewer { id }
  organization { id name urlKey }
}`

// Place returns the workspace.
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
