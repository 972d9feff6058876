package desk

import (
	"maps"
	"slices"
	"time"
)

// State is the state of a request.
type State string

const (
	Open       State = "open"
	InProgress State = "in_progress"
	Pending    State = "pending" // waiting for the requester
	OnHold     State = "on_hold"
	Solved     State = "solved"
	Closed     State = "closed"
)

// States lists all the states. A conversation that is not a request has none.
var States = []State{Open, InProgress, Pending, OnHold, Solved, Closed}

// Done reports whether no work is left in a state.
func (s State) Done() bool { return s == Solved || s == Closed }

// NotARequest marks a conversation that somebody said is not a request.
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

// Priorities lists all of them, the least urgent first.
var Priorities = []Priority{Low, Normal, High, Urgent}

// Origin says who chose a value. A program never replaces a person's choice.
type Origin string

const (
	ByPerson Origin = "person"
	ByRules  Origin = "rules"
	ByModel  Origin = "model"
)

// Requester is the person a request is from: a chat user, or somebody known only by
// email.
type Requester struct {
	User   string // empty if they are not in the chat system
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

type RequestID int64

// Request is a conversation with somebody who needs something. A conversation that
// is not a request, or not yet, has no state.
type Request struct {
	ID             RequestID
	Number         int64  // its own within the account; 0 until a row of an older node has one
	Key            string // what people call it: ACME-17. Without a number, its id
	Title          string
	TitleBy        Origin
	State          *State
	NotARequest    *NotARequest
	Priority       Priority
	PriorityBy     Origin
	Author         Requester
	Customer       *CustomerID
	Assignee       *string // a chat user
	AssigneeName   string  // current name; empty for nobody or somebody unknown
	Team           *TeamID
	TeamName       string // current name
	Collection     CollectionRef
	Channel        *ChannelRef // where it was said or is posted; nil for none
	Thread         *Thread     // nil until it is posted
	Triage         *Thread     // nil until it is posted
	Parent         *RequestID
	Children       []RequestID // nil unless asked for
	MergedInto     *RequestID  // the request it was merged into; nil if it was not
	Tags           []string
	Contributors   []string
	Tickets        []Ticket
	Survey         *Survey // nil until one is sent
	Values         FieldValues
	AI             AIFields
	MailSubject    *string     // of its mails; empty until the first one. nil: its answers are not mailed
	MailsRequester bool        // its answers are mailed to the requester
	MailStatus     EmailStatus // failed or perhaps sent, while one of its mails is; else empty
	Metadata       []byte      // JSON object with anything the creator gave; nil for none
	ExternalID     string      // set by an import; empty for none
	Source         RequestSource
	Messages       []Message   // nil unless asked for
	SLAs           []SLA       // its clocks, if a policy or a schedule applies
	Row            *RequestRow // extra facts for a list; nil unless asked for
	Snooze         *Snooze     // nil unless it is snoozed, or back and nobody has done anything since

	CreatedAt       time.Time
	UpdatedAt       time.Time
	LastMessageAt   time.Time  // when the requester was last active
	FirstResponseAt *time.Time // by a responder's message, or a reaction that counts
	FirstSolvedAt   *time.Time
	SolvedAt        *time.Time // the last time, while it is solved or closed
}

func (r Request) Named() (resource, id string) { return "Request", FormatID(r.ID) }

// RequestSource says how a request came in.
type RequestSource string

const (
	FromChat   RequestSource = "chat"
	FromAPI    RequestSource = "api"
	FromEmail  RequestSource = "email"
	FromImport RequestSource = "import"
)

// Posted reports whether requests that came in this way are posted into their
// collection's request channel, and have a native ticket.
func (s RequestSource) Posted() bool { return s == FromAPI || s == FromEmail }

// CollectionRef and ChannelRef are what a request shows about its collection and
// channel.
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
	MostTitle        = 300
	mostDescription  = 4000
	MostTags         = 50
	MostTag          = 100
	mostContributors = 100
)

// ErrClosed refuses any change to a closed request.
var ErrClosed = Errorf(Refused, "The request is closed and cannot be changed.")

// RequestRules are the account's settings for requests.
type RequestRules struct{ OnHoldAllowed bool }

// RequestChange is a change to a request. A nil field stays as it is.
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
	Snooze       Nullable[SnoozeUntil]

	// Fields are the custom fields that Values names, as far as they exist. The
	// service looks them up; the caller does not give them.
	Fields map[CustomFieldID]CustomField
	// By is who makes the change. The service sets it, too; only a snooze needs it.
	By Actor
}

// In reports whether the request is in a state.
func (r Request) In(s State) bool { return r.State != nil && *r.State == s }

// Closed reports whether the request is closed for good.
func (r Request) Closed() bool { return r.In(Closed) }

// Clone returns a copy that shares nothing that Apply or Hear modifies.
func (r Request) Clone() Request {
	r.Tags, r.Contributors, r.Values = slices.Clone(r.Tags), slices.Clone(r.Contributors), maps.Clone(r.Values)
	return r
}

