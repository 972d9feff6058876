package desk

import (
	"slices"
	"time"
)

const (
	// MostMerged bounds how many requests are merged into another at once.
	MostMerged = 20
	// MostMovedChildren bounds the children that they have.
	MostMovedChildren = 100
)

// Merge says which requests are to be merged into another.
type Merge struct {
	Body
	Requests []RequestID
}

// Check says what is wrong with it by itself.
func (m Merge) Check(into RequestID) error {
	if m.Problem != nil {
		return m.Problem
	}
	var p Problems
	if n := len(m.Requests); n < 1 || n > MostMerged {
		p.Add("request_ids", "must name 1 to %d requests; there are %d", MostMerged, n)
		return p.Err()
	}
	for i, id := range m.Requests {
		switch {
		case id == into:
			p.Add("request_ids", "must not name the request itself")
		case slices.Index(m.Requests, id) < i:
			p.Add("request_ids", "must name each request once; %d is there twice", id)
		}
	}
	return p.Err()
}

// Moved is what a merge or a split took from one request to another: what the
// way back needs.
type Moved struct {
	Requests []MovedRequest   // those that were merged, or the one that was split off
	Children []MovedChild     // that have another parent since
	Last     MessageID        // the newest message that there was then
	Entries  []HistoryEntryID // what the histories of the others tell of it
}

// MovedRequest is what was moved from a request that was merged, or to one that
// was split off. Tickets are rows: a native ticket's number is something else.
type MovedRequest struct {
	Request  RequestID
	Messages []MessageID
	Tickets  []int64
	Surveys  []SurveyID // one at most
	Sessions []AgentSessionID
}

// MovedChild is a request, and what its parent was.
type MovedChild struct{ Request, Parent RequestID }

// Changeable is nil, or says why nothing of the request can be changed.
func (r Request) Changeable() error {
	switch {
	case r.MergedInto != nil:
		return Errorf(Refused, "The request was merged into request %d and cannot be changed. Change that one, or undo the merge there.", *r.MergedInto)
	case r.State != nil && *r.State == Closed:
		return ErrClosed
	}
	return nil
}

// Absorbing is nil, or says why nothing can be merged into the request.
func (r Request) Absorbing() error {
	if err := r.Changeable(); err != nil {
		return err
	}
	if r.State == nil {
		return Errorf(Refused, "The conversation is no request, and what is merged into it would be out of sight. Give it a state first.")
	}
	return nil
}

// Absorb is what becomes of the request when others are merged into it:
//
//   - it gets their tags and contributors, behind its own;
//   - it was first answered when the first of them all was, and its requester
//     was last active when the last of them all was;
//   - the rest stays: its title, state, author and values, when it was made,
//     and when it was solved, which says something of this request alone.
//
// Their messages, tickets and children are not its own business. It gives
// Refused for one that cannot be changed, and Invalid where there would be too
// many tags or contributors.
func (r *Request) Absorb(others []Request, now time.Time) error {
	next := r.Clone()
	for _, o := range others {
		switch {
		case o.MergedInto != nil:
			return Errorf(Refused, "Request %d was merged into request %d already.", o.ID, *o.MergedInto)
		case o.State != nil && *o.State == Closed:
			return Errorf(Refused, "Request %d is closed and cannot be changed.", o.ID)
		}
		next.Tags, next.Contributors = union(next.Tags, o.Tags), union(next.Contributors, o.Contributors)
		next.FirstResponseAt = earlier(next.FirstResponseAt, o.FirstResponseAt)
		if o.LastMessageAt.After(next.LastMessageAt) {
			next.LastMessageAt = o.LastMessageAt
		}
	}
	var p Problems
	if len(next.Tags) > mostTags {
		p.Add("request_ids", "would give the request %d tags, and at most %d are possible", len(next.Tags), mostTags)
	}
	if len(next.Contributors) > mostContributors {
		p.Add("request_ids", "would give the request %d contributors, and at most %d are possible", len(next.Contributors), mostContributors)
	}
	if err := p.Err(); err != nil {
		return err
	}
	next.UpdatedAt = now
	*r = next
	return nil
}

// MergedWith is the request once it is merged into another.
func (r Request) MergedWith(into RequestID, now time.Time) Request {
	r.MergedInto, r.UpdatedAt, r.Tickets = &into, now, nil
	return r
}

// AdoptParent finds a parent for the request when others are merged into it: its
// own, unless one of the others is an ancestor of it. Then it is the parent of
// the uppermost of those; the children of all of them are its own from now on,
// and among them may be whoever stood between. parents has the ancestors.
func (r *Request) AdoptParent(others []RequestID, parents map[RequestID]*RequestID) {
	for at, seen := r.Parent, 0; at != nil && seen <= len(parents); seen++ {
		above := parents[*at]
		if slices.Contains(others, *at) {
			r.Parent = above
		}
		at = above
	}
}

// union is a list with what another has beyond it.
func union(list, more []string) []string {
	list = slices.Clone(list)
	for _, item := range more {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// earlier is the earlier of two times, of which either may be missing.
func earlier(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}
