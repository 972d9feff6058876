// Package lineartest is a Linear for tests: a workspace in memory. It implements
// the published parts of Linear's GraphQL API and webhooks that a ticket system
// needs, as strictly as Linear does. A test can also act as the people in the
// workspace, and choose what fails. The package stands for the outside world and
// knows nothing of our code.
package lineartest

import (
	"cmp"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// Config configures a workspace. The zero value works.
type Config struct {
	// Name is the name of the workspace. Defaults to Acme.
	Name string
	// URLKey names it in addresses. Defaults to acme.
	URLKey string
	// Now is the workspace's clock. Defaults to time.Now. Linear's times are in
	// milliseconds.
	Now func() time.Time
	// PlainHooks allows webhooks with addresses that Linear refuses, such as those
	// of a test's own server. Linear calls only public addresses over HTTPS.
	PlainHooks bool
	// Client sends the deliveries. Defaults to one with a timeout of five seconds,
	// like Linear's.
	Client *http.Client
	// RequestsPerHour is how many calls the keys of one person may make. Defaults
	// to 2500.
	RequestsPerHour int
}

// Server is a workspace. It answers at /graphql and is safe for concurrent use.
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
	used     map[string]bool // ids, including those of deleted things
	calls    map[string]int
}

// New makes an empty workspace.
func New(c Config) *Server {
	c.Name, c.URLKey = cmp.Or(c.Name, "Acme"), cmp.Or(c.URLKey, "acme")
	c.RequestsPerHour = cmp.Or(c.RequestsPerHour, 2500)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Client == nil {
		c.Client = &http.Client{Timeout: 5 * time.Second}
	}
	s := &Server{cfg: c, hooks: newCourier(c), users: map[string]*user{}, keys: map[string]*key{}, used: map[string]bool{}, calls: map[string]int{}}
	s.org = &organization{entity: s.born(), name: c.Name, urlKey: c.URLKey}
	return s
}

// Close ends the deliveries. It finishes the current one and drops those that wait.
func (s *Server) Close() { s.hooks.close() }

// now returns the current time, as precise as Linear's.
func (s *Server) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Millisecond) }

// entity has the fields that everything in Linear has.
type entity struct {
	id        string
	createdAt time.Time
	updatedAt time.Time
}

func (s *Server) born() entity {
	now := s.now()
	return entity{id: newID(), createdAt: now, updatedAt: now}
}

// newID returns a UUID of version 4.
func newID() string { return uuid.NewString() }

// address returns where people open something in the workspace.
func (s *Server) address(path ...string) string {
	return "https://linear.app/" + s.org.urlKey + "/" + strings.Join(path, "/")
}
