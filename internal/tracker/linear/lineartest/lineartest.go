// Package lineartest is Linear, for tests: a workspace in memory that speaks the
// part of Linear's GraphQL API and of its webhooks that Linear publishes and a
// ticket system needs, as strictly as Linear does. A test also acts in it as the
// people there, and says what is to go wrong. It is the world outside: it knows
// nothing of ours.
package lineartest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config is what a workspace is like. The zero value is good.
type Config struct {
	// Name is the workspace's. Defaults to Acme.
	Name string
	// URLKey names it in addresses. Defaults to acme.
	URLKey string
	// Now is the workspace's clock. Defaults to time.Now. Linear tells times in
	// milliseconds.
	Now func() time.Time
	// PlainHooks lets webhooks call addresses that Linear does not take, for it
	// calls none but public ones over HTTPS: those of a test's own server.
	PlainHooks bool
	// Client makes the deliveries. Defaults to one that waits five seconds, as
	// Linear does.
	Client *http.Client
	// RequestsPerHour is how many calls somebody's keys may make. Defaults to 2500.
	RequestsPerHour int
}

// Server is a workspace. It answers at /graphql, and is safe for concurrent use.
type Server struct {
	cfg    Config
	hooks  *courier
	faults faults

	requests atomic.Int64

	mu       sync.Mutex
	org      *organization
	users    map[string]*user
	keys     map[string]*key // by secret
	teams    []*team
	states   []*state
	issues   []*issue
	comments []*comment
	webhooks []*webhook
	sync     float64         // of the last change
	used     map[string]bool // ids, also of what is gone
	calls    map[string]int
}

// New makes a workspace with nobody in it.
func New(c Config) *Server {
	if c.Name == "" {
		c.Name = "Acme"
	}
	if c.URLKey == "" {
		c.URLKey = "acme"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Client == nil {
		c.Client = &http.Client{Timeout: 5 * time.Second}
	}
	if c.RequestsPerHour == 0 {
		c.RequestsPerHour = 2500
	}
	s := &Server{cfg: c, hooks: newCourier(c), users: map[string]*user{}, keys: map[string]*key{}, used: map[string]bool{}, calls: map[string]int{}}
	s.org = &organization{entity: s.born(), name: c.Name, urlKey: c.URLKey}
	return s
}

// Close ends the deliveries: what is under way is finished, what waits is not
// sent.
func (s *Server) Close() { s.hooks.close() }

// now is the moment, as exactly as Linear tells it.
func (s *Server) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Millisecond) }

// entity is what everything in Linear has.
type entity struct {
	id        string
	createdAt time.Time
	updatedAt time.Time
}

func (s *Server) born() entity {
	now := s.now()
	return entity{id: newID(), createdAt: now, updatedAt: now}
}

// newID is a UUID of version 4.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// address is where people open something in the workspace.
func (s *Server) address(path ...string) string {
	return "https://linear.app/" + s.org.urlKey + "/" + strings.Join(path, "/")
}
