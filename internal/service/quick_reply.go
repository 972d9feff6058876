package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// QuickReplies returns a page of the shared quick replies and the caller's own.
func (s *Service) QuickReplies(ctx context.Context, c Caller, p desk.Page) (desk.List[desk.QuickReply], error) {
	return look(ctx, s, c, desk.ListQuickReplies, func(tx *store.Tx) (desk.List[desk.QuickReply], error) { return tx.QuickReplies(c.Actor.ID, p) })
}

// sanitized returns what was given with its HTML reduced to the product's subset.
func sanitized(g desk.GivenQuickReply) desk.GivenQuickReply {
	if g.HTML != nil {
		html := change.FormatHTML(*g.HTML)
		g.HTML = &html
	}
	return g
}

// CreateQuickReply adds a quick reply, for the caller or for everyone. It returns
// Invalid if there are too many.
func (s *Service) CreateQuickReply(ctx context.Context, c Caller, g desk.GivenQuickReply) (desk.QuickReply, error) {
	g = sanitized(g)
	return write(ctx, s, c, desk.CreateQuickReply, func(tx *store.Tx) (r desk.QuickReply, err error) {
		if err := desk.MayKeep(c.Actor.ID, c.Role, c.Actor.ID, false, g.Shared != nil && *g.Shared); err != nil {
			return r, err
		}
		if r, err = g.QuickReply(c.Actor.ID, tx.Now); err != nil {
			return r, err
		}
		return added(tx, c, "quick_reply.created", r, tx.AddQuickReply)
	})
}

// UpdateQuickReply changes a quick reply of the caller. Admins can also change
// shared ones.
func (s *Service) UpdateQuickReply(ctx context.Context, c Caller, id desk.QuickReplyID, g desk.GivenQuickReply) (desk.QuickReply, error) {
	g = sanitized(g)
	return update(ctx, s, c, desk.UpdateQuickReply, "quick_reply.updated", id, c.ownQuickReply, func(tx *store.Tx, before desk.QuickReply, r *desk.QuickReply) error {
		if err := desk.MayKeep(c.Actor.ID, c.Role, r.Member, r.Shared, g.Shared != nil && *g.Shared); err != nil {
			return err
		}
		if err := r.Apply(g, tx.Now); err != nil {
			return err
		}
		if before.Shared != r.Shared {
			if err := tx.CheckRoom(*r); err != nil {
				return err
			}
		}
		return tx.SaveQuickReply(*r)
	})
}

// DeleteQuickReply removes a quick reply of the caller. Admins can also remove
// shared ones.
func (s *Service) DeleteQuickReply(ctx context.Context, c Caller, id desk.QuickReplyID) (None, error) {
	return remove(ctx, s, c, desk.DeleteQuickReply, "quick_reply.deleted", id, c.ownQuickReply, (*store.Tx).RemoveQuickReply)
}

// ownQuickReply finds a quick reply that the caller may change.
func (c Caller) ownQuickReply(tx *store.Tx, id desk.QuickReplyID) (desk.QuickReply, error) {
	r, err := tx.QuickReply(id, c.Actor.ID)
	if err == nil {
		err = desk.MayKeep(c.Actor.ID, c.Role, r.Member, r.Shared, r.Shared)
	}
	return r, err
}
