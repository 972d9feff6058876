package desk

import (
	"maps"
	"slices"
	"time"
)

// State is where a request stands.
type State string

const (
	Open       State = "open"
	InProgress State = "in_progress"
	Pending    State = "pending" // for the requester
	OnHold     State = "on_hold"
	Solved     State = "solved"
	Closed     State = "closed"
)

// States are all the states. A conversation that is no request has none.
var States = []State{Open, InProgress, Pending, OnHold, Solved, Closed}

// resolved reports whether nothing is left to do.
func (s State) resolved() bool { return s == Solved || s == Closed }

// NotARequest is the mark of a conversation that somebody said is no request.
type NotARequest string

const (
	Temporary NotARequest = "temporary" // the requester's next message reopens it
	Permanent NotARequest = "permanent"
)

// Priority is how urgent a request is.
type Priority string

const (
	Low    Priority = "low"
	Normal Priority = "normal"
	High   Priority = "high"
	Urgent Priority = "urgent"
)

// Priorities are all of them, the least urgent first.
var Priorities = []Priority{Low, Normal, High, Urgent}

// Origin is who decided a value: a person's is never replaced by a program's.
type Origin string

const (
	ByPerson Origin = "person"
	ByRules  Origin = "rules"
	ByModel  Origin = "model"
)

// Requester is who a request is from: a user of the chat system, or somebody
// known by email alone.
type Requester struct {
	User   string // empty for somebody who is not in the chat system
	Name   string
	Email  string
	Avatar string
}

// Thread is a place in the chat system.
type Thread struct {
	Workspace string
	Channel   string
	Message   string // the id of its first message
	URL       string
}

// Request is a conversation with somebody who needs something. One that is not,
// or not yet, a request has no state.
type Request struct {
	ID           RequestID
	Title        string
	TitleBy      Origin
	State        *State
	NotARequest  *NotARequest
	Priority     Priority
	PriorityBy   Origin
	Author       Requester
	Customer     *CustomerID
	Assignee     *string // a chat user
	AssigneeName string  // as they are called now; empty for nobody, or somebody who is not known
	Team         *TeamID
	TeamName     string // likewise
	Collection   CollectionRef
	Channel      *ChannelRef // where it was said, or is posted; nil for none
	Thread       *Thread     // nil until it is posted
	Triage       *Thread     // likewise
	Parent       *RequestID
	Children     []RequestID // nil unless they were asked for
	MergedInto   *RequestID  // where everything of it has gone; nil unless it was merged
	Tags         []string
	Contributors []string
	Tickets      []Ticket
	Survey       *Survey // nil until one is sent
	Values       FieldValues
	AI           AIFields
	Metadata     []byte // JSON: free members that the creator gave; nil for none
	ExternalID   string // of an import; empty for none
	Source       RequestSource
	Messages     []Message   // nil unless they were asked for
	SLAs         []SLA       // its clocks, where a policy or a schedule applies
	Row          *RequestRow // what a list shows beside; nil unless it was asked for

	CreatedAt       time.Time
	UpdatedAt       time.Time
	LastMessageAt   time.Time  // when the requester was last active
	FirstResponseAt *time.Time // of a responder, or of a reaction that counts
	FirstSolvedAt   *time.Time
	SolvedAt        *time.Time // the last time, while it is solved or closed
}

// RequestSource is how a request came in.
type RequestSource string

const (
	FromChat   RequestSource = "chat"
	FromAPI    RequestSource = "api"
	FromImport RequestSource = "import"
)

// CollectionRef and ChannelRef are what a request tells of where it belongs.
type CollectionRef struct {
	ID   CollectionID
	Name string
}

type ChannelRef struct {
	ID    string
	Name  string
	Owner string // empty for none
}

const (
	mostTitle        = 300
	mostDescription  = 4000
	mostTags         = 50
	mostTag          = 100
	mostContributors = 100
)

// ErrClosed refuses any change of a closed request.
var ErrClosed = Errorf(Refused, "The request is closed and cannot be changed.")

// RequestRules are what an account allows.
type RequestRules struct{ OnHoldAllowed bool }

// RequestChange is what may be changed of a request; nil leaves a field.
type RequestChange struct {
	Body
	State        *State
	Title        *string
	Priority     *Priority
	Assignee     Nullable[string]
	Team         Nullable[TeamID]
	Tags         *[]string
	Contributors *[]string
	Parent       Nullable[RequestID]
	NotARequest  Nullable[NotARequest]
	Customer     Nullable[CustomerID]
	Values       FieldInput

	// Fields are the custom fields that Values names, as far as they exist. The
	// caller does not give them: whoever has looked them up.
	Fields map[CustomFieldID]CustomField
}

func (ch RequestChange) empty() bool {
	return ch.State == nil && ch.Title == nil && ch.Priority == nil && !ch.Assignee.Given && !ch.Team.Given && ch.Tags == nil &&
		ch.Contributors == nil && !ch.Parent.Given && !ch.NotARequest.Given && !ch.Customer.Given && len(ch.Values) == 0
}

// Clone is a copy that shares nothing that Apply or Hear changes.
func (r Request) Clone() Request {
	r.Tags, r.Contributors, r.Values = slices.Clone(r.Tags), slices.Clone(r.Contributors), maps.Clone(r.Values)
	return r
}

