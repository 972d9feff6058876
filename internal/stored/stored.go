// Package stored has the JSON that columns hold. The names in it are in the
// database: add to them, but do not change them. What the API also shows is stored
// in its wire form. The package knows forms, not tables.
package stored

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"frontdesk/internal/wire"
)

// Column is a value in a column of JSON. It can be scanned from a row, and be an
// argument of a statement. Then it is encoded when the statement runs.
type Column struct {
	what string
	read func(text []byte) error
	form func() any // nil is stored as NULL
}

// column returns a column whose stored form is F. NULL is not read.
func column[F any](what string, form func() any, read func(F) error) Column {
	return Column{what, func(text []byte) error {
		var f F
		if err := json.Unmarshal(text, &f); err != nil {
			return err
		}
		return read(f)
	}, form}
}

// Scan reads the column.
func (c Column) Scan(src any) (err error) {
	switch text := src.(type) {
	case nil:
	case string:
		err = c.read([]byte(text))
	case []byte:
		err = c.read(text)
	default:
		err = fmt.Errorf("it is stored as %T", src)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", c.what, err)
	}
	return nil
}

// Value returns the text of the column.
func (c Column) Value() (driver.Value, error) {
	form := c.form()
	if form == nil {
		return nil, nil
	}
	text, err := wire.JSON(form)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", c.what, err)
	}
	return string(text), nil
}

// millis is a time that is stored as milliseconds.
type millis time.Time

func (m millis) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Time(m).UnixMilli(), 10), nil
}

func (m *millis) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	*m = millis(time.UnixMilli(n).UTC())
	return err
}
