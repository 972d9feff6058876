package wire

import "frontdesk/internal/desk"

// Integration is an integration on the wire. Its credentials are never shown.
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

// NewIntegration returns the wire form of an integration.
func NewIntegration(i desk.Integration) Integration {
	w := Integration{
		ID: i.ID, Kind: i.Kind, Status: i.Status, ExternalID: orNull(i.ExternalID), Name: orNull(i.Name), URL: orNull(i.URL),
		BotUser: orNull(i.BotUser), SyncedAt: optional(i.SyncedAt), CreatedAt: NewTime(i.CreatedAt), UpdatedAt: NewTime(i.UpdatedAt),
	}
	if i.Kind.IsTracker() {
		w.Settings = newTrackerSettings(i.Settings)
	}
	return w
}

// TrackerSettings are the defaults of a ticket system for links without settings of
// their own.
type TrackerSettings struct {
	Sync   SyncConfig   `json:"sync_config"`
	Screen ScreenConfig `json:"screen_config"`
}

// SyncConfig says what is synchronized.
type SyncConfig struct {
	Forward    bool                   `json:"should_forward_sync_comments"`
	Backward   bool                   `json:"should_backward_sync_comments"`
	Notifiable []desk.NotifiableField `json:"notifiable_fields"`
	Status     bool                   `json:"should_sync_status"`
}

// ScreenConfig says what people see next to a request.
type ScreenConfig struct {
	Backward bool `json:"should_backward_sync_comments"`
}

func newTrackerSettings(s desk.TrackerSettings) *TrackerSettings {
	return &TrackerSettings{
		Sync:   SyncConfig{Forward: s.Forward, Backward: s.Backward, Notifiable: orEmpty(s.Notifiable), Status: s.Status},
		Screen: ScreenConfig{Backward: s.ScreenBackward},
	}
}

// StartedIntegration also has the address where a person must allow our access, if
// they must.
type StartedIntegration struct {
	Integration
	AuthorizeURL *string `json:"authorize_url"`
}

// NewStartedIntegration returns the wire form of an integration that was just
// started.
func NewStartedIntegration(s desk.StartedIntegration) StartedIntegration {
	return StartedIntegration{NewIntegration(s.Integration), orNull(s.AuthorizeURL)}
}
