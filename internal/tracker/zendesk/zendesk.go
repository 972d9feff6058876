// Package zendesk connects the desk to tickets in Zendesk: it makes Zendesk's
// calls of what tracker's Tracker is asked for, and tells which tickets it is
// called about. Audits, statuses, rate limits and error codes are Zendesk's and
// end here; it knows neither accounts nor requests, and keeps nothing.
package zendesk

import (
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/tracker"
)

// system is Zendesk's name in the API.
const system = "zendesk"

// Config says how Zendesk is reached.
type Config struct {
	// Address is where an account of Zendesk is, with {domain} in place of its
	// subdomain and no slash at the end. Defaults to https://{domain}.zendesk.com.
	Address string
	// Client makes the calls. Defaults to one of its own. Redirects are not
	// followed, whatever it says.
	Client *http.Client
	// Unlimited calls as fast as it can, for a server that has not Zendesk's
	// limits. Pauses that are asked for are kept all the same.
	Unlimited bool
	// Log receives what an operator should know. Defaults to slog.Default().
	Log *slog.Logger
}

// App is this server, for all accounts of Zendesk. It is a tracker.System and
// safe for concurrent use.
type App struct {
	cfg      Config
	client   *http.Client
	callTime time.Duration

	mu    sync.Mutex
	paces map[string]*pacer // by subdomain; there are as many as were connected
}

// New makes the app of a configuration.
func New(c Config) *App {
	if c.Address == "" {
		c.Address = "https://{domain}.zendesk.com"
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
	return &App{cfg: c, client: &client, callTime: callTime, paces: map[string]*pacer{}}
}

func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 5 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConns:        100,
		MaxIdleConnsPerHost: 10,
	}}
}

// Name is zendesk.
func (a *App) Name() string { return system }

// Tracker talks to the account of Zendesk that a credential lets us into. All
// trackers of one share its pace.
func (a *App) Tracker(c tracker.Credential) tracker.Tracker {
	c.Domain = strings.ToLower(c.Domain)
	t := &place{app: a, who: c, pace: a.pacer(c.Domain)}
	// Only a name that Check lets pass becomes a part of an address.
	if domains.MatchString(c.Domain) {
		t.address = strings.ReplaceAll(a.cfg.Address, "{domain}", c.Domain)
	}
	return t
}

func (a *App) pacer(domain string) *pacer {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.paces[domain]
	if p == nil {
		p = newPacer(a.cfg.Unlimited)
		a.paces[domain] = p
	}
	return p
}

// place is a tracker.Tracker for one account of Zendesk.
type place struct {
	app     *App
	who     tracker.Credential
	pace    *pacer
	address string // where people open it, without the slash at the end; empty where there can be none
}
