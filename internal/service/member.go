package service

import (
	"context"
	"fmt"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Members returns a page of the account's members.
func (s *Service) Members(ctx context.Context, c Caller, p desk.Page) (desk.List[desk.Member], error) {
	return look(ctx, s, c, desk.ListMembers, func(tx *store.Tx) (desk.List[desk.Member], error) { return tx.Members(p) })
}

// Member returns one member.
func (s *Service) Member(ctx context.Context, c Caller, id desk.MemberID) (desk.Member, error) {
	return look(ctx, s, c, desk.GetMember, func(tx *store.Tx) (desk.Member, error) { return tx.Member(id) })
}

// CreateMember adds a member. It returns Conflict if the email is taken.
func (s *Service) CreateMember(ctx context.Context, c Caller, n desk.NewMember) (desk.Member, error) {
	return write(ctx, s, c, desk.CreateMember, func(tx *store.Tx) (desk.Member, error) {
		m, err := n.Member(tx.Now)
		if err != nil {
			return m, err
		}
		if err := checkCollections(tx, n.Collections); err != nil {
			return m, err
		}
		if err := tx.AddMember(&m); err != nil {
			return m, err
		}
		return m, change.Record(tx, c.Actor, desk.MemberCreated, nil, m)
	})
}

// UpdateMember changes a member. It refuses to demote the only admin.
func (s *Service) UpdateMember(ctx context.Context, c Caller, id desk.MemberID, ch desk.MemberChange) (desk.Member, error) {
	m, err := update(ctx, s, c, desk.UpdateMember, desk.MemberUpdated, id, (*store.Tx).Member, func(tx *store.Tx, before desk.Member, m *desk.Member) error {
		// Check before Apply: what is not allowed is reported before what is wrong.
		if before.Role == desk.Admin && ch.Demotes() {
			if err := mustHaveOtherAdmin(tx, id); err != nil {
				return err
			}
		}
		if err := m.Apply(ch, tx.Now); err != nil {
			return err
		}
		if err := checkCollections(tx, ch.Collections.Value); err != nil {
			return err
		}
		return tx.SaveMember(*m)
	})
	if err == nil {
		s.bearers.forgetMember(id) // the new role and collections take effect at once
	}
	return m, err
}

// DeleteMember removes a member and revokes their tokens. It refuses to remove the
// only admin.
func (s *Service) DeleteMember(ctx context.Context, c Caller, id desk.MemberID) (None, error) {
	none, err := remove(ctx, s, c, desk.DeleteMember, desk.MemberDeleted, id, expendableMember, (*store.Tx).RemoveMember)
	if err == nil {
		s.bearers.forgetMember(id)
	}
	return none, err
}

// expendableMember finds a member who is not the only admin.
func expendableMember(tx *store.Tx, id desk.MemberID) (desk.Member, error) {
	m, err := tx.Member(id)
	if err == nil && m.Role == desk.Admin {
		err = mustHaveOtherAdmin(tx, id)
	}
	return m, err
}

// checkCollections adds a problem for each collection on a list that does not
// exist.
func checkCollections(tx *store.Tx, list *[]desk.CollectionID) error {
	if list == nil {
		return nil
	}
	known, err := tx.KnownCollections(*list)
	if err != nil {
		return err
	}
	var p desk.Problems
	for i, id := range *list {
		if !known[id] {
			p.Add(fmt.Sprintf("collection_ids[%d]", i), "must be the id of a collection")
		}
	}
	return p.Err()
}

func mustHaveOtherAdmin(tx *store.Tx, id desk.MemberID) error {
	if other, err := tx.HasOtherAdmin(id); err != nil || other {
		return err
	}
	return desk.ErrLastAdmin
}
