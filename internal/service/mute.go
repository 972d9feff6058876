package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Mute returns whether the caller has muted a collection that they have.
func (s *Service) Mute(ctx context.Context, c Caller, id desk.CollectionID) (desk.Mute, error) {
	return read(ctx, s, c, desk.GetMute, func(tx *store.Tx) (desk.Mute, error) {
		if err := c.has(tx, desk.GetMute, id); err != nil {
			return desk.Mute{}, err
		}
		return tx.Mute(id, c.Actor.ID)
	})
}

// MuteCollection stops notifying the caller about a collection. If it is muted
// already, nothing changes.
func (s *Service) MuteCollection(ctx context.Context, c Caller, id desk.CollectionID) (None, error) {
	return s.saveMute(ctx, c, desk.MuteCollection, id, desk.Mute{Muted: true})
}

// UnmuteCollection notifies the caller about a collection again.
func (s *Service) UnmuteCollection(ctx context.Context, c Caller, id desk.CollectionID) (None, error) {
	return s.saveMute(ctx, c, desk.UnmuteCollection, id, desk.Mute{})
}

// saveMute saves and records a change. The feed does not report it, because it
// affects nobody else.
func (s *Service) saveMute(ctx context.Context, c Caller, op desk.Operation, id desk.CollectionID, m desk.Mute) (None, error) {
	return write(ctx, s, c, op, func(tx *store.Tx) (None, error) {
		if err := c.has(tx, op, id); err != nil {
			return None{}, err
		}
		before, err := tx.Mute(id, c.Actor.ID)
		if err != nil || before == m {
			return None{}, err
		}
		if err := tx.SaveMute(id, c.Actor.ID, m); err != nil {
			return None{}, err
		}
		action := "collection.muted"
		if !m.Muted {
			action = "collection.unmuted"
		}
		return None{}, tx.Record(desk.Change{By: c.Actor, Action: action, Resource: "Collection", ID: desk.FormatID(id), Before: before, After: m})
	})
}

// has returns NotFound if the caller does not have a collection.
func (c Caller) has(tx *store.Tx, op desk.Operation, id desk.CollectionID) error {
	if !c.reach(op).Has(id) {
		return desk.Missing("Collection")
	}
	known, err := tx.KnownCollections([]desk.CollectionID{id})
	if err == nil && !known[id] {
		err = desk.Missing("Collection")
	}
	return err
}
