package store

import (
	"database/sql"
	"fmt"
	"time"
)

// Some columns have another form than the field that they are read into. These
// values are given to a scanner in place of the field.

// inMS reads milliseconds.
func inMS(t *time.Time) sql.Scanner { return timeInMS{t} }

// inMSOrNil reads milliseconds; NULL becomes nil.
func inMSOrNil(t **time.Time) sql.Scanner { return optionalTimeInMS{t} }

// orZero reads a value; NULL becomes the zero value.
func orZero[T any](v *T) sql.Scanner { return valueOrZero[T]{v} }

type (
	timeInMS           struct{ to *time.Time }
	optionalTimeInMS   struct{ to **time.Time }
	valueOrZero[T any] struct{ to *T }
)

func (t timeInMS) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as milliseconds, not as %T", src)
	}
	*t.to = FromMS(n)
	return nil
}

func (t optionalTimeInMS) Scan(src any) error {
	if src == nil {
		*t.to = nil
		return nil
	}
	*t.to = new(time.Time)
	return timeInMS{*t.to}.Scan(src)
}

func (v valueOrZero[T]) Scan(src any) error {
	var read sql.Null[T]
	err := read.Scan(src)
	*v.to = read.V
	return err
}
