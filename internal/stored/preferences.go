package stored

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/preference"
)

type preferences struct {
	Language    *preference.Language             `json:"language,omitempty"`
	Density     preference.Density               `json:"density"`
	UndoSeconds int                              `json:"undo_seconds"`
	Timeline    bool                             `json:"timeline"`
	Notify      map[desk.NotificationKind]notify `json:"notify"`
	Quiet       *quietHours                      `json:"quiet_hours,omitempty"`
}

type notify struct {
	App   bool `json:"app,omitempty"`
	Chat  bool `json:"chat,omitempty"`
	Email bool `json:"email,omitempty"`
}

type quietHours struct {
	Start preference.Minutes `json:"start"`
	End   preference.Minutes `json:"end"`
	Zone  *string            `json:"time_zone,omitempty"`
}

// Preferences are those of a member. What a version before did not know is as usual.
func Preferences(p *preference.Preferences) Column {
	return column("a member's preferences", func() any {
		w := preferences{p.Language, p.Density, p.UndoSeconds, p.Timeline, map[desk.NotificationKind]notify{}, nil}
		for kind, ways := range p.Notify {
			w.Notify[kind] = notify(ways)
		}
		if q := p.Quiet; q != nil {
			w.Quiet = &quietHours{q.Start, q.End, q.Zone}
		}
		return w
	}, func(w preferences) error {
		*p = preference.Usual()
		p.Language, p.Density, p.UndoSeconds, p.Timeline = w.Language, w.Density, w.UndoSeconds, w.Timeline
		for _, kind := range desk.NotificationKinds {
			if ways, known := w.Notify[kind]; known {
				p.Notify[kind] = preference.Ways(ways)
			}
		}
		if q := w.Quiet; q != nil {
			p.Quiet = &preference.QuietHours{Start: q.Start, End: q.End, Zone: q.Zone}
		}
		return nil
	})
}
