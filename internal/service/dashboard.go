package service

import (
	"context"
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/insights"
	"frontdesk/internal/report"
	"frontdesk/internal/saved"
	"frontdesk/internal/store"
)

// Dashboards returns the shared dashboards and the caller's own, in order.
func (s *Service) Dashboards(ctx context.Context, c Caller) ([]report.Dashboard, error) {
	return look(ctx, s, c, desk.ListDashboards, func(tx *store.Tx) ([]report.Dashboard, error) { return saved.Dashboards(tx, c.Actor.ID) })
}

// CreateDashboard adds a dashboard, for the caller or for everyone, together with the
// new explorations that its cards bring along. It returns Invalid if there are too
// many, and then adds nothing.
func (s *Service) CreateDashboard(ctx context.Context, c Caller, g report.GivenDashboard) (report.Dashboard, error) {
	return write(ctx, s, c, desk.CreateDashboard, func(tx *store.Tx) (d report.Dashboard, err error) {
		if err := report.MayKeep(c.Actor.ID, c.Role, c.Actor.ID, false, g.Shared != nil && *g.Shared); err != nil {
			return d, err
		}
		seen, err := saved.Dashboards(tx, c.Actor.ID)
		if err != nil {
			return d, err
		}
		last := int64(0)
		if len(seen) > 0 {
			last = seen[len(seen)-1].Position
		}
		if d, err = g.Dashboard(c.Actor.ID, last, tx.Now); err != nil {
			return d, err
		}
		if err := c.fillCards(tx, &d, nil, g); err != nil {
			return d, err
		}
		return added(tx, c, "dashboard.created", d, func(n *report.Dashboard) error { return saved.AddDashboard(tx, n) })
	})
}

// UpdateDashboard changes a dashboard of the caller. Admins can also change shared
// ones.
func (s *Service) UpdateDashboard(ctx context.Context, c Caller, id report.DashboardID, g report.GivenDashboard) (report.Dashboard, error) {
	return update(ctx, s, c, desk.UpdateDashboard, "dashboard.updated", id, c.ownDashboard, func(tx *store.Tx, before report.Dashboard, d *report.Dashboard) error {
		if err := report.MayKeep(c.Actor.ID, c.Role, d.Member, d.Shared, g.Shared != nil && *g.Shared); err != nil {
			return err
		}
		if err := d.Apply(g, tx.Now); err != nil {
			return err
		}
		had := before.Cards
		if !before.Shared && d.Shared {
			had = nil // everything on it is looked at again
		}
		if err := c.fillCards(tx, d, had, g); err != nil {
			return err
		}
		if before.Shared != d.Shared {
			if err := tx.CheckRoom(*d); err != nil {
				return err
			}
		}
		return saved.SaveDashboard(tx, *d)
	})
}

// fillCards checks what a dashboard shows, and makes the new explorations of its cards.
// A card that the dashboard had before may stay, even if its exploration is gone.
func (c Caller) fillCards(tx *store.Tx, d *report.Dashboard, had []report.DashboardCard, g report.GivenDashboard) error {
	if g.Range != nil || g.Filters != nil {
		if err := checkNarrowing(tx, *d); err != nil {
			return err
		}
	}
	kept := map[report.ExplorationID]bool{}
	for _, card := range had {
		kept[card.Exploration] = true
	}
	found, err := saved.ExplorationsNamed(tx, d.Explorations(), c.Actor.ID)
	if err != nil {
		return err
	}
	var p desk.Problems
	for i, card := range d.Cards {
		e, known := found[card.Exploration]
		at := fmt.Sprintf("cards[%d].exploration_id", i)
		switch {
		case card.Exploration == 0 || kept[card.Exploration]:
		case !known:
			p.Add(at, "must name an exploration that you can see")
		case d.Shared && !e.Shared:
			p.Add(at, "names %q, which is not shared: share it first, because the dashboard is shared", e.Name)
		}
	}
	if err := p.Err(); err != nil {
		return err
	}
	if g.Cards == nil {
		return nil
	}
	return c.addNewCards(tx, d, *g.Cards)
}

// addNewCards makes the new explorations of cards. They are shared if the dashboard is.
func (c Caller) addNewCards(tx *store.Tx, d *report.Dashboard, given []report.GivenCard) error {
	last := int64(-1)
	for i, card := range given {
		if card.New == nil {
			continue
		}
		if last < 0 {
			var err error
			if last, err = lastExploration(tx, c); err != nil {
				return err
			}
		}
		g := *card.New
		g.Shared = &d.Shared
		e, err := addExploration(tx, c, g, last)
		if err != nil {
			var p desk.Problems
			if err := p.Under(fmt.Sprintf("cards[%d].exploration.", i), err); err != nil {
				return err
			}
			return p.Err()
		}
		last, d.Cards[i].Exploration = e.Position, e.ID
	}
	return nil
}

// checkNarrowing returns Invalid if the range or the filters of a dashboard cannot be
// asked.
func checkNarrowing(tx *store.Tx, d report.Dashboard) error {
	anything := desk.InsightsQuery{Measures: []string{"Requests.count"}, TimeDimensions: []desk.TimeDimension{{Dimension: "Requests.created_at"}}}
	question, err := questionOf(tx, d.Of(anything))
	if err != nil {
		return err
	}
	if _, err := insights.PeriodOf(d.Range, tx.Now, question.Zone); err != nil {
		return err
	}
	return insights.Check(question)
}

// DeleteDashboard removes a dashboard of the caller. Admins can also remove shared
// ones.
func (s *Service) DeleteDashboard(ctx context.Context, c Caller, id report.DashboardID) (None, error) {
	return remove(ctx, s, c, desk.DeleteDashboard, "dashboard.deleted", id, c.ownDashboard, saved.RemoveDashboard)
}

// RestoreDashboard takes the removal of a dashboard back, if it was not long ago.
func (s *Service) RestoreDashboard(ctx context.Context, c Caller, id report.DashboardID) (report.Dashboard, error) {
	return restore(ctx, s, c, desk.RestoreDashboard, "dashboard.restored", id, c.removedDashboard, saved.RestoreDashboard)
}

// ownDashboard finds a dashboard that the caller may change.
func (c Caller) ownDashboard(tx *store.Tx, id report.DashboardID) (report.Dashboard, error) {
	return c.ifOwnDashboard(saved.Dashboard(tx, id, c.Actor.ID))
}

// removedDashboard finds one that was removed.
func (c Caller) removedDashboard(tx *store.Tx, id report.DashboardID) (report.Dashboard, error) {
	return c.ifOwnDashboard(saved.RemovedDashboard(tx, id, c.Actor.ID))
}

func (c Caller) ifOwnDashboard(d report.Dashboard, err error) (report.Dashboard, error) {
	if err == nil {
		err = report.MayKeep(c.Actor.ID, c.Role, d.Member, d.Shared, d.Shared)
	}
	return d, err
}
