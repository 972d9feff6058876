package insights

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
)

// operator is how a filter compares.
type operator string

const (
	equals      operator = "equals"
	notEquals   operator = "not_equals"
	contains    operator = "contains"
	notContains operator = "not_contains"
	gt          operator = "gt"
	gte         operator = "gte"
	lt          operator = "lt"
	lte         operator = "lte"
	isSet       operator = "set"
	notSet      operator = "not_set"
	inDateRange operator = "in_date_range"
	beforeDate  operator = "before_date"
	afterDate   operator = "after_date"
)

// operators are the operators for each kind of value.
var operators = map[kind][]operator{
	text:    {equals, notEquals, contains, notContains, isSet, notSet},
	numeric: {equals, notEquals, gt, gte, lt, lte, isSet, notSet},
	flag:    {equals, notEquals, isSet, notSet},
	moment:  {inDateRange, beforeDate, afterDate, isSet, notSet},
	day:     {equals, notEquals, inDateRange, beforeDate, afterDate, isSet, notSet},
	option:  {equals, notEquals, isSet, notSet},
}

var comparisons = map[operator]string{gt: " > ", gte: " >= ", lt: " < ", lte: " <= "}

// filter is a filter whose names were looked up.
type filter struct {
	Member
	op     operator
	values []any // the given values, converted to the member's kind
	null   bool  // whether no value is among them
	// from and before bound the times of dates: from is included, before is not;
	// nil means open.
	from, before *int64
}

// filter looks a filter up and reports what is wrong with it.
func (q Question) filter(p *problems, at string, given desk.InsightsFilter) (f filter) {
	m, ok := q.member(given.Member)
	if !ok || !m.Filters {
		p.unknown(at+".member", "filter members", given.Member, func() []string { return q.members(filters) })
		return f
	}
	f.Member, f.op = m, operator(strings.ToLower(given.Operator))
	if !slices.Contains(operators[m.kind], f.op) {
		p.Add(at+".operator", "must be one of %s for %s; %q is not one of them", list(operators[m.kind]), m.Name, given.Operator)
		return f
	}
	if err := f.take(given.Values, q.Zone); err != nil {
		p.Add(at+".values", "%s", err)
	}
	return f
}

func list[T ~string](all []T) string { return strings.Join(texts(all), ", ") }

// take takes the given values.
func (f *filter) take(given []*string, zone *time.Location) (err error) {
	switch f.op {
	case isSet, notSet:
		return nil
	case inDateRange, beforeDate, afterDate:
		return f.takeDates(given, zone)
	}
	if len(given) == 0 {
		return fmt.Errorf("must have at least one value")
	}
	if f.values, f.null, err = f.Member.values(given); err != nil {
		return err
	}
	if comparisons[f.op] != "" && (f.null || len(f.values) != 1) {
		return fmt.Errorf("must be one number")
	}
	if f.contains() && f.null {
		return fmt.Errorf("must be strings")
	}
	return nil
}

func (f filter) negates() bool { return f.op == notEquals || f.op == notContains || f.op == notSet }

func (f filter) contains() bool { return f.op == contains || f.op == notContains }

// filter writes the condition of a filter on facts f. It is true or false and never
// unknown, so that NOT is its opposite.
func (s *statement) filter(f filter) {
	s.Add(" AND ")
	if f.negates() {
		s.Add("NOT ")
	}
	isThere := func() {
		s.Add("(")
		s.value(f.Member, func(v string) { s.Add(v + " IS NOT NULL") })
		s.Add(")")
	}
	switch f.op {
	case isSet, notSet:
		isThere()
		return
	case inDateRange, beforeDate, afterDate:
		s.value(f.Member, func(v string) { s.dates(v, f) })
		return
	}
	s.Add("(")
	if f.null {
		s.Add("NOT ")
		isThere()
		if len(f.values) > 0 {
			s.Add(" OR ")
		}
	}
	if len(f.values) > 0 {
		value := s.value
		if f.contains() {
			value = s.folded
		}
		value(f.Member, func(v string) { s.match(v, f.op, f.values) })
	}
	s.Add(")")
}

// dates compares a value with the times of a filter.
func (s *statement) dates(v string, f filter) {
	s.Add("COALESCE(")
	if f.from != nil {
		s.Add(v+" >= ?", *f.from)
	}
	if f.from != nil && f.before != nil {
		s.Add(" AND ")
	}
	if f.before != nil {
		s.Add(v+" < ?", *f.before)
	}
	s.Add(", FALSE)")
}

