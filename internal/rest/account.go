package rest

import "frontdesk/internal/desk"

func (s *Server) getAccount(c *call) (any, error) { return s.service.Account(c.ctx, c.caller) }

func (s *Server) updateAccount(c *call) (any, error) {
	b := c.object()
	ch := desk.AccountChange{
		Name:          b.text("name"),
		KeyPrefix:     b.text("key_prefix"),
		TimeZone:      b.text("time_zone"),
		OnHoldAllowed: b.flag("on_hold_allowed"),
		APICollection: member[desk.CollectionID](b, "api_collection_id", "a number"),
		Categories:    member[[]string](b, "categories", "a list of strings"),
	}
	ch.Problem = b.problem()
	return s.service.UpdateAccount(c.ctx, c.caller, ch)
}
