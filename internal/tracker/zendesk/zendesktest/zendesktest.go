// Package zendesktest is a Zendesk for tests: an http.Handler with the tickets,
// people and webhooks of one account in memory. It speaks the published REST API
// as strictly as the reference allows, and imports nothing of ours, so that what
// holds with it is meant to hold with Zendesk. Beside the API there are hands: a
// test acts as the people there, and has the answers fail and the webhooks go
// astray.
package zendesktest

import (
	"net/http"
	"sync"
	"time"
)

const (
	// Email and Token let a caller in until Revoke.
	Email = "desk@acme.test"
	Token = "aZendeskApiToken"
	// accountID is the account's in what webhooks carry.
	accountID = 22129848
	// manyIDs is where ids of anything but tickets begin: they do not fit in 32 bits.
	manyIDs = 8447388090000
)

// Config is how the account is set up.
type Config struct {
	// Hold enables the status hold.
	Hold bool
	// Limits has Zendesk's limits in force: see limit.go. Without, there are only
	// the pauses that a test asks for.
	Limits bool
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
	// Client sends webhooks. Defaults to one of its own.
	Client *http.Client
}

// User is somebody in the account.
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
	token    string // empty when it was revoked
	me       *User  // whose token it is
	users    []*User
	tickets  []*ticket // the id is the place, from 1 on
	webhooks []*webhook
	faults   []*Fault
	paused   time.Time
	counts   map[string][]time.Time // what limits count
	calls    []string
}

// New is an account with one administrator, whose token is Token.
func New(c Config) *Zendesk {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Client == nil {
		// Zendesk waits for an answer so long.
		c.Client = &http.Client{Timeout: 12 * time.Second}
	}
	z := &Zendesk{cfg: c, post: newOffice(c), lastID: manyIDs, token: Token, counts: map[string][]time.Time{}}
	z.me = z.AddUser("Desk", Email, "admin")
	z.routes = z.table()
	return z
}

// Close ends the sending of webhooks, and waits for the one that is under way.
func (z *Zendesk) Close() { z.post.close() }

// now is the time as Zendesk keeps it: in seconds.
func (z *Zendesk) now() time.Time { return z.cfg.Now().UTC().Truncate(time.Second) }

func (z *Zendesk) id() int64 {
	z.lastID++
	return z.lastID
}

// Me is whose token it is.
func (z *Zendesk) Me() User {
	z.mu.Lock()
	defer z.mu.Unlock()
	return *z.me
}

// SetRole makes whose token it is an admin or an agent. Only an admin has to do
// with webhooks.
func (z *Zendesk) SetRole(role string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.me.Role = role
}

// AddUser adds somebody: an admin, an agent or an end-user.
func (z *Zendesk) AddUser(name, email, role string) *User {
	z.mu.Lock()
	defer z.mu.Unlock()
	u := &User{ID: z.id(), Name: name, Email: email, Role: role}
	z.users = append(z.users, u)
	return u
}

// Revoke makes the token no good, for ever.
func (z *Zendesk) Revoke() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.token = ""
}

// user is somebody by id, or nil.
func (z *Zendesk) user(id int64) *User {
	for _, u := range z.users {
		if u.ID == id {
			return u
		}
	}
	return nil
}
