package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// CustomFields returns all custom fields of requests, or of customers.
func (s *Service) CustomFields(ctx context.Context, c Caller, of desk.EntityType) ([]desk.CustomField, error) {
	return read(ctx, s, c, desk.ListCustomFields, func(tx *store.Tx) ([]desk.CustomField, error) { return tx.CustomFields(of) })
}

// CreateCustomField adds a custom field.
func (s *Service) CreateCustomField(ctx context.Context, c Caller, n desk.NewCustomField) (desk.CustomField, error) {
	return write(ctx, s, c, desk.CreateCustomField, func(tx *store.Tx) (desk.CustomField, error) {
		f, err := n.CustomField(tx.Now)
		if err != nil {
			return f, err
		}
		if err := tx.CheckRoom(f); err != nil {
			return f, err
		}
		if err := change.CheckFieldDefault(tx, nil, f.Config.Default); err != nil {
			return f, err
		}
		if err := tx.AddCustomField(&f); err != nil {
			return f, err
		}
		return f, change.Record(tx, c.Actor, "custom_field.created", nil, f)
	})
}

// UpdateCustomField changes a custom field. Values that name a removed option stay.
// It returns Invalid if a stored text would be longer than the field allows.
func (s *Service) UpdateCustomField(ctx context.Context, c Caller, id desk.CustomFieldID, ch desk.CustomFieldChange) (desk.CustomField, error) {
	return write(ctx, s, c, desk.UpdateCustomField, func(tx *store.Tx) (f desk.CustomField, err error) {
		if f, err = tx.CustomField(id); err != nil {
			return f, err
		}
		before := f // Apply replaces what it changes
		if err := f.Apply(ch, tx.Now); err != nil {
			return f, err
		}
		if f.Config.MaxLength < before.Config.MaxLength {
			longest, err := tx.LongestText(id)
			if err != nil {
				return f, err
			}
			if longest > f.Config.MaxLength {
				var p desk.Problems
				p.Add("config.max_length", "must be at least %d: a value has that many characters", longest)
				return f, p.Err()
			}
		}
		if err := change.CheckFieldDefault(tx, before.Config.Default, f.Config.Default); err != nil {
			return f, err
		}
		if err := tx.SaveCustomField(f); err != nil {
			return f, err
		}
		return f, change.Record(tx, c.Actor, "custom_field.updated", before, f)
	})
}

// DeleteCustomField removes a custom field and all values in it. What was recorded
// about it stays.
func (s *Service) DeleteCustomField(ctx context.Context, c Caller, id desk.CustomFieldID) (None, error) {
	return write(ctx, s, c, desk.DeleteCustomField, func(tx *store.Tx) (None, error) {
		f, err := tx.CustomField(id)
		if err != nil {
			return None{}, err
		}
		if err := tx.RemoveCustomField(id); err != nil {
			return None{}, err
		}
		return None{}, change.Record(tx, c.Actor, "custom_field.deleted", f, nil)
	})
}
