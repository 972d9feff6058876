package service

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// AgentSessions returns a page of the virtual agent's sessions in requests that the
// caller may see.
func (s *Service) AgentSessions(ctx context.Context, c Caller, f desk.AgentSessionFilter, p desk.Page) (desk.List[desk.AgentSession], error) {
	f.Reach = c.reach(desk.ListAgentSessions)
	return look(ctx, s, c, desk.ListAgentSessions, func(tx *store.Tx) (desk.List[desk.AgentSession], error) { return tx.AgentSessions(f, p) })
}

// AgentSession returns one session in a request that the caller may see, otherwise
// NotFound.
func (s *Service) AgentSession(ctx context.Context, c Caller, id desk.AgentSessionID) (desk.AgentSession, error) {
	return look(ctx, s, c, desk.GetAgentSession, func(tx *store.Tx) (desk.AgentSession, error) {
		return tx.AgentSession(id, c.reach(desk.GetAgentSession))
	})
}

// MadeAgentSession is a session, and whether it already existed.
type MadeAgentSession struct {
	desk.AgentSession
	Existed bool
}

// CreateAgentSession begins a session in a request that the caller may see. If a
// session with the external id exists, it returns that one unchanged. It returns
// Refused if the request was merged into another, and Conflict if the external id
// belongs to a session of another request.
func (s *Service) CreateAgentSession(ctx context.Context, c Caller, n desk.NewAgentSession) (MadeAgentSession, error) {
	return write(ctx, s, c, desk.CreateAgentSession, func(tx *store.Tx) (made MadeAgentSession, err error) {
		if made.AgentSession, err = n.Session(tx.Now); err != nil {
			return made, err
		}
		r, err := tx.Request(n.Request, c.reach(desk.CreateAgentSession))
		if desk.KindOf(err) == desk.NotFound {
			return made, desk.Wrong("request_id", "must name a request")
		}
		if err != nil {
			return made, err
		}
		if made.ExternalID != "" {
			there, ok, err := tx.AgentSessionNamed(made.ExternalID)
			switch {
			case err != nil:
				return made, err
			case ok && there.Request != r.ID && !desk.Same(r.MergedInto, &there.Request):
				return made, desk.Errorf(desk.Conflict, "external_id names a session of another request.")
			case ok:
				return MadeAgentSession{there, true}, nil
			}
		}
		if err := r.Recordable(); err != nil {
			return made, err
		}
		if err := tx.AddAgentSession(&made.AgentSession); err != nil {
			return made, err
		}
		if made.AgentSession, err = tx.AgentSession(made.ID, desk.Everything); err != nil { // with what its request says about it
			return made, err
		}
		return made, change.Record(tx, c.Actor, "agent_session.created", nil, made.AgentSession)
	})
}

// AddAgentEvents adds events to a session in a request that the caller may see.
func (s *Service) AddAgentEvents(ctx context.Context, c Caller, id desk.AgentSessionID, e desk.AgentEvents) (desk.AgentSession, error) {
	return write(ctx, s, c, desk.AddAgentEvents, func(tx *store.Tx) (desk.AgentSession, error) {
		session, err := tx.AgentSession(id, c.reach(desk.AddAgentEvents))
		if err != nil {
			return session, err
		}
		before := session
		added, err := session.Add(e, tx.Now)
		if err != nil {
			return session, err
		}
		if err := tx.SaveAgentSession(session, added); err != nil {
			return session, err
		}
		return session, change.Record(tx, c.Actor, "agent_session.updated", before, session)
	})
}
