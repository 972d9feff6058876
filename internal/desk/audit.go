package desk

import (
	"strconv"
	"strings"
	"time"
)

// Source is the way something was done.
type Source string

const (
	SourceAPI     Source = "api"
	SourceChat    Source = "chat"    // the chat system
	SourceImport  Source = "import"  // the API, importing what happened elsewhere
	SourceCommand Source = "command" // the server's command line
	SourceEmail   Source = "email"   // mail
	SourceTracker Source = "tracker" // a linked ticket system
	SourcePage    Source = "page"    // a page that anyone with its link can open
	SourceWeb     Source = "web"     // signing in to the web app; later actions there go through the API
	SourceSystem  Source = "system"  // the service itself
)

// Actor says who did something. An actor without an id is not a member: it is the
// command line or the service itself.
type Actor struct {
	ID     MemberID
	Name   string
	Email  string
	Source Source
	IP     string // empty if there is none
}

// Noun is a thing whose changes are recorded.
type Noun interface {
	// Named returns what the audit log calls the thing, and its id there.
	Named() (resource, id string)
}

// Change is something that was done. It is recorded in the transaction that did it:
// in the audit log and, if Event is set, as an event.
type Change struct {
	By       Actor
	Action   string // member.updated; empty if only the feed gets it
	Resource string // Member; empty: what the noun says
	ID       string // id of the resource, if Resource is set
	Before   any    // the noun before; nil if it was created
	After    any    // the noun after; nil if it was removed
	Event    EventType
	Request  RequestID // the request that the event belongs to, if the noun does not say
	Beside   []any     // more nouns in the event's data
}

// Of returns the resource that the change is about, and its id.
func (c Change) Of() (resource, id string) {
	if n, ok := c.noun().(Noun); ok && c.Resource == "" {
		return n.Named()
	}
	return c.Resource, c.ID
}

func (c Change) noun() any {
	if c.After == nil {
		return c.Before
	}
	return c.After
}

// Subject returns what an event of the change is about: "request 17".
func (c Change) Subject() string {
	id := c.Request
	switch n := c.noun().(type) {
	case Request:
		id = n.ID
	case Message:
		id = n.Request
	}
	if id != 0 {
		return RequestSubject + FormatID(id)
	}
	resource, named := c.Of()
	return strings.ToLower(resource) + " " + named
}

// FormatID returns an id as the audit log and the feed write it.
func FormatID[T ~int64](id T) string { return strconv.FormatInt(int64(id), 10) }

// RequestSubject begins the subject of every event about a request. Its id follows.
const RequestSubject = "request "

type AuditLogID int64

// AuditLog is one entry of the audit log.
type AuditLog struct {
	ID           AuditLogID
	At           time.Time
	Actor        Actor
	Action       string
	ResourceType string
	ResourceID   string
	Before       []byte // JSON as the API showed it; nil if there was none
	After        []byte
}

// AuditLogFilter narrows a list of audit log entries. An empty field does not
// filter.
type AuditLogFilter struct {
	Action       string
	ResourceType string
	ResourceID   string
	Actor        MemberID
	UpTo         AuditLogID // only entries up to this one
}

// AuditExported is the action of an export of the audit log itself.
const AuditExported = "audit.exported"

// PersonErased is the action of erasing a person.
const PersonErased = "person.erased"

// Erasure says how much was erased about a person, and nothing about who it was.
type Erasure struct {
	Person   string // the id that stands for the person from then on
	Requests int    // that the person asked
	Messages int    // that the person wrote
	Files    int
	Rows     int // with anything of the person
}

func (e Erasure) Named() (resource, id string) { return "Person", e.Person }

// CustomerErased is the action of erasing a customer.
const CustomerErased = "customer.erased"

// CustomerErasure says how much was erased about a customer, which has no name any more.
type CustomerErasure struct {
	Customer CustomerID
	People   int // who were erased with it
	Requests int
	Messages int
	Files    int
	Rows     int // with anything of it
}

func (e CustomerErasure) Named() (resource, id string) { return "Customer", FormatID(e.Customer) }

// ExportFormat is the file format of an export.
type ExportFormat string

const (
	JSONLines ExportFormat = "jsonl"
	CSV       ExportFormat = "csv"
)

// ExportFormats lists every value.
var ExportFormats = []ExportFormat{JSONLines, CSV}

// AuditExport says which part of the audit log to export, and how.
type AuditExport struct {
	Format        ExportFormat
	Filter        AuditLogFilter
	After, Before *time.Time
}

// Check returns what is wrong with the export.
func (x AuditExport) Check() error {
	var p Problems
	OneOf(&p, "format", x.Format, ExportFormats...)
	return p.Err()
}
