package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/preference"
	"frontdesk/internal/store"
)

// Preferences returns what the caller likes.
func (s *Service) Preferences(ctx context.Context, c Caller) (preference.Preferences, error) {
	return look(ctx, s, c, desk.GetPreferences, func(tx *store.Tx) (preference.Preferences, error) { return tx.Preferences(c.Actor.ID) })
}

// UpdatePreferences changes what the caller likes. Neither the feed nor the audit log
// has it, because it affects nobody else.
func (s *Service) UpdatePreferences(ctx context.Context, c Caller, g preference.Given) (preference.Preferences, error) {
	return write(ctx, s, c, desk.UpdatePreferences, func(tx *store.Tx) (preference.Preferences, error) {
		p, err := tx.Preferences(c.Actor.ID)
		if err != nil {
			return p, err
		}
		if err := p.Apply(g); err != nil {
			return p, err
		}
		return p, tx.SavePreferences(c.Actor.ID, p)
	})
}
