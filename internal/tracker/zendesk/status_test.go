package zendesk

import (
	"slices"
	"testing"

	"frontdesk/internal/desk"
)

func TestStatusOf(t *testing.T) {
	for id, want := range map[string][]desk.State{
		"new": {desk.Open, desk.InProgress}, "open": {desk.Open, desk.InProgress}, "pending": {desk.Pending}, "hold": {desk.OnHold},
		"solved": {desk.Solved, desk.Closed}, "closed": {desk.Solved, desk.Closed}, "a new one": {desk.Open},
	} {
		if got := statusOf(id); got.ID != id || got.Name == "" || !slices.Equal(got.Means, want) {
			t.Errorf("%s: %+v, want %v", id, got, want)
		}
	}
	for _, state := range desk.States {
		if s := statusOf(meaning[state]); !slices.Contains(s.Means, state) {
			t.Errorf("%s becomes %s, which does not mean it", state, s.ID)
		}
	}
	statusOf("new").Means[0] = desk.Solved
	if statusOf("new").Means[0] != desk.Open {
		t.Error("who is told a status can change it for others")
	}
}

func ticketIn(status string) exchange {
	return exchange{call: "GET tickets/17", answer: `{"ticket":{"id":17,"status":"` + status + `"}}`}
}

func setTo(status string, answer exchange) exchange {
	answer.call, answer.body = "PUT tickets/17", `{"ticket":{"status":"`+status+`"}}`
	if answer.answer == "" {
		answer.answer = `{"ticket":{"id":17,"status":"` + status + `"},"audit":{"id":9}}`
	}
	return answer
}

func TestSetStatus(t *testing.T) {
	noHold := exchange{status: 422, answer: `{"error":"RecordInvalid","description":"Record validation errors","details":{"status":[{"description":"Status is not valid"}]}}`}
	closed := exchange{status: 422, answer: `{"error":"RecordInvalid","description":"Record validation errors","details":{"status":[{"description":"Status: closed prevents ticket update"}]}}`}
	unassigned := exchange{status: 422, answer: `{"error":"RecordInvalid","details":{"assignee":[{"description":"Assignee: is required"}]}}`}
	for _, tt := range []struct {
		name  string
		from  string
		state desk.State
		then  []exchange
		want  string // empty if it is refused
	}{
		{"open already", "open", desk.Open, nil, "open"},
		{"new is open", "new", desk.Open, nil, "new"},
		{"open is in progress", "open", desk.InProgress, nil, "open"},
		{"pending already", "pending", desk.Pending, nil, "pending"},
		{"on hold already", "hold", desk.OnHold, nil, "hold"},
		{"solved is closed", "solved", desk.Closed, nil, "solved"},
		{"closed is solved", "closed", desk.Solved, nil, "closed"},
		{"to pending", "new", desk.Pending, []exchange{setTo("pending", exchange{})}, "pending"},
		{"to solved", "open", desk.Solved, []exchange{setTo("solved", exchange{})}, "solved"},
		{"to closed", "open", desk.Closed, []exchange{setTo("solved", exchange{})}, "solved"},
		{"open again", "solved", desk.Open, []exchange{setTo("open", exchange{})}, "open"},
		{"on hold", "open", desk.OnHold, []exchange{setTo("hold", exchange{})}, "hold"},
		{"a rule changes it", "open", desk.Solved, []exchange{setTo("solved", exchange{answer: `{"ticket":{"id":17,"status":"pending"}}`})}, "pending"},
		{"no hold, and open", "open", desk.OnHold, []exchange{setTo("hold", noHold)}, "open"},
		{"no hold, and pending", "pending", desk.OnHold, []exchange{setTo("hold", noHold), setTo("open", exchange{})}, "open"},
		{"not held for another reason", "pending", desk.OnHold, []exchange{setTo("hold", unassigned)}, ""},
		{"not solved", "open", desk.Solved, []exchange{setTo("solved", unassigned)}, ""},
		{"closed for good", "closed", desk.Open, []exchange{setTo("open", closed)}, ""},
		{"closed for good and held", "closed", desk.OnHold, []exchange{setTo("hold", closed), setTo("open", closed)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := expect(t, append([]exchange{ticketIn(tt.from)}, tt.then...)...)
			got, err := s.place.SetStatus(t.Context(), "17", tt.state)
			if tt.want == "" {
				fails(t, tt.name, err, desk.Refused, "Zendesk refused this")
			} else if err != nil || got.ID != tt.want {
				t.Errorf("got %+v, %v, want %s", got, err, tt.want)
			}
		})
	}
	_, err := expect(t).place.SetStatus(t.Context(), "17", "odd")
	fails(t, "no state", err, desk.Invalid, "no state")
}
