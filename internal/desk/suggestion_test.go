package desk

import (
	"fmt"
	"strings"
	"testing"
)

func TestCategoriesAreBounded(t *testing.T) {
	many := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint("category ", i))
		}
		return all
	}
	for _, c := range []struct {
		list []string
		ok   bool
	}{
		{many(1), true}, {many(50), true}, {many(51), false}, {nil, false},
		{[]string{strings.Repeat("ä", 60)}, true}, {[]string{strings.Repeat("ä", 61)}, false},
		{[]string{"a\x00b"}, false}, {[]string{"a", "b", "A "}, false},
	} {
		a := Account{Name: "Acme", KeyPrefix: "ACME", TimeZone: "UTC", Categories: DefaultCategories()}
		if err := a.Apply(AccountChange{Categories: &c.list}, later); (err == nil) != c.ok {
			t.Errorf("%q: %v, want them taken: %v", c.list, err, c.ok)
		}
	}
}

// A model's title and priority replace those made by rules, and never a person's.
func TestRefine(t *testing.T) {
	const rules, model, person = ByRules, ByModel, ByPerson
	for _, c := range []struct {
		name             string
		state            *State
		title, priority  Origin
		offers           bool
		refined, changed bool
		wantTitle        Origin
		wantPriority     Origin
	}{
		{"both", ptr(Open), rules, rules, true, true, true, model, model},
		{"a solved one", ptr(Solved), rules, rules, true, true, true, model, model},
		{"a person's title", ptr(Open), person, rules, true, true, true, person, model},
		{"a person's priority", ptr(Open), rules, person, true, true, true, model, person},
		{"a person's both", ptr(Open), person, person, true, false, false, person, person},
		{"once is enough", ptr(Open), model, model, true, false, false, model, model},
		{"nothing is offered", ptr(Open), rules, rules, false, false, false, rules, rules},
		{"closed", ptr(Closed), rules, rules, true, false, false, rules, rules},
		{"no request", nil, rules, rules, true, false, false, rules, rules},
	} {
		r := Request{Title: "Hi", TitleBy: c.title, Priority: Normal, PriorityBy: c.priority, State: c.state, UpdatedAt: early}
		before := r.Clone()
		var title *string
		var priority *Priority
		if c.offers {
			title, priority = ptr("Printer jams"), ptr(High)
		}
		if got := r.Refine(title, priority, later); got != c.refined {
			t.Errorf("%s: refined %v", c.name, got)
		}
		if before.SameAs(r) == c.changed || r.UpdatedAt.Equal(later) != c.changed {
			t.Errorf("%s: it became %+v", c.name, r)
		}
		if r.TitleBy != c.wantTitle || r.PriorityBy != c.wantPriority || (r.TitleBy == model && c.title == rules) != (r.Title == "Printer jams") {
			t.Errorf("%s: %q by %s, priority %s by %s", c.name, r.Title, r.TitleBy, r.Priority, r.PriorityBy)
		}
	}

	r := Request{Title: "Printer jams", TitleBy: rules, Priority: High, PriorityBy: rules, State: ptr(Open), UpdatedAt: early}
	if !r.Refine(ptr("Printer jams"), ptr(High), later) || !r.UpdatedAt.Equal(early) {
		t.Error("that a model says the same is to be kept, and no news")
	}
}

func TestAIFieldsSameAs(t *testing.T) {
	word := func(v string, by Origin) *Suggested[string] { return &Suggested[string]{Value: v, By: by} }
	list := func(v ...string) *Suggested[[]string] { return &Suggested[[]string]{Value: v} }
	a := AIFields{Category: list("bug"), Sentiment: word("neutral", ByRules), Emotion: word("neutral", ByRules)}
	for _, c := range []struct {
		other AIFields
		same  bool
	}{
		{a, true},
		{AIFields{list("bug"), word("neutral", ByModel), word("neutral", ByModel)}, true},
		{AIFields{}, false},
		{AIFields{list("bug", "task"), a.Sentiment, a.Emotion}, false},
		{AIFields{a.Category, word("negative", ByRules), a.Emotion}, false},
		{AIFields{a.Category, nil, a.Emotion}, false},
		{AIFields{a.Category, a.Sentiment, word("negative", ByRules)}, false},
	} {
		if a.SameAs(c.other) != c.same || c.other.SameAs(a) != c.same {
			t.Errorf("%+v: want the same: %v", c.other, c.same)
		}
	}
	if (AIFields{}).SameAs(AIFields{Category: list()}) {
		t.Error("none is not the same as not computed")
	}
}
