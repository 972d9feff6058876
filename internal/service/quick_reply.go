package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// QuickReplies returns a page of the shared quick replies and the caller's own.
func (s *Service) QuickReplies(ctx context.Context, c Caller, p desk.Page) (desk.List[desk.ShownQuickReply], error) {
	return look(ctx, s, c, desk.ListQuickReplies, func(tx *store.Tx) (shown desk.List[desk.ShownQuickReply], err error) {
		l, err := tx.QuickReplies(c.Actor.ID, p)
		shown.Next = l.Next
		for _, r := range l.Items {
			shown.Items = append(shown.Items, c.shownQuickReply(r))
		}
		return shown, err
	})
}

func (c Caller) shownQuickReply(r desk.QuickReply) desk.ShownQuickReply {
	return desk.ShownQuickReply{QuickReply: r, Mine: r.Member == c.Actor.ID}
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
func (s *Service) CreateQuickReply(ctx context.Context, c Caller, g desk.GivenQuickReply) (desk.ShownQuickReply, error) {
	g = sanitized(g)
	return write(ctx, s, c, desk.CreateQuickReply, func(tx *store.Tx) (shown desk.ShownQuickReply, err error) {
		if err := desk.MayKeep(c.Actor.ID, c.Role, c.Actor.ID, false, g.Shared != nil && *g.Shared); err != nil {
			return shown, err
		}
		r, err := g.QuickReply(c.Actor.ID, tx.Now)
		if err != nil {
			return shown, err
		}
		if err := tx.CheckRoom(r); err != nil {
			return shown, err
		}
		if err := tx.AddQuickReply(&r); err != nil {
			return shown, err
		}
		return c.shownQuickReply(r), change.Record(tx, c.Actor, "quick_reply.created", nil, r)
	})
}

// UpdateQuickReply changes a quick reply of the caller. Admins can also change
// shared ones.
func (s *Service) UpdateQuickReply(ctx context.Context, c Caller, id desk.QuickReplyID, g desk.GivenQuickReply) (desk.ShownQuickReply, error) {
	g = sanitized(g)
	return write(ctx, s, c, desk.UpdateQuickReply, func(tx *store.Tx) (shown desk.ShownQuickReply, err error) {
		r, err := tx.QuickReply(id, c.Actor.ID)
		if err != nil {
			return shown, err
		}
		before := r
		if err := desk.MayKeep(c.Actor.ID, c.Role, r.Member, r.Shared, g.Shared != nil && *g.Shared); err != nil {
			return shown, err
		}
		if err := r.Apply(g, tx.Now); err != nil {
			return shown, err
		}
		if before.Shared != r.Shared {
			if err := tx.CheckRoom(r); err != nil {
				return shown, err
			}
		}
		if err := tx.SaveQuickReply(r); err != nil {
			return shown, err
		}
		return c.shownQuickReply(r), change.Record(tx, c.Actor, "quick_reply.updated", before, r)
	})
}

// DeleteQuickReply removes a quick reply of the caller. Admins can also remove
// shared ones.
func (s *Service) DeleteQuickReply(ctx context.Context, c Caller, id desk.QuickReplyID) (None, error) {
	return write(ctx, s, c, desk.DeleteQuickReply, func(tx *store.Tx) (None, error) {
		r, err := tx.QuickReply(id, c.Actor.ID)
		if err != nil {
			return None{}, err
		}
		if err := desk.MayKeep(c.Actor.ID, c.Role, r.Member, r.Shared, r.Shared); err != nil {
			return None{}, err
		}
		if err := tx.RemoveQuickReply(id); err != nil {
			return None{}, err
		}
		return None{}, change.Record(tx, c.Actor, "quick_reply.deleted", r, nil)
	})
}
