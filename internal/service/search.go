package service

import (
	"context"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/index"
	"frontdesk/internal/store"
)

// SearchRequests returns a page of the conversations that the caller may see and
// that contain the words of a search. If only public text was searched, the
// messages in the result are public too.
func (s *Service) SearchRequests(ctx context.Context, c Caller, q desk.RequestSearch, p desk.Page, withMessages bool) (desk.List[desk.FoundRequest], error) {
	q.Reach = c.reach(desk.SearchRequests)
	return read(ctx, s, c, desk.SearchRequests, func(tx *store.Tx) (l desk.List[desk.FoundRequest], err error) {
		q := q
		if q.Reader, err = readerOf(tx, c, q.RequestFilter); err != nil || !forMe(&q.RequestFilter) {
			return l, err
		}
		if l, err = index.Search(tx, q, p); err != nil {
			return l, err
		}
		return l, addMessages(tx, l.Items, q, withMessages)
	})
}

// addMessages adds the messages of the requests found. If only public text was
// searched, the result must not contain private notes.
func addMessages(tx *store.Tx, found []desk.FoundRequest, q desk.RequestSearch, withMessages bool) error {
	requests := desk.Each(found, func(f desk.FoundRequest) desk.Request { return f.Request })
	if withMessages {
		if err := tx.AddMessages(requests); err != nil {
			return err
		}
	}
	for i, r := range requests {
		if q.OnlyPublic {
			r.Messages = slices.DeleteFunc(r.Messages, func(m desk.Message) bool { return m.Private })
			if r.Row.Last != nil && r.Row.Last.Private {
				r.Row.Last = nil // not even that there is one
			}
		}
		found[i].Request = r
	}
	return nil
}
