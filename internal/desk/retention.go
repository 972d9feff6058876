package desk

import (
	"fmt"
	"time"
)

// Retention says for how long a collection keeps what was said in a request, in days
// after the request was solved or closed, or something was said in it, whichever was
// last. The zero value keeps everything for ever.
type Retention struct {
	MessagesDays *int // texts of messages and notes; nil means for ever
	FilesDays    *int // nil means as long as the messages
}

// MostRetention is the longest time in days, about a hundred years.
const MostRetention = 36500

// RetentionChange is a change to a retention.
type RetentionChange struct {
	MessagesDays Nullable[int]
	FilesDays    Nullable[int]
}

func (r *Retention) apply(ch RetentionChange) {
	setNullable(&r.MessagesDays, ch.MessagesDays)
	setNullable(&r.FilesDays, ch.FilesDays)
}

func (r Retention) check(p *Problems) {
	for _, f := range []struct {
		name string
		days *int
	}{{"retention.messages_days", r.MessagesDays}, {"retention.files_days", r.FilesDays}} {
		if f.days != nil {
			wholeNumber(p, f.name, *f.days, 1, MostRetention)
		}
	}
	if r.MessagesDays != nil && r.FilesDays != nil && *r.FilesDays > *r.MessagesDays {
		p.Add("retention.files_days", "must not be more than messages_days: files go with their messages")
	}
}

// Check returns Invalid if a retention cannot be set.
func (r Retention) Check() error {
	var p Problems
	r.check(&p)
	return p.Err()
}

// TextsBefore returns the moment before which texts go; nil if they stay.
func (r Retention) TextsBefore(now time.Time) *time.Time { return daysBefore(r.MessagesDays, now) }

// FilesBefore returns the moment before which files go; nil if they stay. Files go
// with their messages at the latest.
func (r Retention) FilesBefore(now time.Time) *time.Time {
	if r.FilesDays == nil {
		return r.TextsBefore(now)
	}
	return daysBefore(r.FilesDays, now)
}

func daysBefore(days *int, now time.Time) *time.Time {
	if days == nil {
		return nil
	}
	at := now.Add(-time.Duration(*days) * 24 * time.Hour)
	return &at
}

// DeletedText takes the place of a text that a retention has deleted.
func DeletedText(days int) string {
	if days == 1 {
		return "This text was deleted after 1 day."
	}
	return fmt.Sprintf("This text was deleted after %d days.", days)
}

// RetentionPreview says what a retention deletes.
type RetentionPreview struct {
	Retention
	Now  Expiring // what goes now
	Soon Expiring // what goes within RetentionAhead, with what goes now
}

// RetentionAhead is how far a preview looks ahead.
const RetentionAhead = 30 * 24 * time.Hour

// Expiring is what a retention deletes by some time.
type Expiring struct {
	Requests, Messages, Files Counted
	Bytes                     int64 // of the files that were counted
	// Oldest and Newest are when these requests were last solved or closed, or
	// anything was said in them; nil if there are none.
	Oldest, Newest *time.Time
}

// Counted is a number of things. More says that there are more than were counted.
type Counted struct {
	Count int
	More  bool
}

// MostCounted is how many of each thing are counted.
const MostCounted = 10_000
