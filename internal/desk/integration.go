package desk

import (
	"slices"
	"time"
)

// IntegrationKind is a system outside that an account can be connected to.
type IntegrationKind string

const (
	Slack      IntegrationKind = "slack"
	Mattermost IntegrationKind = "mattermost"
)

// ChatKinds are the chat systems. An account is connected to one of them at a
// time.
var ChatKinds = []IntegrationKind{Slack, Mattermost}

// IsChat reports whether it is a chat system.
func (k IntegrationKind) IsChat() bool { return slices.Contains(ChatKinds, k) }

// IntegrationStatus says how a connection stands.
type IntegrationStatus string

const (
	StatusPending   IntegrationStatus = "pending"   // somebody is on their way to allow us in
	StatusConnected IntegrationStatus = "connected" //
	StatusLost      IntegrationStatus = "lost"      // the system no longer lets us in
)

// Integration is an account's connection to a system outside.
type Integration struct {
	ID         IntegrationID
	Kind       IntegrationKind
	Status     IntegrationStatus
	ExternalID string // the system's name for what is connected: a chat workspace
	Name       string // of the workspace
	URL        string // where people open it
	BotUser    string // who we are there
	CreatedAt  time.Time
	UpdatedAt  time.Time
	SyncedAt   *time.Time // when the directory was last read to its end
}

// StartedIntegration is an integration together with the address where a
// person allows us in. The address is good for StateKept.
type StartedIntegration struct {
	Integration
	AuthorizeURL string
}

// StateKept is how long somebody may take to allow us in.
const StateKept = 15 * time.Minute

// NewIntegration is what a connection begins with.
type NewIntegration struct {
	Body
	Kind IntegrationKind
}

// Check says what is wrong with it.
func (n NewIntegration) Check() error {
	if n.Problem != nil {
		return n.Problem
	}
	var p Problems
	OneOf(&p, "kind", n.Kind, ChatKinds...)
	return p.Err()
}

// ErrNotConnected refuses what needs a chat system in an account without one.
var ErrNotConnected = Errorf(Refused, "The account is not connected to a chat system. Connect it first: POST /v1/rest/integrations.")
