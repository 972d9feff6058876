package service

import (
	"context"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// SearchRequests is a page of the conversations that the caller may see and that
// have the words of a search. Messages that come with it are public, too, where
// only public text was searched.
func (s *Service) SearchRequests(ctx context.Context, c Caller, q desk.RequestSearch, p desk.Page, withMessages bool) (desk.List[desk.FoundRequest], error) {
	if err := c.may(desk.SearchRequests); err != nil {
		return desk.List[desk.FoundRequest]{}, err
	}
	q.Reach = c.reach(desk.SearchRequests)
	return read(ctx, s, c, func(tx *store.Tx) (l desk.List[desk.FoundRequest], err error) {
		q := q
		if q.Reader, err = readerOf(tx, c, q.RequestFilter); err != nil || !forMe(&q.RequestFilter) {
			return l, err
		}
		if l, err = tx.SearchRequests(q, p); err != nil {
			return l, err
		}
		return l, addMessages(tx, l.Items, q, withMessages)
	})
}

// addMessages adds to requests that were found their messages. Of private notes
// there is nothing in it where only public text was searched.
func addMessages(tx *store.Tx, found []desk.FoundRequest, q desk.RequestSearch, withMessages bool) error {
	requests := make([]desk.Request, len(found))
	for i, f := range found {
		requests[i] = f.Request
	}
	if withMessages {
		if err := tx.AddMessages(requests); err != nil {
			return err
		}
	}
	for i, r := range requests {
		if q.OnlyPublic {
			r.Messages = slices.DeleteFunc(r.Messages, func(m desk.Message) bool { return m.Private })
			if r.Row.Last != nil && r.Row.Last.Private {
				r.Row.Last = nil // nor that there is one
			}
		}
		found[i].Request = r
	}
	return nil
}

// Reindex has the search index of every account put anew in the background.
func (s *Service) Reindex(ctx context.Context) error { return s.store.ForgetIndexes(ctx) }
