package store_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// addCustomField adds a custom field for customers.
func addCustomField(tx *store.Tx, kind desk.FieldType, options ...string) (desk.CustomField, error) {
	n := desk.NewCustomField{Name: "F", Type: kind, Entity: desk.EntityCustomer}
	if kind.HasOptions() {
		n.Config.Options = &[]desk.GivenOption{}
		for _, o := range options {
			*n.Config.Options = append(*n.Config.Options, desk.GivenOption{Value: o})
		}
	}
	f, err := n.CustomField(tx.Now)
	if err != nil {
		return f, err
	}
	err = tx.AddCustomField(&f)
	return f, err
}

// A field is stored as given. A change replaces it. A removed field is not shown,
// but its row stays.
func TestCustomFieldsAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, c *clock) {
		account, _ := newAccount(t, s, "Acme")
		kept := []desk.CustomField{
			{Entity: desk.EntityCustomer, Name: "Plan", Type: desk.FieldSelect, Version: 1, Description: ptr("<b>"), Config: desk.FieldConfig{
				Options: []desk.FieldOption{{ID: 2, Value: "b"}, {ID: 1, Value: "a"}}, LastOption: 3, AIPrompt: ptr("?"),
				Default: &desk.FieldValue{Type: desk.FieldSelect, Options: []desk.OptionID{2}}}},
			{Entity: desk.EntityCustomer, Name: "Tags", Type: desk.FieldMultiSelect, Version: 7, Config: desk.FieldConfig{
				Options: []desk.FieldOption{{ID: 1, Value: "x"}}, LastOption: 1}},
			{Entity: desk.EntityCustomer, Name: "Empty", Type: desk.FieldSelect, Version: 1},
			{Entity: desk.EntityCustomer, Name: "Text", Type: desk.FieldText, Version: 1, Config: desk.FieldConfig{
				MaxLength: 3000, SingleLine: ptr(false), Default: &desk.FieldValue{Type: desk.FieldText, Text: "'\"\\"}}},
			{Entity: desk.EntityCustomer, Name: "Number", Type: desk.FieldNumber, Version: 1, Config: desk.FieldConfig{
				Default: &desk.FieldValue{Type: desk.FieldNumber, Text: "9007199254740993.50"}}},
		}
		request := desk.CustomField{Entity: desk.EntityRequest, Name: "Due", Type: desk.FieldDate, Version: 1, CreatedAt: c.Now(), UpdatedAt: c.Now()}
		write(t, s, account.ID, func(tx *store.Tx) error {
			for i := range kept {
				kept[i].CreatedAt, kept[i].UpdatedAt = tx.Now, tx.Now
				if err := tx.AddCustomField(&kept[i]); err != nil {
					return err
				}
			}
			return tx.AddCustomField(&request)
		})
		same := func(want ...desk.CustomField) {
			t.Helper()
			read(t, s, account.ID, func(tx *store.Tx) error {
				got, err := tx.CustomFields(desk.EntityCustomer)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("listed %+v, %v\nwant %+v", got, err, want)
				}
				ids := []desk.CustomFieldID{request.ID, 999999}
				for _, w := range want {
					if got, err := tx.CustomField(w.ID); err != nil || !reflect.DeepEqual(got, w) {
						t.Errorf("got %+v, %v\nwant %+v", got, err, w)
					}
					ids = append(ids, w.ID)
				}
				named, err := tx.CustomFieldsNamed(ids)
				if err != nil || len(named) != len(want)+1 || !reflect.DeepEqual(named[request.ID], request) {
					t.Errorf("named %+v, %v", named, err)
				}
				return nil
			})
		}
		same(kept...)

		c.move(time.Minute)
		changed := kept[0]
		changed.Name, changed.Version, changed.Description, changed.UpdatedAt = "Tier", 2, nil, c.Now()
		changed.Config = desk.FieldConfig{Options: []desk.FieldOption{{ID: 1, Value: "A"}, {ID: 4, Value: "d"}}, LastOption: 4}
		kept[0] = changed
		kept[3].Config = desk.FieldConfig{MaxLength: 10}
		write(t, s, account.ID, func(tx *store.Tx) error {
			for _, f := range kept {
				if err := tx.SaveCustomField(f); err != nil {
					return err
				}
			}
			return nil
		})
		same(kept...)
		// A removed option keeps its name, for values that name it.
		if got := rows(t, s, "SELECT option_id, value FROM custom_field_options WHERE field_id = $1 AND removed_at IS NOT NULL", kept[0].ID); !slices.Equal(got, []string{`option_id="2" value="b" `}) {
			t.Errorf("removed options: %q", got)
		}

		write(t, s, account.ID, func(tx *store.Tx) error {
			if err := tx.RemoveCustomField(kept[0].ID); err != nil {
				return err
			}
			return tx.SaveCustomField(kept[0]) // a removed field is not saved again
		})
		same(kept[1:]...)
		read(t, s, account.ID, func(tx *store.Tx) error {
			if _, err := tx.CustomField(kept[0].ID); desk.KindOf(err) != desk.NotFound {
				t.Errorf("the removed field: %v", err)
			}
			return nil
		})
	})
}
