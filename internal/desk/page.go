package desk

import "time"

// Limits of a page.
const (
	DefaultLimit = 50
	MostLimit    = 100
)

// Page says which part of a list is wanted. Lists are ordered by creation
// time, then id.
type Page struct {
	Limit     int        // 0 means DefaultLimit
	Ascending bool       // oldest first
	After     *time.Time // created strictly after
	Before    *time.Time // created strictly before
	From      *Position  // where the previous page ended
}

// Position is a place in a list: after the record with this time and id.
type Position struct {
	At    time.Time
	ID    int64
	Score int64 // in a list by rank, how well the record matches
}

// List is one page of records, and where the next page begins; nil after the last.
type List[T any] struct {
	Items []T
	Next  *Position
}
