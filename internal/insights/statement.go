package insights

import (
	"fmt"

	"frontdesk/internal/sqldb"
)

// statement is a statement on facts under construction.
type statement struct{ sqldb.Query }

// given adds an argument that a caller gave. A number may be a fraction, even where
// it is compared with integers. PostgreSQL would otherwise round it.
func (s *statement) given(v any) {
	if _, ok := v.(float64); ok {
		s.Add("CAST(? AS DOUBLE PRECISION)", v)
	} else {
		s.Add("?", v)
	}
}

// value writes the value that a member is compared by. A custom field's value is in
// its own table.
func (s *statement) value(m Member, compare func(v string)) {
	if m.field == 0 {
		compare(m.column())
		return
	}
	table, column := "custom_field_values", "x."+m.sql
	if m.kind == option {
		table, column = "custom_field_choices", "x.option_id"
	}
	s.Add("EXISTS (SELECT 1 FROM "+table+" x WHERE x.account_id = f.account_id AND x.entity_type = 'request' AND x.entity_id = f.request_id AND x.field_id = ? AND ", int64(m.field))
	compare(column)
	s.Add(")")
}

// folded does what value does, for a text without regard to case. If there is no
// column for that, its letters are those whose case both engines know.
func (s *statement) folded(m Member, compare func(v string)) {
	if m.folded != "" {
		m.sql = m.folded
		s.value(m, compare)
		return
	}
	s.value(m, func(v string) { compare("lower(" + v + ")") })
}

// fieldJoin joins a dimension's custom field to the facts. A field with several
// options puts a request into several groups.
func (s *statement) fieldJoin(m Member, alias string) {
	table := "custom_field_values"
	if m.kind == option {
		table = "custom_field_choices"
	}
	s.Add(fmt.Sprintf(" LEFT JOIN %s %s ON %[2]s.account_id = f.account_id AND %[2]s.entity_type = 'request' AND %[2]s.entity_id = f.request_id AND %[2]s.field_id = ?", table, alias), int64(m.field))
}
