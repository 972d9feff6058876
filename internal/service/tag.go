package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Tags returns tags of requests that the caller may see, to choose from.
func (s *Service) Tags(ctx context.Context, c Caller, w desk.TagQuery) ([]desk.Tag, error) {
	w.Reach = c.reach(desk.ListTags)
	return look(ctx, s, c, desk.ListTags, func(tx *store.Tx) ([]desk.Tag, error) { return tx.Tags(w) })
}
