// Package report holds what members keep of insights: explorations, which are saved
// questions, and dashboards, which are lists of them; and the rules for both. It does
// no I/O.
package report

import (
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"frontdesk/internal/desk"
)

type ExplorationID int64

// Exploration is a saved question to insights, with a way to draw the answer. A member
// keeps it for themselves or shares it with the account. Everybody sees their own
// numbers in it: those of the requests that they may see.
type Exploration struct {
	ID       ExplorationID
	Member   desk.MemberID // its creator
	Mine     bool          // whether that is the member who looks at it
	Name     string
	Query    desk.InsightsQuery // with one time dimension
	Chart    ExplorationChart
	Target   *Target // nil: none
	Shared   bool
	Position int64 // explorations are sorted by it

	CreatedAt time.Time
	UpdatedAt time.Time
}

func (e Exploration) Named() (resource, id string) { return "Exploration", desk.FormatID(e.ID) }

// ExplorationChart is how an answer is drawn.
type ExplorationChart string

const (
	LineChart   ExplorationChart = "line"
	BarChart    ExplorationChart = "bar"
	TableChart  ExplorationChart = "table"
	NumberChart ExplorationChart = "number" // large numbers, one for each measure
)

// ExplorationCharts lists every value.
var ExplorationCharts = []ExplorationChart{LineChart, BarChart, TableChart, NumberChart}

// Target is what a measure should be, at most or at least.
type Target struct {
	Measure string
	Bound   Bound
	Value   float64
}

// Bound says on which side of a target a value is good.
type Bound string

const (
	AtMost  Bound = "at_most"
	AtLeast Bound = "at_least"
)

// Missed reports whether a value is on the wrong side.
func (t Target) Missed(value float64) bool {
	if t.Bound == AtMost {
		return value > t.Value
	}
	return value < t.Value
}

const (
	// MostExplorations bounds the shared explorations, and the private ones of each
	// member.
	MostExplorations = 200

	// mostExplorationQuery bounds the characters of all names and values of a query.
	mostExplorationQuery = 5000
	mostTarget           = 1e9
)

// GivenExploration is an exploration as a caller gave it, for a new one or for a
// change. In a change a nil field stays as it is.
type GivenExploration struct {
	desk.Body
	Name     *string
	Query    *desk.InsightsQuery
	Chart    *ExplorationChart
	Target   desk.Nullable[Target]
	Shared   *bool
	Position *int64
}

// Exploration checks the input and makes the exploration of a member. Without a chart
// it is a table, and without a position it comes last. Whether its query can be asked
// is not checked here.
func (g GivenExploration) Exploration(by desk.MemberID, last int64, now time.Time) (Exploration, error) {
	e := Exploration{Member: by, Mine: true, Chart: TableChart, Position: min(last+1, desk.MostPosition), CreatedAt: now, UpdatedAt: now}
	return desk.Create(e, g.Body, g.fill, "name", "query")
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (e *Exploration) Apply(g GivenExploration, now time.Time) error {
	return desk.Amend(e, g.Body, func(next *Exploration, p *desk.Patch) {
		g.fill(next, p)
		next.UpdatedAt = now
	})
}

func (g GivenExploration) fill(e *Exploration, p *desk.Patch) {
	desk.TakeName(p, &e.Name, g.Name)
	if desk.Take(p, "query", &e.Query, g.Query) {
		if len(e.Query.TimeDimensions) != 1 {
			p.Add("query.time_dimensions", "must have exactly one")
		}
		if queryLength(e.Query) > mostExplorationQuery {
			p.Add("query", "must have at most %d characters in its names and values together", mostExplorationQuery)
		}
	}
	if desk.Take(p, "chart", &e.Chart, g.Chart) {
		desk.OneOf(&p.Problems, "chart", e.Chart, ExplorationCharts...)
	}
	desk.TakeNullable(p, "target", &e.Target, g.Target)
	if t := e.Target; t != nil && (g.Target.Given || g.Query != nil) {
		desk.OneOf(&p.Problems, "target.bound", t.Bound, AtMost, AtLeast)
		if !slices.Contains(e.Query.Measures, t.Measure) {
			p.Add("target.measure", "must be one of the measures of the query")
		}
		if math.IsNaN(t.Value) || t.Value < 0 || t.Value > mostTarget {
			p.Add("target.value", "must be a number from 0 to %d", int64(mostTarget))
		}
	}
	desk.Take(p, "shared", &e.Shared, g.Shared)
	desk.TakePosition(p, &e.Position, g.Position)
}

func length(s string) int { return utf8.RuneCountInString(s) }

// queryLength returns how many characters a query has.
func queryLength(q desk.InsightsQuery) (n int) {
	for _, name := range slices.Concat(q.Measures, q.Dimensions) {
		n += length(name)
	}
	for _, t := range q.TimeDimensions {
		n += length(t.Dimension) + length(t.Range)
	}
	return n + filtersLength(q.Filters)
}

func filtersLength(filters []desk.InsightsFilter) (n int) {
	for _, f := range filters {
		n += length(f.Member) + length(f.Operator)
		for _, v := range f.Values {
			if v != nil {
				n += length(*v)
			}
		}
	}
	return n
}

// ErrMayNotShare refuses to let a viewer share what they made of insights.
var ErrMayNotShare = desk.Errorf(desk.Forbidden, "Viewers cannot share explorations or dashboards.")

// MayKeepInsights is desk.MayKeep for explorations and dashboards.
func MayKeep(by desk.MemberID, role desk.Role, owner desk.MemberID, wasShared, shared bool) error {
	err := desk.MayKeep(by, role, owner, wasShared, shared)
	if err == desk.ErrMayNotShare {
		return ErrMayNotShare
	}
	return err
}

// UndoRemoval is for how long a removed exploration or dashboard can be had back.
const UndoRemoval = time.Hour