// Apply makes the whole change, or returns an error and changes nothing. A closed
// or merged request returns Refused before anything else is checked; other errors
// are Invalid.
func (r *Request) Apply(ch RequestChange, rules RequestRules, now time.Time) error {
	if err := r.Changeable(); err != nil {
		return err
	}
	next := r.Clone()
	err := amend(&next, ch.Body, func(next *Request, p *patch) {
		next.take(p, ch, rules)
		if ch.NotARequest.Given {
			next.mark(ch.NotARequest.Value, now)
		}
		if ch.State != nil {
			next.enter(*ch.State, now)
		}
		next.attend()
		if ch.Snooze.Given {
			next.doze(p, ch.Snooze.Value, ch.By, now)
		}
		next.UpdatedAt = now
	})
	if err == nil {
		*r = next
	}
	return err
}

// take applies the parts that depend on no other rule.
func (r *Request) take(p *patch, ch RequestChange, rules RequestRules) {
	if p.offer("state", ch.State != nil) {
		OneOf(&p.Problems, "state", *ch.State, States...)
		if *ch.State == OnHold && !rules.OnHoldAllowed {
			p.Add("state", "cannot be on_hold: the account does not allow it")
		}
		if ch.NotARequest.Given && ch.NotARequest.Value != nil {
			p.Add("state", "cannot be combined with not_a_request_state: a conversation that is not a request has no state")
		}
	}
	takeNullable(p, "assignee", &r.Assignee, ch.Assignee)
	if take(p, "title", &r.Title, ch.Title) {
		r.TitleBy = ByPerson
		p.Text("title", &r.Title, 1, MostTitle)
	}
	if take(p, "priority", &r.Priority, ch.Priority) {
		r.PriorityBy = ByPerson
		OneOf(&p.Problems, "priority", r.Priority, Priorities...)
	}
	optionalOneOf(&p.Problems, "not_a_request_state", ch.NotARequest.Value, Temporary, Permanent)
	if p.offer("custom_field_values", len(ch.Values) > 0); ch.Values != nil {
		r.Values = r.Values.Apply(&p.Problems, "custom_field_values", EntityRequest, ch.Fields, ch.Values)
	}
	takeNullable(p, "assigned_team", &r.Team, ch.Team)
	takeNullable(p, "customer_id", &r.Customer, ch.Customer)
	if p.offer("tags", ch.Tags != nil) {
		r.Tags = p.tags("tags", *ch.Tags)
	}
	if take(p, "contributors", &r.Contributors, ch.Contributors) {
		r.Contributors = slices.Clone(r.Contributors)
		p.atMost("contributors", len(r.Contributors), mostContributors)
	}
	takeNullable(p, "parent_request", &r.Parent, ch.Parent)
	p.offer("not_a_request_state", ch.NotARequest.Given)
	p.offer("snooze", ch.Snooze.Given)
}

// tags checks tags, trims them, and drops duplicates. The order stays.
func (p *Problems) tags(field string, given []string) (tags []string) {
	if !p.atMost(field, len(given), MostTags) {
		return nil
	}
	for _, t := range given {
		p.Text(field, &t, 1, MostTag)
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}

// mark marks a conversation as not a request, or with nil as a request after all.
func (r *Request) mark(as *NotARequest, now time.Time) {
	switch {
	case as != nil:
		r.NotARequest, r.State, r.SolvedAt, r.Snooze = as, nil, nil, nil
	case r.State == nil:
		r.NotARequest = nil
		r.enter(Open, now)
	default:
		r.NotARequest = nil
	}
}

// enter puts the request into a state and records what its clocks need: when it was
// first resolved and, while it is resolved, when it last was. What is resolved is not
// snoozed.
func (r *Request) enter(s State, now time.Time) {
	was := r.State
	r.State, r.NotARequest = &s, nil
	if s.Done() {
		r.Snooze = nil
	}
	switch {
	case !s.Done():
		r.SolvedAt = nil
	case was == nil || !was.Done():
		r.SolvedAt = &now
		if r.FirstSolvedAt == nil {
			r.FirstSolvedAt = &now
		}
	case s == Solved && *was == Closed: // never happens: a closed request does not change
	}
}

// Hear applies a public message to the request:
//
//   - a responder's message is the first response, if there was none, and moves
//     an open request to in progress;
//   - a requester's message reopens a request that is in progress, pending or
//     solved, unless it only thanks or acknowledges. It does the same for a
//     conversation that was temporarily marked as not a request, and for one that
//     never was a request. That one then belongs to its author;
//   - a requester's message brings a snoozed request back, even if it only thanks.
//
// If the other side has already answered a message that was reported late, the
// state stays as the answer left it. A private note changes nothing. A closed
// request ignores messages: see ErrClosed.
func (r *Request) Hear(m Message, answered bool, now time.Time) {
	r.UpdatedAt = now
	if m.Private {
		return
	}
	if m.Responder {
		r.attend()
		if r.State != nil && (r.FirstResponseAt == nil || m.CreatedAt.Before(*r.FirstResponseAt)) {
			at := m.CreatedAt
			r.FirstResponseAt = &at
		}
		if r.In(Open) && !answered {
			r.enter(InProgress, now)
		}
		return
	}
	if m.CreatedAt.After(r.LastMessageAt) {
		r.LastMessageAt = m.CreatedAt
	}
	if !answered {
		r.Wake(BackByMessage, now)
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
