package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listIntegrations(c *call) (any, error) {
	var p desk.Problems
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Integrations(c.ctx, c.caller, page)
	return list(c, "integrations", wire.NewIntegration, l, err)
}

func (s *Server) getIntegration(c *call) (any, error) {
	id, err := id[desk.IntegrationID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.Integration(c.ctx, c.caller, id)
}

func (s *Server) createIntegration(c *call) (any, error) {
	b := c.object()
	n := desk.NewIntegration{Kind: desk.IntegrationKind(b.required("kind")), Credential: credential(b), Settings: trackerChange(b)}
	n.Problem = b.problem()
	return s.service.CreateIntegration(c.ctx, c.caller, n)
}

func (s *Server) updateIntegration(c *call) (any, error) {
	id, err := id[desk.IntegrationID](c, "id")
	if err != nil {
		return nil, err
	}
	b := c.object()
	ch := desk.IntegrationChange{Credential: credential(b), Settings: trackerChange(b)}
	ch.Problem = b.problem()
	return s.service.UpdateIntegration(c.ctx, c.caller, id, ch)
}

// credential reads the credential for a ticket system. It returns nil if it is not
// given.
func credential(b object) *desk.TrackerCredential {
	if _, given := b.members["credentials"]; !given {
		return nil
	}
	in := b.inside("credentials")
	read := func(name string) string {
		if text := in.text(name); text != nil {
			return *text
		}
		return ""
	}
	return &desk.TrackerCredential{Domain: read("domain"), Email: read("email"), Token: in.required("token")}
}

func trackerChange(b object) desk.TrackerChange {
	settings := b.inside("settings")
	sync, screen := settings.inside("sync_config"), settings.inside("screen_config")
	return desk.TrackerChange{
		Forward: sync.flag("should_forward_sync_comments"), Backward: sync.flag("should_backward_sync_comments"),
		Notifiable: notifiable(sync), Status: sync.flag("should_sync_status"), ScreenBackward: screen.flag("should_backward_sync_comments"),
	}
}

func notifiable(sync object) *[]desk.NotifiableField {
	return member[[]desk.NotifiableField](sync, "notifiable_fields", "a list of strings")
}

func (s *Server) deleteIntegration(c *call) (any, error) {
	id, err := id[desk.IntegrationID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.DeleteIntegration(c.ctx, c.caller, id)
}
