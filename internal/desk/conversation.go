package desk

import (
	"slices"
	"time"
)

// Conversation is what a top-level message in a request channel begins, as
// somebody wrote it: a request, unless a responder did or it asks for nothing.
// title and priority are what rules suggest.
func Conversation(c Collection, at ChannelRef, thread Thread, first Message, title string, priority Priority, now time.Time) Request {
	r := Request{
		Title: title, TitleBy: ByRules, Priority: priority, PriorityBy: ByRules, Author: first.Author,
		Collection: CollectionRef{ID: c.ID, Name: c.Name}, Channel: &at, Thread: &thread, Source: FromChat,
		CreatedAt: first.CreatedAt, UpdatedAt: now, LastMessageAt: first.CreatedAt,
	}
	if !first.Responder && !first.Idle {
		r.enter(Open, now)
	}
	return r
}

// Continues reports whether a top-level message of its author goes on with the
// conversation instead of beginning another: what is said within the window of
// what they have said there. Whether anybody has answered, the caller knows.
// With what will never be a request nobody goes on: what they say now may be one.
func (r Request) Continues(m Message, window time.Duration) bool {
	if window <= 0 || r.State != nil && *r.State == Closed || r.NotARequest != nil && *r.NotARequest == Permanent || m.Author.User != r.Author.User {
		return false
	}
	return !m.CreatedAt.Before(r.CreatedAt.Add(-window)) && !m.CreatedAt.After(r.LastMessageAt.Add(window))
}

// Take gives the request to somebody who has let the requester know.
func (r *Request) Take(user string, at time.Time) {
	r.Assignee = &user
	r.Acknowledge(at)
}

// Acknowledge is that somebody who answers has let the requester know of it,
// which is the first response if there was none before it.
func (r *Request) Acknowledge(at time.Time) {
	if r.State != nil && (r.FirstResponseAt == nil || at.Before(*r.FirstResponseAt)) {
		r.FirstResponseAt = &at
	}
}

// Convert makes a request of a conversation that is none.
func (r *Request) Convert(now time.Time) {
	if r.State == nil {
		r.enter(Open, now)
	}
}

// SameAs reports whether nothing has changed that anybody would want to be told
// of: times of the last message and update do not count.
func (r Request) SameAs(o Request) bool {
	return equal(r.State, o.State) && equal(r.NotARequest, o.NotARequest) && r.Title == o.Title && r.Priority == o.Priority &&
		equal(r.Assignee, o.Assignee) && equal(r.Team, o.Team) && equal(r.Customer, o.Customer) && equal(r.Parent, o.Parent) &&
		r.Author.User == o.Author.User && equal(r.FirstResponseAt, o.FirstResponseAt) &&
		slices.Equal(r.Tags, o.Tags) && slices.Equal(r.Contributors, o.Contributors)
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// Withdraw is what happens to a request whose author has taken back all they
// said: it is none, until they say something again.
func (r *Request) Withdraw(now time.Time) {
	as := Temporary
	r.mark(&as, now)
}
