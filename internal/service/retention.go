package service

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/privacy"
	"frontdesk/internal/store"
)

// PreviewRetention says what a retention of a collection would delete; nil stands for
// the one that the collection has.
func (s *Service) PreviewRetention(ctx context.Context, c Caller, id desk.CollectionID, given *desk.Retention) (desk.RetentionPreview, error) {
	return read(ctx, s, c, desk.PreviewRetention, func(tx *store.Tx) (p desk.RetentionPreview, err error) {
		col, err := tx.Collection(id)
		if err != nil {
			return p, err
		}
		r := col.Retention
		if given != nil {
			if err := given.Check(); err != nil {
				return p, err
			}
			r = *given
		}
		return privacy.PreviewRetention(tx, id, r)
	})
}
