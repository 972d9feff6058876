package insights

import (
	"fmt"
	"strings"
)

// What measures count and members are is said in the tables of this package once,
// in the words of this file. SQL writes it down as text, and Columns looks it up in
// its columns: what one of them can be asked means the same to the other.

// expression is a value in a row: f is the request's facts, w a wait, s a session.
type expression struct {
	column string // f.resolution
	points int64  // only where the survey has so many points; 0 is anywhere
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

// test is something that a row is or is not. Where its column has no value, it is
// not.
type test struct {
	column string
	is     comparison
	number int64
	texts  []string
}

type comparison int

const (
	yes     comparison = iota // a column of true and false is true
	no                        // and false
	filled                    // it has a value
	equal                     // to number
	more                      // than number
	among                     // texts
	reached                   // by the moment of the query
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

// sql is the test at a moment, in milliseconds.
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

// condition is what a row must be, all of it.
type condition []test

// aggregate is a measure of how many, or of how much, over the rows of its grain.
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
