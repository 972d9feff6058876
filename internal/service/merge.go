package service

import (
	"context"
	"slices"

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
		return s.change.Merge(tx, c.Actor, before, r, others)
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
