// Package rest is the public API under /v1/rest. routes.go is its table of
// contents. A handler reads a call and asks the service; authentication, scope,
// permission, rate limit, idempotency, status and errors happen once, around
// it, in frame.go. It knows HTTP and JSON and decides no rule of the product.
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

// Config is what a Server is made of. Service and Key are required.
type Config struct {
	Service *service.Service
	// Key signs cursors.
	Key *seal.Key
	// PublicURL is where people reach the service: calls of the web app come from
	// its pages. Without it, from pages of the host that is called.
	PublicURL string
	// RateLimit is the calls a minute of one member, with all their tokens
	// together; 0 turns the limit off.
	RateLimit int
	// RateBurst is how many calls may come at once. Defaults to 100.
	RateBurst int
	// Log defaults to slog.Default().
	Log *slog.Logger
	// Observe is told of every call that was answered, for metrics; of a stream
	// when it begins. May be nil.
	Observe func(Observation)
	// Stopping ends when the server is to stop: streams, which would last, end
	// then. nil is never.
	Stopping context.Context
}

// Observation is a call that was answered.
type Observation struct {
	Operation desk.Operation // empty where none was found
	Method    string
	Status    int
	Took      time.Duration
}

// Server answers the API.
type Server struct {
	service *service.Service
	cursors cursors
	limits  limits
	refused *limit.Log
	guard   *http.CrossOriginProtection
	cookie  string      // the name of the one that a session is in
	keys    seal.Signer // what calls with an idempotency key are told by
	log     *slog.Logger
	observe func(Observation)

	stopping context.Context
	streams  streams

	bodyTime, drainTime time.Duration // other than the constants only in tests
	beatTime, writeTime time.Duration // likewise
	lookTime            time.Duration // likewise
	importing           atomic.Int64  // the bytes of imports under way
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
		streams:  streams{open: map[desk.TokenID]*audience{}},

		bodyTime:  bodyTime,
		drainTime: drainTime,
		beatTime:  beatTime,
		writeTime: writeTime,
		lookTime:  lookTime,
	}
}

// newGuard keeps pages of other sites out. Where a proxy gives us another host
// than people ask for, a browser's word is compared with where people reach us.
func newGuard(publicURL string) *http.CrossOriginProtection {
	guard := http.NewCrossOriginProtection()
	if u, err := url.Parse(publicURL); err == nil && u.Host != "" {
		_ = guard.AddTrustedOrigin(u.Scheme + "://" + u.Host) // whatever is wrong with it, it is not trusted then
	}
	return guard
}
