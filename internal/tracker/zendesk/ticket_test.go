package zendesk

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

func TestTicket(t *testing.T) {
	s := expect(t, exchange{call: "GET tickets/17", answer: `{"ticket":{"url":"https://acme.zendesk.com/api/v2/tickets/17.json","id":17,"external_id":null,
		"created_at":"2026-07-20T22:55:29Z","updated_at":"2026-10-05T10:38:52Z","subject":"My printer\u0000 is on fire!","priority":"high","status":"hold",
		"tags":["printer"],"custom_status_id":123,"via":{"channel":"web"}}}`})
	got, err := s.place.Ticket(t.Context(), "17")
	check(t, err)
	want := tracker.Ticket{ID: "17", Key: "#17", URL: s.server.URL + "/agent/tickets/17", Title: "My printer is on fire!",
		Status:    tracker.Status{ID: "hold", Name: "On-hold", Means: []desk.State{desk.OnHold}},
		UpdatedAt: time.Date(2026, 10, 5, 10, 38, 52, 0, time.UTC)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"17", "#17", " #17 ", "{url}/agent/tickets/17", "{url}/agent/tickets/17/", "{url}/agent/tickets/17?brand=1",
		"{url}/agent/#/tickets/17", "{url}/tickets/17"} {
		s := expect(t, exchange{call: "GET tickets/17", answer: `{"ticket":{"id":17,"status":"new"}}`})
		got, err := s.place.Ticket(t.Context(), strings.ReplaceAll(name, "{url}", s.server.URL))
		if err != nil || got.ID != "17" {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	s := expect(t)
	for _, name := range []string{"", "#", "ENG-17", "017", "0", "-17", "17a", "1.7", "17/../18", "١٧", strings.Repeat("9", 19), "https://other.zendesk.com/agent/tickets/17",
		s.server.URL + "/agent/users/17", s.server.URL + "/agent/tickets/new/1", s.server.URL} {
		_, err := s.place.Ticket(t.Context(), name)
		fails(t, name, err, desk.NotFound, "no such ticket")
	}
	// The other methods accept only an id.
	for _, id := range []string{"#17", "", "17/18", s.server.URL + "/agent/tickets/17"} {
		_, err := s.place.Comments(t.Context(), id, "")
		fails(t, "comments of "+id, err, desk.NotFound, "no such ticket")
		_, err = s.place.Say(t.Context(), id, tracker.Said{})
		fails(t, "saying at "+id, err, desk.NotFound, "no such ticket")
		_, err = s.place.SetStatus(t.Context(), id, desk.Open)
		fails(t, "a status of "+id, err, desk.NotFound, "no such ticket")
	}
}

func TestDeletedTicket(t *testing.T) {
	s := expect(t, exchange{call: "GET tickets/17", answer: `{"ticket":{"id":17,"status":"deleted"}}`})
	_, err := s.place.Ticket(t.Context(), "17")
	fails(t, "deleted", err, desk.NotFound, "no such ticket")
}
