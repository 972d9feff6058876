package service

import (
	"context"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/saved"
	"frontdesk/internal/store"
)

// Views returns the shared views and the caller's own, in order.
func (s *Service) Views(ctx context.Context, c Caller) ([]desk.View, error) {
	return look(ctx, s, c, desk.ListViews, func(tx *store.Tx) ([]desk.View, error) { return saved.Views(tx, c.Actor.ID) })
}

// CountViews counts the requests of some lists, within what the caller may see.
func (s *Service) CountViews(ctx context.Context, c Caller, lists []desk.RequestList) ([]desk.RequestCount, error) {
	return read(ctx, s, c, desk.CountViews, func(tx *store.Tx) (_ []desk.RequestCount, err error) {
		lists, reader := slices.Clone(lists), desk.Reader{Member: c.Actor.ID}
		if slices.ContainsFunc(lists, func(l desk.RequestList) bool { return l.Mine || l.Unread }) {
			if reader, err = tx.Reader(c.Actor.ID); err != nil {
				return nil, err
			}
		}
		for i := range lists {
			l := &lists[i]
			l.Reader, l.Reach = reader, c.reach(desk.CountViews)
			if !forMe(&l.RequestFilter) {
				l.Reach = desk.Reach{}
			}
		}
		return tx.CountRequests(lists)
	})
}

// CreateView adds a view, for the caller or for everyone. It returns Invalid if
// there are too many.
func (s *Service) CreateView(ctx context.Context, c Caller, g desk.GivenView) (desk.View, error) {
	return write(ctx, s, c, desk.CreateView, func(tx *store.Tx) (v desk.View, err error) {
		seen, err := saved.Views(tx, c.Actor.ID)
		if err != nil {
			return v, err
		}
		last := int64(0)
		if len(seen) > 0 {
			last = seen[len(seen)-1].Position
		}
		if err := desk.MayKeep(c.Actor.ID, c.Role, c.Actor.ID, false, g.Shared != nil && *g.Shared); err != nil {
			return v, err
		}
		if v, err = g.View(c.Actor.ID, last, tx.Now); err != nil {
			return v, err
		}
		return added(tx, c, "view.created", v, func(n *desk.View) error { return saved.AddView(tx, n) })
	})
}

// UpdateView changes a view of the caller. Admins can also change shared ones.
func (s *Service) UpdateView(ctx context.Context, c Caller, id desk.ViewID, g desk.GivenView) (desk.View, error) {
	return update(ctx, s, c, desk.UpdateView, "view.updated", id, c.ownView, func(tx *store.Tx, before desk.View, v *desk.View) error {
		if err := desk.MayKeep(c.Actor.ID, c.Role, v.Member, v.Shared, g.Shared != nil && *g.Shared); err != nil {
			return err
		}
		if err := v.Apply(g, tx.Now); err != nil {
			return err
		}
		if before.Shared != v.Shared {
			if err := tx.CheckRoom(*v); err != nil {
				return err
			}
		}
		return saved.SaveView(tx, *v)
	})
}

// DeleteView removes a view of the caller. Admins can also remove shared ones.
func (s *Service) DeleteView(ctx context.Context, c Caller, id desk.ViewID) (None, error) {
	return remove(ctx, s, c, desk.DeleteView, "view.deleted", id, c.ownView, saved.RemoveView)
}

// ownView finds a view that the caller may change.
func (c Caller) ownView(tx *store.Tx, id desk.ViewID) (desk.View, error) {
	v, err := saved.View(tx, id, c.Actor.ID)
	if err == nil {
		err = desk.MayKeep(c.Actor.ID, c.Role, v.Member, v.Shared, v.Shared)
	}
	return v, err
}
