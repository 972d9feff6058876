package wire

import "frontdesk/internal/desk"

// Notification is what a member is told, on the wire.
type Notification struct {
	ID        desk.NotificationID   `json:"id"`
	Kind      desk.NotificationKind `json:"kind"`
	Request   NotifiedRequest       `json:"request"`
	MessageID *desk.MessageID       `json:"message_id"`
	Excerpt   string                `json:"excerpt"`
	IsPrivate bool                  `json:"is_private"`
	By        *string               `json:"by"`
	SLA       *NotifiedSLA          `json:"sla"`
	CreatedAt Time                  `json:"created_at"`
	ReadAt    *Time                 `json:"read_at"`
}

// NotifiedRequest is the request that a notification is about.
type NotifiedRequest struct {
	ID    desk.RequestID `json:"id"`
	Title string         `json:"title"`
}

// NotifiedSLA is the SLA that a notification is about.
type NotifiedSLA struct {
	Kind  desk.SLAKind `json:"kind"`
	DueAt *Time        `json:"due_at"`
}

// NewNotification returns the wire form of a notification.
func NewNotification(n desk.Notification) Notification {
	w := Notification{ID: n.ID, Kind: n.Kind, Request: NotifiedRequest{n.Request, n.Title}, Excerpt: n.Excerpt, IsPrivate: n.Private, By: orNull(n.By),
		CreatedAt: NewTime(n.CreatedAt), ReadAt: optional(n.ReadAt)}
	if n.Message != 0 {
		w.MessageID = &n.Message
	}
	if n.SLA != "" {
		w.SLA = &NotifiedSLA{n.SLA, optional(n.Due)}
	}
	return w
}

// NotificationCount is how many unread notifications a member has.
type NotificationCount struct {
	Unread int           `json:"unread"`
	Newest *Notification `json:"newest"`
}

// NewNotificationCount returns the wire form of a count.
func NewNotificationCount(c desk.NotificationCount) NotificationCount {
	w := NotificationCount{Unread: c.Unread}
	if c.Newest != nil {
		newest := NewNotification(*c.Newest)
		w.Newest = &newest
	}
	return w
}

// NotificationEvent tells a session's stream of its member's notifications. It has no
// id, because it is in no feed.
type NotificationEvent struct {
	Type desk.EventType `json:"type"`
	Data struct {
		Notifications NotificationCount `json:"notifications"`
	} `json:"data"`
}

// NewNotificationEvent returns the event of a count.
func NewNotificationEvent(c desk.NotificationCount) (e NotificationEvent) {
	e.Type, e.Data.Notifications = desk.NotificationsChanged, NewNotificationCount(c)
	return e
}
