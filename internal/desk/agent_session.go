package desk

import (
	"fmt"
	"time"
)

// AgentSession is a conversation that the virtual agent took part in.
type AgentSession struct {
	ID         AgentSessionID
	Request    RequestID
	ExternalID string // the agent's own for it; empty for none
	StartedAt  time.Time
	EndedAt    *time.Time

	Triggers         int // calls of the agent
	Responses        int // messages that it sent
	Answers          int // of those, generated answers
	PositiveFeedback int // presses of "solved"
	NegativeFeedback int // presses of "create a ticket"

	// Answered and Ticketed say of its request that a responder has answered it
	// in public, and that it has a ticket.
	Answered, Ticketed bool

	CreatedAt time.Time
	UpdatedAt time.Time
}

// HasAttempt reports whether the agent has tried to resolve the request.
func (s AgentSession) HasAttempt() bool { return s.Answers > 0 }

// Deflected reports whether that was all it took.
func (s AgentSession) Deflected() bool { return s.HasAttempt() && !s.Answered && !s.Ticketed }

// Recordable is nil, or says why no session can begin in the request. One that is
// closed is no obstacle: a session is no change of it.
func (r Request) Recordable() error {
	if r.MergedInto != nil {
		return r.Changeable()
	}
	return nil
}

// AgentEventType is what happens in a session.
type AgentEventType string

const (
	AgentTriggered  AgentEventType = "trigger"
	AgentResponded  AgentEventType = "response"
	AgentAnswered   AgentEventType = "answer" // which is a response, too
	AgentHelped     AgentEventType = "positive_feedback"
	AgentDidNotHelp AgentEventType = "negative_feedback"
)

// AgentEventTypes are all of them.
var AgentEventTypes = []AgentEventType{AgentTriggered, AgentResponded, AgentAnswered, AgentHelped, AgentDidNotHelp}

const (
	// MostAgentEvents bounds the events that are added at once.
	MostAgentEvents = 100
	mostAgentText   = 10_000
)

// NewAgentSession is what a session is made from.
type NewAgentSession struct {
	Body
	Request    RequestID
	ExternalID *string
	StartedAt  *time.Time // nil: now
}

// Session checks the input and makes the session. Whether the request exists, it
// does not know.
func (n NewAgentSession) Session(now time.Time) (AgentSession, error) {
	if n.Problem != nil {
		return AgentSession{}, n.Problem
	}
	s := AgentSession{Request: n.Request, StartedAt: now, CreatedAt: now, UpdatedAt: now}
	var p Problems
	if n.ExternalID != nil {
		s.ExternalID = *n.ExternalID
		p.Text("external_id", &s.ExternalID, 1, mostExternalID)
	}
	set(&s.StartedAt, n.StartedAt)
	p.past("started_at", n.StartedAt, now)
	err := p.Err()
	return s, err
}

// AgentEvent is something that happens in a session.
type AgentEvent struct {
	Type AgentEventType
	At   *time.Time // nil: now
	Text string     // what was said; empty for nothing
}

// AgentEvents is what is to be added to a session.
type AgentEvents struct {
	Body
	Events  []AgentEvent
	EndedAt *time.Time // when it was over; nil leaves that
}

// Add adds what has happened, as a whole, or gives Invalid and changes nothing.
// It gives the events as they are to be kept.
func (s *AgentSession) Add(e AgentEvents, now time.Time) ([]AgentEvent, error) {
	if e.Problem != nil {
		return nil, e.Problem
	}
	if len(e.Events) == 0 && e.EndedAt == nil {
		return nil, Errorf(Invalid, "Nothing to add: give events, ended_at, or both.")
	}
	var p Problems
	if len(e.Events) > MostAgentEvents {
		p.Add("events", "must be at most %d; there are %d", MostAgentEvents, len(e.Events))
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

// AgentSessionFilter narrows a list of sessions; empty fields do not.
type AgentSessionFilter struct {
	Request RequestID
	Reach   Reach // the collections of their requests
}
