package desk

import (
	"cmp"
	"slices"
	"time"
)

// SLAKind says what a policy promises.
type SLAKind string

const (
	SLAFirstResponse SLAKind = "first_response"
	SLAResolution    SLAKind = "resolution"
	SLAOneTouch      SLAKind = "one_touch" // resolved with few replies
)

// SLAKinds lists every value.
var SLAKinds = []SLAKind{SLAFirstResponse, SLAResolution, SLAOneTouch}

type SLAPolicyID int64

// SLAPolicy is a promise to requesters. Of the enabled policies of a kind whose
// conditions match, the one with the lowest position applies to a request.
type SLAPolicy struct {
	ID            SLAPolicyID
	Name          string
	Kind          SLAKind
	Collection    *CollectionID // nil for all
	Conditions    SLAConditions
	TargetMinutes *int        // for first_response and resolution
	MaxReplies    *int        // for one_touch
	Schedule      *ScheduleID // nil for the schedule of the request's collection
	Enabled       bool
	Position      int

	CreatedAt time.Time
	UpdatedAt time.Time
}

func (s SLAPolicy) Named() (resource, id string) { return "SLAPolicy", FormatID(s.ID) }

// SLAConditions are what must be true of a request when its clock starts. An empty
// condition is ignored.
type SLAConditions struct {
	Priorities []Priority
	Customers  []CustomerID
	HasTicket  *bool
}

const (
	// MostSLAPolicies bounds the policies of an account.
	MostSLAPolicies = 100
	// MostSLACustomers bounds the customers that a policy names.
	MostSLACustomers = 1000
	// MostTarget is the longest promise, in minutes: a year.
	MostTarget = 366 * 24 * 60
	// MostReplies is the maximum of a one-touch policy.
	MostReplies = 100
	// MostPosition is the highest position of a policy.
	MostPosition = 1_000_000
)

// Recompute says which requests are recomputed when a policy or a schedule changes.
type Recompute string

const (
	RecomputeOpen Recompute = "open" // requests that are not solved or closed
	RecomputeAll  Recompute = "all"  // solved and closed ones, too
)

func (r *Recompute) check(p *Problems) {
	optionalOneOf(p, "recompute", r, RecomputeOpen, RecomputeAll)
}

// SLARecomputation says how far the recomputation after the last change of policies
// and schedules has got.
type SLARecomputation struct {
	Scope      Recompute // empty if nothing has ever changed
	Recomputed int       // requests so far
	StartedAt  *time.Time
	FinishedAt *time.Time // nil while it runs
}

// GivenConditions are conditions as a caller gave them. A nil one is left out.
type GivenConditions struct {
	Priorities *[]Priority
	Customers  *[]CustomerID
	HasTicket  *bool
}

// GivenSLAPolicy is a policy as a caller gave it, for a new one or for a change. In
// a change a nil field stays as it is. Conditions are replaced as a whole.
type GivenSLAPolicy struct {
	Body
	Name          *string
	Kind          *SLAKind // never changes
	Collection    Nullable[CollectionID]
	Conditions    *GivenConditions
	TargetMinutes *int
	MaxReplies    *int
	Schedule      Nullable[ScheduleID]
	Enabled       *bool
	Position      *int
	Recompute     *Recompute
}

// SLAPolicy checks the input and makes the policy. By default it is enabled and
// comes after the others. last is the highest position so far.
func (g GivenSLAPolicy) SLAPolicy(last int, now time.Time) (SLAPolicy, error) {
	s := SLAPolicy{Enabled: true, Position: min(last+1, MostPosition), CreatedAt: now, UpdatedAt: now}
	return create(s, g.Body, func(s *SLAPolicy, p *patch) {
		if g.Kind != nil {
			p.note("kind")
			s.Kind = *g.Kind
			OneOf(&p.Problems, "kind", s.Kind, SLAKinds...)
		}
		g.fill(s, p)
	}, "name", "kind")
}

// Apply makes the whole change, or returns Invalid and changes nothing.
func (s *SLAPolicy) Apply(g GivenSLAPolicy, now time.Time) error {
	return amend(s, g.Body, func(next *SLAPolicy, p *patch) {
		if g.Kind != nil {
			p.note("kind")
			if *g.Kind != s.Kind {
				p.Add("kind", "cannot be changed: it is %s. Create another policy instead", s.Kind)
			}
		}
		g.fill(next, p)
		next.UpdatedAt = now
	})
}

