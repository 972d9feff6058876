package change

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// CheckFieldDefault returns an Invalid error if the default value of a field is a
// user who does not exist. An unchanged default is not checked.
func CheckFieldDefault(tx *store.Tx, before, after *desk.FieldValue) error {
	if after == nil || after.Type != desk.FieldUser {
		return nil
	}
	var had *string
	if before != nil {
		had = &before.Text
	}
	var p desk.Problems
	if err := checkOwner(tx, &p, "config.default_value", had, &after.Text); err != nil {
		return err
	}
	return p.Err()
}

// CheckFieldUsers adds to p which users in the values do not exist. Values that
// have not changed are not checked. at is the place of the values in the input.
func CheckFieldUsers(tx *store.Tx, p *desk.Problems, at string, before, after desk.FieldValues) error {
	var fields []desk.CustomFieldID
	var ids []string
	for field, v := range after {
		if v.Type == desk.FieldUser && !v.Equal(before[field]) {
			fields, ids = append(fields, field), append(ids, v.Text)
		}
	}
	users, err := tx.KnownUsers(ids)
	if err != nil {
		return err
	}
	slices.Sort(fields)
	for _, field := range fields {
		if !users[after[field].Text] {
			p.Add(fmt.Sprintf("%s.%d", at, field), MustBeActiveUser)
		}
	}
	return nil
}
