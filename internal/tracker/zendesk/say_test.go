package zendesk

import (
	"fmt"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

func saying(html string, public bool) string {
	return fmt.Sprintf(`{"ticket":{"comment":{"html_body":%q,"public":%v},"metadata":{"frontdesk_comment":%q}}}`, html, public, key)
}

// ours returns the audit of a comment of ours.
func ours(id int) string {
	return fmt.Sprintf(`{"id":%d,"created_at":"2026-10-05T10:38:52Z","author_id":1,"metadata":{"system":{},"custom":{"frontdesk_comment":%q}},
		"events":[{"id":899,"type":"Change","field_name":"status"},%s,{"id":903,"type":"Notification","body":"x"}]}`, id, key, commentOf(id*10))
}

func TestSay(t *testing.T) {
	for _, private := range []bool{false, true} {
		s := expect(t, exchange{call: "PUT tickets/17", body: saying("<p>Hello</p>", !private), answer: `{"ticket":{"id":17},"audit":` + ours(12) + `}`})
		id, err := s.place.Say(t.Context(), "17", tracker.Said{Key: key, HTML: "<p>Hello</p>", Private: private})
		if err != nil || id != "120" {
			t.Errorf("got %s, %v", id, err)
		}
	}
}

// TestSayAgain shows that a comment whose answer was lost is found, on whichever
// page, and is added only if it was not.
func TestSayAgain(t *testing.T) {
	again := tracker.Said{Key: key, HTML: "<p>Hello</p>", Again: true}
	first := again
	first.Again = false

	lost := exchange{call: "PUT tickets/17", body: saying("<p>Hello</p>", true), before: hangUp}
	s := expect(t, lost, audits("", pageOf("c2", true, auditOf(1, commentOf(10)))), audits("c2", pageOf("c3", false, ours(12))))
	_, err := s.place.Say(t.Context(), "17", first)
	fails(t, "a lost answer", err, desk.Unavailable, "cannot be reached")
	if id, err := s.place.Say(t.Context(), "17", again); err != nil || id != "120" {
		t.Errorf("found: got %s, %v", id, err)
	}

	s = expect(t, audits("", pageOf("c2", true, auditOf(1, commentOf(10)))), audits("c2", pageOf("c2", false, auditOf(2, change))),
		exchange{call: "PUT tickets/17", body: saying("<p>Hello</p>", true), answer: `{"ticket":{"id":17},"audit":` + ours(13) + `}`})
	if id, err := s.place.Say(t.Context(), "17", again); err != nil || id != "130" {
		t.Errorf("not found: got %s, %v", id, err)
	}

	// Nothing is added while it is not known whether the comment exists.
	s = expect(t, exchange{call: "GET tickets/17/audits?page[size]=100", status: 503})
	_, err = s.place.Say(t.Context(), "17", again)
	fails(t, "not known", err, desk.Unavailable, "cannot be reached")
}

func TestSayFails(t *testing.T) {
	for _, tt := range []struct {
		name  string
		it    exchange
		kind  desk.Kind
		words string
	}{
		{"closed for good", exchange{status: 422, answer: `{"error":"RecordInvalid","details":{"status":[{"description":"Status: closed prevents ticket update"}]}}`}, desk.Refused, "closed prevents"},
		{"gone", exchange{status: 404, answer: `{"error":"RecordNotFound"}`}, desk.NotFound, "no such ticket"},
		{"a conflict", exchange{status: 409, answer: `{}`}, desk.Unavailable, ""},
		{"no audit", exchange{answer: `{"ticket":{"id":17}}`}, desk.Unavailable, ""},
	} {
		tt.it.call, tt.it.body = "PUT tickets/17", saying("x", true)
		_, err := expect(t, tt.it).place.Say(t.Context(), "17", tracker.Said{Key: key, HTML: "x"})
		fails(t, tt.name, err, tt.kind, tt.words)
	}
}
