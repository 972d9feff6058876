package wire

import "frontdesk/internal/desk"

// Integration is an integration on the wire. What lets us in is never shown.
type Integration struct {
	ID         desk.IntegrationID     `json:"id"`
	Kind       desk.IntegrationKind   `json:"kind"`
	Status     desk.IntegrationStatus `json:"status"`
	ExternalID *string                `json:"external_id"`
	Name       *string                `json:"name"`
	URL        *string                `json:"url"`
	BotUser    *string                `json:"bot_user_id"`
	SyncedAt   *Time                  `json:"synced_at"`
	CreatedAt  Time                   `json:"created_at"`
	UpdatedAt  Time                   `json:"updated_at"`
}

// NewIntegration is how an integration looks.
func NewIntegration(i desk.Integration) Integration {
	return Integration{
		ID: i.ID, Kind: i.Kind, Status: i.Status, ExternalID: known(i.ExternalID), Name: known(i.Name), URL: known(i.URL),
		BotUser: known(i.BotUser), SyncedAt: optional(i.SyncedAt), CreatedAt: NewTime(i.CreatedAt), UpdatedAt: NewTime(i.UpdatedAt),
	}
}

// StartedIntegration also says where a person allows us in.
type StartedIntegration struct {
	Integration
	AuthorizeURL string `json:"authorize_url"`
}

// NewStartedIntegration is how an integration looks when it was just begun.
func NewStartedIntegration(s desk.StartedIntegration) StartedIntegration {
	return StartedIntegration{NewIntegration(s.Integration), s.AuthorizeURL}
}
