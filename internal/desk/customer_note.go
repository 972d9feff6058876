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

// MostCustomerNotes bounds the notes about a customer, MostCustomerNote the length of one.
const MostCustomerNotes, MostCustomerNote = 1000, 10_000

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
