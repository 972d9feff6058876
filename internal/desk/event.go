package desk

import "time"

// EventType names what happened.
type EventType string

const (
	AccountUpdated EventType = "account.updated"
	MemberCreated  EventType = "member.created"
	MemberUpdated  EventType = "member.updated"
	MemberDeleted  EventType = "member.deleted"
	RequestCreated EventType = "request.created"
	RequestUpdated EventType = "request.updated"
	MessageCreated EventType = "message.created"
	TicketCreated  EventType = "ticket.created"
	TicketLinked   EventType = "ticket.linked"

	CustomerCreated EventType = "customer.created"
	CustomerUpdated EventType = "customer.updated"

	AnnouncementSent EventType = "announcement.sent"
	SLABreachedEvent EventType = "sla.breached"
	SurveyReceived   EventType = "csat.received"
)

// NoteCreated tells what follows the events inside the service of a private
// note. It is in no feed, and has only ids.
const NoteCreated EventType = "note.created"

// EventTypes are all the types of the feed.
var EventTypes = []EventType{AccountUpdated, MemberCreated, MemberUpdated, MemberDeleted,
	RequestCreated, RequestUpdated, MessageCreated, TicketCreated, TicketLinked, CustomerCreated, CustomerUpdated, AnnouncementSent, SLABreachedEvent, SurveyReceived}

// AdminEventTypes are those that tell of what only admins see.
var AdminEventTypes = []EventType{AccountUpdated, MemberCreated, MemberUpdated, MemberDeleted}

// Event is something that happened in an account, as the feed tells it. Seq
// counts an account's events without gaps, in an order in which a reader who
// remembers the last one misses none.
type Event struct {
	ID     string // names it, and the place behind it
	Seq    int64
	Type   EventType
	Source Source
	At     time.Time
	// Subject is what it tells of: a request, or another object where there is no
	// request. Events of one subject have an order that means something.
	Subject string
	Data    []byte // JSON: the object as the API showed it at the change
}