// match compares a value with the given ones.
func (s *statement) match(v string, op operator, values []any) {
	switch op {
	case equals, notEquals:
		s.Add("COALESCE(" + v + " IN (")
		for i, value := range values {
			if i > 0 {
				s.Add(", ")
			}
			s.given(value)
		}
		s.Add("), FALSE)")
	case contains, notContains:
		s.Add("(")
		for i, value := range values {
			if i > 0 {
				s.Add(" OR ")
			}
			s.Add("COALESCE("+v+" LIKE ? ESCAPE '!', FALSE)", "%"+likeEscape.Replace(desk.Fold(value.(string)))+"%")
		}
		s.Add(")")
	default:
		s.Add("COALESCE(" + v + comparisons[op])
		s.given(values[0])
		s.Add(", FALSE)")
	}
}

var likeEscape = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// values converts the given values to the member's kind. null says that no value is
// among them.
func (m Member) values(given []*string) (values []any, null bool, err error) {
	for _, g := range given {
		if g == nil {
			null = true
			continue
		}
		switch m.kind {
		case numeric:
			n, err := strconv.ParseFloat(strings.TrimSpace(*g), 64)
			if err != nil || n != n {
				return nil, false, fmt.Errorf("must be numbers; %q is not a number", *g)
			}
			values = append(values, n)
		case option:
			n, err := strconv.ParseInt(*g, 10, 64)
			if err != nil {
				return nil, false, fmt.Errorf("must be ids of options; %q is not an id", *g)
			}
			values = append(values, n)
		case flag:
			if *g != "true" && *g != "false" {
				return nil, false, fmt.Errorf("must be true or false; %q is neither", *g)
			}
			values = append(values, *g == "true")
		case day:
			t, ok := parseDay(*g, time.UTC)
			if !ok {
				return nil, false, fmt.Errorf("must be days such as 2026-05-13; %q is not a day", *g)
			}
			values = append(values, t.UnixMilli())
		default:
			if !desk.Storable(*g) {
				return nil, false, fmt.Errorf("must be valid UTF-8 without the character U+0000")
			}
			values = append(values, *g)
		}
	}
	return values, null, nil
}

// takeDates takes days. A moment is compared with days in the account's zone, and a
// day with days as they are.
func (f *filter) takeDates(given []*string, zone *time.Location) error {
	want := 1
	if f.op == inDateRange {
		want = 2
	}
	if f.kind == day {
		zone = time.UTC
	}
	days := make([]time.Time, 0, want)
	for _, g := range given {
		if g == nil {
			break
		}
		t, ok := parseDay(*g, zone)
		if !ok {
			return fmt.Errorf("must be days such as 2026-05-13; %q is not a day", *g)
		}
		days = append(days, t)
	}
	if len(days) != want || len(given) != want {
		return fmt.Errorf("must be %s for %s", map[int]string{1: "one day", 2: "two days"}[want], f.op)
	}
	at := func(t time.Time) *int64 {
		n := t.UnixMilli()
		return &n
	}
	switch f.op {
	case beforeDate:
		f.before = at(days[0])
	case afterDate:
		f.from = at(byDay.next(days[0]))
	default:
		f.from, f.before = at(days[0]), at(byDay.next(days[1]))
	}
	return nil
}

// plainLetters reports whether texts compare without regard to case in the same way
// everywhere. The engines disagree about other letters, and about long patterns,
// too.
func plainLetters(texts []any) bool {
	return !slices.ContainsFunc(texts, func(v any) bool {
		text, _ := v.(string)
		return len(text) > 1000 || strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 || r == 0 })
	})
}

// holds reports whether a request with these values is wanted. It must agree with
// statement.filter in SQL.
func (f filter) holds(all []any) bool {
	return f.matches(all) != f.negates()
}

func (f filter) matches(all []any) bool {
	switch f.op {
	case isSet, notSet:
		return len(all) > 0
	}
	if f.null && len(all) == 0 {
		return true
	}
	return slices.ContainsFunc(all, f.match)
}

// holdsOf does the same for a time.
func (f filter) holdsOf(at int64) bool {
	if f.op == isSet || f.op == notSet {
		return f.op == isSet
	}
	return (f.from == nil || at >= *f.from) && (f.before == nil || at < *f.before)
}

func (f filter) match(v any) bool {
	switch f.op {
	case inDateRange, beforeDate, afterDate:
		at, ok := v.(int64)
		return ok && f.holdsOf(at)
	case contains, notContains:
		text := strings.ToLower(v.(string)) // plain letters
		return slices.ContainsFunc(f.values, func(given any) bool { return strings.Contains(text, desk.Fold(given.(string))) })
	case equals, notEquals:
		return slices.ContainsFunc(f.values, func(given any) bool {
			if n, ok := asNumber(v); ok && f.kind == numeric {
				return n == given.(float64)
			}
			return v == given
		})
	}
	n, ok := asNumber(v)
	given := f.values[0].(float64)
	switch f.op {
	case gt:
		return ok && n > given
	case gte:
		return ok && n >= given
	case lt:
		return ok && n < given
	}
	return ok && n <= given
}
