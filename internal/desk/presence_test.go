package desk

import (
	"testing"
	"time"
)

func TestAnsweredMeanwhileSaysWhoAndWhen(t *testing.T) {
	at := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		author Requester
		after  time.Duration
		want   string
	}{
		{Requester{Name: "Tomás"}, 0, "Tomás replied just now. Read it, then send."},
		{Requester{Name: "Tomás"}, -time.Minute, "Tomás replied just now. Read it, then send."}, // a clock that was set back
		{Requester{Name: "Tomás", Email: "t@acme.example"}, time.Second, "Tomás replied 1 second ago. Read it, then send."},
		{Requester{Email: "t@acme.example"}, 59 * time.Second, "t@acme.example replied 59 seconds ago. Read it, then send."},
		{Requester{}, time.Minute, "Somebody in your team replied 1 minute ago. Read it, then send."},
		{Requester{Name: "<b>"}, 119 * time.Minute, "<b> replied 1 hour ago. Read it, then send."},
		{Requester{Name: "Tomás"}, 72 * time.Hour, "Tomás replied 3 days ago. Read it, then send."},
	} {
		err := AnsweredMeanwhile(Message{ID: 17, Author: tt.author, CreatedAt: at}, at.Add(tt.after))
		if want := tt.want + " [seen_message_id: is older than the answer 17]"; err.Error() != want || KindOf(err) != Conflict {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
