package desk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// history makes changes to a request and returns their entries in the order of
// undoing: the newest first.
func history(r *Request, changes ...RequestChange) (entries []HistoryEntry) {
	for i, ch := range changes {
		before := r.Clone()
		if err := r.Apply(ch, RequestRules{OnHoldAllowed: true}, *at(i + 1)); err != nil {
			panic(err)
		}
		e := NewHistoryEntry(Actor{Name: "Jo"}, string(RequestUpdated), before, *r, *at(i + 1))
		e.ID = HistoryEntryID(i + 1)
		entries = slices.Insert(entries, 0, e)
	}
	return entries
}

func changing(state State) RequestChange { return RequestChange{State: &state} }

func titled(title string) RequestChange { return RequestChange{Title: &title} }

// The entries of a change, for every field that can be changed.
func TestChangesOfARequest(t *testing.T) {
	r := begun()
	field := func(id CustomFieldID, kind FieldType) CustomField {
		return CustomField{ID: id, Type: kind, Entity: EntityRequest, Config: FieldConfig{MaxLength: 100}}
	}
	title, priority, tags, people := "New", High, []string{"b", "a"}, []string{"U1"}
	e := history(&r, RequestChange{
		Title: &title, Priority: &priority, Tags: &tags, Contributors: &people, Assignee: Just("U2"), Team: Just(TeamID(3)), Customer: Just(CustomerID(4)),
		Parent: Just(RequestID(5)), NotARequest: Just(Temporary), Values: FieldInput{"6": nil, "7": 2, "8": "text"},
		Fields: map[CustomFieldID]CustomField{6: field(6, FieldText), 7: field(7, FieldNumber), 8: field(8, FieldText)},
	})[0]
	want := []string{"title Printer New", "state open <nil>", "not_a_request_state <nil> temporary", "priority normal high", "assignee <nil> U2", "assigned_team <nil> 3",
		"customer_id <nil> 4", "tags [] [b a]", "contributors [] [U1]", "parent_request <nil> 5",
		"custom_field_values.6 old <nil>", "custom_field_values.7 1.0 2", "custom_field_values.8 <nil> text"}
	if got := told(e); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(e.Before.Values) != 2 || len(e.After.Values) != 2 {
		t.Errorf("values that stayed are kept: %v, %v", e.Before.Values, e.After.Values)
	}
	after := r.Clone()
	if err := r.Restore(e, RequestRules{}, *at(60)); err != nil {
		t.Fatal(err)
	}
	if got := NewHistoryEntry(Actor{}, "", r, begun(), noon); len(told(got)) > 0 {
		t.Errorf("not as it was: %v", told(got))
	}
	if r.UpdatedAt != *at(60) || after.Title != "New" || after.Values[8].Text != "text" {
		t.Errorf("restored %+v", r)
	}
	if same := NewHistoryEntry(Actor{}, "", r, r, noon); len(same.Changes()) > 0 {
		t.Errorf("nothing is told as %v", told(same))
	}
}

// begun returns the request that TestChangesOfARequest begins with.
func begun() Request {
	r := inState(Open)
	r.Values = FieldValues{9: {Type: FieldText, Text: "same"}, 7: {Type: FieldNumber, Text: "1.0"}, 6: {Type: FieldText, Text: "old"}}
	return r
}

func told(e HistoryEntry) (all []string) {
	for _, ch := range e.Changes() {
		all = append(all, fmt.Sprint(ch.Field, " ", ch.From, " ", ch.To))
	}
	return all
}

