package desk

import "time"

// View is a way to look at the requests that a member has kept: for themselves,
// or for everybody of the account.
type View struct {
	ID       ViewID
	Member   MemberID // who made it
	Name     string
	Query    string // of a list of requests
	Shared   bool
	Position int64 // views are shown by it

	CreatedAt time.Time
	UpdatedAt time.Time
}

// ShownView is a view as somebody sees it.
type ShownView struct {
	View
	Mine bool
}

const (
	// MostViews bounds the views that members share, and those that one of them
	// has for themselves.
	MostViews = 100

	mostViewQuery = 2000
)

// GivenView is a view as a caller gave it: what it is made from, or what is to be
// changed of it, where nil leaves a member.
type GivenView struct {
	Body
	Name     *string
	Query    *string
	Shared   *bool
	Position *int64
}

// View checks the input and makes the view of a member. Without a position it
// is behind the last.
func (g GivenView) View(by MemberID, last int64, now time.Time) (View, error) {
	if g.Problem != nil {
		return View{}, g.Problem
	}
	v := View{Member: by, Position: min(last+1, MostPosition), CreatedAt: now, UpdatedAt: now}
	var p Problems
	if g.Name == nil {
		p.Add("name", "is required")
	}
	if g.Query == nil {
		p.Add("query", "is required")
	}
	v.take(&p, g)
	err := p.Err()
	return v, err
}

// Apply changes the view as a whole, or gives Invalid and changes nothing.
func (v *View) Apply(g GivenView, now time.Time) error {
	if g.Problem != nil {
		return g.Problem
	}
	if g.Name == nil && g.Query == nil && g.Shared == nil && g.Position == nil {
		return Errorf(Invalid, "Nothing to change: give at least one of name, query, shared, position.")
	}
	next := *v
	var p Problems
	next.take(&p, g)
	if err := p.Err(); err != nil {
		return err
	}
	next.UpdatedAt = now
	*v = next
	return nil
}

func (v *View) take(p *Problems, g GivenView) {
	if g.Name != nil {
		v.Name = *g.Name
		p.Text("name", &v.Name, 1, mostName)
	}
	if g.Query != nil {
		v.Query = *g.Query
		p.Text("query", &v.Query, 0, mostViewQuery)
	}
	if g.Shared != nil {
		v.Shared = *g.Shared
	}
	if g.Position != nil {
		if v.Position = *g.Position; v.Position < 0 || v.Position > MostPosition {
			p.Add("position", "must be a whole number from 0 to %d", MostPosition)
		}
	}
}

// ErrNotYours refuses to change what somebody else has made and shares.
var ErrNotYours = Errorf(Forbidden, "Only who made it and admins can change it.")

// ErrMayNotShare refuses a viewer to make something for everybody.
var ErrMayNotShare = Errorf(Forbidden, "Viewers cannot share what they make.")

// MayKeep says whether somebody may have a thing that members keep for
// themselves or for all. Whose it is and whether it is shared are all that
// counts.
func MayKeep(by MemberID, role Role, owner MemberID, wasShared, shared bool) error {
	switch {
	case owner != by && role != Admin:
		return ErrNotYours
	case shared && !wasShared && role == Viewer:
		return ErrMayNotShare
	}
	return nil
}
