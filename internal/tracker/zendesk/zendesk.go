// Package zendesk connects the desk to tickets in Zendesk. It implements
// tracker.Tracker with Zendesk's API, and returns which tickets a webhook call is
// about. Audits, statuses, rate limits and error codes of Zendesk do not leave this
// package. It knows neither accounts nor requests, and stores nothing.
package zendesk

import (
	"log/slog"
	"net/http"
	"strings"

	"frontdesk/internal/remote"
	"frontdesk/internal/tracker"
)

const (
	system = "zendesk" // Zendesk's name in the API
	called = "Zendesk" // and for people
)

// Config configures how this server reaches Zendesk.
type Config struct {
	// Address is the address of a Zendesk account, with {domain} in place of its
	// subdomain and no slash at the end. Defaults to https://{domain}.zendesk.com.
	Address string
	// Client makes the calls. Defaults to a client of our own. Redirects are never
	// followed.
	Client *http.Client
	// Unlimited makes calls without our own rate limit, for a server that does not
	// have Zendesk's limits. Pauses that the server asks for still apply.
	Unlimited bool
	// Log receives messages for the operator. Defaults to slog.Default().
	Log *slog.Logger
}

// App connects to all Zendesk accounts. It is a tracker.System and safe for
// concurrent use.
type App struct {
	cfg    Config
	remote *remote.System
}

// New makes an App from a configuration.
func New(c Config) *App {
	if c.Address == "" {
		c.Address = "https://{domain}.zendesk.com"
	}
	return &App{cfg: c, remote: remote.New(remote.Config{Name: called, CallTime: callTime, Client: c.Client, Unlimited: c.Unlimited, Log: c.Log})}
}

// Name returns "zendesk".
func (a *App) Name() string { return system }

// Tracker returns a tracker for the Zendesk account of a credential. All trackers
// of an account share its rate limit.
func (a *App) Tracker(c tracker.Credential) tracker.Tracker {
	c.Domain = strings.ToLower(c.Domain)
	t := &place{app: a, who: c}
	// Only a name that Check accepts becomes part of an address.
	if domains.MatchString(c.Domain) {
		t.address = strings.ReplaceAll(a.cfg.Address, "{domain}", c.Domain)
	}
	return t
}

// place implements tracker.Tracker for one Zendesk account.
type place struct {
	app     *App
	who     tracker.Credential
	address string // where people open it, without a slash at the end; empty if the domain is invalid
}