// The clocks are restored with the state.
func TestRestoreState(t *testing.T) {
	r := inState(Open)
	entries := history(&r, changing(Solved), changing(Open), changing(Closed))
	for i, want := range []struct {
		state         State
		solved, first *time.Time
	}{{Open, nil, at(1)}, {Solved, at(1), at(1)}, {Open, nil, nil}} {
		if err := r.Restore(entries[i], RequestRules{}, *at(9)); err != nil {
			t.Fatal(err)
		}
		if stateOf(r) != want.state || fmt.Sprint(timeOf(r.SolvedAt), timeOf(r.FirstSolvedAt)) != fmt.Sprint(timeOf(want.solved), timeOf(want.first)) {
			t.Errorf("%d: %s, solved %v, first %v", i, stateOf(r), r.SolvedAt, r.FirstSolvedAt)
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	r := inState(OnHold)
	entries := history(&r, changing(Open), titled("B"))
	moved := NewHistoryEntry(Actor{}, string(RequestUpdated), Request{Collection: CollectionRef{ID: 1}}, Request{Collection: CollectionRef{ID: 2}}, noon)
	other := r.Clone()
	other.Title = "C"
	elsewhere := Request{Collection: CollectionRef{ID: 2}}
	for _, c := range []struct {
		name  string
		r     Request
		entry HistoryEntry
		want  string
	}{
		{"it is something else", other, entries[0], "The field title no longer has the value that the change gave it"},
		{"on hold", r, entries[1], "The request was on hold, which the account no longer allows"},
		{"moved", elsewhere, moved, "The request has been moved to another collection"},
	} {
		before := fmt.Sprint(c.r)
		err := c.r.Restore(c.entry, RequestRules{}, *at(9))
		if KindOf(err) != Refused || !strings.Contains(message(err), c.want) || fmt.Sprint(c.r) != before {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := r.Restore(entries[1], RequestRules{OnHoldAllowed: true}, *at(9)); err != nil || stateOf(r) != OnHold {
		t.Errorf("on hold where it is allowed: %v", err)
	}
}

// Which changes can be undone, and which cannot.
func TestToUndo(t *testing.T) {
	title := history(new(Request), titled("A"), titled("B"), RequestChange{Priority: new(Priority(Low))})
	merged := func(id HistoryEntryID) HistoryEntry {
		return HistoryEntry{ID: id, At: *at(9), Action: RequestMerged, Moved: &Moved{}}
	}
	part := HistoryEntry{ID: 4, At: *at(9), Action: RequestMerged}
	undone := slices.Clone(title)
	undone[0].UndoneAt, undone[1].UndoneAt = at(9), at(9)
	entry := func(id HistoryEntryID) *HistoryEntryID { return &id }
	closed := inState(Open)
	closing := history(&closed, titled("A"), changing(Closed))
	for _, c := range []struct {
		name    string
		r       Request
		latest  []HistoryEntry
		entry   *HistoryEntryID
		minutes int
		want    string // the entry, or the refusal
	}{
		{"the newest", Request{}, title, nil, 10, "3"},
		{"the newest that is not undone", Request{}, undone, nil, 10, "1"},
		{"nothing", Request{}, nil, nil, 10, "There is nothing to undo."},
		{"nothing but a part of something", Request{}, []HistoryEntry{part}, nil, 10, "There is nothing to undo."},
		{"a part of something", Request{}, []HistoryEntry{part}, entry(4), 10, "The change was part of a merge or a split of another request. Undo it there."},
		{"one that is named", Request{}, title, entry(2), 10, "2"},
		{"one that was changed again", Request{}, title, entry(1), 10, "The field title has been changed again since then, by change 2. Undo that first."},
		{"one whose later change is undone", Request{}, undone, entry(1), 10, "1"},
		{"one that is undone", Request{}, undone, entry(2), 10, "The change has already been undone."},
		{"an unknown one", Request{}, title, entry(17), 10, "change_id must name one of the last 20 changes in the request's history."},
		{"a merge", Request{}, append([]HistoryEntry{merged(9)}, title...), nil, 10, "9"},
		{"before a merge", Request{}, append([]HistoryEntry{merged(9)}, title...), entry(2), 10, "2"},
		{"a merge before a merge", Request{}, []HistoryEntry{merged(9), merged(8)}, entry(8), 10, "The request has been merged or split again since then, by change 9. Undo that first."},
		{"in time", Request{}, title, nil, 3 + 30*24*60, "3"},
		{"too late", Request{}, title, nil, 4 + 30*24*60, "The change is more than 30 days old and can no longer be undone."},
		{"closed by mistake", closed, closing, nil, 12, "2"},
		{"closed for good", closed, closing, nil, 13, "The request is closed and cannot be changed. Closing it can be undone for 10 minutes."},
		{"closed, something else", closed, closing, entry(1), 3, "The request is closed and cannot be changed. Closing it can be undone for 10 minutes."},
	} {
		e, err := c.r.ToUndo(Undo{Entry: c.entry}, c.latest, *at(c.minutes))
		got := message(err)
		if err == nil {
			got = fmt.Sprint(e.ID)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A page of a history has the creation at its end, whatever the page.
func TestWithMaking(t *testing.T) {
	var changes []HistoryEntry
	for i := range 5 {
		changes = append(changes, HistoryEntry{ID: HistoryEntryID(i + 1), At: *at(i / 2)}) // the first at the same moment
	}
	making := HistoryEntry{At: *at(0)}
	place := func(e HistoryEntry) Position { return Position{At: e.At, ID: int64(e.ID)} }
	for limit := 1; limit < 8; limit++ {
		for _, ascending := range []bool{true, false} {
			all := slices.Clone(changes)
			if !ascending {
				slices.Reverse(all)
			}
			var got []HistoryEntryID
			p := Page{Limit: limit, Ascending: ascending}
			for pages := 0; ; pages++ {
				rest := all
				if p.From != nil {
					rest = all[slices.IndexFunc(all, func(e HistoryEntry) bool { return place(e) == *p.From })+1:]
					if *p.From == place(making) && !ascending {
						rest = nil
					}
				}
				l := List[HistoryEntry]{Items: slices.Clone(rest)}
				if len(rest) > limit {
					next := place(rest[limit-1])
					l.Items, l.Next = l.Items[:limit], &next
				}
				l = WithMaking(l, making, p)
				if len(l.Items) > limit || pages > 10 {
					t.Fatalf("a page of %d, at most %d", len(l.Items), limit)
				}
				for _, e := range l.Items {
					got = append(got, e.ID)
				}
				if l.Next == nil {
					break
				}
				p.From = l.Next
			}
			want := []HistoryEntryID{0, 1, 2, 3, 4, 5}
			if !ascending {
				slices.Reverse(want)
			}
			if !slices.Equal(got, want) {
				t.Errorf("pages of %d, ascending %t: %v", limit, ascending, got)
			}
		}
	}
	for _, p := range []Page{{After: at(0)}, {Before: at(0)}, {After: at(0), Ascending: true}} {
		if l := WithMaking(List[HistoryEntry]{}, making, p); len(l.Items) > 0 {
			t.Errorf("%+v has the making", p)
		}
	}
}
