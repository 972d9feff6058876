package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

func (s *Server) getSLA(c *call) (any, error) {
	id, err := id[desk.RequestID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.SLA(c.ctx, c.caller, id)
}

func (s *Server) getSLARecomputation(c *call) (any, error) {
	return s.service.SLARecomputation(c.ctx, c.caller)
}

func (s *Server) listSLAPolicies(c *call) (any, error) {
	var p desk.Problems
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.SLAPolicies(c.ctx, c.caller, page)
	return list(c, "sla_policies", wire.NewSLAPolicy, l, err)
}

func (s *Server) getSLAPolicy(c *call) (any, error) {
	id, err := id[desk.SLAPolicyID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.SLAPolicy(c.ctx, c.caller, id)
}

func (s *Server) createSLAPolicy(c *call) (any, error) {
	return s.service.CreateSLAPolicy(c.ctx, c.caller, givenSLAPolicy(c.object()))
}

func (s *Server) updateSLAPolicy(c *call) (any, error) {
	id, err := id[desk.SLAPolicyID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.UpdateSLAPolicy(c.ctx, c.caller, id, givenSLAPolicy(c.object()))
}

func (s *Server) deleteSLAPolicy(c *call) (any, error) {
	id, err := id[desk.SLAPolicyID](c, "id")
	if err != nil {
		return nil, err
	}
	return service.None{}, s.service.DeleteSLAPolicy(c.ctx, c.caller, id)
}

// givenSLAPolicy reads a policy.
func givenSLAPolicy(b object) desk.GivenSLAPolicy {
	g := desk.GivenSLAPolicy{
		Name: b.text("name"), Kind: member[desk.SLAKind](b, "kind", "a string"),
		Collection: nullable[desk.CollectionID](b, "collection_id", "a number"), Schedule: nullable[desk.ScheduleID](b, "schedule_id", "a number"),
		TargetMinutes: member[int](b, "target_minutes", "a whole number"), MaxReplies: member[int](b, "max_replies", "a whole number"),
		Enabled: b.flag("enabled"), Position: member[int](b, "position", "a whole number"),
		Recompute: member[desk.Recompute](b, "recompute", "a string"),
	}
	if _, ok := b.members["conditions"]; ok {
		in := b.inside("conditions")
		g.Conditions = &desk.GivenConditions{
			Priorities: member[[]desk.Priority](in, "priorities", "a list of strings"),
			Customers:  member[[]desk.CustomerID](in, "customer_ids", "a list of numbers"),
			HasTicket:  in.flag("has_ticket"),
		}
	}
	g.Problem = b.problem()
	return g
}
