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

	EmailSentEvent   EventType = "email.sent"
	EmailFailedEvent EventType = "email.failed" // perhaps sent, too
)

// NoteCreated tells listeners inside the service, and the web app, about a private
// note. It is not in the feed and carries only ids.
const NoteCreated EventType = "note.created"

// EventTypes lists every type in the feed.
var EventTypes = []EventType{AccountUpdated, MemberCreated, MemberUpdated, MemberDeleted,
	RequestCreated, RequestUpdated, MessageCreated, TicketCreated, TicketLinked, CustomerCreated, CustomerUpdated, AnnouncementSent, SLABreachedEvent, SurveyReceived,
	EmailSentEvent, EmailFailedEvent}

// AdminEventTypes are the types about things that only admins see.
var AdminEventTypes = []EventType{AccountUpdated, MemberCreated, MemberUpdated, MemberDeleted}

// Event is something that happened in an account, as the feed shows it. Seq counts
// an account's events without gaps. A reader who remembers the last one misses
// none.
type Event struct {
	ID     string // names the event and the position after it
	Seq    int64
	Type   EventType
	Source Source
	At     time.Time
	// Subject is what the event is about: a request, or another object if there is
	// no request. Events of one subject are in a meaningful order.
	Subject string
	Data    []byte // JSON: the object as the API showed it when it changed
}
