package wire

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/preference"
)

// Preferences are what a member likes, on the wire.
type Preferences struct {
	Language    *preference.Language           `json:"language"`
	Density     preference.Density             `json:"density"`
	UndoSeconds int                            `json:"undo_seconds"`
	Timeline    bool                           `json:"timeline"`
	Notify      map[desk.NotificationKind]Ways `json:"notify"`
	Quiet       *QuietHours                    `json:"quiet_hours"`
}

// Ways are how a member is told of something.
type Ways struct {
	App   bool `json:"app"`
	Chat  bool `json:"chat"`
	Email bool `json:"email"`
}

// QuietHours are hours of the day in which nothing goes out.
type QuietHours struct {
	Start string  `json:"start"`
	End   string  `json:"end"`
	Zone  *string `json:"time_zone"`
}

// NewPreferences returns the wire form of preferences.
func NewPreferences(p preference.Preferences) Preferences {
	w := Preferences{Language: p.Language, Density: p.Density, UndoSeconds: p.UndoSeconds, Timeline: p.Timeline, Notify: map[desk.NotificationKind]Ways{}}
	for kind, ways := range p.Notify {
		w.Notify[kind] = Ways(ways)
	}
	if q := p.Quiet; q != nil {
		w.Quiet = &QuietHours{q.Start.String(), q.End.String(), q.Zone}
	}
	return w
}
