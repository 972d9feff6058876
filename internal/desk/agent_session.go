package desk

import (
	"fmt"
	"time"
)

type AgentSessionID int64

// AgentSession is a conversation that the virtual agent took part in.
type AgentSession struct {
	ID         AgentSessionID
	Request    RequestID
	ExternalID string // the agent's own id for it; empty for none
	StartedAt  time.Time
	EndedAt    *time.Time

	Triggers         int // times the agent was called
	Responses        int // messages it sent
	Answers          int // how many of those were generated answers
	PositiveFeedback int // presses of "solved"
	NegativeFeedback int // presses of "create a ticket"

	// Answered reports whether a responder has answered the request in public.
	// Ticketed reports whether the request has a ticket.
	Answered, Ticketed bool

	CreatedAt time.Time
	UpdatedAt time.Time
}

func (s AgentSession) Named() (resource, id string) { return "AgentSession", FormatID(s.ID) }

// HasAttempt reports whether the agent has tried to resolve the request.
func (s AgentSession) HasAttempt() bool { return s.Answers > 0 }

// Deflected reports whether the agent's attempt was enough: no responder answered
// and there is no ticket.
func (s AgentSession) Deflected() bool { return s.HasAttempt() && !s.Answered && !s.Ticketed }

// Recordable returns nil, or the reason why no session can begin in the request. A
// closed request may have one, because a session does not change the request.
func (r Request) Recordable() error {
	if r.MergedInto != nil {
		return r.Changeable()
	}
	return nil
}

// AgentEventType is the kind of an event in a session.
type AgentEventType string

const (
	AgentTriggered  AgentEventType = "trigger"
	AgentResponded  AgentEventType = "response"
	AgentAnswered   AgentEventType = "answer" // counts as a response, too
	AgentHelped     AgentEventType = "positive_feedback"
	AgentDidNotHelp AgentEventType = "negative_feedback"
)

// AgentEventTypes lists every value.
var AgentEventTypes = []AgentEventType{AgentTriggered, AgentResponded, AgentAnswered, AgentHelped, AgentDidNotHelp}

const (
	// MostAgentEvents bounds the events that are added at once.
	MostAgentEvents = 100
	mostAgentText   = 10_000
)

// NewAgentSession is the input for a new session.
type NewAgentSession struct {
	Body
	Request    RequestID
	ExternalID *string
	StartedAt  *time.Time // nil means now
}

// Session checks the input and makes the session. It does not check whether the
// request exists.
func (n NewAgentSession) Session(now time.Time) (AgentSession, error) {
	s := AgentSession{Request: n.Request, StartedAt: now, CreatedAt: now, UpdatedAt: now}
	p := n.problems()
	optionalText(&p, "external_id", &n.ExternalID, 1, mostExternalID)
	set(&s.ExternalID, n.ExternalID)
	set(&s.StartedAt, n.StartedAt)
	p.past("started_at", n.StartedAt, now)
	err := p.Err()
	return s, err
}

// AgentEvent is something that happens in a session.
type AgentEvent struct {
	Type AgentEventType
	At   *time.Time // nil means now
	Text string     // what was said; may be empty
}

// AgentEvents are the events to add to a session.
type AgentEvents struct {
	Body
	Events  []AgentEvent
	EndedAt *time.Time // when the session ended; nil leaves this as it is
}

// Add adds all the events, or returns Invalid and changes nothing. It returns the
// events in the form in which they are stored.
func (s *AgentSession) Add(e AgentEvents, now time.Time) ([]AgentEvent, error) {
	if e.Problem != nil {
		return nil, e.Problem
	}
	if len(e.Events) == 0 && e.EndedAt == nil {
		return nil, Errorf(Invalid, "Nothing to add: give events, ended_at, or both.")
	}
	var p Problems
	if !p.atMost("events", len(e.Events), MostAgentEvents) {
		return nil, p.Err()
	}
	next, added := *s, make([]AgentEvent, len(e.Events))
	for i, event := range e.Events {
		at := fmt.Sprintf("events[%d]", i)
		OneOf(&p, at+".type", event.Type, AgentEventTypes...)
		p.Text(at+".text", &event.Text, 0, mostAgentText)
		if event.At == nil {
			event.At = &now
		}
		p.past(at+".at", event.At, now)
		next.count(event.Type)
		added[i] = event
	}
	if e.EndedAt != nil {
		next.EndedAt = e.EndedAt
		p.past("ended_at", e.EndedAt, now)
		if e.EndedAt.Before(s.StartedAt) {
			p.Add("ended_at", "must not be before started_at")
		}
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	next.UpdatedAt = now
	*s = next
	return added, nil
}

func (s *AgentSession) count(t AgentEventType) {
	switch t {
	case AgentTriggered:
		s.Triggers++
	case AgentResponded:
		s.Responses++
	case AgentAnswered:
		s.Responses++
		s.Answers++
	case AgentHelped:
		s.PositiveFeedback++
	case AgentDidNotHelp:
		s.NegativeFeedback++
	}
}

// AgentSessionFilter narrows a list of sessions. An empty field does not filter.
type AgentSessionFilter struct {
	Request RequestID
	Reach   Reach // limits the collections of their requests
}
