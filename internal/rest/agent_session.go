package rest

import (
	"math"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

func (s *Server) listAgentSessions(c *call) (any, error) {
	var p desk.Problems
	f := desk.AgentSessionFilter{Request: desk.RequestID(c.integer(&p, "request_id", 0, 1, math.MaxInt64))}
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.AgentSessions(c.ctx, c.caller, f, page)
	return list(c, "agent_sessions", wire.NewAgentSession, l, err)
}

// newAgentSession reads a new session.
func newAgentSession(b object) desk.NewAgentSession {
	n := desk.NewAgentSession{ExternalID: b.text("external_id"), StartedAt: b.moment("started_at")}
	if _, given := b.members["request_id"]; !given && b.broken == nil {
		b.problems.Add("request_id", "is required")
	}
	if request := member[desk.RequestID](b, "request_id", "a number"); request != nil {
		n.Request = *request
	}
	n.Problem = b.problem()
	return n
}

// madeAgentSession is the form of a session that may have existed already.
func madeAgentSession(made service.MadeAgentSession) wire.AgentSession {
	return wire.NewAgentSession(made.AgentSession)
}

// agentEvents reads events of a session.
func agentEvents(b object) desk.AgentEvents {
	e := desk.AgentEvents{EndedAt: b.moment("ended_at")}
	if given := b.objects("events", desk.MostAgentEvents); given != nil {
		for _, o := range *given {
			event := desk.AgentEvent{Type: desk.AgentEventType(o.required("type")), At: o.moment("at")}
			if text := o.text("text"); text != nil {
				event.Text = *text
			}
			e.Events = append(e.Events, event)
		}
	}
	e.Problem = b.problem()
	return e
}