// Apply changes the request as a whole, or gives an error and changes nothing:
// Refused when it is closed or merged, whatever is to be changed, else Invalid.
func (r *Request) Apply(ch RequestChange, rules RequestRules, now time.Time) error {
	if err := r.Changeable(); err != nil {
		return err
	}
	if ch.Problem != nil {
		return ch.Problem
	}
	if ch.empty() {
		return Errorf(Invalid, "Nothing to change: give at least one of state, assignee, title, priority, custom_field_values, assigned_team, customer_id, tags, contributors, parent_request, not_a_request_state.")
	}
	next := r.Clone()
	p := next.take(ch, rules)
	if err := p.Err(); err != nil {
		return err
	}
	if ch.NotARequest.Given {
		next.mark(ch.NotARequest.Value, now)
	}
	if ch.State != nil {
		next.enter(*ch.State, now)
	}
	next.UpdatedAt = now
	*r = next
	return nil
}

// take takes over what needs no rule but its own.
func (r *Request) take(ch RequestChange, rules RequestRules) *Problems {
	var p Problems
	if ch.State != nil {
		OneOf(&p, "state", *ch.State, States...)
		if *ch.State == OnHold && !rules.OnHoldAllowed {
			p.Add("state", "cannot be on_hold: the account does not allow it")
		}
		if ch.NotARequest.Given && ch.NotARequest.Value != nil {
			p.Add("state", "cannot be combined with not_a_request_state: what is no request has no state")
		}
	}
	if ch.Title != nil {
		r.Title, r.TitleBy = *ch.Title, ByPerson
		p.Text("title", &r.Title, 1, mostTitle)
	}
	if ch.Priority != nil {
		r.Priority, r.PriorityBy = *ch.Priority, ByPerson
		OneOf(&p, "priority", r.Priority, Priorities...)
	}
	if ch.NotARequest.Given && ch.NotARequest.Value != nil {
		OneOf(&p, "not_a_request_state", *ch.NotARequest.Value, Temporary, Permanent)
	}
	setNullable(&r.Assignee, ch.Assignee)
	setNullable(&r.Team, ch.Team)
	setNullable(&r.Parent, ch.Parent)
	setNullable(&r.Customer, ch.Customer)
	if ch.Values != nil {
		r.Values = r.Values.Apply(&p, "custom_field_values", EntityRequest, ch.Fields, ch.Values)
	}
	if ch.Tags != nil {
		r.Tags = p.tags("tags", *ch.Tags)
	}
	if ch.Contributors != nil {
		r.Contributors = slices.Clone(*ch.Contributors)
		if len(r.Contributors) > mostContributors {
			p.Add("contributors", "must be at most %d; there are %d", mostContributors, len(r.Contributors))
		}
	}
	return &p
}

// tags checks tags and makes each of them one: trimmed, in the order given.
func (p *Problems) tags(field string, given []string) (tags []string) {
	if len(given) > mostTags {
		p.Add(field, "must be at most %d; there are %d", mostTags, len(given))
		return nil
	}
	for _, t := range given {
		p.Text(field, &t, 1, mostTag)
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}

// mark says that a conversation is no request, or with nil that it is one
// after all.
func (r *Request) mark(as *NotARequest, now time.Time) {
	switch {
	case as != nil:
		r.NotARequest, r.State, r.SolvedAt = as, nil, nil
	case r.State == nil:
		r.NotARequest = nil
		r.enter(Open, now)
	default:
		r.NotARequest = nil
	}
}

// enter puts the request into a state and keeps what its clocks need: when it
// was first resolved, and when last, for as long as it is.
func (r *Request) enter(s State, now time.Time) {
	was := r.State
	r.State, r.NotARequest = &s, nil
	switch {
	case !s.resolved():
		r.SolvedAt = nil
	case was == nil || !was.resolved():
		r.SolvedAt = &now
		if r.FirstSolvedAt == nil {
			r.FirstSolvedAt = &now
		}
	case s == Solved && *was == Closed: // never: a closed one does not change
	}
}

// Hear is what a public message does to the request:
//
//   - a responder's is the first response, if there was none, and begins the
//     work on an open one;
//   - a requester's brings one that is in progress, pending or solved back to
//     open, unless it only thanks or acknowledges, and so it does with one that
//     was marked as no request for the time being, or never was one: that is
//     then theirs.
//
// A message that the other side has answered already, because it was told late,
// leaves the state as the answer has made it. A private note does nothing. A
// closed request hears nothing: see ErrClosed.
func (r *Request) Hear(m Message, answered bool, now time.Time) {
	r.UpdatedAt = now
	if m.Private {
		return
	}
	if m.Responder {
		if r.State != nil && (r.FirstResponseAt == nil || m.CreatedAt.Before(*r.FirstResponseAt)) {
			at := m.CreatedAt
			r.FirstResponseAt = &at
		}
		if r.State != nil && *r.State == Open && !answered {
			r.enter(InProgress, now)
		}
		return
	}
	if m.CreatedAt.After(r.LastMessageAt) {
		r.LastMessageAt = m.CreatedAt
	}
	switch {
	case m.Idle:
	case r.State == nil && r.NotARequest == nil:
		r.Author = m.Author
		r.enter(Open, now)
	case r.State == nil && *r.NotARequest == Temporary:
		r.enter(Open, now)
	case r.State != nil && !answered && slices.Contains([]State{InProgress, Pending, Solved}, *r.State):
		r.enter(Open, now)
	}
}
