package desk

import (
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 5, 13, 12, 0, 0, 0, time.UTC)

// inState returns a request that has been in a state since noon.
func inState(s State) Request {
	r := Request{Title: "Printer", Priority: Normal, CreatedAt: noon, LastMessageAt: noon}
	r.enter(s, noon)
	return r
}

func stateOf(r Request) State {
	if r.State == nil {
		return ""
	}
	return *r.State
}

// What messages do to the state, for every state.
func TestHear(t *testing.T) {
	later := noon.Add(time.Hour)
	tests := []struct {
		name    string
		message Message
		to      map[State]State // states not listed do not change
		first   bool            // it is a first response
	}{
		{"a responder's reply", Message{Responder: true}, map[State]State{Open: InProgress}, true},
		{"a responder's note", Message{Responder: true, Private: true}, nil, false},
		{"a requester's reply", Message{}, map[State]State{InProgress: Open, Pending: Open, Solved: Open}, false},
		{"a requester's thanks", Message{Idle: true}, nil, false},
		{"a requester's note", Message{Private: true}, nil, false},
	}
	for _, tt := range tests {
		for _, from := range States {
			if from == Closed {
				continue // it ignores messages
			}
			r := inState(from)
			tt.message.CreatedAt = later
			r.Hear(tt.message, false, later)
			want, changes := tt.to[from]
			if !changes {
				want = from
			}
			if got := stateOf(r); got != want {
				t.Errorf("%s on %s: %s, want %s", tt.name, from, got, want)
			}
			if (r.FirstResponseAt != nil) != tt.first {
				t.Errorf("%s on %s: the first response is %v", tt.name, from, r.FirstResponseAt)
			}
			if active := !tt.message.Responder && !tt.message.Private; r.LastMessageAt.Equal(later) != active {
				t.Errorf("%s on %s: the requester was last active at %v", tt.name, from, r.LastMessageAt)
			}
		}
	}
}

// A message that is reported late does not change what later messages did.
func TestHearLate(t *testing.T) {
	later := noon.Add(time.Hour)
	for _, from := range States {
		if from == Closed {
			continue
		}
		for _, m := range []Message{{CreatedAt: noon}, {Responder: true, CreatedAt: noon}} {
			r := inState(from)
			r.FirstResponseAt = &later
			r.Hear(m, true, later)
			if got := stateOf(r); got != from {
				t.Errorf("%+v on %s: %s", m, from, got)
			}
			if first := *r.FirstResponseAt; m.Responder != first.Equal(noon) {
				t.Errorf("%+v on %s: the first response was at %v", m, from, first)
			}
		}
	}
}

func TestHearWhatIsNoRequest(t *testing.T) {
	for mark, want := range map[NotARequest]State{Temporary: Open, Permanent: ""} {
		r := inState(Open)
		r.mark(&mark, noon)
		if r.State != nil || *r.NotARequest != mark {
			t.Fatalf("marked %s, it is %+v", mark, r)
		}
		r.Hear(Message{Idle: true, CreatedAt: noon}, false, noon)
		r.Hear(Message{Responder: true, CreatedAt: noon}, false, noon)
		if r.State != nil || r.FirstResponseAt != nil {
			t.Errorf("%s: thanks or a responder made it %s", mark, stateOf(r))
		}
		r.Hear(Message{CreatedAt: noon}, false, noon)
		if got := stateOf(r); got != want {
			t.Errorf("%s: the requester's message made it %q, want %q", mark, got, want)
		}
	}
	// A conversation that never was a request becomes one when somebody asks for
	// something in it, and belongs to that person.
	r := Request{Author: Requester{User: "U_MAYA"}}
	r.Hear(Message{Idle: true, Author: Requester{User: "U_JO"}, CreatedAt: noon}, false, noon)
	r.Hear(Message{Responder: true, Author: Requester{User: "U_MIRA"}, CreatedAt: noon}, false, noon)
	if r.State != nil || r.Author.User != "U_MAYA" {
		t.Errorf("thanks or a responder made a conversation %s, of %s", stateOf(r), r.Author.User)
	}
	r.Hear(Message{Author: Requester{User: "U_JO"}, CreatedAt: noon}, false, noon)
	if stateOf(r) != Open || r.Author.User != "U_JO" {
		t.Errorf("a question made a conversation %s, of %s", stateOf(r), r.Author.User)
	}
}

func TestApplyState(t *testing.T) {
	for _, from := range States {
		for _, to := range append(slices.Clone(States), "merged", "") {
			for _, onHold := range []bool{true, false} {
				r := inState(from)
				before := r.Clone()
				err := r.Apply(RequestChange{State: &to}, RequestRules{OnHoldAllowed: onHold}, noon.Add(time.Minute))
				var want Kind = -1
				switch {
				case from == Closed:
					want = Refused
				case !slices.Contains(States, to), to == OnHold && !onHold:
					want = Invalid
				}
				switch {
				case want == -1 && (err != nil || stateOf(r) != to):
					t.Errorf("%s to %q: %v, it is %s", from, to, err, stateOf(r))
				case want != -1 && (err == nil || KindOf(err) != want || stateOf(r) != stateOf(before) || !r.UpdatedAt.Equal(before.UpdatedAt)):
					t.Errorf("%s to %q, on hold allowed %t: %v, it is %s", from, to, onHold, err, stateOf(r))
				}
			}
		}
	}
}

