package wire

import (
	"time"

	"frontdesk/internal/desk"
)

// SLAPolicy is a policy on the wire.
type SLAPolicy struct {
	ID            desk.SLAPolicyID   `json:"id"`
	Name          string             `json:"name"`
	Kind          desk.SLAKind       `json:"kind"`
	CollectionID  *desk.CollectionID `json:"collection_id"`
	Conditions    SLAConditions      `json:"conditions"`
	TargetMinutes *int               `json:"target_minutes"`
	MaxReplies    *int               `json:"max_replies"`
	ScheduleID    *desk.ScheduleID   `json:"schedule_id"`
	Enabled       bool               `json:"enabled"`
	Position      int                `json:"position"`
	CreatedAt     Time               `json:"created_at"`
	UpdatedAt     Time               `json:"updated_at"`
}

// SLAConditions are the conditions on a request. A condition that is left out
// always holds.
type SLAConditions struct {
	Priorities  []desk.Priority   `json:"priorities,omitempty"`
	CustomerIDs []desk.CustomerID `json:"customer_ids,omitempty"`
	HasTicket   *bool             `json:"has_ticket,omitempty"`
}

// NewSLAConditions returns the wire form of conditions.
func NewSLAConditions(c desk.SLAConditions) SLAConditions {
	return SLAConditions{c.Priorities, c.Customers, c.HasTicket}
}

// NewSLAPolicy returns the wire form of a policy.
func NewSLAPolicy(p desk.SLAPolicy) SLAPolicy {
	return SLAPolicy{
		ID: p.ID, Name: p.Name, Kind: p.Kind, CollectionID: p.Collection, Conditions: NewSLAConditions(p.Conditions),
		TargetMinutes: p.TargetMinutes, MaxReplies: p.MaxReplies, ScheduleID: p.Schedule, Enabled: p.Enabled, Position: p.Position,
		CreatedAt: NewTime(p.CreatedAt), UpdatedAt: NewTime(p.UpdatedAt),
	}
}

// SLABreach is a missed target, in the feed.
type SLABreach struct {
	Kind     desk.SLAKind     `json:"kind"`
	PolicyID desk.SLAPolicyID `json:"policy_id"`
	DueAt    *Time            `json:"due_at"`
}

// NewSLABreach returns the wire form of a breach.
func NewSLABreach(b desk.SLABreach) SLABreach {
	return SLABreach{Kind: b.Kind, PolicyID: b.Policy, DueAt: optional(b.Due)}
}

// SLARecomputation is the progress of applying a change to the existing requests.
type SLARecomputation struct {
	Status     string  `json:"status"` // none, running or done
	Scope      *string `json:"scope"`
	Recomputed int     `json:"recomputed"`
	StartedAt  *Time   `json:"started_at"`
	FinishedAt *Time   `json:"finished_at"`
}

// NewSLARecomputation returns the wire form of a recomputation.
func NewSLARecomputation(r desk.SLARecomputation) SLARecomputation {
	w := SLARecomputation{Status: "running", Scope: orNull(string(r.Scope)), Recomputed: r.Recomputed, StartedAt: optional(r.StartedAt), FinishedAt: optional(r.FinishedAt)}
	switch {
	case r.Scope == "":
		w.Status = "none"
	case r.FinishedAt != nil:
		w.Status = "done"
	}
	return w
}

// SLAExplanation says where each number of a request's SLA clocks comes from.
type SLAExplanation struct {
	FirstResponse   SLAReading  `json:"first_response"`
	Resolution      SLAReading  `json:"resolution"`
	FirstResolution *Metric     `json:"first_resolution"`
	OneTouch        SLAOneTouch `json:"one_touch"`
}

// SLAReading is the current state of a clock.
type SLAReading struct {
	Policy        *policyRef     `json:"policy"`
	TargetMinutes *int64         `json:"target_minutes"`
	Value         *float64       `json:"value"` // as shown in the request
	SpentMinutes  float64        `json:"spent_minutes"`
	IsBreached    *bool          `json:"is_breached"`
	DueAt         *Time          `json:"due_at"`
	Status        desk.SLAStatus `json:"status"`
	Intervals     []SLAInterval  `json:"intervals"`
	// IntervalsMerged is how many of the oldest intervals were merged into one,
	// because there are too many.
	IntervalsMerged int `json:"intervals_merged"`
}

// SLAInterval is a part of the measured time.
type SLAInterval struct {
	From           Time    `json:"from"`
	To             Time    `json:"to"`
	CountedMinutes float64 `json:"counted_minutes"`
	Why            string  `json:"why"`
}

// SLAOneTouch is the target to resolve a request with few replies.
type SLAOneTouch struct {
	Policy     *policyRef     `json:"policy"`
	Replies    *int           `json:"replies"` // until it was resolved
	MaxReplies *int           `json:"max_replies"`
	IsBreached *bool          `json:"is_breached"`
	Status     desk.SLAStatus `json:"status"`
}

type policyRef struct {
	ID   desk.SLAPolicyID `json:"id"`
	Name string           `json:"name"`
}

// NewSLAExplanation returns the wire form of an explanation.
func NewSLAExplanation(e desk.SLAExplanation) SLAExplanation {
	w := SLAExplanation{FirstResponse: newSLAReading(e.FirstResponse), Resolution: newSLAReading(e.Resolution), FirstResolution: metric(e.FirstResolution)}
	one := e.OneTouch
	w.OneTouch = SLAOneTouch{Policy: newPolicyRef(one), MaxReplies: one.MaxReplies, IsBreached: one.Late, Status: one.Status}
	if one.End != nil {
		w.OneTouch.Replies = &one.Replies
	}
	return w
}

func newSLAReading(r desk.SLAReading) SLAReading {
	w := SLAReading{Policy: newPolicyRef(r), SpentMinutes: exactMinutes(r.Spent), IsBreached: r.Late, DueAt: optional(r.Due), Status: r.Status, IntervalsMerged: r.Merged}
	if r.Target > 0 {
		w.TargetMinutes = orNull(int64(r.Target / time.Minute))
	}
	if r.Value != nil {
		w.Value = &r.Value.Minutes
	}
	w.Intervals = desk.Each(r.Intervals, func(in desk.SLAInterval) SLAInterval {
		return SLAInterval{NewTime(in.From), NewTime(in.To), exactMinutes(in.Counted), in.Why}
	})
	return w
}

func newPolicyRef(r desk.SLAReading) *policyRef {
	if r.Policy == nil {
		return nil
	}
	return &policyRef{*r.Policy, r.PolicyName}
}

// exactMinutes returns minutes without rounding, because the parts must add up to
// the millisecond.
func exactMinutes(d time.Duration) float64 { return float64(d.Milliseconds()) / 60000 }
