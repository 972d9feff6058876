// Package rest is the public API under /v1/rest. routes.go is its table of
// contents. A handler reads a call and asks the service. Everything around it
// happens once, in frame.go: authentication, scope, permission, rate limit,
// idempotency, status and errors. The package knows HTTP and JSON, and contains no
// rule of the product.
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/limit"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
)

// Config configures a Server. Service and Key are required.
type Config struct {
	Service *service.Service
	// Key signs cursors.
	Key *seal.Key
	// PublicURL is the address at which people reach the service. Calls of the web
	// app must come from its pages. Defaults to the host that is called.
	PublicURL string
	// RateLimit is how many calls a member may make in a minute, with all their
	// tokens together. 0 turns the limit off.
	RateLimit int
	// RateBurst is how many calls may come at once. Defaults to 100.
	RateBurst int
	// Log defaults to slog.Default().
	Log *slog.Logger
	// Observe is called after every response, for metrics. For a stream it is
	// called when the stream begins. May be nil.
	Observe func(Observation)
	// Stopping is done when the server should stop. Streams end then, because they
	// would never end by themselves. nil means never.
	Stopping context.Context
	// Draining is done when clients should go to another server. Each stream ends at a
	// random moment of the DrainTime after that, so that not all clients come back at
	// once. nil means never.
	Draining  context.Context
	DrainTime time.Duration
}

// Observation describes a call that was responded to.
type Observation struct {
	Operation desk.Operation // empty if the path or method does not exist
	Method    string
	Status    int
	Took      time.Duration
}

// Server serves the API.
type Server struct {
	service *service.Service
	cursors cursors
	limits  limits
	refused *limit.Log
	guard   *http.CrossOriginProtection
	cookie  string      // the name of the session cookie
	keys    seal.Signer // signs the fingerprints of calls with an idempotency key
	log     *slog.Logger
	observe func(Observation)

	stopping context.Context
	draining context.Context
	spread   time.Duration // in which streams end once draining is done
	streams  streams

	bodyTime, drainTime time.Duration // differ from the constants only in tests
	beatTime, writeTime time.Duration // differ from the constants only in tests
	lookTime            time.Duration // differs from the constant only in tests
	importing           atomic.Int64  // the bytes of imports that are being read
}

// New returns the API as a handler for everything below /v1/ and /docs.
func New(c Config) http.Handler {
	s := newServer(c)
	return s.handler(s.routes())
}

func newServer(c Config) *Server {
	if c.RateBurst == 0 {
		c.RateBurst = 100
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Observe == nil {
		c.Observe = func(Observation) {}
	}
	if c.Stopping == nil {
		c.Stopping = context.Background()
	}
	if c.Draining == nil {
		c.Draining = context.Background()
	}
	return &Server{
		service: c.Service,
		cursors: cursors{c.Key.Signer("cursor")},
		limits:  newLimits(c.RateLimit, c.RateBurst),
		refused: limit.NewLog(c.Log),
		guard:   newGuard(c.PublicURL),
		cookie:  desk.SessionCookie(strings.HasPrefix(c.PublicURL, "https://")),
		keys:    c.Key.Signer("idempotency"),
		log:     c.Log,
		observe: c.Observe,

		stopping: c.Stopping,
		draining: c.Draining,
		spread:   c.DrainTime,
		streams:  streams{open: map[desk.TokenID]*audience{}},

		bodyTime:  bodyTime,
		drainTime: drainTime,
		beatTime:  beatTime,
		writeTime: writeTime,
		lookTime:  lookTime,
	}
}

// newGuard refuses changes from pages of other sites. A proxy may call us by
// another host name than people use, so the origin that a browser sends is also
// compared with the public URL.
func newGuard(publicURL string) *http.CrossOriginProtection {
	guard := http.NewCrossOriginProtection()
	if u, err := url.Parse(publicURL); err == nil && u.Host != "" {
		_ = guard.AddTrustedOrigin(u.Scheme + "://" + u.Host) // an invalid origin is not trusted
	}
	return guard
}
