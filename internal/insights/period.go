package insights

import (
	"time"

	"frontdesk/internal/desk"
)

// Check returns Invalid for what cannot be asked, as Answer would, without answering.
func Check(q Question) error {
	_, err := q.plan()
	return err
}

// Period is a part of time in whole days: the first and the last, both included.
type Period struct{ First, Last time.Time }

// PeriodOf returns the days of a range up to today. It returns Invalid for a range that
// is none.
func PeriodOf(r desk.DateRange, now time.Time, zone *time.Location) (p Period, err error) {
	now = now.In(zone)
	q := Question{Now: now, Zone: zone}
	problems := problems{listed: map[string]bool{}}
	s := q.spanOf(&problems, "date_range", desk.TimeDimension{Range: r.Words, Days: r.Days})
	if r.Words == "" && len(r.Days) == 0 {
		problems.Add("date_range", "must be two days, or one of %s", rangesKnown())
	}
	if err := problems.Err(); err != nil {
		return p, err
	}
	// A span ends where the next day begins, or now.
	p = Period{First: s.from, Last: byDay.begin(s.to.Add(-time.Millisecond))}
	if today := byDay.begin(now); p.Last.After(today) && !p.First.After(today) {
		p.Last = today
	}
	return p, nil
}

// Length returns how many days a period has.
func (p Period) Length() int {
	return int(noon(p.Last).Sub(noon(p.First)).Hours()/24+0.5) + 1
}

// Before returns as many days, right before a period.
func (p Period) Before() Period {
	day := func(t time.Time, add int) time.Time {
		y, m, d := t.Date()
		return midnight(y, m, d+add, t.Location())
	}
	return Period{day(p.First, -p.Length()), day(p.First, -1)}
}

// Range returns the period as the range of a query.
func (p Period) Range() desk.DateRange {
	return desk.DateRange{Days: []string{p.First.Format(dayForm), p.Last.Format(dayForm)}}
}

// noon returns a day without its zone, so that days can be counted although some are
// longer than others.
func noon(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
}
