package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/report"
	"frontdesk/internal/wire"
)

func (s *Server) listExplorations(c *call) (any, error) {
	all, err := s.service.Explorations(c.ctx, c.caller)
	return list(c, "explorations", wire.NewShownExploration, desk.List[report.Exploration]{Items: all}, err)
}

func givenExploration(b object) report.GivenExploration {
	g := report.GivenExploration{Name: b.text("name"), Shared: b.flag("shared"), Position: member[int64](b, "position", "a whole number")}
	if chart := b.text("chart"); chart != nil {
		kind := report.ExplorationChart(*chart)
		g.Chart = &kind
	}
	if b.has("query") {
		q := b.inside("query").query()
		g.Query = &q
	}
	switch raw := string(b.members["target"]); {
	case raw == "null":
		g.Target = desk.Null[report.Target]()
	case b.has("target"):
		t := b.inside("target")
		t.demand("value")
		g.Target = desk.Just(report.Target{Measure: t.required("measure"), Bound: report.Bound(t.required("bound")), Value: orZero(member[float64](t, "value", "a number"))})
	}
	return g
}

func (s *Server) listDashboards(c *call) (any, error) {
	all, err := s.service.Dashboards(c.ctx, c.caller)
	return list(c, "dashboards", wire.NewShownDashboard, desk.List[report.Dashboard]{Items: all}, err)
}

func givenDashboard(b object) report.GivenDashboard {
	return report.GivenDashboard{
		Name: b.text("name"), Shared: b.flag("shared"), Position: member[int64](b, "position", "a whole number"), Range: b.dateRange(),
		Cards:   listOf(b, "cards", report.MostCards, givenCard),
		Filters: listOf(b, "filters", desk.MostInsightsMembers, object.insightsFilter),
	}
}

func givenCard(b object) report.GivenCard {
	c := report.GivenCard{Exploration: member[report.ExplorationID](b, "exploration_id", "a whole number"), Width: report.HalfWidth}
	if width := b.text("width"); width != nil {
		c.Width = report.CardWidth(*width)
	}
	if b.has("exploration") {
		g := givenExploration(b.inside("exploration"))
		c.New = &g
	}
	return c
}

func (s *Server) listReports(c *call) (any, error) {
	all, err := s.service.Reports(c.ctx, c.caller)
	return list(c, "reports", wire.NewShownReport, desk.List[report.Report]{Items: all}, err)
}

func givenReport(b object) report.Given {
	g := reportChange(b)
	g.Dashboard = member[report.DashboardID](b, "dashboard_id", "a whole number")
	return g
}

func reportChange(b object) report.Given {
	number := func(name string) *int64 { return member[int64](b, name, "a whole number") }
	g := report.Given{Weekday: b.text("weekday"), Day: number("day"), Hour: number("hour"),
		Members: member[[]desk.MemberID](b, "member_ids", "a list of whole numbers"), Channel: b.nullableText("channel_id")}
	if every := b.text("every"); every != nil {
		cadence := report.Cadence(*every)
		g.Every = &cadence
	}
	return g
}
