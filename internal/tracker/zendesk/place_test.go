package zendesk

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/tracker"
)

func TestPlace(t *testing.T) {
	s := expect(t, exchange{call: "GET users/me", answer: `{"user":{"id":35436,"name":"Ada","email":"ada@acme.test","role":"admin"}}`})
	got, err := s.place.Place(t.Context())
	check(t, err)
	if want := (tracker.Place{ID: "acme", Name: strings.TrimPrefix(s.server.URL, "http://"), URL: s.server.URL, User: "35436"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestAddress shows the default address of Zendesk.
func TestAddress(t *testing.T) {
	if got := New(Config{}).Tracker(agent).(*place).address; got != "https://acme.zendesk.com" {
		t.Errorf("it is at %s", got)
	}
}

func TestPlaceFails(t *testing.T) {
	for _, tt := range []struct {
		name  string
		it    exchange
		kind  desk.Kind
		words string
	}{
		{"nobody", exchange{answer: `{"user":{"id":null,"name":"Anonymous user","email":"invalid@example.com","role":"end-user"}}`}, desk.Refused, "Connect it again"},
		{"somebody who asks", exchange{answer: `{"user":{"id":7,"role":"end-user"}}`}, desk.Refused, "must be an agent's"},
		{"no such Zendesk", exchange{status: http.StatusNotFound, answer: `<html>`}, desk.Refused, "There is no Zendesk at "},
	} {
		tt.it.call = "GET users/me"
		_, err := expect(t, tt.it).place.Place(t.Context())
		fails(t, tt.name, err, tt.kind, tt.words)
		if lost := tt.name == "nobody"; errors.Is(err, tracker.ErrLost) != lost {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}
