package desk

import (
	"slices"
	"time"
)

// IntegrationKind is an external system that an account can be connected to.
type IntegrationKind string

const (
	Slack      IntegrationKind = "slack"
	Mattermost IntegrationKind = "mattermost"
)

// ChatKinds are the chat systems. An account is connected to at most one.
var ChatKinds = []IntegrationKind{Slack, Mattermost}

// IsChat reports whether it is a chat system.
func (k IntegrationKind) IsChat() bool { return slices.Contains(ChatKinds, k) }

// TrackerKinds are the ticket systems. An account may be connected to each of them.
var TrackerKinds = []IntegrationKind{IntegrationKind(Zendesk), IntegrationKind(Linear)}

// IsTracker reports whether it is a ticket system.
func (k IntegrationKind) IsTracker() bool { return slices.Contains(TrackerKinds, k) }

// IntegrationStatus is the status of a connection.
type IntegrationStatus string

const (
	StatusPending   IntegrationStatus = "pending"   // somebody is about to authorise us
	StatusConnected IntegrationStatus = "connected" //
	StatusLost      IntegrationStatus = "lost"      // the system no longer lets us in
)

type IntegrationID int64

// Integration is an account's connection to an external system.
type Integration struct {
	ID         IntegrationID
	Kind       IntegrationKind
	Status     IntegrationStatus
	ExternalID string // the system's id for what is connected: a chat workspace
	Name       string // of the workspace
	URL        string // where people open it
	BotUser    string // our user there
	CreatedAt  time.Time
	UpdatedAt  time.Time
	SyncedAt   *time.Time      // when the directory was last read completely
	Settings   TrackerSettings // for a ticket system
}

func (i Integration) Named() (resource, id string) { return "Integration", FormatID(i.ID) }

// StartedIntegration is an integration with the link where a person authorises us.
// The link is valid for StateKept.
type StartedIntegration struct {
	Integration
	AuthorizeURL string
}

// StateKept is how long a person may take to authorise us.
const StateKept = 15 * time.Minute

// NewIntegration is the input for a new connection. For a chat system a person must
// authorise us; for a ticket system the credential does.
type NewIntegration struct {
	Body
	Kind       IntegrationKind
	Credential *TrackerCredential
	Settings   TrackerChange
}

// TrackerCredential gives us access to a ticket system.
type TrackerCredential struct {
	Domain string // the site, if the token does not name it: acme in acme.zendesk.com
	Email  string // the token's owner, if the system asks for it
	Token  string
}

// Check returns what is wrong with it.
func (n NewIntegration) Check() error {
	p := n.problems()
	OneOf(&p, "kind", n.Kind, slices.Concat(ChatKinds, TrackerKinds)...)
	switch {
	case n.Kind.IsChat() && n.Credential != nil:
		p.Add("credentials", "cannot be given for a chat system: a person authorizes it at authorize_url")
	case n.Kind.IsChat() && n.Settings != TrackerChange{}:
		p.Add("settings", "are only for ticket systems")
	case n.Kind.IsTracker() && n.Credential == nil:
		p.Add("credentials", "are required")
	}
	n.Settings.check(&p)
	return p.Err()
}

// IntegrationChange changes a ticket system's integration.
type IntegrationChange struct {
	Body
	Credential *TrackerCredential
	Settings   TrackerChange
}

// Check returns what is wrong with it.
func (ch IntegrationChange) Check(kind IntegrationKind) error {
	if ch.Problem != nil {
		return ch.Problem
	}
	if !kind.IsTracker() {
		return Errorf(Invalid, "An integration with a chat system has nothing to change. Delete it, and connect it again.")
	}
	if ch.Credential == nil && ch.Settings == (TrackerChange{}) {
		return Errorf(Invalid, "Nothing to change: give credentials or settings.")
	}
	var p Problems
	ch.Settings.check(&p)
	return p.Err()
}

// TrackerChange changes the settings that links use.
type TrackerChange struct {
	Forward        *bool
	Backward       *bool
	Notifiable     *[]NotifiableField
	ScreenBackward *bool
	Status         *bool
}

func (ch TrackerChange) check(p *Problems) {
	if ch.Notifiable != nil {
		checkNotifiable(p, "settings.sync_config.notifiable_fields", *ch.Notifiable)
	}
}

// Apply returns the settings with the change made.
func (s TrackerSettings) Apply(ch TrackerChange) TrackerSettings {
	s.Forward, s.Backward = or(ch.Forward, s.Forward), or(ch.Backward, s.Backward)
	s.ScreenBackward, s.Status = or(ch.ScreenBackward, s.ScreenBackward), or(ch.Status, s.Status)
	if ch.Notifiable != nil {
		s.Notifiable = *ch.Notifiable
	}
	return s
}

// Connectable refuses to connect this account to another chat system, because it
// has one at a time.
func (i Integration) Connectable(kind IntegrationKind) error {
	switch {
	case i.Status == StatusConnected:
		return Errorf(Conflict, "The account is connected to %s (%s). Delete that integration first.", i.Name, i.Kind)
	case i.Kind != kind:
		return Errorf(Conflict, "The account has an integration with %s. Delete it first.", i.Kind)
	}
	return nil
}

// ErrNotConnected refuses an operation that needs a chat system in an account
// without one.
var ErrNotConnected = Errorf(Refused, "The account is not connected to a chat system. Connect it first: POST /v1/rest/integrations.")
