package store

import (
	"fmt"
	"unicode/utf8"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// fieldValues returns the values of some requests or customers, by their ids,
// without those of removed fields.
func fieldValues[ID ~int64](tx *Tx, of desk.EntityType, ids []ID) (map[ID]desk.FieldValues, error) {
	all := make(map[ID]desk.FieldValues, len(ids))
	if len(ids) == 0 {
		return all, nil
	}
	var q query
	q.Add(`SELECT v.entity_id, v.field_id, f.type, v.value FROM custom_field_values v
		JOIN custom_fields f ON f.account_id = v.account_id AND f.id = v.field_id AND f.removed_at IS NULL
		WHERE v.account_id = ? AND v.entity_type = ? AND v.entity_id IN `, tx.Account, of)
	sqldb.In(&q, ids)
	options := false
	err := tx.Each(func(scan scanner) error {
		var id ID
		var field desk.CustomFieldID
		var v desk.FieldValue
		if err := scan(&id, &field, &v.Type, &v.Text); err != nil {
			return err
		}
		if all[id] == nil {
			all[id] = desk.FieldValues{}
		}
		all[id][field] = v
		options = options || v.Type.HasOptions()
		return nil
	}, q.String(), q.Args()...)
	if err != nil || !options {
		return all, err
	}
	return all, addChoices(tx, of, ids, all)
}

// addChoices reads the options that values name. The rows include those of removed
// fields.
func addChoices[ID ~int64](tx *Tx, of desk.EntityType, ids []ID, all map[ID]desk.FieldValues) error {
	var q query
	q.Add("SELECT entity_id, field_id, option_id FROM custom_field_choices WHERE account_id = ? AND entity_type = ? AND entity_id IN ", tx.Account, of)
	sqldb.In(&q, ids)
	q.Add(" ORDER BY entity_id, field_id, n")
	return tx.Each(func(scan scanner) error {
		var id ID
		var field desk.CustomFieldID
		var option desk.OptionID
		if err := scan(&id, &field, &option); err != nil {
			return err
		}
		if v, shown := all[id][field]; shown {
			v.Options = append(v.Options, option)
			all[id][field] = v
		}
		return nil
	}, q.String(), q.Args()...)
}

// saveFieldValues saves the difference between two states of the values of a
// request or customer.
func (tx *Tx) saveFieldValues(of desk.EntityType, id int64, before, after desk.FieldValues) error {
	var gone []desk.CustomFieldID // including those that changed
	for field, v := range before {
		if now, ok := after[field]; !ok || !now.Equal(v) {
			gone = append(gone, field)
		}
	}
	if of == desk.EntityRequest && (len(gone) > 0 || len(after) > len(before)) {
		tx.count(desk.RequestID(id))
	}
	if err := tx.removeFieldValues(of, id, gone); err != nil {
		return fmt.Errorf("save custom field values: %w", err)
	}
	added := tx.newValueRows(of)
	added.add(id, before, after)
	return added.flush()
}

// valueRows inserts values of many requests or customers.
type valueRows struct {
	account         desk.AccountID
	of              desk.EntityType
	values, choices *sqldb.Insert
}

func (tx *Tx) newValueRows(of desk.EntityType) valueRows {
	return valueRows{tx.Account, of,
		tx.insert("INSERT INTO custom_field_values (account_id, entity_type, entity_id, field_id, value, value_length, value_number, value_day, value_user, value_folded) VALUES "),
		tx.insert("INSERT INTO custom_field_choices (account_id, entity_type, entity_id, field_id, option_id, n) VALUES ")}
}

// add adds the values that differ from before.
func (r valueRows) add(id int64, before, after desk.FieldValues) {
	for field, v := range after {
		if was, ok := before[field]; ok && was.Equal(v) {
			continue
		}
		var length, day *int64
		var number *float64
		var user, folded *string
		switch v.Type {
		case desk.FieldText:
			n := int64(utf8.RuneCountInString(v.Text))
			low := desk.Fold(v.Text)
			length, folded = &n, &low
		case desk.FieldNumber:
			n := v.Number()
			number = &n
		case desk.FieldDate:
			n := ms(v.Day())
			day = &n
		case desk.FieldUser:
			user = &v.Text
		}
		r.values.Add(r.account, r.of, id, field, v.Text, length, number, day, user, folded)
		for n, option := range v.Options {
			r.choices.Add(r.account, r.of, id, field, option, n)
		}
	}
}

func (r valueRows) flush() error {
	return wrap("save custom field values", sqldb.Flush(r.values, r.choices))
}

func (tx *Tx) removeFieldValues(of desk.EntityType, id int64, fields []desk.CustomFieldID) error {
	if len(fields) == 0 {
		return nil
	}
	for _, statement := range []string{
		"DELETE FROM custom_field_choices WHERE account_id = ? AND entity_type = ? AND entity_id = ? AND field_id IN ",
		"DELETE FROM custom_field_values WHERE account_id = ? AND entity_type = ? AND entity_id = ? AND field_id IN ",
	} {
		var q query
		q.Add(statement, tx.Account, of, id)
		sqldb.In(&q, fields)
		if err := tx.Do(q.String(), q.Args()...); err != nil {
			return err
		}
	}
	return nil
}
