package wire

import "frontdesk/internal/desk"

// Mute says whether a member has muted a collection.
type Mute struct {
	Muted bool `json:"muted"`
}

// NewMute returns the wire form of a mute.
func NewMute(m desk.Mute) Mute { return Mute(m) }
