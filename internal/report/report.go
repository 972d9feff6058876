package report

import (
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/hours"
)

type ReportID int64

// Report is a dashboard that is sent again and again: by mail to members, to a channel,
// or both. It shows what its owner may see.
type Report struct {
	ID        ReportID
	Dashboard DashboardID
	Member    desk.MemberID // its owner
	Mine      bool          // whether that is the member who looks at it
	Every     Cadence
	Weekday   string          // of a weekly one, a name in hours.Weekdays
	Day       int64           // of a monthly one; the last of a month that has fewer
	Hour      int64           // in the account's time zone
	Members   []desk.MemberID // who gets it by mail
	Channel   *string

	NextAt  time.Time
	SentAt  *time.Time
	Stopped string // why it is sent no more; empty: it is
	Failure string // why the last one could not be delivered everywhere

	CreatedAt time.Time
	UpdatedAt time.Time
}

func (r Report) Named() (resource, id string) { return "Report", desk.FormatID(r.ID) }

// Cadence is how often a report is sent.
type Cadence string

const (
	Daily   Cadence = "day"
	Weekly  Cadence = "week"
	Monthly Cadence = "month"
)

const (
	// MostReports bounds the reports of an account, MostRecipients the members who
	// get one.
	MostReports    = 100
	MostRecipients = 20
)

// Given is a report as a caller gave it, for a new one or for a change. In a change a
// nil field stays as it is, and the dashboard cannot be given.
type Given struct {
	desk.Body
	Dashboard *DashboardID
	Every     *Cadence
	Weekday   *string
	Day, Hour *int64
	Members   *[]desk.MemberID
	Channel   desk.Nullable[string]
}

// Report checks the input and makes the report of a member. Unless said otherwise, it is
// sent on Mondays, or on the first, at nine.
func (g Given) Report(by desk.MemberID, zone *time.Location, now time.Time) (Report, error) {
	r := Report{Member: by, Mine: true, Weekday: hours.Weekdays[0], Day: 1, Hour: 9, CreatedAt: now, UpdatedAt: now}
	r, err := desk.Create(r, g.Body, func(r *Report, p *desk.Patch) {
		desk.Take(p, "dashboard_id", &r.Dashboard, g.Dashboard)
		g.fill(r, p)
	}, "dashboard_id", "every")
	if err == nil {
		r.NextAt = r.Next(now, zone)
	}
	return r, err
}

// Apply makes the whole change, or returns Invalid and changes nothing. A report that
// was stopped is sent again.
func (r *Report) Apply(g Given, zone *time.Location, now time.Time) error {
	return desk.Amend(r, g.Body, func(next *Report, p *desk.Patch) {
		g.fill(next, p)
		next.UpdatedAt, next.Stopped, next.Failure = now, "", ""
		next.NextAt = next.Next(now, zone)
	})
}

func (g Given) fill(r *Report, p *desk.Patch) {
	if desk.Take(p, "every", &r.Every, g.Every) {
		desk.OneOf(&p.Problems, "every", r.Every, Daily, Weekly, Monthly)
	}
	if desk.Take(p, "weekday", &r.Weekday, g.Weekday) {
		desk.OneOf(&p.Problems, "weekday", r.Weekday, hours.Weekdays[:]...)
	}
	within := func(name string, field, v *int64, least, most int64) {
		if desk.Take(p, name, field, v) && (*field < least || *field > most) {
			p.Add(name, "must be a whole number from %d to %d", least, most)
		}
	}
	within("day", &r.Day, g.Day, 1, 31)
	within("hour", &r.Hour, g.Hour, 0, 23)
	if desk.Take(p, "member_ids", &r.Members, g.Members) {
		p.AtMost("member_ids", len(r.Members), MostRecipients)
		sorted := slices.Sorted(slices.Values(r.Members))
		if len(slices.Compact(sorted)) < len(r.Members) {
			p.Add("member_ids", "must have each member once")
		}
	}
	desk.TakeNullable(p, "channel_id", &r.Channel, g.Channel)
	if len(r.Members) == 0 && r.Channel == nil {
		p.Add("member_ids", "must have somebody to send it to, unless there is a channel_id")
	}
}

// Next returns the first moment after another at which the report is due. An hour that
// the clocks skip is the one after it.
func (r Report) Next(after time.Time, zone *time.Location) time.Time {
	y, m, d := after.In(zone).Date()
	if r.Every == Monthly {
		for add := 0; ; add++ {
			last := time.Date(y, m+time.Month(add)+1, 0, 0, 0, 0, 0, time.UTC).Day()
			at := time.Date(y, m+time.Month(add), min(int(r.Day), last), int(r.Hour), 0, 0, 0, zone)
			if at.After(after) {
				return at.UTC()
			}
		}
	}
	for add := 0; ; add++ {
		at := time.Date(y, m, d+add, int(r.Hour), 0, 0, 0, zone)
		day := time.Date(y, m, d+add, 0, 0, 0, 0, time.UTC).Weekday()
		if at.After(after) && (r.Every != Weekly || hours.Weekdays[(day+6)%7] == r.Weekday) {
			return at.UTC()
		}
	}
}
