package desk

import (
	"slices"
	"time"
)

// Conversation makes the conversation that a top-level message in a request channel
// begins. It is a request, unless a responder wrote the message or it asks for
// nothing. title and priority are the rules' suggestions.
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

// Continues reports whether a top-level message continues its author's conversation
// instead of beginning another: it was said within the window after their last
// message there. The caller checks whether anybody has answered. A conversation
// that was marked as never a request is not continued, because the new message may
// be one.
func (r Request) Continues(m Message, window time.Duration) bool {
	if window <= 0 || r.Closed() || r.NotARequest != nil && *r.NotARequest == Permanent || m.Author.User != r.Author.User {
		return false
	}
	return !m.CreatedAt.Before(r.CreatedAt.Add(-window)) && !m.CreatedAt.After(r.LastMessageAt.Add(window))
}

// Take assigns the request to a user who has told the requester so.
func (r *Request) Take(user string, at time.Time) {
	r.Assignee = &user
	r.Acknowledge(at)
}

// Acknowledge records that a responder has told the requester that they are on it.
// This is the first response if there was no earlier one.
func (r *Request) Acknowledge(at time.Time) {
	r.attend()
	if r.State != nil && (r.FirstResponseAt == nil || at.Before(*r.FirstResponseAt)) {
		r.FirstResponseAt = &at
	}
}

// Convert turns a conversation into a request.
func (r *Request) Convert(now time.Time) {
	if r.State == nil {
		r.enter(Open, now)
	}
}

// SameAs reports whether nothing worth telling has changed. The times of the last
// message and update do not count.
func (r Request) SameAs(o Request) bool {
	return equal(r.State, o.State) && equal(r.NotARequest, o.NotARequest) && r.Title == o.Title && r.Priority == o.Priority &&
		equal(r.Assignee, o.Assignee) && equal(r.Team, o.Team) && equal(r.Customer, o.Customer) && equal(r.Parent, o.Parent) &&
		r.Author.User == o.Author.User && sameSleep(r, o) && equal(r.FirstResponseAt, o.FirstResponseAt) &&
		slices.Equal(r.Tags, o.Tags) && slices.Equal(r.Contributors, o.Contributors)
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// Withdraw handles a request whose author has deleted all their messages: it stops
// being a request until they write again.
func (r *Request) Withdraw(now time.Time) {
	as := Temporary
	r.mark(&as, now)
}
