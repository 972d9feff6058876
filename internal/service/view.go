package service

import (
	"context"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Views returns the shared views and the caller's own, in order.
func (s *Service) Views(ctx context.Context, c Caller) ([]desk.ShownView, error) {
	if err := c.may(desk.ListViews); err != nil {
		return nil, err
	}
	return look(ctx, s, c, func(tx *store.Tx) ([]desk.ShownView, error) {
		views, err := tx.Views(c.Actor.ID)
		shown := make([]desk.ShownView, len(views))
		for i, v := range views {
			shown[i] = c.shownView(v)
		}
		return shown, err
	})
}

func (c Caller) shownView(v desk.View) desk.ShownView {
	return desk.ShownView{View: v, Mine: v.Member == c.Actor.ID}
}

// CreateView adds a view, for the caller or for everyone. It returns Invalid if
// there are too many.
func (s *Service) CreateView(ctx context.Context, c Caller, g desk.GivenView) (desk.ShownView, error) {
	if err := c.may(desk.CreateView); err != nil {
		return desk.ShownView{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (shown desk.ShownView, err error) {
		seen, err := tx.Views(c.Actor.ID)
		if err != nil {
			return shown, err
		}
		last := int64(0)
		if len(seen) > 0 {
			last = seen[len(seen)-1].Position
		}
		if err := desk.MayKeep(c.Actor.ID, c.Role, c.Actor.ID, false, g.Shared != nil && *g.Shared); err != nil {
			return shown, err
		}
		v, err := g.View(c.Actor.ID, last, tx.Now)
		if err != nil {
			return shown, err
		}
		if err := roomForView(tx, v); err != nil {
			return shown, err
		}
		if err := tx.AddView(&v); err != nil {
			return shown, err
		}
		return c.shownView(v), tx.Record(viewChange(c.Actor, "view.created", nil, &v))
	})
}

// roomForView returns Invalid if there is no room for another view.
func roomForView(tx *store.Tx, v desk.View) error {
	room, err := tx.HasRoomForView(v.Member, v.Shared)
	if err == nil && !room {
		err = desk.Errorf(desk.Invalid, "There can be at most %d shared views, and %d of your own.", desk.MostViews, desk.MostViews)
	}
	return err
}

// UpdateView changes a view of the caller. Admins can also change shared ones.
func (s *Service) UpdateView(ctx context.Context, c Caller, id desk.ViewID, g desk.GivenView) (desk.ShownView, error) {
	if err := c.may(desk.UpdateView); err != nil {
		return desk.ShownView{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (shown desk.ShownView, err error) {
		v, err := tx.View(id, c.Actor.ID)
		if err != nil {
			return shown, err
		}
		before := v
		if err := desk.MayKeep(c.Actor.ID, c.Role, v.Member, v.Shared, g.Shared != nil && *g.Shared); err != nil {
			return shown, err
		}
		if err := v.Apply(g, tx.Now); err != nil {
			return shown, err
		}
		if before.Shared != v.Shared {
			if err := roomForView(tx, v); err != nil {
				return shown, err
			}
		}
		if err := tx.SaveView(v); err != nil {
			return shown, err
		}
		return c.shownView(v), tx.Record(viewChange(c.Actor, "view.updated", &before, &v))
	})
}

// DeleteView removes a view of the caller. Admins can also remove shared ones.
func (s *Service) DeleteView(ctx context.Context, c Caller, id desk.ViewID) error {
	if err := c.may(desk.DeleteView); err != nil {
		return err
	}
	_, err := write(ctx, s, c, func(tx *store.Tx) (None, error) {
		v, err := tx.View(id, c.Actor.ID)
		if err != nil {
			return None{}, err
		}
		if err := desk.MayKeep(c.Actor.ID, c.Role, v.Member, v.Shared, v.Shared); err != nil {
			return None{}, err
		}
		if err := tx.RemoveView(id); err != nil {
			return None{}, err
		}
		return None{}, tx.Record(viewChange(c.Actor, "view.deleted", &v, nil))
	})
	return err
}

func viewChange(by desk.Actor, action string, before, after *desk.View) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "View"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}
