package desk

import (
	"slices"
	"time"
)

// AIFields are suggestions made from what was said in a request. A field is nil
// until it is computed. They are not changes to the request: those of a closed
// request change too, and the history does not show them.
type AIFields struct {
	Category  *Suggested[[]string] // from the account's categories at that time, the likeliest first
	Sentiment *Suggested[string]   // very_positive to very_negative: how the requester last wrote
	Emotion   *Suggested[string]   // positive, neutral or negative: their mood over the whole discussion
}

// Suggested is a value and its origin.
type Suggested[T any] struct {
	Value  T
	By     Origin // ByRules or ByModel
	Reason string // why the rules answered instead of the model; empty if nothing went wrong
	At     time.Time
}

// SameAs reports whether the values are the same, whatever their origin.
func (f AIFields) SameAs(o AIFields) bool {
	return slices.Equal(valueOf(f.Category), valueOf(o.Category)) && (f.Category == nil) == (o.Category == nil) &&
		valueOf(f.Sentiment) == valueOf(o.Sentiment) && valueOf(f.Emotion) == valueOf(o.Emotion)
}

func valueOf[T any](s *Suggested[T]) (v T) {
	if s != nil {
		v = s.Value
	}
	return v
}

// Refine replaces a title and priority made by rules with a model's. It leaves them
// if a person has chosen them, or if the request is closed or not a request. A nil
// value is not offered. It reports whether anything must be stored; SameAs says
// whether it is news.
func (r *Request) Refine(title *string, priority *Priority, now time.Time) bool {
	if r.State == nil || *r.State == Closed {
		return false
	}
	before := *r
	if title != nil && r.TitleBy == ByRules {
		r.Title, r.TitleBy = *title, ByModel
	}
	if priority != nil && r.PriorityBy == ByRules {
		r.Priority, r.PriorityBy = *priority, ByModel
	}
	if !before.SameAs(*r) {
		r.UpdatedAt = now
	}
	return before.TitleBy != r.TitleBy || before.PriorityBy != r.PriorityBy
}

// Unrefine returns values that a model has chosen to the rules.
func (r *Request) Unrefine() {
	for _, by := range []*Origin{&r.TitleBy, &r.PriorityBy} {
		if *by == ByModel {
			*by = ByRules
		}
	}
}

// DefaultCategories returns the categories of an account that has not edited its
// list.
func DefaultCategories() []string {
	return []string{"feature_request", "bug", "question", "problem", "task"}
}

const (
	mostCategories = 50
	mostCategory   = 60
)

// checkCategories checks an account's list and trims it.
func (p *Problems) checkCategories(field string, given []string) []string {
	if len(given) < 1 || len(given) > mostCategories {
		p.Add(field, "must have 1 to %d items; there are %d", mostCategories, len(given))
		return given
	}
	all, seen := slices.Clone(given), map[string]bool{}
	for i := range all {
		p.Text(field, &all[i], 1, mostCategory)
		if seen[Fold(all[i])] {
			p.Add(field, "must differ in more than case; %q is given twice", all[i])
		}
		seen[Fold(all[i])] = true
	}
	return all
}
