package desk

import "time"

type CustomerNoteID int64

// CustomerNote is something that the team wrote down about a customer. Only members
// see it.
type CustomerNote struct {
	ID         CustomerNoteID
	Customer   CustomerID
	Author     MemberID
	AuthorName string
	Text       string // plain
	CreatedAt  time.Time
}

func (n CustomerNote) Named() (resource, id string) { return "CustomerNote", FormatID(n.ID) }

const (
	// MostCustomerNotes bounds the notes about a customer.
	MostCustomerNotes = 1000
	// MostCustomerNote is the maximum length of a note.
	MostCustomerNote = 10_000
)

// NewCustomerNote is the input for a new note.
type NewCustomerNote struct {
	Body
	Text string
}

// Note checks the input and makes the note.
func (g NewCustomerNote) Note(about CustomerID, by Actor, now time.Time) (CustomerNote, error) {
	n := CustomerNote{Customer: about, Author: by.ID, AuthorName: by.Name, Text: g.Text, CreatedAt: now}
	p := g.problems()
	p.Text("text", &n.Text, 1, MostCustomerNote)
	return n, p.Err()
}

// ErrNotYourNote says that a note is somebody else's.
var ErrNotYourNote = Errorf(Forbidden, "Only its author or an admin can delete a note.")

// MayDelete returns ErrNotYourNote unless the member wrote the note or is an admin.
func (n CustomerNote) MayDelete(by MemberID, role Role) error {
	if n.Author == by || role == Admin {
		return nil
	}
	return ErrNotYourNote
}

// TimelineKind says what happened to a customer.
type TimelineKind string

const (
	RequestBegan        TimelineKind = "request_created"
	RequestWasSolved    TimelineKind = "request_solved"
	ResponseBreached    TimelineKind = "first_response_breached"
	ResolutionBreached  TimelineKind = "resolution_breached"
	SurveyWasAnswered   TimelineKind = "survey_answered"
	AnnouncementArrived TimelineKind = "announcement_delivered"
	CustomerNoteWritten TimelineKind = "note_created"
	timelineKindsAtMost              = 8
)

// TimelineKinds lists every value. What happened at the same moment stands in this
// order, so the order never changes.
var TimelineKinds = []TimelineKind{RequestBegan, RequestWasSolved, ResponseBreached, ResolutionBreached, SurveyWasAnswered, AnnouncementArrived, CustomerNoteWritten}

// TimelineEntry is one thing that happened to a customer.
type TimelineEntry struct {
	Kind        TimelineKind
	At          time.Time
	ID          int64        // of the request, the announcement or the note
	Title       string       // of the request or the announcement
	Value, Most int          // of a survey: the answer, and the best one
	Note        CustomerNote // of a note
}

// Key orders entries of the same moment: by id, then by kind.
func (e TimelineEntry) Key() int64 {
	for n, k := range TimelineKinds {
		if k == e.Kind {
			return e.ID*timelineKindsAtMost + int64(n)
		}
	}
	return e.ID * timelineKindsAtMost
}

// TimelineFrom returns where the entries of a kind go on after a place in the timeline.
func TimelineFrom(p Position, kind int, ascending bool) Position {
	rest := p.ID - int64(kind)
	id := rest / timelineKindsAtMost
	if !ascending && rest%timelineKindsAtMost > 0 {
		id++ // below this id
	}
	if rest < 0 && ascending {
		id = -1
	}
	return Position{At: p.At, ID: id}
}
