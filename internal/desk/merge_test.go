package desk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func at(minutes int) *time.Time {
	t := noon.Add(time.Duration(minutes) * time.Minute)
	return &t
}

func TestMergeCheck(t *testing.T) {
	many := make([]RequestID, MostMerged+1)
	for i := range many {
		many[i] = RequestID(i + 10)
	}
	for _, c := range []struct {
		ids  []RequestID
		want string
	}{
		{[]RequestID{2}, ""},
		{many[:MostMerged], ""},
		{nil, "request_ids must name 1 to 20 requests; there are 0."},
		{many, "request_ids must name 1 to 20 requests; there are 21."},
		{[]RequestID{2, 1}, "request_ids must not name the request itself."},
		{[]RequestID{2, 3, 2}, "request_ids must name each request only once; 2 is given twice."},
	} {
		err := Merge{Requests: c.ids}.Check(1)
		if got := message(err); got != c.want {
			t.Errorf("%v: %q, want %q", c.ids, got, c.want)
		}
	}
	broken := Errorf(Invalid, "The body is empty.")
	if err := (Merge{Body: Body{broken}}).Check(1); err != error(broken) {
		t.Errorf("a broken body: %v", err)
	}
}

// message returns the text that a caller sees, empty without an error.
func message(err error) string {
	if err == nil {
		return ""
	}
	return err.(*Error).Message
}

// The clocks and lists after a merge.
func TestAbsorb(t *testing.T) {
	into := inState(Pending)
	into.ID, into.Tags, into.Contributors = 1, []string{"a", "b"}, []string{"U1"}
	into.LastMessageAt, into.FirstSolvedAt = *at(10), at(5)
	for _, c := range []struct {
		name            string
		own, first      *time.Time
		last            *time.Time
		wantFirst, want *time.Time
	}{
		{"nobody has answered", nil, nil, at(0), nil, at(10)},
		{"they were answered", nil, at(7), at(0), at(7), at(10)},
		{"they were answered sooner", at(8), at(7), at(0), at(7), at(10)},
		{"they were answered later", at(6), at(7), at(0), at(6), at(10)},
		{"they alone were not", at(6), nil, at(0), at(6), at(10)},
		{"they were active later", nil, nil, at(20), nil, at(20)},
	} {
		r, other := into.Clone(), inState(Solved)
		r.FirstResponseAt = c.own
		other.ID, other.FirstResponseAt, other.LastMessageAt, other.Tags, other.Contributors = 2, c.first, *c.last, []string{"c", "b"}, []string{"U2"}
		if err := r.Absorb([]Request{other}, *at(60)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if fmt.Sprint(timeOf(r.FirstResponseAt), r.LastMessageAt) != fmt.Sprint(timeOf(c.wantFirst), *c.want) {
			t.Errorf("%s: first %v, last %v", c.name, r.FirstResponseAt, r.LastMessageAt)
		}
		if !slices.Equal(r.Tags, []string{"a", "b", "c"}) || !slices.Equal(r.Contributors, []string{"U1", "U2"}) || r.UpdatedAt != *at(60) {
			t.Errorf("%s: %v %v %v", c.name, r.Tags, r.Contributors, r.UpdatedAt)
		}
		if stateOf(r) != Pending || r.SolvedAt != nil || *r.FirstSolvedAt != *at(5) || r.CreatedAt != noon || r.Title != into.Title {
			t.Errorf("%s: what is its own has changed: %+v", c.name, r)
		}
	}
}

func timeOf(t *time.Time) any {
	if t == nil {
		return "never"
	}
	return *t
}

func TestAbsorbRefuses(t *testing.T) {
	list := func(prefix string, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint(prefix, i))
		}
		return all
	}
	merged := inState(Open)
	merged.MergedInto = new(RequestID)
	tagged, crowded := inState(Open), inState(Open)
	tagged.Tags, crowded.Contributors = list("t", 49), list("U", 100)
	for _, c := range []struct {
		name  string
		other Request
		want  string
	}{
		{"closed", inState(Closed), "Request 7 is closed and cannot be changed."},
		{"merged", merged, "Request 7 was already merged into request 0."},
		{"tags", tagged, "request_ids would give the request 51 tags, but at most 50 are allowed."},
		{"contributors", crowded, "request_ids would give the request 101 contributors, but at most 100 are allowed."},
		{"as many as possible", Request{Tags: list("t", 48), Contributors: list("U", 99)}, ""},
	} {
		r := inState(Open)
		r.Tags, r.Contributors = []string{"x", "y"}, []string{"V"}
		c.other.ID = 7
		got := message(r.Absorb([]Request{c.other}, noon))
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if c.want != "" && (len(r.Tags) != 2 || len(r.Contributors) != 1) {
			t.Errorf("%s: it has changed", c.name)
		}
	}
}

// Which requests can be changed, and which can be merged into.
func TestChangeable(t *testing.T) {
	for _, s := range States {
		r := inState(s)
		if err := r.Changeable(); (err != nil) != (s == Closed) || err != nil && err != error(ErrClosed) {
			t.Errorf("%s: %v", s, err)
		}
		if err := r.Absorbing(); (err != nil) != (s == Closed) {
			t.Errorf("%s: %v", s, err)
		}
		into := RequestID(5)
		merged := r.MergedWith(into, *at(1))
		for _, err := range []error{merged.Changeable(), merged.Absorbing(), merged.Apply(RequestChange{}, RequestRules{}, noon)} {
			if KindOf(err) != Refused || !strings.Contains(err.Error(), "merged into request 5") {
				t.Errorf("%s, merged: %v", s, err)
			}
		}
	}
	if err := (Request{}).Changeable(); err != nil {
		t.Errorf("no request: %v", err)
	}
	if err := (Request{}).Absorbing(); KindOf(err) != Refused {
		t.Errorf("into no request: %v", err)
	}
}

// lines holds parents: {3: 2} says that 2 is the parent of 3.
func TestAdoptParent(t *testing.T) {
	for _, c := range []struct {
		name   string
		line   []RequestID // from the request upwards
		others []RequestID
		want   RequestID // 0 for none
	}{
		{"others are strangers", []RequestID{1, 2, 3}, []RequestID{9}, 2},
		{"its parent", []RequestID{1, 2, 3}, []RequestID{2}, 3},
		{"its parent, the uppermost", []RequestID{1, 2}, []RequestID{2}, 0},
		{"its grandparent", []RequestID{1, 2, 3, 4}, []RequestID{3}, 4},
		{"several", []RequestID{1, 2, 3, 4, 5, 6}, []RequestID{4, 2}, 5},
		{"all", []RequestID{1, 2, 3}, []RequestID{2, 3}, 0},
	} {
		parents := map[RequestID]*RequestID{}
		for i, id := range c.line[1:] {
			parents[id] = nil
			if i+2 < len(c.line) {
				parents[id] = &c.line[i+2]
			}
		}
		r := Request{ID: c.line[0], Parent: &c.line[1]}
		r.AdoptParent(c.others, parents)
		got := RequestID(0)
		if r.Parent != nil {
			got = *r.Parent
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
