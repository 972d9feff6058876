package desk

import (
	"slices"
	"strings"
	"time"
)

// The ticket systems that a request can be linked to, and that an account can be
// connected to.
const (
	Zendesk TicketType = "zendesk"
	Linear  TicketType = "linear"
)

// LinkedTypes are the ticket systems that a request can be linked to.
var LinkedTypes = []TicketType{Zendesk, Linear}

// SystemName returns what people call a ticket system.
func (t TicketType) SystemName() string {
	switch t {
	case Zendesk:
		return "Zendesk"
	case Linear:
		return "Linear"
	}
	return string(t)
}

// TalksInside reports whether all comments on a system's tickets are internal,
// because only the team is there.
func (t TicketType) TalksInside() bool { return t == Linear }

// NewLink is the input for a link from a request to a ticket of another system. The
// request is named by its id or by a chat message.
type NewLink struct {
	Body
	System  TicketType
	Ticket  string
	Task    bool
	Sync    SyncConfig
	Request RequestID // 0: named by the message
	Channel string
	Message string
}

// mostTicketName is the maximum length of a ticket's name in another system.
const mostTicketName = 200

// Check returns what is wrong with it.
func (n *NewLink) Check() error {
	p := n.problems()
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

// ticketName normalises a ticket's name, because people write #17 or eng-17.
func ticketName(system TicketType, text string) string {
	name := strings.TrimPrefix(strings.TrimSpace(text), "#")
	if system == Linear && strings.Count(name, "-") == 1 {
		return strings.ToUpper(name)
	}
	return name
}

// SyncConfig is a link's own sync settings. Unset ones come from the integration.
type SyncConfig struct {
	Forward    *bool
	Backward   *bool
	Notifiable *[]NotifiableField
	Alert      *bool
}

// NotifiableField is a field of a linked ticket whose changes are posted in the
// request's thread.
type NotifiableField string

// NotifyStatus is the ticket's status.
const NotifyStatus NotifiableField = "status"

// NotifiableFields lists every value.
var NotifiableFields = []NotifiableField{NotifyStatus}

// TrackerSettings are an integration's settings, for links that do not set their
// own.
type TrackerSettings struct {
	Forward    bool              // copy messages from here to there
	Backward   bool              // copy messages from there to here
	Notifiable []NotifiableField //
	// ScreenBackward says that people see the ticket's comments next to the request
	// on their screen. Then comments are copied here, whatever a link says.
	ScreenBackward bool
	Status         bool // solving one side solves the other; not for tasks
}

// DefaultTrackerSettings returns the settings of an integration that nobody has
// changed, and of a system that the account is not connected to.
func DefaultTrackerSettings() TrackerSettings {
	return TrackerSettings{Forward: true, Backward: true, Notifiable: []NotifiableField{NotifyStatus}, Status: true}
}

// With returns what a link uses: its own settings, and the integration's for the
// rest.
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

type LinkID int64

// TicketLink is what we know about a ticket of another system.
type TicketLink struct {
	ID           LinkID
	Request      RequestID
	Ticket       Ticket
	Name         string // the caller's name for it
	External     string // the system's own id; empty until known
	Task         bool
	Forward      bool
	Backward     bool
	NotifyStatus bool
	StatusID     string // its status there; empty until read
	StatusName   string
	State        State // the request's state when last compared
	Cursor       string
	CreatedAt    time.Time
}

func (t TicketLink) Named() (resource, id string) { return "Ticket", t.Ticket.Key }
