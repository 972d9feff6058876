package wire

import (
	"encoding/json"

	"frontdesk/internal/desk"
	"frontdesk/internal/report"
)

// InsightsQuery is a query of insights, as it is asked and as explorations keep it.
type InsightsQuery struct {
	Measures       []string        `json:"measures"`
	TimeDimensions []TimeDimension `json:"time_dimensions"`
	Dimensions     []string        `json:"dimensions,omitempty"`
	Filters        []QueryFilter   `json:"filters,omitempty"`
}

// TimeDimension is a time dimension of a query.
type TimeDimension struct {
	Dimension   string     `json:"dimension"`
	Granularity string     `json:"granularity,omitempty"`
	Range       *DateRange `json:"date_range,omitempty"`
}

// DateRange is a range on the wire: words, or a list of two days.
type DateRange desk.DateRange

// MarshalJSON returns words as a string, and days as a list.
func (r DateRange) MarshalJSON() ([]byte, error) {
	if len(r.Days) > 0 {
		return json.Marshal(r.Days)
	}
	return JSON(r.Words)
}

// UnmarshalJSON reads either of them.
func (r *DateRange) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, &r.Days)
	}
	return json.Unmarshal(text, &r.Words)
}

// QueryFilter is a filter of a query.
type QueryFilter struct {
	Member   string    `json:"member"`
	Operator string    `json:"operator"`
	Values   []*string `json:"values,omitempty"`
}

// NewInsightsQuery returns the wire form of a query.
func NewInsightsQuery(q desk.InsightsQuery) InsightsQuery {
	return InsightsQuery{Measures: q.Measures, TimeDimensions: desk.Each(q.TimeDimensions, newTimeDimension), Dimensions: q.Dimensions, Filters: desk.Each(q.Filters, NewQueryFilter)}
}

func newTimeDimension(t desk.TimeDimension) TimeDimension {
	w := TimeDimension{Dimension: t.Dimension, Granularity: t.Granularity}
	if t.Range != "" || len(t.Days) > 0 {
		w.Range = &DateRange{Words: t.Range, Days: t.Days}
	}
	return w
}

// NewQueryFilter returns the wire form of a filter.
func NewQueryFilter(f desk.InsightsFilter) QueryFilter {
	return QueryFilter{Member: f.Member, Operator: f.Operator, Values: f.Values}
}

// Query returns the query of a wire form.
func (q InsightsQuery) Query() desk.InsightsQuery {
	return desk.InsightsQuery{Measures: q.Measures, Dimensions: q.Dimensions, Filters: desk.Each(q.Filters, QueryFilter.Filter),
		TimeDimensions: desk.Each(q.TimeDimensions, func(t TimeDimension) desk.TimeDimension {
			d := desk.TimeDimension{Dimension: t.Dimension, Granularity: t.Granularity}
			if t.Range != nil {
				d.Range, d.Days = t.Range.Words, t.Range.Days
			}
			return d
		})}
}

// Filter returns the filter of a wire form.
func (f QueryFilter) Filter() desk.InsightsFilter {
	return desk.InsightsFilter{Member: f.Member, Operator: f.Operator, Values: f.Values}
}

// Target is the target of an exploration.
type Target struct {
	Measure string       `json:"measure"`
	Bound   report.Bound `json:"bound"`
	Value   float64      `json:"value"`
}

// NewTarget returns the wire form of a target.
func NewTarget(t report.Target) Target { return Target(t) }

// Exploration is an exploration on the wire, as the audit log stores it.
type Exploration struct {
	ID       report.ExplorationID    `json:"id"`
	Name     string                  `json:"name"`
	Query    InsightsQuery           `json:"query"`
	Chart    report.ExplorationChart `json:"chart"`
	Target   *Target                 `json:"target"`
	Shared   bool                    `json:"shared"`
	Position int64                   `json:"position"`
}

// ShownExploration is an exploration as one member sees it.
type ShownExploration struct {
	Exploration
	Mine bool `json:"mine"`
}

// NewExploration returns the wire form of an exploration.
func NewExploration(e report.Exploration) Exploration {
	w := Exploration{ID: e.ID, Name: e.Name, Query: NewInsightsQuery(e.Query), Chart: e.Chart, Shared: e.Shared, Position: e.Position}
	if e.Target != nil {
		t := NewTarget(*e.Target)
		w.Target = &t
	}
	return w
}

// NewShownExploration returns the wire form of an exploration for one member.
func NewShownExploration(e report.Exploration) ShownExploration {
	return ShownExploration{NewExploration(e), e.Mine}
}

// DashboardCard is a card of a dashboard.
type DashboardCard struct {
	Exploration report.ExplorationID `json:"exploration_id"`
	Width       report.CardWidth     `json:"width"`
}

// NewDashboardCard returns the wire form of a card.
func NewDashboardCard(c report.DashboardCard) DashboardCard { return DashboardCard(c) }

// Dashboard is a dashboard on the wire, as the audit log stores it.
type Dashboard struct {
	ID       report.DashboardID `json:"id"`
	Name     string             `json:"name"`
	Cards    []DashboardCard    `json:"cards"`
	Range    DateRange          `json:"date_range"`
	Filters  []QueryFilter      `json:"filters"`
	Shared   bool               `json:"shared"`
	Position int64              `json:"position"`
}

// ShownDashboard is a dashboard as one member sees it.
type ShownDashboard struct {
	Dashboard
	Mine bool `json:"mine"`
}

// NewDashboard returns the wire form of a dashboard.
func NewDashboard(d report.Dashboard) Dashboard {
	return Dashboard{ID: d.ID, Name: d.Name, Cards: desk.Each(d.Cards, NewDashboardCard), Range: DateRange(d.Range), Filters: desk.Each(d.Filters, NewQueryFilter), Shared: d.Shared, Position: d.Position}
}

// NewShownDashboard returns the wire form of a dashboard for one member.
func NewShownDashboard(d report.Dashboard) ShownDashboard {
	return ShownDashboard{NewDashboard(d), d.Mine}
}

// Report is a report on the wire, as the audit log stores it.
type Report struct {
	ID        report.ReportID    `json:"id"`
	Dashboard report.DashboardID `json:"dashboard_id"`
	Member    desk.MemberID      `json:"member_id"`
	Every     report.Cadence     `json:"every"`
	Weekday   string             `json:"weekday"`
	Day       int64              `json:"day"`
	Hour      int64              `json:"hour"`
	Members   []desk.MemberID    `json:"member_ids"`
	Channel   *string            `json:"channel_id"`
	NextAt    Time               `json:"next_at"`
	SentAt    *Time              `json:"sent_at"`
	Stopped   *string            `json:"stopped"`
	Failure   *string            `json:"failure"`
}

// ShownReport is a report as one member sees it.
type ShownReport struct {
	Report
	Mine bool `json:"mine"`
}

// NewReport returns the wire form of a report.
func NewReport(r report.Report) Report {
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return Report{ID: r.ID, Dashboard: r.Dashboard, Member: r.Member, Every: r.Every, Weekday: r.Weekday, Day: r.Day, Hour: r.Hour,
		Members: desk.Each(r.Members, func(id desk.MemberID) desk.MemberID { return id }), Channel: r.Channel, NextAt: NewTime(r.NextAt), SentAt: optional(r.SentAt),
		Stopped: text(r.Stopped), Failure: text(r.Failure)}
}

// NewShownReport returns the wire form of a report for one member.
func NewShownReport(r report.Report) ShownReport { return ShownReport{NewReport(r), r.Mine} }
