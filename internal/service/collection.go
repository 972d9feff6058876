package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Collections returns a page of the collections that the caller has, with their
// channels if wanted.
func (s *Service) Collections(ctx context.Context, c Caller, p desk.Page, withChannels bool) (desk.List[desk.Collection], error) {
	return read(ctx, s, c, desk.ListCollections, func(tx *store.Tx) (desk.List[desk.Collection], error) {
		l, err := tx.Collections(c.reach(desk.ListCollections), p)
		if err == nil && withChannels {
			err = change.AddChannels(tx, l.Items)
		}
		for i, col := range l.Items {
			l.Items[i] = s.change.WithInbound(tx.Account, col)
		}
		return l, err
	})
}

// Collection returns a collection that the caller has, otherwise NotFound.
func (s *Service) Collection(ctx context.Context, c Caller, id desk.CollectionID, withChannels bool) (desk.Collection, error) {
	return read(ctx, s, c, desk.GetCollection, func(tx *store.Tx) (desk.Collection, error) {
		if !c.reach(desk.GetCollection).Has(id) {
			return desk.Collection{}, desk.Missing("Collection")
		}
		col, err := s.collection(tx, id)
		if err != nil || !withChannels {
			return col, err
		}
		one := []desk.Collection{col}
		err = change.AddChannels(tx, one)
		return one[0], err
	})
}

// collection returns a collection with the address to forward its mail to.
func (s *Service) collection(tx *store.Tx, id desk.CollectionID) (desk.Collection, error) {
	col, err := tx.Collection(id)
	return s.change.WithInbound(tx.Account, col), err
}

// CreateCollection adds a collection. The first API collection becomes the one for
// requests made through the API, and the first with mail the one as which the others
// write.
func (s *Service) CreateCollection(ctx context.Context, c Caller, n desk.NewCollection) (desk.Collection, error) {
	n.Email = change.FormatEmailConfig(n.Email)
	return write(ctx, s, c, desk.CreateCollection, func(tx *store.Tx) (desk.Collection, error) {
		col, err := n.Collection(tx.Now)
		if err != nil {
			return col, err
		}
		if err := col.SettleEmail(nil, s.change.Mail.Domain); err != nil {
			return col, err
		}
		if err := change.CheckCollection(tx, desk.Collection{}, col); err != nil {
			return col, err
		}
		if col.CreatedBy, err = tx.UserIDByEmail(c.Actor.Email); err != nil {
			return col, err
		}
		if err := tx.AddCollection(&col); err != nil {
			return col, err
		}
		if err := tx.SaveEmailConfig(desk.Collection{}, col); err != nil {
			return col, err
		}
		col = s.change.WithInbound(tx.Account, col)
		if err := change.JoinNewChannels(tx, desk.Collection{}, col); err != nil {
			return col, err
		}
		if err := change.Record(tx, c.Actor, "collection.created", nil, col); err != nil {
			return col, err
		}
		if err := s.settleEmailCollection(tx, c.Actor, desk.Collection{}, col); err != nil {
			return col, err
		}
		return col, s.settleAPICollection(tx, c.Actor)
	})
}

// UpdateCollection changes a collection.
func (s *Service) UpdateCollection(ctx context.Context, c Caller, id desk.CollectionID, ch desk.CollectionChange) (desk.Collection, error) {
	ch.Email = change.FormatEmailConfig(ch.Email)
	return update(ctx, s, c, desk.UpdateCollection, "collection.updated", id, s.collection, func(tx *store.Tx, before desk.Collection, col *desk.Collection) error {
		if err := col.Apply(ch, tx.Now); err != nil {
			return err
		}
		if err := col.SettleEmail(before.Email, s.change.Mail.Domain); err != nil {
			return err
		}
		*col = s.change.WithInbound(tx.Account, *col)
		if err := change.CheckCollection(tx, before, *col); err != nil {
			return err
		}
		if err := tx.SaveCollection(*col); err != nil {
			return err
		}
		if err := tx.SaveEmailConfig(before, *col); err != nil {
			return err
		}
		if err := s.settleEmailCollection(tx, c.Actor, before, *col); err != nil {
			return err
		}
		if err := change.ApplyRetention(tx, before, *col); err != nil {
			return err
		}
		if err := change.JoinNewChannels(tx, before, *col); err != nil || desk.Same(before.Schedule, col.Schedule) {
			return err
		}
		return recomputeSoon(tx, nil)
	})
}

