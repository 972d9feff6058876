package report

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/desk"
)

type DashboardID int64

// Dashboard is a list of explorations that are looked at together, over the same part
// of time and of the same requests. A member keeps it for themselves or shares it.
type Dashboard struct {
	ID     DashboardID
	Member desk.MemberID // its creator
	Mine   bool          // whether that is the member who looks at it
	Name   string
	// Cards are in their order. One whose exploration is gone, or is hidden from who
	// looks, is not shown.
	Cards    []DashboardCard
	Range    desk.DateRange        // takes the place of the explorations' own
	Filters  []desk.InsightsFilter // besides the explorations' own
	Shared   bool
	Position int64 // dashboards are sorted by it

	CreatedAt time.Time
	UpdatedAt time.Time
}

func (d Dashboard) Named() (resource, id string) { return "Dashboard", desk.FormatID(d.ID) }

// UsualRange is the range of a dashboard that was given none: the last 30 days.
var UsualRange = desk.DateRange{Words: "from 29 days ago to now"}

// DashboardCard is an exploration on a dashboard.
type DashboardCard struct {
	Exploration ExplorationID
	Width       CardWidth
}

// CardWidth is how much of a row a card takes.
type CardWidth string

const (
	HalfWidth  CardWidth = "half"
	WholeWidth CardWidth = "whole"
)

const (
	// MostDashboards bounds the shared dashboards, and the private ones of each
	// member. MostCards bounds the cards of one.
	MostDashboards = 50
	MostCards      = 30
)

// GivenDashboard is a dashboard as a caller gave it, for a new one or for a change. In
// a change a nil field stays as it is.
type GivenDashboard struct {
	desk.Body
	Name     *string
	Cards    *[]GivenCard
	Range    *desk.DateRange
	Filters  *[]desk.InsightsFilter
	Shared   *bool
	Position *int64
}

// GivenCard is a card with an exploration that exists, or with a new one that is made
// together with the dashboard.
type GivenCard struct {
	Exploration *ExplorationID
	New         *GivenExploration
	Width       CardWidth
}

// Dashboard checks the input and makes the dashboard of a member. Without a position it
// comes last. Its cards with new explorations have no id yet.
func (g GivenDashboard) Dashboard(by desk.MemberID, last int64, now time.Time) (Dashboard, error) {
	d := Dashboard{Member: by, Mine: true, Range: UsualRange, Position: min(last+1, desk.MostPosition), CreatedAt: now, UpdatedAt: now}
	return desk.Create(d, g.Body, g.fill, "name")
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (d *Dashboard) Apply(g GivenDashboard, now time.Time) error {
	return desk.Amend(d, g.Body, func(next *Dashboard, p *desk.Patch) {
		g.fill(next, p)
		next.UpdatedAt = now
	})
}

func (g GivenDashboard) fill(d *Dashboard, p *desk.Patch) {
	desk.TakeName(p, &d.Name, g.Name)
	if p.Offer("cards", g.Cards != nil) {
		d.Cards = nil
		if p.AtMost("cards", len(*g.Cards), MostCards) {
			d.Cards = cardsOf(p, *g.Cards)
		}
	}
	desk.Take(p, "date_range", &d.Range, g.Range)
	if desk.Take(p, "filters", &d.Filters, g.Filters) && filtersLength(d.Filters) > mostExplorationQuery {
		p.Add("filters", "must have at most %d characters in their names and values together", mostExplorationQuery)
	}
	desk.Take(p, "shared", &d.Shared, g.Shared)
	desk.TakePosition(p, &d.Position, g.Position)
}

func cardsOf(p *desk.Patch, given []GivenCard) []DashboardCard {
	var all []DashboardCard
	for i, c := range given {
		at := fmt.Sprintf("cards[%d]", i)
		if (c.Exploration == nil) == (c.New == nil) {
			p.Add(at, "must have either an exploration_id or an exploration")
		}
		desk.OneOf(&p.Problems, at+".width", c.Width, HalfWidth, WholeWidth)
		card := DashboardCard{Width: c.Width}
		if c.Exploration != nil {
			card.Exploration = *c.Exploration
		}
		all = append(all, card)
	}
	return all
}

// Explorations returns the ids of the explorations of the cards, each once.
func (d Dashboard) Explorations() []ExplorationID {
	ids := desk.Each(d.Cards, func(c DashboardCard) ExplorationID { return c.Exploration })
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Of returns the query of an exploration as the dashboard asks it: over the
// dashboard's part of time, with the dashboard's filters as well.
func (d Dashboard) Of(q desk.InsightsQuery) desk.InsightsQuery {
	t := q.TimeDimensions[0]
	t.Range, t.Days = d.Range.Words, d.Range.Days
	q.TimeDimensions = []desk.TimeDimension{t}
	q.Filters = slices.Concat(q.Filters, d.Filters)
	return q
}
