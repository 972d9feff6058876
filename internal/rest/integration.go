package rest

import "frontdesk/internal/desk"

// newIntegration reads a new integration.
func newIntegration(b object) desk.NewIntegration {
	return desk.NewIntegration{Kind: desk.IntegrationKind(b.required("kind")), Credential: credential(b), Settings: trackerChange(b)}
}

// integrationChange reads a change to an integration.
func integrationChange(b object) desk.IntegrationChange {
	return desk.IntegrationChange{Credential: credential(b), Settings: trackerChange(b)}
}

// credential reads the credential for a ticket system. It returns nil if it is not
// given.
func credential(b object) *desk.TrackerCredential {
	if !b.has("credentials") {
		return nil
	}
	in := b.inside("credentials")
	return &desk.TrackerCredential{Domain: orZero(in.text("domain")), Email: orZero(in.text("email")), Token: in.required("token")}
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
