package wire

import (
	"time"

	"frontdesk/internal/desk"
)

// CustomerNote is a note about a customer on the wire, as the audit log stores it:
// like a message, without its text.
type CustomerNote struct {
	ID        desk.CustomerNoteID `json:"id"`
	Customer  desk.CustomerID     `json:"customer_id"`
	Author    NoteAuthor          `json:"author"`
	CreatedAt Time                `json:"created_at"`
}

// NoteAuthor is the member who wrote a note.
type NoteAuthor struct {
	ID   desk.MemberID `json:"id"`
	Name string        `json:"name"`
}

// ShownCustomerNote is a note with its text.
type ShownCustomerNote struct {
	CustomerNote
	Text string `json:"text"`
}

// NewCustomerNote returns the wire form of a note without its text.
func NewCustomerNote(n desk.CustomerNote) CustomerNote {
	return CustomerNote{n.ID, n.Customer, NoteAuthor{n.Author, n.AuthorName}, NewTime(n.CreatedAt)}
}

// NewShownCustomerNote returns the wire form of a note.
func NewShownCustomerNote(n desk.CustomerNote) ShownCustomerNote {
	return ShownCustomerNote{NewCustomerNote(n), n.Text}
}

// TimelineKind says what happened to a customer.
type TimelineKind string

const (
	RequestCreated        TimelineKind = "request_created"
	RequestSolved         TimelineKind = "request_solved"
	FirstResponseBreached TimelineKind = "first_response_breached"
	ResolutionBreached    TimelineKind = "resolution_breached"
	SurveyAnswered        TimelineKind = "survey_answered"
	AnnouncementDelivered TimelineKind = "announcement_delivered"
	NoteCreated           TimelineKind = "note_created"
)

// TimelineEntry is one thing that happened to a customer, on the wire. It is nothing
// but what other things say, so it has no other form.
type TimelineEntry struct {
	Kind         TimelineKind       `json:"kind"`
	At           Time               `json:"at"`
	Request      *TimelineThing     `json:"request"`
	Announcement *TimelineThing     `json:"announcement"`
	Survey       *TimelineSurvey    `json:"survey"`
	Note         *ShownCustomerNote `json:"note"`
}

// TimelineThing is what an entry is about.
type TimelineThing struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
}

// TimelineSurvey is the answer to a survey.
type TimelineSurvey struct {
	Value int64 `json:"value"`
	Most  int64 `json:"max_value"`
}

// NewTimelineEntry returns an entry of a customer's timeline. id is that of the request,
// the announcement or the note; a title is the text of a note, and value its author.
func NewTimelineEntry(kind TimelineKind, at time.Time, customer desk.CustomerID, id, value, most int64, title, name string) TimelineEntry {
	e := TimelineEntry{Kind: kind, At: NewTime(at)}
	switch kind {
	case AnnouncementDelivered:
		e.Announcement = &TimelineThing{ID: id, Title: title}
	case NoteCreated:
		note := NewShownCustomerNote(desk.CustomerNote{ID: desk.CustomerNoteID(id), Customer: customer, Author: desk.MemberID(value), AuthorName: name, Text: title, CreatedAt: at})
		e.Note = &note
	default:
		e.Request = &TimelineThing{ID: id, Title: title}
	}
	if kind == SurveyAnswered {
		e.Survey = &TimelineSurvey{Value: value, Most: most}
	}
	return e
}
