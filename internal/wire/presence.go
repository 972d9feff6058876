package wire

import "frontdesk/internal/desk"

// Presence is who else is at a request.
type Presence struct {
	RequestID desk.RequestID `json:"request_id"`
	Others    []Present      `json:"others"`
}

// Present is one of them.
type Present struct {
	MemberID desk.MemberID `json:"member_id"`
	Name     string        `json:"name"`
	UserID   *string       `json:"user_id"`
	Doing    desk.Doing    `json:"doing"`
}

// NewPresence returns the wire form of a presence.
func NewPresence(p desk.Presence) Presence {
	return Presence{RequestID: p.Request, Others: desk.Each(p.Others, func(o desk.Present) Present {
		return Present{MemberID: o.Member, Name: o.Name, UserID: orNull(o.User), Doing: o.Doing}
	})}
}

// PresenceEvent tells a session's stream of a presence. It has no id, because it is in
// no feed.
type PresenceEvent struct {
	Type desk.EventType `json:"type"`
	Data struct {
		Presence Presence `json:"presence"`
	} `json:"data"`
}

// NewPresenceEvent returns the event of a presence.
func NewPresenceEvent(p desk.Presence) (e PresenceEvent) {
	e.Type, e.Data.Presence = desk.PresenceChanged, NewPresence(p)
	return e
}
