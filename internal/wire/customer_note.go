package wire

import "frontdesk/internal/desk"

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

// TimelineEntry is one thing that happened to a customer, on the wire.
type TimelineEntry struct {
	Kind         desk.TimelineKind  `json:"kind"`
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
	Value int `json:"value"`
	Most  int `json:"max_value"`
}

// NewTimelineEntry returns the wire form of an entry.
func NewTimelineEntry(e desk.TimelineEntry) TimelineEntry {
	w := TimelineEntry{Kind: e.Kind, At: NewTime(e.At)}
	switch e.Kind {
	case desk.CustomerNoteWritten:
		note := NewShownCustomerNote(e.Note)
		w.Note = &note
	case desk.AnnouncementArrived:
		w.Announcement = &TimelineThing{e.ID, e.Title}
	default:
		w.Request = &TimelineThing{e.ID, e.Title}
	}
	if e.Kind == desk.SurveyWasAnswered {
		w.Survey = &TimelineSurvey{e.Value, e.Most}
	}
	return w
}
