// Package zendesktest is a Zendesk for tests: an http.Handler with the tickets,
// people and webhooks of one account in memory. It implements the published REST
// API as strictly as the reference allows, and imports none of our code. So what
// works with it should work with Zendesk. A test can also act as the people in the
// account, and make answers fail and webhook calls get lost.
package zendesktest

import (
	"net/http"
	"sync"
	"time"
)

const (
	// Email and Token are valid credentials until Revoke.
	Email = "desk@acme.test"
	Token = "aZendeskApiToken"
	// accountID is the account's id in webhook calls.
	accountID = 22129848
	// manyIDs is where ids of anything except tickets begin. They do not fit into
	// 32 bits.
	manyIDs = 8447388090000
)

// Config configures the account.
type Config struct {
	// Hold enables the status hold.
	Hold bool
	// Limits turns on Zendesk's rate limits; see limit.go. Without it there are
	// only the pauses that a test asks for.
	Limits bool
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
	// Client sends webhook calls. Defaults to a client of its own.
	Client *http.Client
}

// User is a person in the account.
type User struct {
	ID    int64
	Name  string
	Email string
	Role  string // admin, agent or end-user
}

// Zendesk is an account. It is safe for concurrent use.
type Zendesk struct {
	cfg    Config
	routes *http.ServeMux
	post   *office

	mu       sync.Mutex
	lastID   int64
	token    string // empty once it is revoked
	me       *User  // the owner of the token
	users    []*User
	tickets  []*ticket // the id is the position, starting at 1
	webhooks []*webhook
	faults   []*Fault
	paused   time.Time
	counts   map[string][]time.Time // calls that count towards limits
	calls    []string
}

// New makes an account with one administrator, whose token is Token.
func New(c Config) *Zendesk {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Client == nil {
		// Zendesk waits this long for an answer.
		c.Client = &http.Client{Timeout: 12 * time.Second}
	}
	z := &Zendesk{cfg: c, post: newOffice(c), lastID: manyIDs, token: Token, counts: map[string][]time.Time{}}
	z.me = z.AddUser("Desk", Email, "admin")
	z.routes = z.table()
	return z
}

// Close stops sending webhook calls, and waits for the current one.
func (z *Zendesk) Close() { z.post.close() }

// now returns the current time in seconds, like Zendesk.
func (z *Zendesk) now() time.Time { return z.cfg.Now().UTC().Truncate(time.Second) }

func (z *Zendesk) id() int64 {
	z.lastID++
	return z.lastID
}

// Me returns the owner of the token.
func (z *Zendesk) Me() User {
	z.mu.Lock()
	defer z.mu.Unlock()
	return *z.me
}

// SetRole makes the owner of the token an admin or an agent. Only an admin may use
// webhooks.
func (z *Zendesk) SetRole(role string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.me.Role = role
}

// AddUser adds a user: an admin, an agent or an end-user.
func (z *Zendesk) AddUser(name, email, role string) *User {
	z.mu.Lock()
	defer z.mu.Unlock()
	u := &User{ID: z.id(), Name: name, Email: email, Role: role}
	z.users = append(z.users, u)
	return u
}

// Revoke makes the token invalid for good.
func (z *Zendesk) Revoke() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.token = ""
}

// user returns a user by id, or nil.
func (z *Zendesk) user(id int64) *User {
	for _, u := range z.users {
		if u.ID == id {
			return u
		}
	}
	return nil
}
