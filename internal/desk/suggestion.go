package desk

import (
	"slices"
	"time"
)

// AIFields are what is suggested of a request by what was said in it. One that
// was not computed yet is nil. They are no change of the request: those of a
// closed one change too, and no history tells of them.
type AIFields struct {
	Category  *Suggested[[]string] // of the account's at that time, the likeliest first
	Sentiment *Suggested[string]   // very_positive to very_negative: how the requester wrote last
	Emotion   *Suggested[string]   // positive, neutral or negative: their mood over the whole discussion
}

// Suggested is a value and where it comes from.
type Suggested[T any] struct {
	Value  T
	By     Origin // ByRules or ByModel
	Reason string // why the rules answered for the model; empty where nothing went wrong
	At     time.Time
}

// SameAs reports whether the values are the same, wherever they come from.
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

// Refine takes a model's title and priority in place of those that rules made,
// unless somebody has chosen them or the request is none or closed. A nil one is
// not offered. It reports whether anything is to be kept; that it is news,
// SameAs says.
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

// Unrefine gives what a model has chosen back to the rules.
func (r *Request) Unrefine() {
	for _, by := range []*Origin{&r.TitleBy, &r.PriorityBy} {
		if *by == ByModel {
			*by = ByRules
		}
	}
}

// DefaultCategories are what requests are sorted into until an account edits
// its list.
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
		p.Add(field, "must be 1 to %d; there are %d", mostCategories, len(given))
		return given
	}
	all, seen := slices.Clone(given), map[string]bool{}
	for i := range all {
		p.Text(field, &all[i], 1, mostCategory)
		if seen[Fold(all[i])] {
			p.Add(field, "must differ, in more than their case; %q is there twice", all[i])
		}
		seen[Fold(all[i])] = true
	}
	return all
}
