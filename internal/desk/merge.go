package desk

import (
	"slices"
	"time"
)

const (
	// MostMerged bounds the requests merged into another at once.
	MostMerged = 20
	// MostMovedChildren bounds the children of the merged requests.
	MostMovedChildren = 100
)

// Merge says which requests to merge into another.
type Merge struct {
	Body
	Requests []RequestID
}

// Check returns what is wrong with the merge on its own.
func (m Merge) Check(into RequestID) error {
	p := m.problems()
	if n := len(m.Requests); n < 1 || n > MostMerged {
		p.Add("request_ids", "must name 1 to %d requests; there are %d", MostMerged, n)
		return p.Err()
	}
	for i, id := range m.Requests {
		switch {
		case id == into:
			p.Add("request_ids", "must not name the request itself")
		case slices.Index(m.Requests, id) < i:
			p.Add("request_ids", "must name each request only once; %d is given twice", id)
		}
	}
	return p.Err()
}

// Moved is what a merge or a split moved from one request to another. An undo needs
// it.
type Moved struct {
	Requests []MovedRequest   // the requests that were merged, or the one that was split off
	Children []MovedChild     // children that got another parent
	Last     MessageID        // the newest message at that time
	Entries  []HistoryEntryID // the entries about it in the histories of the other requests
}

// MovedRequest is what was moved from a merged request, or to one that was split
// off. Tickets are row ids, not the numbers of native tickets.
type MovedRequest struct {
	Request  RequestID
	Messages []MessageID
	Tickets  []int64
	Surveys  []SurveyID // at most one
	Sessions []AgentSessionID
}

// MovedChild is a request and its previous parent.
type MovedChild struct{ Request, Parent RequestID }

// Changeable returns nil, or the reason why the request cannot be changed.
func (r Request) Changeable() error {
	switch {
	case r.MergedInto != nil:
		return Errorf(Refused, "The request was merged into request %d and cannot be changed. Change that one, or undo the merge there.", *r.MergedInto)
	case r.Closed():
		return ErrClosed
	}
	return nil
}

// Absorbing returns nil, or the reason why nothing can be merged into the request.
func (r Request) Absorbing() error {
	if err := r.Changeable(); err != nil {
		return err
	}
	if r.State == nil {
		return Errorf(Refused, "The conversation is not a request, so requests merged into it would be hidden. Give it a state first.")
	}
	return nil
}

// Absorb merges the facts of other requests into this one:
//
//   - their tags and contributors are added after its own;
//   - its first response is the earliest of all, and the last activity of its
//     requester is the latest of all;
//   - the rest stays: its title, state, author and values, its creation time, and
//     when it was solved, which is about this request alone.
//
// It does not handle their messages, tickets and children. It returns Refused if
// the request cannot be changed, and Invalid if there would be too many tags or
// contributors.
func (r *Request) Absorb(others []Request, now time.Time) error {
	next := r.Clone()
	for _, o := range others {
		switch {
		case o.MergedInto != nil:
			return Errorf(Refused, "Request %d was already merged into request %d.", o.ID, *o.MergedInto)
		case o.Closed():
			return Errorf(Refused, "Request %d is closed and cannot be changed.", o.ID)
		}
		next.Tags, next.Contributors = union(next.Tags, o.Tags), union(next.Contributors, o.Contributors)
		if next.MailSubject == nil && o.MailSubject != nil {
			next.MailSubject = new(string) // those who wrote by mail go on to get answers
		}
		next.FirstResponseAt = earlier(next.FirstResponseAt, o.FirstResponseAt)
		if o.LastMessageAt.After(next.LastMessageAt) {
			next.LastMessageAt = o.LastMessageAt
		}
	}
	var p Problems
	if len(next.Tags) > MostTags {
		p.Add("request_ids", "would give the request %d tags, but at most %d are allowed", len(next.Tags), MostTags)
	}
	if len(next.Contributors) > mostContributors {
		p.Add("request_ids", "would give the request %d contributors, but at most %d are allowed", len(next.Contributors), mostContributors)
	}
	if err := p.Err(); err != nil {
		return err
	}
	next.UpdatedAt = now
	*r = next
	return nil
}

// MergedWith returns the request after it is merged into another.
func (r Request) MergedWith(into RequestID, now time.Time) Request {
	r.MergedInto, r.UpdatedAt, r.Tickets = &into, now, nil
	return r
}

// AdoptParent sets the parent of the request when others are merged into it. It
// keeps its own parent, unless one of the others is its ancestor. Then it gets the
// parent of the topmost such ancestor, because it takes over the children of the
// others, and a request in between may be one of them. parents holds the ancestors.
func (r *Request) AdoptParent(others []RequestID, parents map[RequestID]*RequestID) {
	for at, seen := r.Parent, 0; at != nil && seen <= len(parents); seen++ {
		above := parents[*at]
		if slices.Contains(others, *at) {
			r.Parent = above
		}
		at = above
	}
}

// union returns list plus the elements of more that it lacks.
func union(list, more []string) []string {
	list = slices.Clone(list)
	for _, item := range more {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// earlier returns the earlier of two times. Either may be missing.
func earlier(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}
