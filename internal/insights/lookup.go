package insights

import (
	"errors"
	"math"
	"slices"

	"frontdesk/internal/desk"
)

// errUnanswered is for a question that columns do not answer. SQL does.
var errUnanswered = errors.New("columns do not answer this")

// inColumns reports whether the members of a plan can be in columns, and returns the
// fields whose values it needs. Measures always are, unless lookUp finds otherwise.
func (p plan) inColumns() (fields []desk.CustomField, ok bool) {
	members := slices.Clone(p.dimensions)
	for _, f := range p.filters {
		if f.contains() && !plainLetters(f.values) {
			return nil, false
		}
		members = append(members, f.Member)
	}
	for _, m := range members {
		f, isField := p.Fields[m.field]
		switch {
		case !isField && m.of.column == "", isField && f.Type == desk.FieldText:
			return nil, false
		case isField && !slices.ContainsFunc(fields, func(o desk.CustomField) bool { return o.ID == f.ID }):
			fields = append(fields, f)
		}
	}
	return fields, true
}

// lookUp looks everything up in the columns. It returns errUnanswered if something
// is in none.
func (s *scanning) lookUp() error {
	if err := s.lookUpFilters(); err != nil {
		return err
	}
	for _, d := range s.dimensions {
		found, ok := s.source(d)
		if !ok {
			return errUnanswered
		}
		g := newGrouping(found)
		if !s.multiply(g.size) {
			return errUnanswered
		}
		s.groups = append(s.groups, g)
	}
	for _, g := range s.grains {
		if err := s.lookUpGrain(g); err != nil {
			return err
		}
	}
	for _, t := range s.answering.times {
		if column, ok := s.moments(t.of.column); !ok || len(column) != len(s.created) {
			return errUnanswered
		}
	}
	return nil
}

// lookUpGrain checks that everything asked about a grain is in columns.
func (s *scanning) lookUpGrain(g asked) error {
	for _, m := range g.measures {
		if m.sum != "" && (g.grain != ofSessions || !slices.Contains(sessionColumns, m.sum)) || g.grain == ofWaits {
			return errUnanswered
		}
		for _, w := range m.holds {
			_, ok := s.test(w, 0)
			if !ok && g.grain == ofSessions {
				_, ok = sessionTest(w)
			}
			if !ok {
				return errUnanswered
			}
		}
	}
	for _, e := range slices.Concat(g.means, g.columns) {
		_, ok := s.numbers(e, nil)
		if g.grain == ofWaits {
			ok = e == expression{column: "w.length"}
		}
		if !ok || g.grain == ofSessions {
			return errUnanswered
		}
	}
	return nil
}

// sessionTest returns a function that reports whether a session passes.
func sessionTest(w test) (holds func(session) bool, ok bool) {
	k := slices.Index(sessionColumns, w.column)
	if k < 0 || w.is != more {
		return nil, false
	}
	return func(one session) bool { return int64(one[k]) > w.number }, true
}

// lookUpFilters turns the reach and each filter into a function that reports
// whether a row passes. Most values repeat, so each value is checked once.
func (s *scanning) lookUpFilters() error {
	if !s.Reach.All {
		collections := s.coded[collectionColumn].source()
		s.keep(collections, func(all []any) bool {
			return len(all) == 1 && slices.Contains(s.Reach.IDs, desk.CollectionID(all[0].(int64)))
		})
	}
	for _, f := range s.filters {
		if f.kind == moment && f.of == (expression{column: "f.created_at"}) {
			s.filtered = append(s.filtered, func(i int32) bool { return f.holdsOf(s.created[i]) })
			continue
		}
		found, ok := s.source(f.Member)
		if !ok {
			return errUnanswered
		}
		if f.contains() && !plainLetters(found.values) {
			return errUnanswered
		}
		s.keep(found, f.holds)
	}
	return nil
}

// keep keeps the rows whose values pass.
func (s *scanning) keep(from source, holds func([]any) bool) {
	kept := make([]bool, len(from.values))
	for code := range kept {
		kept[code] = holds(from.of(int32(code)))
	}
	s.filtered = append(s.filtered, func(i int32) bool { return kept[from.code(i)] })
}

// source is where a dimension or a filter finds the values of rows.
type source struct {
	code   func(row int32) int32
	values []any // by code; the first is no value
}

// of returns the values of rows with a code: none, one or, for a field with several
// choices, several.
func (s source) of(code int32) []any {
	switch v := s.values[code].(type) {
	case nil:
		return nil
	case []int64:
		return desk.Each(v, func(n int64) any { return n })
	default:
		return []any{v}
	}
}

