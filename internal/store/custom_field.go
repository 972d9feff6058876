package store

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

const customFieldColumns = `id, entity_type, name, description, type, version, last_option_id, max_length, single_line, default_value, ai_prompt, created_at, updated_at`

func scanCustomField(scan scanner) (f desk.CustomField, err error) {
	c := &f.Config
	err = scan(&f.ID, &f.Entity, &f.Name, &f.Description, &f.Type, &f.Version, &c.LastOption, &c.MaxLength, &c.SingleLine, stored.Default(&f), &c.AIPrompt,
		inMS(&f.CreatedAt), inMS(&f.UpdatedAt))
	return f, err
}

// CustomField returns a field that has not been removed.
func (tx *Tx) CustomField(id desk.CustomFieldID) (desk.CustomField, error) {
	f, err := scanCustomField(tx.Row("SELECT "+customFieldColumns+
		" FROM custom_fields WHERE account_id = $1 AND id = $2 AND removed_at IS NULL", tx.Account, id).Scan)
	if err != nil {
		return f, Missing(err, "Custom field")
	}
	one := []desk.CustomField{f}
	err = tx.addOptions(one)
	return one[0], err
}

// CustomFields returns all fields of requests or of customers, oldest first.
func (tx *Tx) CustomFields(of desk.EntityType) ([]desk.CustomField, error) {
	all, err := sqldb.Collect(tx.Tx, scanCustomField, "SELECT "+customFieldColumns+
		" FROM custom_fields WHERE account_id = $1 AND entity_type = $2 AND removed_at IS NULL ORDER BY id LIMIT $3", tx.Account, of, desk.MostCustomFields)
	if err != nil {
		return nil, err
	}
	return all, tx.addOptions(all)
}

// CustomFieldsNamed returns the fields with these ids, by id. Unknown ids are left
// out.
func (tx *Tx) CustomFieldsNamed(ids []desk.CustomFieldID) (map[desk.CustomFieldID]desk.CustomField, error) {
	all, err := lookUp(tx, ids, scanCustomField, "SELECT "+customFieldColumns+" FROM custom_fields WHERE account_id = ? AND removed_at IS NULL AND id IN ")
	if err == nil {
		err = tx.addOptions(all)
	}
	return byKey(all, func(f desk.CustomField) desk.CustomFieldID { return f.ID }), err
}

// addOptions reads the options of all given fields in one query.
func (tx *Tx) addOptions(all []desk.CustomField) error {
	ids, at := placesOf(all, func(f *desk.CustomField) desk.CustomFieldID { return f.ID })
	ids = slices.DeleteFunc(ids, func(id desk.CustomFieldID) bool { return !at[id].Type.HasOptions() })
	return lookUpOf(tx, ids, "SELECT field_id, option_id, value FROM custom_field_options WHERE account_id = ? AND removed_at IS NULL AND field_id IN ",
		" ORDER BY field_id, n", func(scan scanner) (o desk.FieldOption, err error) {
			err = scan(&o.ID, &o.Value)
			return o, err
		}, func(id desk.CustomFieldID, o desk.FieldOption) {
			at[id].Config.Options = append(at[id].Config.Options, o)
		})
}

// AddCustomField inserts a new field and sets its id.
func (tx *Tx) AddCustomField(f *desk.CustomField) error {
	err := tx.Row(`INSERT INTO custom_fields (account_id, entity_type, name, description, type, version, last_option_id, max_length, single_line, default_value, ai_prompt, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id`,
		tx.Account, f.Entity, f.Name, f.Description, f.Type, f.Version, f.Config.LastOption, f.Config.MaxLength, f.Config.SingleLine, stored.Default(f), f.Config.AIPrompt,
		ms(f.CreatedAt), ms(f.UpdatedAt)).Scan(&f.ID)
	if err != nil {
		return fmt.Errorf("add custom field: %w", err)
	}
	return tx.putOptions(*f)
}

// SaveCustomField saves a changed field. Options that it no longer has are removed.
func (tx *Tx) SaveCustomField(f desk.CustomField) error {
	n, err := tx.Exec(`UPDATE custom_fields SET name = $1, description = $2, version = $3, last_option_id = $4, max_length = $5, single_line = $6, default_value = $7, ai_prompt = $8, updated_at = $9
		WHERE account_id = $10 AND id = $11 AND removed_at IS NULL`,
		f.Name, f.Description, f.Version, f.Config.LastOption, f.Config.MaxLength, f.Config.SingleLine, stored.Default(&f), f.Config.AIPrompt,
		ms(f.UpdatedAt), tx.Account, f.ID)
	if err != nil || n == 0 || !f.Type.HasOptions() {
		return err
	}
	if err := tx.Do("UPDATE custom_field_options SET removed_at = $1 WHERE account_id = $2 AND field_id = $3 AND removed_at IS NULL",
		ms(tx.Now), tx.Account, f.ID); err != nil {
		return err
	}
	return tx.putOptions(f)
}

// putOptions saves the options of a field and overwrites the stored ones.
func (tx *Tx) putOptions(f desk.CustomField) error {
	options := tx.insert("INSERT INTO custom_field_options (account_id, field_id, option_id, n, value) VALUES ",
		" ON CONFLICT (account_id, field_id, option_id) DO UPDATE SET n = excluded.n, value = excluded.value, removed_at = NULL")
	for n, o := range f.Config.Options {
		options.Add(tx.Account, f.ID, o.ID, n, o.Value)
	}
	return wrap("put options", options.Flush())
}

// RemoveCustomField removes a field. Its values are no longer shown.
func (tx *Tx) RemoveCustomField(id desk.CustomFieldID) error {
	return tx.Do("UPDATE custom_fields SET removed_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id)
}

// LongestText returns the length in characters of the longest value of a text
// field, or 0 if it has none.
func (tx *Tx) LongestText(id desk.CustomFieldID) (int, error) {
	return one[int](tx,
		"SELECT value_length FROM custom_field_values WHERE account_id = $1 AND field_id = $2 AND value_length IS NOT NULL ORDER BY value_length DESC LIMIT 1",
		tx.Account, id)
}
