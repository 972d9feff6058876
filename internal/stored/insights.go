package stored

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/report"
	"frontdesk/internal/wire"
)

// InsightsQuery is the query of an exploration.
func InsightsQuery(q *desk.InsightsQuery) Column {
	return column("a query", func() any { return wire.NewInsightsQuery(*q) }, func(f wire.InsightsQuery) error {
		*q = f.Query()
		return nil
	})
}

// InsightsFilters are the filters of a dashboard.
func InsightsFilters(all *[]desk.InsightsFilter) Column {
	return column("filters", func() any { return desk.Each(*all, wire.NewQueryFilter) }, func(f []wire.QueryFilter) error {
		*all = desk.Each(f, wire.QueryFilter.Filter)
		return nil
	})
}

// DateRange is the range of a dashboard.
func DateRange(r *desk.DateRange) Column {
	return column("a range", func() any { return wire.DateRange(*r) }, func(f wire.DateRange) error {
		*r = desk.DateRange(f)
		return nil
	})
}

// Target is the target of an exploration; nil if it has none.
func Target(t **report.Target) Column {
	return column("a target", func() any {
		if *t == nil {
			return nil
		}
		return wire.NewTarget(**t)
	}, func(f wire.Target) error {
		target := report.Target(f)
		*t = &target
		return nil
	})
}

// Cards are the cards of a dashboard.
func Cards(all *[]report.DashboardCard) Column {
	return column("cards", func() any { return desk.Each(*all, wire.NewDashboardCard) }, func(f []wire.DashboardCard) error {
		*all = desk.Each(f, func(c wire.DashboardCard) report.DashboardCard { return report.DashboardCard(c) })
		return nil
	})
}

// Members are the members who get a report.
func Members(all *[]desk.MemberID) Column {
	return column("members", func() any { return desk.Each(*all, func(id desk.MemberID) desk.MemberID { return id }) }, func(f []desk.MemberID) error {
		*all = f
		return nil
	})
}
