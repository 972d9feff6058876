package desk

import (
	"testing"
	"time"
)

func TestConversation(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first Message
		want  State
	}{
		{"a question", Message{}, Open},
		{"a greeting", Message{Idle: true}, ""},
		{"a responder's", Message{Responder: true}, ""},
	} {
		tt.first.CreatedAt, tt.first.Author = noon, Requester{User: "U_JO"}
		r := Conversation(Collection{ID: 3, Name: "Support"}, ChannelRef{ID: "C1"}, Thread{Channel: "C1", Message: "1.1"}, tt.first, "Title", Low, noon.Add(time.Hour))
		if got := stateOf(r); got != tt.want {
			t.Errorf("%s made it %q, want %q", tt.name, got, tt.want)
		}
		if !r.CreatedAt.Equal(noon) || !r.LastMessageAt.Equal(noon) || r.Author.User != "U_JO" || r.Collection.ID != 3 || r.Source != FromChat {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
}

func TestContinues(t *testing.T) {
	const window = 5 * time.Minute
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	for _, tt := range []struct {
		name   string
		state  State
		author string
		said   time.Time
		window time.Duration
		want   bool
	}{
		{"soon after", Open, "U_JO", at(12), window, true},
		{"at the window's end", Open, "U_JO", at(15), window, true},
		{"just past it", Open, "U_JO", at(15).Add(time.Millisecond), window, false},
		{"told late, between", Open, "U_JO", at(3), window, true},
		{"told late, before", Open, "U_JO", at(-5), window, true},
		{"told late, long before", Open, "U_JO", at(-5).Add(-time.Millisecond), window, false},
		{"somebody else's", Open, "U_MAYA", at(1), window, false},
		{"no grouping", Open, "U_JO", at(0), 0, false},
		{"solved", Solved, "U_JO", at(1), window, true},
		{"closed", Closed, "U_JO", at(1), window, false},
	} {
		r := inState(tt.state)
		r.Author, r.CreatedAt, r.LastMessageAt = Requester{User: "U_JO"}, noon, at(10)
		if got := r.Continues(Message{Author: Requester{User: tt.author}, CreatedAt: tt.said}, tt.window); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

func TestTakeAndConvert(t *testing.T) {
	var r Request
	r.Take("U_MAYA", noon)
	if r.FirstResponseAt != nil {
		t.Error("what is no request was responded to")
	}
	r.Convert(noon)
	r.Take("U_MAYA", noon.Add(time.Minute))
	r.Take("U_JO", noon.Add(time.Hour))
	if *r.Assignee != "U_JO" || !r.FirstResponseAt.Equal(noon.Add(time.Minute)) {
		t.Errorf("taken twice: %s, responded at %v", *r.Assignee, r.FirstResponseAt)
	}
	r.Acknowledge(noon.Add(time.Second)) // reported late
	if *r.Assignee != "U_JO" || !r.FirstResponseAt.Equal(noon.Add(time.Second)) {
		t.Errorf("acknowledged before: %s, responded at %v", *r.Assignee, r.FirstResponseAt)
	}
	solved := inState(Solved)
	if solved.Convert(noon); stateOf(solved) != Solved {
		t.Errorf("a request was converted to %s", stateOf(solved))
	}
	r.Withdraw(noon)
	if r.State != nil || *r.NotARequest != Temporary {
		t.Errorf("withdrawn: %+v", r)
	}
}
