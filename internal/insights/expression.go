package insights

import (
	"fmt"
	"strings"
)

// The tables of this package define once what measures count and what members are,
// in the terms of this file. SQL writes them as text, and Columns looks them up in
// its columns. So a question means the same to both.

// expression is a value in a row: f is the request's facts, w a wait, s a session.
type expression struct {
	column string // f.resolution
	points int64  // only if the survey has this many points; 0 means any
	isSet  bool   // not the value, but whether there is one
}

func (e expression) sql() string {
	switch {
	case e.points != 0:
		return fmt.Sprintf("CASE WHEN f.survey_points = %d THEN %s END", e.points, e.column)
	case e.isSet:
		return "(" + e.column + " IS NOT NULL)"
	}
	return e.column
}

// test is a condition on a column of a row. It is false if the column has no value.
type test struct {
	column string
	is     comparison
	number int64
	texts  []string
}

type comparison int

const (
	yes     comparison = iota // a boolean column is true
	no                        // a boolean column is false
	filled                    // it has a value
	equal                     // equal to number
	more                      // more than number
	among                     // among texts
	reached                   // it is not after the moment of the query
)

func is(column string) test               { return test{column: column, is: yes} }
func isNot(column string) test            { return test{column: column, is: no} }
func isThere(column string) test          { return test{column: column, is: filled} }
func isEqual(column string, n int64) test { return test{column: column, is: equal, number: n} }
func isSome(column string) test           { return test{column: column, is: more} }
func hasCome(column string) test          { return test{column: column, is: reached} }
func isAmong(column string, texts ...string) test {
	return test{column: column, is: among, texts: texts}
}

// sql returns the test at a moment, in milliseconds.
func (t test) sql(now int64) string {
	switch t.is {
	case no:
		return "NOT " + t.column
	case filled:
		return t.column + " IS NOT NULL"
	case equal:
		return fmt.Sprintf("%s = %d", t.column, t.number)
	case more:
		return fmt.Sprintf("%s > %d", t.column, t.number)
	case among:
		return t.column + " IN ('" + strings.Join(t.texts, "', '") + "')"
	case reached:
		return fmt.Sprintf("%s <= %d", t.column, now)
	}
	return t.column
}

// condition is a list of tests, all of which must be true for a row.
type condition []test

// aggregate returns the SQL of a count or a sum over the rows of its grain.
func (m Measure) aggregate(now int64) string {
	if m.sum != "" {
		return "COALESCE(sum(" + m.sum + "), 0)"
	}
	if len(m.holds) == 0 {
		return "count(*)"
	}
	tests := make([]string, len(m.holds))
	for i, t := range m.holds {
		tests[i] = t.sql(now)
	}
	return "count(*) FILTER (WHERE " + strings.Join(tests, " AND ") + ")"
}
