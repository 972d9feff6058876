// Package remote is how connectors talk to another system over HTTP: at the pace
// that the system allows, again after a pause that it asks for, and with errors
// that tell our callers what they can do. It reads the answers with care, because
// others wrote them. It knows no system: limits, error codes and shapes of answers
// are the connector's.
//
// A connector has one System, and makes each call with System.Do. What becomes of a
// call is one of these:
//
//   - nil, and the answer is read
//   - Busy with RetryAfter: the system allows no call before the context ends.
//     Nothing was done.
//   - Unavailable: nobody knows what the call did.
//   - any error that the connector makes of an answer, mostly of a Refusal
package remote

import (
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Config describes a system and how this server reaches it.
type Config struct {
	// Name is the system's name for people: Slack.
	Name string
	// CallTime is how long a call may take once it is sent. Defaults to 10 seconds.
	CallTime time.Duration
	// Client makes the calls. Defaults to a client of our own, for addresses that
	// the operator chose. For addresses that users give us, its transport must be
	// an *outbound.Client. Redirects are never followed.
	Client *http.Client
	// Unlimited makes calls without limits of our own, for a server that has none.
	// Pauses that the server asks for still apply.
	Unlimited bool
	// Log receives what an operator should know. Defaults to slog.Default().
	Log *slog.Logger
}

// System is another system, as this process talks to it. It is safe for concurrent
// use.
type System struct {
	cfg    Config
	client *http.Client
	pace   *pacer
}

// New makes a System from a configuration.
func New(c Config) *System {
	if c.CallTime == 0 {
		c.CallTime = 10 * time.Second
	}
	if c.Client == nil {
		c.Client = newClient()
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	// Following a redirect would send a token to another server.
	client := *c.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &System{cfg: c, client: &client, pace: newPacer(c.Name, c.Unlimited)}
}

// Client returns the client for what is no call and may take long, such as a file.
func (s *System) Client() *http.Client { return s.client }

// newClient returns a client without a timeout for a whole exchange, because a file
// may take long. Calls have their own timeouts.
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
