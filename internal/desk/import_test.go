package desk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// importedAt is when the imports of these tests run.
var importedAt = time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)

// drawImported draws any request of another system. In some, only the times may be
// wrong, so that many pass.
func drawImported(t *rapid.T) ImportedRequest {
	tame := rapid.Bool().Draw(t, "tame")
	moment := func(name string) *time.Time {
		if tame {
			at := importedAt.Add(-time.Duration(rapid.IntRange(0, 5).Draw(t, name+" hours")) * time.Hour)
			return &at
		}
		// Around the limits, and some hours that are likely to coincide.
		at := rapid.OneOf(rapid.Just(importedAt), rapid.Just(importedAt.Add(time.Millisecond)), rapid.Just(oldest), rapid.Just(oldest.Add(-time.Millisecond)), rapid.Just(time.Time{}),
			rapid.Map(rapid.IntRange(0, 5), func(h int) time.Time { return importedAt.Add(time.Duration(h-6) * time.Hour) })).Draw(t, name)
		if rapid.IntRange(0, 4).Draw(t, name+" bad") > 0 { // usually a valid one
			at = importedAt.Add(-time.Duration(rapid.IntRange(0, 5).Draw(t, name+" hours")) * time.Hour)
		}
		return &at
	}
	maybe := func(name string) bool { return rapid.Bool().Draw(t, name) }
	text := func(name string) string {
		if tame {
			return rapid.SampledFrom([]string{"x", "'; DROP TABLE requests; --", "<script>", strings.Repeat("é", 300)}).Draw(t, name)
		}
		return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " ", "x", "\xff", "a\x00b", "'; DROP TABLE requests; --", "<script>", "\u202e\x07", strings.Repeat("é", 300), strings.Repeat("é", 301)})).Draw(t, name)
	}
	person := func(name string) (who Requester) {
		if tame || maybe(name+" email") {
			who.Email = "jo@example.com"
		}
		if !tame && who.Email != "" {
			who.Email = rapid.SampledFrom([]string{"jo@example.com", "nobody", "é@example.com", " jo@example.com"}).Draw(t, name+" mail")
		}
		if maybe(name + " id") {
			who.User = text(name + " user")
		}
		if maybe(name + " name") {
			who.Name = text(name + " called")
		}
		return who
	}
	optional := func(name string) *string {
		if !maybe(name) {
			return nil
		}
		s := text(name + " text")
		return &s
	}
	n := ImportedRequest{ExternalID: optional("external"), Title: optional("title"), Description: optional("description"), Assignee: optional("assignee"), Requester: person("requester")}
	if maybe("state") && !tame {
		s := rapid.SampledFrom(append(slices.Clone(States), "new")).Draw(t, "which state")
		n.State = &s
	}
	if maybe("priority") && !tame {
		p := rapid.SampledFrom(append(slices.Clone(Priorities), "medium")).Draw(t, "which priority")
		n.Priority = &p
	}
	for i, at := range []**time.Time{&n.CreatedAt, &n.UpdatedAt, &n.FirstResponseAt, &n.SolvedAt, &n.ClosedAt} {
		if i == 0 && tame || i == 0 && rapid.IntRange(0, 9).Draw(t, "no creation") > 0 || i > 0 && maybe(fmt.Sprint("time ", i)) {
			*at = moment(fmt.Sprint("at ", i))
		}
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "messages") {
		m := ImportedMessage{HTML: optional("html"), Author: person("author"), Private: maybe("private")}
		if m.HTML == nil || maybe("both") {
			m.Text = optional("plain")
		}
		if tame && (m.HTML == nil) == (m.Text == nil) {
			m.HTML, m.Text = ptr("x"), nil
		}
		if tame || rapid.IntRange(0, 9).Draw(t, "unsaid") > 0 {
			responder := maybe("responder")
			m.Responder, m.CreatedAt = &responder, moment(fmt.Sprint("said ", i))
		}
		n.Messages = append(n.Messages, m)
	}
	return n
}

// Every request that passes Check has clocks that go forward, and everything that
// does not pass is named.
func TestImportedRequestCheck(t *testing.T) {
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		n := drawImported(t)
		rules := RequestRules{OnHoldAllowed: rapid.Bool().Draw(t, "on hold")}
		err := n.Check(rules, importedAt)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Kind != Invalid || len(e.Fields) == 0 {
				t.Fatalf("got %v", err)
			}
			return
		}
		passed++
		if err := n.Check(rules, importedAt); err != nil {
			t.Fatalf("what was right is not any more: %v", err)
		}
		var said []Message
		for _, m := range n.Messages {
			said = append(said, Message{Text: "x", Author: m.Author, Responder: *m.Responder, Private: m.Private, CreatedAt: *m.CreatedAt})
		}
		var description *Message
		if n.Description != nil {
			description = &Message{Text: *n.Description, CreatedAt: *n.CreatedAt}
		}
		history := n.History(description, said)
		if !slices.IsSortedFunc(history, func(a, b Message) int { return a.CreatedAt.Compare(b.CreatedAt) }) || len(history)-len(said) > 1 {
			t.Fatalf("the history is %+v", history)
		}
		checkImportedRequest(t, n, n.Request(CollectionRef{}, history, "T", Normal), rules)
	})
	if passed == 0 {
		t.Error("none passed")
	}
}

func checkImportedRequest(t *rapid.T, n ImportedRequest, r Request, rules RequestRules) {
	for name, at := range map[string]*time.Time{"updated": &r.UpdatedAt, "last message": &r.LastMessageAt, "first response": r.FirstResponseAt, "first solved": r.FirstSolvedAt, "solved": r.SolvedAt} {
		if at != nil && (at.Before(r.CreatedAt) || at.After(importedAt)) {
			t.Fatalf("%s is %v, created %v", name, at, r.CreatedAt)
		}
	}
	switch {
	case r.State == nil || *r.State == OnHold && !rules.OnHoldAllowed:
		t.Fatalf("the state is %v", r.State)
	case r.State.Done() != (r.SolvedAt != nil), r.SolvedAt != nil && r.FirstSolvedAt == nil:
		t.Fatalf("%s was solved at %v, first at %v", *r.State, r.SolvedAt, r.FirstSolvedAt)
	case r.CreatedAt != *n.CreatedAt, n.UpdatedAt != nil && r.UpdatedAt != *n.UpdatedAt, n.FirstResponseAt != nil && *r.FirstResponseAt != *n.FirstResponseAt,
		n.SolvedAt != nil && *r.FirstSolvedAt != *n.SolvedAt:
		t.Fatalf("a time that was given is another: %+v", r)
	case r.Title == "" || !Storable(r.Title) || !slices.Contains(Priorities, r.Priority) || !Storable(r.ExternalID):
		t.Fatalf("got %+v", r)
	case (r.TitleBy == ByPerson) != (n.Title != nil), (r.PriorityBy == ByPerson) != (n.Priority != nil):
		t.Fatalf("title by %s, priority by %s", r.TitleBy, r.PriorityBy)
	}
}

// Check does not modify texts that others share.
func TestImportedRequestCheckLeavesItsInput(t *testing.T) {
	title, at := "  T  ", importedAt
	n := ImportedRequest{Title: &title, Requester: Requester{Name: "O"}, CreatedAt: &at}
	if err := n.Check(RequestRules{}, importedAt); err != nil || *n.Title != "T" || title != "  T  " {
		t.Errorf("%v, %q, %q", err, *n.Title, title)
	}
}
