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
	Settings   *TrackerSettings       `json:"settings"`
	SyncedAt   *Time                  `json:"synced_at"`
	CreatedAt  Time                   `json:"created_at"`
	UpdatedAt  Time                   `json:"updated_at"`
}

// NewIntegration is how an integration looks.
func NewIntegration(i desk.Integration) Integration {
	w := Integration{
		ID: i.ID, Kind: i.Kind, Status: i.Status, ExternalID: known(i.ExternalID), Name: known(i.Name), URL: known(i.URL),
		BotUser: known(i.BotUser), SyncedAt: optional(i.SyncedAt), CreatedAt: NewTime(i.CreatedAt), UpdatedAt: NewTime(i.UpdatedAt),
	}
	if i.Kind.IsTracker() {
		w.Settings = newTrackerSettings(i.Settings)
	}
	return w
}

// TrackerSettings are a ticket system's, for the links that say nothing else.
type TrackerSettings struct {
	Sync   SyncConfig   `json:"sync_config"`
	Screen ScreenConfig `json:"screen_config"`
}

// SyncConfig is what is kept in line.
type SyncConfig struct {
	Forward    bool                   `json:"should_forward_sync_comments"`
	Backward   bool                   `json:"should_backward_sync_comments"`
	Notifiable []desk.NotifiableField `json:"notifiable_fields"`
	Status     bool                   `json:"should_sync_status"`
}

// ScreenConfig is what people see beside a request.
type ScreenConfig struct {
	Backward bool `json:"should_backward_sync_comments"`
}

func newTrackerSettings(s desk.TrackerSettings) *TrackerSettings {
	return &TrackerSettings{
		Sync:   SyncConfig{Forward: s.Forward, Backward: s.Backward, Notifiable: orEmpty(s.Notifiable), Status: s.Status},
		Screen: ScreenConfig{Backward: s.ScreenBackward},
	}
}

// StartedIntegration also says where a person allows us in, where one has to.
type StartedIntegration struct {
	Integration
	AuthorizeURL *string `json:"authorize_url"`
}

// NewStartedIntegration is how an integration looks when it was just begun.
func NewStartedIntegration(s desk.StartedIntegration) StartedIntegration {
	return StartedIntegration{NewIntegration(s.Integration), known(s.AuthorizeURL)}
}