// smallValues are the values of a column of small numbers, by code.
var smallValues = func() (all []any) {
	all = []any{nil}
	for n := range int64(math.MaxInt8) {
		all = append(all, n)
	}
	return all
}()

// source finds the values of a member. ok is false if they are in no column.
func (t *table) source(m Member) (s source, ok bool) {
	if m.field != 0 {
		c := t.fields[m.field]
		if c == nil {
			return s, false
		}
		return c.source(), true
	}
	if m.of.isSet {
		column, ok := t.moments(m.of.column)
		return source{func(i int32) int32 { return 1 + bit(column[i] != none64) }, []any{nil, false, true}}, ok
	}
	if m.of.column == "f.survey_value" {
		points := int8(m.of.points)
		return source{func(i int32) int32 {
			if t.points[i] == points && t.score[i] >= 0 {
				return int32(t.score[i]) + 1
			}
			return 0
		}, smallValues}, points != 0
	}
	if k := slices.Index(flagColumns, m.of.column); k >= 0 {
		return source{func(i int32) int32 { return 1 + int32(t.flags[i]>>k&1) }, []any{nil, false, true}}, true
	}
	if k := slices.Index(codedColumns, m.of.column); k >= 0 {
		return t.coded[k].source(), true
	}
	return s, false
}

func (c *coded) source() source {
	values := c.values
	if values == nil {
		values = []any{nil}
	}
	return source{func(i int32) int32 { return c.codes[i] }, values}
}

func bit(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// moments finds a column of times.
func (t *table) moments(column string) ([]int64, bool) {
	switch column {
	case "f.created_at":
		return t.created, true
	case "f.survey_at":
		return t.surveyAt, true
	}
	if k := slices.Index(lateColumns, column); k >= 0 {
		return t.late[k], true
	}
	return nil, false
}

// numbers returns the values of an expression for the rows, none32 if there is
// none. ok is false if the expression is in no column.
func (t *table) numbers(e expression, rows []int32) (all []int32, ok bool) {
	all = make([]int32, len(rows))
	if k := slices.Index(lengthColumns, e.column); k >= 0 && e.points == 0 {
		column := t.lengths[k]
		for j, i := range rows {
			all[j] = column[i]
		}
		return all, true
	}
	if e.column == "f.survey_value" && e.points != 0 {
		points := int8(e.points)
		for j, i := range rows {
			if all[j] = none32; t.points[i] == points && t.score[i] != none8 {
				all[j] = int32(t.score[i])
			}
		}
		return all, true
	}
	return nil, false
}

// test returns a function that reports whether a row passes.
func (t *table) test(w test, now int64) (holds func(i int32) bool, ok bool) {
	if k := slices.Index(flagColumns, w.column); k >= 0 {
		want := uint8(1) << k
		switch w.is {
		case yes:
			return func(i int32) bool { return t.flags[i]&want != 0 }, true
		case no:
			return func(i int32) bool { return t.flags[i]&want == 0 }, true
		}
		return nil, false
	}
	if column, ok := t.moments(w.column); ok {
		switch w.is {
		case filled:
			return func(i int32) bool { return column[i] != none64 }, true
		case reached:
			return func(i int32) bool { return column[i] <= now && column[i] != none64 }, true
		}
		return nil, false
	}
	if k := slices.Index(codedColumns, w.column); k >= 0 && w.is == among {
		c := &t.coded[k]
		wanted := make([]bool, len(c.values)+1)
		for _, text := range w.texts {
			wanted[c.known[text]] = true
		}
		wanted[0] = false
		return func(i int32) bool { return wanted[c.codes[i]] }, true
	}
	return t.numberTest(w)
}

func (t *table) numberTest(w test) (holds func(i int32) bool, ok bool) {
	number := func(i int32) (int64, bool) { return 0, false }
	small := func(column []int8) func(i int32) (int64, bool) {
		return func(i int32) (int64, bool) { return int64(column[i]), column[i] != none8 }
	}
	switch k := slices.Index(lengthColumns, w.column); {
	case k >= 0:
		column := t.lengths[k]
		number = func(i int32) (int64, bool) { return int64(column[i]), column[i] != none32 }
	case w.column == "f.survey_points":
		number = small(t.points)
	case w.column == "f.survey_value":
		number = small(t.score)
	default:
		return nil, false
	}
	switch w.is {
	case filled:
		return func(i int32) bool { _, ok := number(i); return ok }, true
	case equal:
		return func(i int32) bool { n, ok := number(i); return ok && n == w.number }, true
	case more:
		return func(i int32) bool { n, ok := number(i); return ok && n > w.number }, true
	}
	return nil, false
}
