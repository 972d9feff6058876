package service

import (
	"context"
	"strconv"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// QuickReplies returns a page of the shared quick replies and the caller's own.
func (s *Service) QuickReplies(ctx context.Context, c Caller, p desk.Page) (desk.List[desk.ShownQuickReply], error) {
	if err := c.may(desk.ListQuickReplies); err != nil {
		return desk.List[desk.ShownQuickReply]{}, err
	}
	return look(ctx, s, c, func(tx *store.Tx) (shown desk.List[desk.ShownQuickReply], err error) {
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
	if err := c.may(desk.CreateQuickReply); err != nil {
		return desk.ShownQuickReply{}, err
	}
	g = sanitized(g)
	return write(ctx, s, c, func(tx *store.Tx) (shown desk.ShownQuickReply, err error) {
		if err := desk.MayKeep(c.Actor.ID, c.Role, c.Actor.ID, false, g.Shared != nil && *g.Shared); err != nil {
			return shown, err
		}
		r, err := g.QuickReply(c.Actor.ID, tx.Now)
		if err != nil {
			return shown, err
		}
		if err := roomForQuickReply(tx, r); err != nil {
			return shown, err
		}
		if err := tx.AddQuickReply(&r); err != nil {
			return shown, err
		}
		return c.shownQuickReply(r), tx.Record(quickReplyChange(c.Actor, "quick_reply.created", nil, &r))
	})
}

// roomForQuickReply returns Invalid if there is no room for another quick reply.
func roomForQuickReply(tx *store.Tx, r desk.QuickReply) error {
	room, err := tx.HasRoomForQuickReply(r.Member, r.Shared)
	if err == nil && !room {
		err = desk.Errorf(desk.Invalid, "There can be at most %d shared quick replies, and %d of your own.", desk.MostQuickReplies, desk.MostQuickReplies)
	}
	return err
}

// UpdateQuickReply changes a quick reply of the caller. Admins can also change
// shared ones.
func (s *Service) UpdateQuickReply(ctx context.Context, c Caller, id desk.QuickReplyID, g desk.GivenQuickReply) (desk.ShownQuickReply, error) {
	if err := c.may(desk.UpdateQuickReply); err != nil {
		return desk.ShownQuickReply{}, err
	}
	g = sanitized(g)
	return write(ctx, s, c, func(tx *store.Tx) (shown desk.ShownQuickReply, err error) {
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
			if err := roomForQuickReply(tx, r); err != nil {
				return shown, err
			}
		}
		if err := tx.SaveQuickReply(r); err != nil {
			return shown, err
		}
		return c.shownQuickReply(r), tx.Record(quickReplyChange(c.Actor, "quick_reply.updated", &before, &r))
	})
}

// DeleteQuickReply removes a quick reply of the caller. Admins can also remove
// shared ones.
func (s *Service) DeleteQuickReply(ctx context.Context, c Caller, id desk.QuickReplyID) error {
	if err := c.may(desk.DeleteQuickReply); err != nil {
		return err
	}
	_, err := write(ctx, s, c, func(tx *store.Tx) (None, error) {
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
		return None{}, tx.Record(quickReplyChange(c.Actor, "quick_reply.deleted", &r, nil))
	})
	return err
}

func quickReplyChange(by desk.Actor, action string, before, after *desk.QuickReply) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "QuickReply"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}
