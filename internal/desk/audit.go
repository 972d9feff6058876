package desk

import (
	"fmt"
	"strings"
	"time"
)

// Source is the edge through which something was done.
type Source string

const (
	SourceAPI     Source = "api"
	SourceChat    Source = "chat"    // the chat system
	SourceImport  Source = "import"  // the API, taking over what happened elsewhere
	SourceCommand Source = "command" // the command line of the server
	SourceTracker Source = "tracker" // a ticket system that a request is linked to
	SourcePage    Source = "page"    // a page that whoever has its link can open
	SourceWeb     Source = "web"     // signing in to the web app; what is done there later goes through the API
	SourceSystem  Source = "system"  // the service by itself
)

// Actor is who did something. Without an id it was no member: the command line
// or the service itself.
type Actor struct {
	ID     MemberID
	Name   string
	Email  string
	Source Source
	IP     string // empty where there is none
}

// Change is something that was done, to be recorded in the transaction that
// did it: in the audit log, and as an event where Event names one.
type Change struct {
	By       Actor
	Action   string // member.updated; empty where only the feed is told
	Resource string // Member
	ID       string // of the resource
	Before   any    // the noun before; nil when it was made
	After    any    // the noun after; nil when it was removed
	Event    EventType
	Request  RequestID // that the event belongs to, where the noun does not say
	Beside   any       // a second noun of the event's data; nil for none
}

// Subject is what an event of the change tells of: "request 17".
func (c Change) Subject() string {
	noun := c.After
	if noun == nil {
		noun = c.Before
	}
	id := c.Request
	switch n := noun.(type) {
	case Request:
		id = n.ID
	case Message:
		id = n.Request
	}
	if id != 0 {
		return fmt.Sprintf("request %d", id)
	}
	return strings.ToLower(c.Resource) + " " + c.ID
}

// AuditLog is one entry of the audit log.
type AuditLog struct {
	ID           AuditLogID
	At           time.Time
	Actor        Actor
	Action       string
	ResourceType string
	ResourceID   string
	Before       []byte // JSON as the API showed it; nil when there was none
	After        []byte
}

// AuditLogFilter narrows a list of audit log entries; empty fields do not.
type AuditLogFilter struct {
	Action       string
	ResourceType string
	ResourceID   string
	Actor        MemberID
	UpTo         AuditLogID // only what was there when this one was the last
}

// AuditExported is what the audit log calls an export of itself.
const AuditExported = "audit.exported"

// ExportFormat is how an export is written.
type ExportFormat string

const (
	JSONLines ExportFormat = "jsonl"
	CSV       ExportFormat = "csv"
)

// ExportFormats are all of them.
var ExportFormats = []ExportFormat{JSONLines, CSV}

// AuditExport is what somebody wants to have of the audit log.
type AuditExport struct {
	Format        ExportFormat
	Filter        AuditLogFilter
	After, Before *time.Time
}

// Check says what is wrong with an export that is asked for.
func (x AuditExport) Check() error {
	var p Problems
	OneOf(&p, "format", x.Format, ExportFormats...)
	return p.Err()
}
