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

// Operators are those that values of a kind have.
var operators = map[kind][]operator{
	text:    {equals, notEquals, contains, notContains, isSet, notSet},
	numeric: {equals, notEquals, gt, gte, lt, lte, isSet, notSet},
	flag:    {equals, notEquals, isSet, notSet},
	moment:  {inDateRange, beforeDate, afterDate, isSet, notSet},
	day:     {equals, notEquals, inDateRange, beforeDate, afterDate, isSet, notSet},
	option:  {equals, notEquals, isSet, notSet},
}

var comparisons = map[operator]string{gt: " > ", gte: " >= ", lt: " < ", lte: " <= "}

// condition writes what a filter wants of facts f. It is true or false and never
// unknown, so that its opposite is its NOT.
func (q Question) condition(s *statement, p *problems, at string, given desk.InsightsFilter) {
	m, ok := q.member(given.Member)
	if !ok || !m.Filters {
		p.unknown(at+".member", "filter members", given.Member, func() []string { return q.members(filters) })
		return
	}
	op := operator(strings.ToLower(given.Operator))
	if !slices.Contains(operators[m.kind], op) {
		p.Add(at+".operator", "must be one of %s for %s; %q is none", list(operators[m.kind]), m.Name, given.Operator)
		return
	}
	if err := q.compare(s, m, op, given.Values); err != nil {
		p.Add(at+".values", "%s", err)
	}
}

func list[T ~string](all []T) string { return strings.Join(texts(all), ", ") }

func (q Question) compare(s *statement, m Member, op operator, given []*string) error {
	s.add(" AND ")
	if op == notEquals || op == notContains || op == notSet {
		s.add("NOT ")
	}
	switch op {
	case isSet, notSet:
		s.add("(")
		s.value(m, func(v string) { s.add(v + " IS NOT NULL") })
		s.add(")")
		return nil
	case inDateRange, beforeDate, afterDate:
		return q.dates(s, m, op, given)
	}
	if len(given) == 0 {
		return fmt.Errorf("must have at least one value")
	}
	values, null, err := m.values(given)
	if err != nil {
		return err
	}
	if comparisons[op] != "" && (null || len(values) != 1) {
		return fmt.Errorf("must be one number")
	}
	if (op == contains || op == notContains) && null {
		return fmt.Errorf("must be strings")
	}
	s.add("(")
	if null {
		s.add("NOT ")
		s.add("(")
		s.value(m, func(v string) { s.add(v + " IS NOT NULL") })
		s.add(")")
		if len(values) > 0 {
			s.add(" OR ")
		}
	}
	if len(values) > 0 {
		value := s.value
		if op == contains || op == notContains {
			value = s.folded
		}
		value(m, func(v string) { s.match(v, op, values) })
	}
	s.add(")")
	return nil
}

// match compares a value with those given.
func (s *statement) match(v string, op operator, values []any) {
	switch op {
	case equals, notEquals:
		s.add("COALESCE(" + v + " IN (")
		for i, value := range values {
			if i > 0 {
				s.add(", ")
			}
			s.given(value)
		}
		s.add("), FALSE)")
	case contains, notContains:
		s.add("(")
		for i, value := range values {
			if i > 0 {
				s.add(" OR ")
			}
			s.add("COALESCE(" + v + " LIKE ")
			s.arg("%" + likeEscape.Replace(desk.Fold(value.(string))) + "%")
			s.add(` ESCAPE '!', FALSE)`)
		}
		s.add(")")
	default:
		s.add("COALESCE(" + v + comparisons[op])
		s.given(values[0])
		s.add(", FALSE)")
	}
}

var likeEscape = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// values are those given, as the member's kind has them. null says that no value
// is among them.
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
				return nil, false, fmt.Errorf("must be numbers; %q is none", *g)
			}
			values = append(values, n)
		case option:
			n, err := strconv.ParseInt(*g, 10, 64)
			if err != nil {
				return nil, false, fmt.Errorf("must be ids of options; %q is none", *g)
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
				return nil, false, fmt.Errorf("must be days such as 2026-05-13; %q is none", *g)
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

// dates compares a moment with days of the account's zone, or a day with days.
func (q Question) dates(s *statement, m Member, op operator, given []*string) error {
	want := 1
	if op == inDateRange {
		want = 2
	}
	zone := q.Zone
	if m.kind == day {
		zone = time.UTC
	}
	days := make([]time.Time, 0, want)
	for _, g := range given {
		if g == nil {
			break
		}
		t, ok := parseDay(*g, zone)
		if !ok {
			return fmt.Errorf("must be days such as 2026-05-13; %q is none", *g)
		}
		days = append(days, t)
	}
	if len(days) != want || len(given) != want {
		return fmt.Errorf("must be %s for %s", map[int]string{1: "one day", 2: "two days"}[want], op)
	}
	s.value(m, func(v string) {
		s.add("COALESCE(" + v)
		switch op {
		case beforeDate:
			s.add(" < ")
			s.arg(days[0].UnixMilli())
		case afterDate:
			s.add(" >= ")
			s.arg(byDay.next(days[0]).UnixMilli())
		default:
			s.add(" >= ")
			s.arg(days[0].UnixMilli())
			s.add(" AND " + v + " < ")
			s.arg(byDay.next(days[1]).UnixMilli())
		}
		s.add(", FALSE)")
	})
	return nil
}
