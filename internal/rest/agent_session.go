package rest

import (
	"math"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

// agentSessionFilter reads the filter of the list of sessions.
func agentSessionFilter(c *call, p *desk.Problems) (desk.AgentSessionFilter, desk.Page) {
	f := desk.AgentSessionFilter{Request: desk.RequestID(c.integer(p, "request_id", 0, 1, math.MaxInt64))}
	return f, c.page(p)
}

// newAgentSession reads a new session.
func newAgentSession(b object) desk.NewAgentSession {
	n := desk.NewAgentSession{ExternalID: b.text("external_id"), StartedAt: b.moment("started_at")}
	b.demand("request_id")
	b.read("request_id", "a number", &n.Request)
	return n
}

// madeAgentSession is the form of a session that may have existed already.
func madeAgentSession(made service.MadeAgentSession) wire.AgentSession {
	return wire.NewAgentSession(made.AgentSession)
}

// agentEvents reads events of a session.
func agentEvents(b object) desk.AgentEvents {
	return desk.AgentEvents{EndedAt: b.moment("ended_at"), Events: desk.Each(orZero(b.objects("events", desk.MostAgentEvents)), func(o object) desk.AgentEvent {
		return desk.AgentEvent{Type: desk.AgentEventType(o.required("type")), At: o.moment("at"), Text: orZero(o.text("text"))}
	})}
}
