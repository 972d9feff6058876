package desk

import (
	"slices"
	"strings"
	"time"
)

// The ticket systems that a request can be linked to, and so that an account can
// be connected to.
const (
	Zendesk TicketType = "zendesk"
	Linear  TicketType = "linear"
)

// LinkedTypes are the ticket systems that a request can be linked to.
var LinkedTypes = []TicketType{Zendesk, Linear}

// SystemName is what people call a ticket system.
func (t TicketType) SystemName() string {
	switch t {
	case Zendesk:
		return "Zendesk"
	case Linear:
		return "Linear"
	}
	return string(t)
}

// TalksInside reports whether whatever is said about a system's tickets is the
// team's own, because nobody else is there.
func (t TicketType) TalksInside() bool { return t == Linear }

// NewLink is what links a request to a ticket of another system. The request is
// named by its id, or by a message of the chat system.
type NewLink struct {
	Body
	System  TicketType
	Ticket  string
	Task    bool
	Sync    SyncConfig
	Request RequestID // 0: by the message
	Channel string
	Message string
}

// mostTicketName bounds what a ticket of another system is called.
const mostTicketName = 200

// Check says what is wrong with it.
func (n *NewLink) Check() error {
	if n.Problem != nil {
		return n.Problem
	}
	var p Problems
	OneOf(&p, "data.integration", n.System, LinkedTypes...)
	n.Ticket = ticketName(n.System, n.Ticket)
	p.Text("data.ticket_id", &n.Ticket, 1, mostTicketName)
	if n.Sync.Notifiable != nil {
		checkNotifiable(&p, "data.sync_config.notifiable_fields", *n.Sync.Notifiable)
	}
	return p.Err()
}

func checkNotifiable(p *Problems, field string, given []NotifiableField) {
	if !p.atMost(field, len(given), len(NotifiableFields)) {
		return
	}
	for _, f := range given {
		OneOf(p, field, f, NotifiableFields...)
	}
}

// ticketName is how a ticket is called in one way only: people write #17, or
// eng-17.
func ticketName(system TicketType, text string) string {
	name := strings.TrimPrefix(strings.TrimSpace(text), "#")
	if system == Linear && strings.Count(name, "-") == 1 {
		return strings.ToUpper(name)
	}
	return name
}

// SyncConfig is how a link is to be kept in line, where it says so itself.
type SyncConfig struct {
	Forward    *bool
	Backward   *bool
	Notifiable *[]NotifiableField
	Alert      *bool
}

// NotifiableField is something of a linked ticket whose changes are told in the
// request's thread.
type NotifiableField string

// NotifyStatus tells how the ticket stands.
const NotifyStatus NotifiableField = "status"

// NotifiableFields are all of them.
var NotifiableFields = []NotifiableField{NotifyStatus}

// TrackerSettings are an integration's, for the links that say nothing else.
type TrackerSettings struct {
	Forward    bool              // what is said here is said there
	Backward   bool              // and the other way round
	Notifiable []NotifiableField //
	// ScreenBackward says that people see what was said there beside the request,
	// on their screen: then it is brought here, whatever a link says.
	ScreenBackward bool
	Status         bool // what is solved on one side is solved on the other; not of tasks
}

// DefaultTrackerSettings are those of an integration that nobody has changed, and
// of a system that the account is not connected to.
func DefaultTrackerSettings() TrackerSettings {
	return TrackerSettings{Forward: true, Backward: true, Notifiable: []NotifiableField{NotifyStatus}, Status: true}
}

// With is what a link goes by: what it says, and what is saved for the rest.
func (s TrackerSettings) With(c SyncConfig) (forward, backward, notifyStatus bool) {
	notifiable := s.Notifiable
	if c.Notifiable != nil {
		notifiable = *c.Notifiable
	}
	return or(c.Forward, s.Forward), or(c.Backward, s.Backward) || s.ScreenBackward, slices.Contains(notifiable, NotifyStatus)
}

func or(given *bool, saved bool) bool {
	if given != nil {
		return *given
	}
	return saved
}

// TicketLink is a ticket of another system, as far as it is known here.
type TicketLink struct {
	ID           LinkID
	Request      RequestID
	Ticket       Ticket
	Name         string // the caller's for it
	External     string // the system's own; empty until it has told
	Task         bool
	Forward      bool
	Backward     bool
	NotifyStatus bool
	StatusID     string // there; empty until it was read
	StatusName   string
	State        State // of the request, when it was last compared
	Cursor       string
	CreatedAt    time.Time
}

// Done reports whether nothing more is to be done in a state.
func (s State) Done() bool { return s == Solved || s == Closed }
