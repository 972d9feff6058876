package service

import (
	"context"
	"slices"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// MergeRequests merges requests into another one, all of which the caller may see.
// Their messages, tickets and children move to it. It returns Refused if one of
// them is closed or already merged.
func (s *Service) MergeRequests(ctx context.Context, c Caller, id desk.RequestID, m desk.Merge) (desk.Request, error) {
	return write(ctx, s, c, desk.MergeRequests, func(tx *store.Tx) (desk.Request, error) {
		r, err := tx.Request(id, c.reach(desk.MergeRequests))
		if err != nil {
			return r, err
		}
		if err := r.Absorbing(); err != nil {
			return r, err
		}
		if err := m.Check(id); err != nil {
			return r, err
		}
		others, err := requestsToMerge(tx, c, m)
		if err != nil {
			return r, err
		}
		before := r.Clone()
		if err := r.Absorb(others, tx.Now); err != nil {
			return r, err
		}
		if r.Parent != nil {
			parents, err := tx.Ancestors(id)
			if err != nil {
				return r, err
			}
			r.AdoptParent(m.Requests, parents)
		}
		return s.merge(tx, c, before, r, others)
	})
}

// requestsToMerge returns the requests that a merge names, in the order of their
// ids.
func requestsToMerge(tx *store.Tx, c Caller, m desk.Merge) ([]desk.Request, error) {
	others, err := tx.RequestsNamed(m.Requests, c.reach(desk.MergeRequests))
	if err != nil {
		return nil, err
	}
	var p desk.Problems
	for _, id := range m.Requests {
		if !slices.ContainsFunc(others, func(r desk.Request) bool { return r.ID == id }) {
			p.Add("request_ids", "must name requests; %d is not one", id)
		}
	}
	return others, p.Err()
}

// merge moves the belongings of others to r and saves all of them.
func (s *Service) merge(tx *store.Tx, c Caller, before, r desk.Request, others []desk.Request) (desk.Request, error) {
	ids := desk.Each(others, func(o desk.Request) desk.RequestID { return o.ID })
	belongings, err := tx.Belongings(append(slices.Clone(ids), r.ID))
	if err != nil {
		return r, err
	}
	moved := desk.Moved{Requests: belongings[:len(ids)], Last: change.LastMessage(belongings)}
	change.KeepOneSurvey(moved.Requests, before.Survey != nil)
	for i, o := range others {
		if err := tx.Move(moved.Requests[i], o.ID, r.ID); err != nil {
			return r, err
		}
		after := o.MergedWith(r.ID, tx.Now)
		if len(moved.Requests[i].Surveys) > 0 {
			after.Survey = nil
		}
		if err := keepPart(tx, c, &moved, desk.RequestMerged, o, after); err != nil {
			return r, err
		}
	}
	if err := adopt(tx, c, &moved, r.ID, ids); err != nil {
		return r, err
	}
	if err := s.change.Suggest(tx, &r); err != nil {
		return r, err
	}
	e := desk.NewHistoryEntry(c.Actor, desk.RequestMerged, before, r, tx.Now)
	e.Links = []desk.FieldChange{{Field: "merged_requests", From: []desk.RequestID{}, To: ids}}
	e.Moved = &moved
	return change.SaveAndReload(tx, &e, before, r)
}

// adopt gives the children of merged requests their new parent.
func adopt(tx *store.Tx, c Caller, moved *desk.Moved, parent desk.RequestID, merged []desk.RequestID) error {
	// The limit leaves room for those that the next statement drops: requests that
	// are merged themselves, and the new parent.
	ids, err := tx.ChildrenOf(merged, desk.MostMovedChildren+desk.MostMerged+2)
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(id desk.RequestID) bool { return id == parent || slices.Contains(merged, id) })
	if len(ids) > desk.MostMovedChildren {
		return desk.Wrong("request_ids", "must name requests with at most %d children together", desk.MostMovedChildren)
	}
	children, err := tx.RequestsNamed(ids, desk.Everything)
	if err != nil {
		return err
	}
	for _, child := range children {
		after := child
		after.Parent, after.UpdatedAt = &parent, tx.Now
		moved.Children = append(moved.Children, desk.MovedChild{Request: child.ID, Parent: *child.Parent})
		if err := keepPart(tx, c, moved, desk.RequestMerged, child, after); err != nil {
			return err
		}
	}
	return nil
}

// keepPart saves another request that a merge changes.
func keepPart(tx *store.Tx, c Caller, moved *desk.Moved, action string, before, after desk.Request) error {
	e := desk.NewHistoryEntry(c.Actor, action, before, after, tx.Now)
	if err := change.SaveChange(tx, &e, before, &after); err != nil {
		return err
	}
	moved.Entries = append(moved.Entries, e.ID)
	return nil
}
