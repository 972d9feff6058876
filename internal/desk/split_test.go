package desk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// conversation makes one message for each word: r is a requester's, a a
// responder's, and a following n makes it a private note. They are a minute apart,
// with ids from 1.
func conversation(words string) (r Request) {
	r = inState(Pending)
	r.ID = 1
	for i, word := range strings.Fields(words) {
		m := Message{ID: MessageID(i + 1), Responder: word[0] == 'a', Private: strings.HasSuffix(word, "n"), CreatedAt: *at(i + 1), Author: Requester{Name: word}}
		r.Messages = append(r.Messages, m)
		state := r.State
		r.Hear(m, false, m.CreatedAt)
		r.State = state
	}
	return r
}

func TestSplitCheck(t *testing.T) {
	many := make([]MessageID, MostSplit+1)
	title, empty, padded := strings.Repeat("x", 301), " ", " ok "
	for _, c := range []struct {
		split Split
		want  string
	}{
		{Split{Messages: many[:1]}, ""},
		{Split{Messages: many[:1], Title: &padded}, ""},
		{Split{}, "message_ids must name 1 to 500 messages; there are 0."},
		{Split{Messages: many}, "message_ids must name 1 to 500 messages; there are 501."},
		{Split{Messages: many[:1], Title: &title}, "title must have 1 to 300 characters; it has 301."},
		{Split{Messages: many[:1], Title: &empty}, "title must not be empty."},
		{Split{Body: Body{Errorf(Invalid, "broken")}}, "broken"},
	} {
		if got := message(c.split.Check()); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if c.split.Title == &padded || c.split.Title != nil && *c.split.Title == " ok " {
			t.Errorf("the title was not trimmed")
		}
	}
}

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		words string
		ids   []MessageID
		want  string
	}{
		{"r a r", []MessageID{3}, ""},
		{"r a r", []MessageID{3, 3}, ""}, // a duplicate counts once
		{"r an r", []MessageID{2, 3}, ""},
		{"r a r", []MessageID{9}, "message_ids must name messages of the request; 9 is not one."},
		{"r a r", []MessageID{3, 9, 9}, "message_ids must name messages of the request; 9 is not one."},
		{"r a r", []MessageID{1, 2, 3}, "message_ids must not name all messages of the request."},
		{"r an r", []MessageID{2}, "message_ids must name at least one message that is not private."},
		{"r an r", []MessageID{1, 3}, "message_ids must leave at least one message that is not private."},
	} {
		r := conversation(c.words)
		all := len(r.Messages)
		taken, err := r.Divide(Split{Messages: c.ids})
		if got := message(err); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.words, c.ids, got, c.want)
		}
		if len(taken)+len(r.Messages) != all {
			t.Errorf("%s %v: %d taken and %d left", c.words, c.ids, len(taken), len(r.Messages))
		}
	}
}

// The clocks of both parts, and the author of the new one. Times are minutes.
func TestSplitClocks(t *testing.T) {
	for _, c := range []struct {
		words      string
		ids        []MessageID
		left, made string // first response, last message; for the new one also: creation, author
	}{
		{"r1 a2 r3", []MessageID{3}, "2 1", "- 3 3 r3"},
		{"r1 a2 r3", []MessageID{1}, "2 3", "- 1 1 r1"},
		{"r1 a2 r3 a4", []MessageID{1, 2}, "4 3", "2 1 1 r1"},
		{"r1 a2 r3", []MessageID{2, 3}, "- 1", "2 3 2 r3"},
		{"r1 a2 r3", []MessageID{2}, "- 3", "2 2 2 a2"},       // it answers nothing there
		{"a1 r2 a3", []MessageID{2}, "1 0", "- 2 2 r2"},       // no message of the requester is left
		{"r1 an r3 rn", []MessageID{2, 3}, "- 1", "- 3 3 r3"}, // a note does not begin a request
		{"r1 an rn a4 r5", []MessageID{2, 3, 4, 5}, "- 1", "4 5 4 r5"},
	} {
		r := conversation(c.words)
		r.Tags, r.Assignee, r.Customer, r.Source = []string{"a"}, new(string), new(CustomerID), FromAPI
		taken, err := r.Divide(Split{Messages: c.ids})
		if err != nil {
			t.Fatal(err)
		}
		made := r.SplitOff(taken, *at(60))
		r.Release(taken, *at(60))
		minute := func(r Request) string {
			first := "-"
			if r.FirstResponseAt != nil {
				first = fmt.Sprint(r.FirstResponseAt.Sub(noon).Minutes())
			}
			return fmt.Sprint(first, " ", r.LastMessageAt.Sub(noon).Minutes())
		}
		if got := minute(r); got != c.left {
			t.Errorf("%s %v: left %s, want %s", c.words, c.ids, got, c.left)
		}
		if got := fmt.Sprint(minute(made), " ", made.CreatedAt.Sub(noon).Minutes(), " ", made.Author.Name); got != c.made {
			t.Errorf("%s %v: made %s, want %s", c.words, c.ids, got, c.made)
		}
		if stateOf(made) != Open || made.Customer == nil || made.Source != FromAPI || made.Assignee != nil || len(made.Tags) > 0 || made.UpdatedAt != *at(60) {
			t.Errorf("made: %+v", made)
		}
		if stateOf(r) != Pending || r.UpdatedAt != *at(60) || !slices.Equal(r.Tags, []string{"a"}) {
			t.Errorf("left: %+v", r)
		}
	}
}