// A closed request is refused before the input is looked at.
func TestClosedStaysClosed(t *testing.T) {
	r := inState(Closed)
	bad := Body{Problem: Errorf(Invalid, "broken")}
	for name, ch := range map[string]RequestChange{"nothing": {}, "a title": {Title: new(string)}, "a broken body": {Body: bad}} {
		if err := r.Apply(ch, RequestRules{}, noon); err != ErrClosed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each step in the life of a request, and its clocks after it.
func TestMetrics(t *testing.T) {
	r := inState(Open)
	at := func(minutes float64) time.Time { return noon.Add(time.Duration(minutes * float64(time.Minute))) }
	to := func(s State, m float64) func() {
		return func() {
			if err := r.Apply(RequestChange{State: &s}, RequestRules{OnHoldAllowed: true}, at(m)); err != nil {
				t.Fatal(err)
			}
		}
	}
	say := func(m Message, minute float64) func() {
		return func() {
			m.CreatedAt = at(minute)
			r.Hear(m, false, at(minute))
		}
	}
	none := -1.0
	for _, step := range []struct {
		name                               string
		do                                 func()
		response, resolution, firstSolving float64
	}{
		{"new", func() {}, none, none, none},
		{"a note", say(Message{Responder: true, Private: true}, 1), none, none, none},
		{"an answer", say(Message{Responder: true}, 2.005), 2.01, none, none},
		{"another", say(Message{Responder: true}, 3), 2.01, none, none},
		{"solved", to(Solved, 10), 2.01, 10, 10},
		{"thanks", say(Message{Idle: true}, 11), 2.01, 10, 10},
		{"solved again", to(Solved, 12), 2.01, 10, 10},
		{"reopened", say(Message{}, 20), 2.01, none, 10},
		{"on hold", to(OnHold, 21), 2.01, none, 10},
		{"solved anew", to(Solved, 30), 2.01, 30, 10},
		{"closed", to(Closed, 40), 2.01, 30, 10},
	} {
		step.do()
		m := r.Metrics()
		for name, pair := range map[string]struct {
			got  *Metric
			want float64
		}{"first response": {m.FirstResponse, step.response}, "resolution": {m.Resolution, step.resolution}, "first resolution": {m.FirstResolution, step.firstSolving}} {
			if (pair.got == nil) != (pair.want == none) || pair.got != nil && (pair.got.Minutes != pair.want || pair.got.Breached != nil) {
				t.Errorf("%s: %s is %v, want %v", step.name, name, pair.got, pair.want)
			}
		}
	}
	direct := inState(Open)
	closed := Closed
	if err := direct.Apply(RequestChange{State: &closed}, RequestRules{}, at(5)); err != nil {
		t.Fatal(err)
	}
	if m := direct.Metrics(); m.Resolution == nil || m.Resolution.Minutes != 5 || m.FirstResolution == nil || m.FirstResolution.Minutes != 5 {
		t.Errorf("closed without having been solved: %+v", m)
	}
}

func TestApplyRest(t *testing.T) {
	long, longest := strings.Repeat("x", 301), strings.Repeat("é", 300)
	medium, low := Priority("medium"), Low
	many := slices.Repeat([]string{"tag"}, 51)
	twice := []string{" vip ", "vip", "late"}
	for _, tt := range []struct {
		name  string
		ch    RequestChange
		wrong string
	}{
		{"nothing", RequestChange{}, "Nothing to change"},
		{"a long title", RequestChange{Title: &long}, "title must have 1 to 300"},
		{"an empty title", RequestChange{Title: new(string)}, "title must not be empty"},
		{"the longest title", RequestChange{Title: &longest}, ""},
		{"medium", RequestChange{Priority: &medium}, "priority must be one of low, normal, high, urgent"},
		{"low", RequestChange{Priority: &low}, ""},
		{"too many tags", RequestChange{Tags: &many}, "tags must have at most 50"},
		{"tags", RequestChange{Tags: &twice}, ""},
		{"no assignee", RequestChange{Assignee: Null[string]()}, ""},
		{"a strange mark", RequestChange{NotARequest: Just(NotARequest("maybe"))}, "not_a_request_state must be one of temporary, permanent"},
	} {
		r := inState(Open)
		user := "U1"
		r.Assignee = &user
		before := r.Clone()
		err := r.Apply(tt.ch, RequestRules{}, noon.Add(time.Minute))
		if tt.wrong == "" && err != nil || tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.wrong != "" && (r.Title != before.Title || r.Priority != before.Priority || !r.UpdatedAt.Equal(before.UpdatedAt)) {
			t.Errorf("%s: refused, and yet it is %+v", tt.name, r)
		}
		if tt.name == "tags" && !slices.Equal(r.Tags, []string{"vip", "late"}) {
			t.Errorf("tags are %q", r.Tags)
		}
	}
}