func (g GivenSLAPolicy) fill(s *SLAPolicy, p *patch) {
	takeName(p, &s.Name, g.Name)
	takeNullable(p, "collection_id", &s.Collection, g.Collection)
	p.offer("conditions", g.Conditions != nil)
	p.offer("target_minutes", g.TargetMinutes != nil)
	p.offer("max_replies", g.MaxReplies != nil)
	takeNullable(p, "schedule_id", &s.Schedule, g.Schedule)
	take(p, "enabled", &s.Enabled, g.Enabled)
	take(p, "position", &s.Position, g.Position)
	wholeNumber(&p.Problems, "position", s.Position, 0, MostPosition)
	if g.Conditions != nil {
		s.Conditions = p.conditions(*g.Conditions)
	}
	s.takeTarget(&p.Problems, g)
	g.Recompute.check(&p.Problems)
}

// takeTarget sets the promise: minutes or, for a one-touch policy, a number of
// replies.
func (s *SLAPolicy) takeTarget(p *Problems, g GivenSLAPolicy) {
	if s.Kind == SLAOneTouch {
		if g.TargetMinutes != nil {
			p.Add("target_minutes", "is not allowed for a one_touch policy, which has max_replies")
		}
		if g.MaxReplies != nil {
			s.MaxReplies = g.MaxReplies
		}
		if s.MaxReplies == nil {
			p.Add("max_replies", "is required for a one_touch policy")
		} else {
			wholeNumber(p, "max_replies", *s.MaxReplies, 0, MostReplies)
		}
		return
	}
	if g.MaxReplies != nil {
		p.Add("max_replies", "is only allowed for a one_touch policy")
	}
	if g.TargetMinutes != nil {
		s.TargetMinutes = g.TargetMinutes
	}
	if s.TargetMinutes == nil {
		p.Add("target_minutes", "is required")
	} else {
		wholeNumber(p, "target_minutes", *s.TargetMinutes, 1, MostTarget)
	}
}

func (p *Problems) conditions(g GivenConditions) (c SLAConditions) {
	if g.Priorities != nil {
		c.Priorities = slices.Clone(*g.Priorities)
		eachOnce(p, "conditions.priorities", c.Priorities, func(at string, v *Priority) { OneOf(p, at, *v, Priorities...) })
	}
	if g.Customers != nil && p.atMost("conditions.customer_ids", len(*g.Customers), MostSLACustomers) {
		c.Customers = slices.Clone(*g.Customers)
		eachOnce(p, "conditions.customer_ids", c.Customers, nil)
	}
	c.HasTicket = g.HasTicket
	return c
}

// SLAStart is what was true of a request when its clocks started, that is, when it
// became a request.
type SLAStart struct {
	Since      *time.Time // nil: when it was created
	Collection CollectionID
	Priority   Priority
	Customer   *CustomerID
	HasTicket  bool
}

// SLAStart returns the facts of a request that becomes one now, or is created as
// one.
func (r Request) SLAStart(made bool, now time.Time) SLAStart {
	s := SLAStart{Collection: r.Collection.ID, Priority: r.Priority, Customer: r.Customer, HasTicket: len(r.Tickets) > 0}
	if !made {
		s.Since = &now
	}
	return s
}

// AppliesTo reports whether the policy applies to a request that starts like this.
func (s SLAPolicy) AppliesTo(r SLAStart) bool {
	c := s.Conditions
	return s.Enabled && (s.Collection == nil || *s.Collection == r.Collection) &&
		(len(c.Priorities) == 0 || slices.Contains(c.Priorities, r.Priority)) &&
		(len(c.Customers) == 0 || r.Customer != nil && slices.Contains(c.Customers, *r.Customer)) &&
		(c.HasTicket == nil || *c.HasTicket == r.HasTicket)
}

// Applying returns the policy of a kind that applies to a request; nil for none.
func Applying(policies []SLAPolicy, kind SLAKind, r SLAStart) (found *SLAPolicy) {
	for i, s := range policies {
		if s.Kind == kind && s.AppliesTo(r) && (found == nil || cmp.Or(s.Position-found.Position, int(s.ID-found.ID)) < 0) {
			found = &policies[i]
		}
	}
	return found
}
