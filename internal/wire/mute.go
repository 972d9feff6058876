package wire

import "frontdesk/internal/desk"

// Mute is on the wire whether a member has muted a collection.
type Mute struct {
	Muted bool `json:"muted"`
}

// NewMute is how it looks.
func NewMute(m desk.Mute) Mute { return Mute(m) }