// DeleteCollection removes a collection. Its channels leave it, and it disappears
// from members' lists. If it was the account's API or email collection, another one
// takes its place.
func (s *Service) DeleteCollection(ctx context.Context, c Caller, id desk.CollectionID) (None, error) {
	none, err := write(ctx, s, c, desk.DeleteCollection, func(tx *store.Tx) (None, error) {
		col, err := s.collection(tx, id)
		if err != nil {
			return None{}, err
		}
		channels, err := tx.ChannelsOf([]desk.CollectionID{id})
		if err != nil {
			return None{}, err
		}
		members, err := tx.MembersWith(id)
		if err != nil {
			return None{}, err
		}
		if err := tx.RemoveCollection(id); err != nil {
			return None{}, err
		}
		if err := tx.SaveEmailConfig(col, desk.Collection{}); err != nil {
			return None{}, err
		}
		if err := change.Record(tx, c.Actor, "collection.deleted", col, nil); err != nil {
			return None{}, err
		}
		if err := change.RecordChannelsLeft(tx, c.Actor, channels); err != nil {
			return None{}, err
		}
		if err := change.RemoveCollectionFromMembers(tx, c.Actor, members, id); err != nil {
			return None{}, err
		}
		if err := s.settleEmailCollection(tx, c.Actor, col, desk.Collection{}); err != nil {
			return None{}, err
		}
		return None{}, s.settleAPICollection(tx, c.Actor)
	})
	if err == nil {
		s.bearers.forgetCollection(id)
	}
	return none, err
}

// settleAPICollection makes the oldest API collection the account's, if the account
// has none or its own was removed.
func (s *Service) settleAPICollection(tx *store.Tx, by desk.Actor) error {
	a, err := tx.ThisAccount()
	if err != nil {
		return err
	}
	if a.APICollection != 0 {
		known, err := tx.KnownCollections([]desk.CollectionID{a.APICollection})
		if err != nil || known[a.APICollection] {
			return err
		}
	}
	before := s.withURL(a)
	after := before
	if after.APICollection, err = tx.OldestCollection(desk.APICollection); err != nil || after.APICollection == before.APICollection {
		return err
	}
	after.UpdatedAt = tx.Now
	if err := tx.SaveAccount(after); err != nil {
		return err
	}
	return change.Record(tx, by, desk.AccountUpdated, before, after)
}

// settleEmailCollection makes a collection the account's email collection if it is
// the first with mail, and the oldest other one if it was the account's and has no
// mail any more.
func (s *Service) settleEmailCollection(tx *store.Tx, by desk.Actor, before, after desk.Collection) error {
	if (before.Email == nil) == (after.Email == nil) {
		return nil
	}
	a, err := tx.ThisAccount()
	if err != nil {
		return err
	}
	id := max(before.ID, after.ID) // one of them may be nothing
	next, err := tx.OtherEmailCollection(id)
	switch {
	case err != nil:
		return err
	case after.Email != nil && (a.EmailCollection != nil || next != nil): // not the first
		return nil
	case after.Email != nil:
		next = &id
	case a.EmailCollection == nil || *a.EmailCollection != id:
		return nil
	}
	was := s.withURL(a)
	is := was
	is.EmailCollection, is.UpdatedAt = next, tx.Now
	if err := tx.SaveAccount(is); err != nil {
		return err
	}
	return change.Record(tx, by, desk.AccountUpdated, was, is)
}
