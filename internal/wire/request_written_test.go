package wire

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"

	"pgregory.net/rapid"
)

// A request that is put together from cached parts equals the encoder's output for
// the whole request, in every form, for every reader, and each time.
func TestWrittenRequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("<>&\"\\\u2028\n\x00é"))))
		some := func(name string) bool { return rapid.Bool().Draw(t, name) }
		r := desk.Request{
			ID: 7, Title: text.Draw(t, "title"), Priority: desk.Normal, Author: desk.Requester{User: "U1", Name: text.Draw(t, "author"), Email: "jo@example.com"},
			Collection: desk.CollectionRef{ID: 2, Name: text.Draw(t, "collection")}, Tags: []string{text.Draw(t, "tag")}, CreatedAt: at, UpdatedAt: after, LastMessageAt: at,
		}
		if some("state") {
			state := desk.Open
			r.State = &state
		} else {
			not := desk.Permanent
			r.NotARequest = &not
		}
		if some("snooze") {
			r.Snooze = &desk.Snooze{At: at, By: 3, ByName: text.Draw(t, "who snoozed")}
			if some("back") {
				r.Snooze.Until, r.Snooze.Back = &after, &desk.Back{At: after, Reason: desk.BackByTime}
			}
		}
		kept := new(desk.Written)
		row := desk.RequestRow{Written: kept}
		if some("customer") {
			id := desk.CustomerID(9)
			r.Customer, row.CustomerName = &id, text.Draw(t, "customer's name")
		}
		if some("said") {
			row.Last = &desk.LastMessage{ID: 3, Text: text.Draw(t, "last"), Author: desk.Requester{Name: text.Draw(t, "its author")}, Responder: some("responder"), CreatedAt: at}
		}
		for range 3 {
			shown, of := r, row
			of.Unread, of.Following = some("unread"), some("following")
			if some("due") {
				of.Due = &desk.DueSLA{Kind: desk.SLAFirstResponse, At: at.Add(time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "in"))), Breached: some("breached")}
			}
			shown.Row = &of
			if some("messages") {
				shown.Messages = []desk.Message{{ID: 4, HTML: "<b>" + text.Draw(t, "message") + "</b>", CreatedAt: at}}
			}
			if some("family") {
				shown.Children = []desk.RequestID{11, 12}
				if some("parent") {
					shown.Parent = &shown.Children[0]
				}
			}
			if some("merged") {
				into := desk.RequestID(5)
				shown.MergedInto = &into
			}
			for form, of := range requestForms {
				want, err := JSON(of(shown))
				if err != nil {
					t.Fatal(err)
				}
				got, err := AppendRequest([]byte("before"), shown, RequestForm(form))
				if err != nil || string(got) != "before"+string(want) {
					t.Fatalf("form %d gives %v\n%s\nnot\n%s", form, err, got, want)
				}
			}
		}
	})
}

func TestFoundRequests(t *testing.T) {
	found := desk.FoundRequest{Request: desk.Request{ID: 7, Row: &desk.RequestRow{Written: new(desk.Written)}}}
	found.Highlights.Title = desk.Excerpt{{Text: "a <"}, {Text: "word", Match: true}}
	list, err := FoundRequests{Items: []desk.FoundRequest{found, found}, Form: Listed}.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	one, err := JSON(NewListedRequest(found.Request))
	if err != nil {
		t.Fatal(err)
	}
	with := strings.TrimSuffix(string(one), "}") + `,"highlights":{"title":"a &lt;<mark>word</mark>","messages":[]}}`
	if got := string(list); got != "["+with+","+with+"]" {
		t.Errorf("%s\nnot twice\n%s", got, with)
	}
	if list, err := (Requests{}).AppendJSON(nil); err != nil || string(list) != "[]" {
		t.Errorf("nothing is %s, %v", list, err)
	}
}
