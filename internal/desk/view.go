package desk

import "time"

type ViewID int64

// View is a saved way to look at requests. A member keeps it for themselves or
// shares it with the account.
type View struct {
	ID       ViewID
	Member   MemberID // its creator
	Mine     bool     // whether that is the member who looks at it
	Name     string
	Query    string // the query of a list of requests
	Shared   bool
	Position int64 // views are sorted by it

	CreatedAt time.Time
	UpdatedAt time.Time
}

func (v View) Named() (resource, id string) { return "View", FormatID(v.ID) }

const (
	// MostViews bounds the shared views, and the private ones of each member.
	MostViews = 100

	mostViewQuery = 2000
)

// GivenView is a view as a caller gave it, for a new one or for a change. In a
// change a nil field stays as it is.
type GivenView struct {
	Body
	Name     *string
	Query    *string
	Shared   *bool
	Position *int64
}

// View checks the input and makes the view of a member. Without a position it comes
// last.
func (g GivenView) View(by MemberID, last int64, now time.Time) (View, error) {
	v := View{Member: by, Mine: true, Position: min(last+1, MostPosition), CreatedAt: now, UpdatedAt: now}
	return create(v, g.Body, g.fill, "name", "query")
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (v *View) Apply(g GivenView, now time.Time) error {
	return amend(v, g.Body, func(next *View, p *patch) {
		g.fill(next, p)
		next.UpdatedAt = now
	})
}

func (g GivenView) fill(v *View, p *patch) {
	takeName(p, &v.Name, g.Name)
	if take(p, "query", &v.Query, g.Query) {
		p.Text("query", &v.Query, 0, mostViewQuery)
	}
	take(p, "shared", &v.Shared, g.Shared)
	if take(p, "position", &v.Position, g.Position) {
		wholeNumber(&p.Problems, "position", v.Position, 0, MostPosition)
	}
}

// ErrNotYours refuses to change something that another member made and shares.
var ErrNotYours = Errorf(Forbidden, "Only its creator or an admin can change it.")

// ErrMayNotShare refuses to let a viewer share something.
var ErrMayNotShare = Errorf(Forbidden, "Viewers cannot share views or quick replies.")

// MayKeep checks whether a member may have or change a saved thing. Only its owner
// and whether it is shared count.
func MayKeep(by MemberID, role Role, owner MemberID, wasShared, shared bool) error {
	switch {
	case owner != by && role != Admin:
		return ErrNotYours
	case shared && !wasShared && role == Viewer:
		return ErrMayNotShare
	}
	return nil
}
