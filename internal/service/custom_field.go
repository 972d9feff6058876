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
		return added(tx, c, "custom_field.created", f, func(f *desk.CustomField) error {
			if err := change.CheckFieldDefault(tx, nil, f.Config.Default); err != nil {
				return err
			}
			return tx.AddCustomField(f)
		})
	})
}

// UpdateCustomField changes a custom field. Values that name a removed option stay.
// It returns Invalid if a stored text would be longer than the field allows.
func (s *Service) UpdateCustomField(ctx context.Context, c Caller, id desk.CustomFieldID, ch desk.CustomFieldChange) (desk.CustomField, error) {
	return update(ctx, s, c, desk.UpdateCustomField, "custom_field.updated", id, (*store.Tx).CustomField, func(tx *store.Tx, before desk.CustomField, f *desk.CustomField) error {
		if err := f.Apply(ch, tx.Now); err != nil {
			return err
		}
		if f.Config.MaxLength < before.Config.MaxLength {
			longest, err := tx.LongestText(id)
			if err != nil {
				return err
			}
			if longest > f.Config.MaxLength {
				return desk.Wrong("config.max_length", "must be at least %d: a value has that many characters", longest)
			}
		}
		if err := change.CheckFieldDefault(tx, before.Config.Default, f.Config.Default); err != nil {
			return err
		}
		return tx.SaveCustomField(*f)
	})
}

// DeleteCustomField removes a custom field and all values in it. What was recorded
// about it stays.
func (s *Service) DeleteCustomField(ctx context.Context, c Caller, id desk.CustomFieldID) (None, error) {
	return remove(ctx, s, c, desk.DeleteCustomField, "custom_field.deleted", id, (*store.Tx).CustomField, (*store.Tx).RemoveCustomField)
}
