package insights

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
)

// plan is a query whose names were all found.
type plan struct {
	Question
	measures   []Measure
	dimensions []Member
	times      []timed
	filters    []filter
}

// timed is a time dimension.
type timed struct {
	Member
	granularity granularity
	span        span
}

// problems are what is wrong with a query.
type problems struct {
	desk.Problems
	listed map[string]bool // the kinds of names that were already listed
}

// unknown reports that a name is not one of its kind. The first time it lists the
// known ones; otherwise a hundred wrong names would be answered with thousands.
func (p *problems) unknown(at, kind, name string, known func() []string) {
	if p.listed[kind] {
		p.Add(at, "must be one of the %s; %q is not one of them", kind, name)
		return
	}
	p.listed[kind] = true
	p.Add(at, "must be one of the %s %s; %q is not one of them", kind, strings.Join(known(), ", "), name)
}

// plan looks everything up, and reports what does not exist.
func (q Question) plan() (p plan, err error) {
	if q.Query.Problem != nil {
		return p, q.Query.Problem
	}
	p.Question = q
	problems := problems{listed: map[string]bool{}}
	if len(q.Query.Measures) == 0 {
		problems.Add("query.measures", "must have at least one")
	}
	for i, name := range q.Query.Measures {
		m, ok := measure(named(name))
		if !ok {
			problems.unknown(fmt.Sprintf("query.measures[%d]", i), "measures", name, measureNames)
		}
		p.measures = append(p.measures, m)
	}
	for i, name := range q.Query.Dimensions {
		m, ok := q.member(name)
		if !ok || !m.Groups {
			problems.unknown(fmt.Sprintf("query.dimensions[%d]", i), "dimensions", name, func() []string { return q.members(groups) })
		}
		p.dimensions = append(p.dimensions, m)
	}
	if len(q.Query.TimeDimensions) == 0 {
		problems.Add("query.time_dimensions", "must have at least one")
	}
	for i, given := range q.Query.TimeDimensions {
		p.times = append(p.times, q.timed(&problems, fmt.Sprintf("query.time_dimensions[%d]", i), given))
	}
	names := q.Query.Names()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			problems.Add("query", "must name each measure, dimension and granularity once; %q is named twice", name)
			break
		}
	}
	for i, f := range q.Query.Filters {
		p.filters = append(p.filters, q.filter(&problems, fmt.Sprintf("query.filters[%d]", i), f))
	}
	return p, problems.Err()
}

func (q Question) timed(p *problems, at string, given desk.TimeDimension) (t timed) {
	i := slices.IndexFunc(TimeDimensions, func(m Member) bool { return m.Name == named(given.Dimension) })
	if i < 0 {
		p.unknown(at+".dimension", "time dimensions", given.Dimension, timeNames)
		return t
	}
	t.Member = TimeDimensions[i]
	if given.Granularity != "" {
		t.granularity = granularity(given.Granularity)
		if !slices.Contains(granularities, t.granularity) {
			p.Add(at+".granularity", "must be one of %s; %q is not one of them", list(granularities), given.Granularity)
		}
	}
	t.span = q.spanOf(p, at+".date_range", given)
	return t
}

// spanOf returns the span of a range; all of time if it has none.
func (q Question) spanOf(p *problems, at string, given desk.TimeDimension) (s span) {
	switch {
	case len(given.Days) > 0:
		days := make([]time.Time, len(given.Days))
		for i, d := range given.Days {
			var ok bool
			if days[i], ok = parseDay(d, q.Zone); !ok {
				p.Add(at, "must be two days such as 2026-05-13; %q is not a day", d)
				return s
			}
		}
		if len(days) != 2 || days[1].Before(days[0]) {
			p.Add(at, "must be two days, the second not before the first")
			return s
		}
		s = span{days[0], byDay.next(days[1])}
	case given.Range != "":
		var ok bool
		if s, ok = rangeOf(given.Range, q.Now.In(q.Zone)); !ok {
			p.Add(at, "must be two days, or one of %s; %q is neither", rangesKnown(), given.Range)
		}
	}
	return s
}

func measureNames() (names []string) {
	for _, m := range Measures {
		names = append(names, m.Name)
	}
	return names
}

func timeNames() (names []string) {
	for _, m := range TimeDimensions {
		names = append(names, m.Name)
	}
	return names
}
