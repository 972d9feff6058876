package wire

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// CreatedAnnouncement is an announcement in the answer that creates it.
type CreatedAnnouncement struct {
	ID            desk.AnnouncementID     `json:"id"`
	Status        desk.AnnouncementStatus `json:"status"`
	ScheduledTime *Time                   `json:"scheduled_time"`
}

// Announcement is an announcement on the wire, with the result for each recipient.
type Announcement struct {
	ID            desk.AnnouncementID     `json:"id"`
	Name          string                  `json:"name"`
	Status        desk.AnnouncementStatus `json:"status"`
	ScheduledTime *Time                   `json:"scheduled_time"` // null unless it is scheduled
	Recipients    []Recipient             `json:"recipients"`
}

// ShownAnnouncement is an announcement with its text. Events and the audit log have
// none, like those of messages.
type ShownAnnouncement struct {
	Announcement
	HTML *string `json:"html_body,omitempty"` // if it was written here
}

// AnnouncementPreview is what an announcement would look like in one channel.
type AnnouncementPreview struct {
	Channel     string  `json:"channel_id"`
	ChannelName string  `json:"channel_name"`
	HTML        *string `json:"html"`   // null for a message of the chat system
	Sender      *Face   `json:"sender"` // null if nobody can send it there
	Problem     *string `json:"problem"`
}

// Recipient is a channel that an announcement goes to.
type Recipient struct {
	Channel    string                `json:"channel_id"`
	Collection *desk.CollectionID    `json:"collection_id,omitempty"`
	Status     *desk.RecipientStatus `json:"status"`
	Message    *string               `json:"message_ts"`
	Error      *string               `json:"error,omitempty"` // if it failed
}

// ListedAnnouncement is an announcement in a list.
type ListedAnnouncement struct {
	ID            desk.AnnouncementID     `json:"id"`
	Name          string                  `json:"name"`
	Status        desk.AnnouncementStatus `json:"status"`
	ScheduledTime *Time                   `json:"scheduled_time"`
	Channels      int                     `json:"channel_count"`
	Delivered     int                     `json:"delivered_count"`
	Failed        int                     `json:"failed_count"`
	CreatedAt     Time                    `json:"created_at"`
	SentAt        *Time                   `json:"sent_at"`
}

// Engagement is how people reacted to an announcement.
type Engagement struct {
	ID        desk.AnnouncementID `json:"id"`
	Channels  int                 `json:"channel_count"` // how many channels it was delivered to
	Reactions int                 `json:"reaction_count"`
	Replies   int                 `json:"reply_count"`
	Each      []ChannelEngagement `json:"channel_engagement"`
}

// ChannelEngagement is how people reacted to it in one channel.
type ChannelEngagement struct {
	Channel      string                `json:"channel_id"`
	Status       *desk.RecipientStatus `json:"status"`
	Reactions    int                   `json:"total_reactions"`
	Top          []TopReaction         `json:"top_reactions"`
	Replies      int                   `json:"reply_count"`
	Message      *string               `json:"message_ts"`
	ReplyMessage []string              `json:"reply_message_ts"`
	Request      *desk.RequestID       `json:"request_id"`
}

// TopReaction is an emoji and the people who reacted with it.
type TopReaction struct {
	Emoji string   `json:"emoji"`
	Users []string `json:"user_ids"`
}

// NewCreatedAnnouncement returns the wire form of a new announcement.
func NewCreatedAnnouncement(a desk.CreatedAnnouncement) CreatedAnnouncement {
	return CreatedAnnouncement{ID: a.ID, Status: a.Status, ScheduledTime: scheduled(a.Announcement)}
}

// NewAnnouncement returns the wire form of an announcement.
func NewAnnouncement(a desk.Announcement) Announcement {
	return Announcement{ID: a.ID, Name: a.Name, Status: a.Status, ScheduledTime: scheduled(a), Recipients: desk.Each(a.Recipients, newRecipient)}
}

// NewShownAnnouncement returns the wire form of an announcement with its text. Like a
// message, it is sanitised on its way out.
func NewShownAnnouncement(a desk.ShownAnnouncement) ShownAnnouncement {
	return ShownAnnouncement{NewAnnouncement(a.Announcement), orNull(markup.Outgoing(string(a.Text)))}
}

// NewAnnouncementPreview returns the wire form of a preview.
func NewAnnouncementPreview(v desk.AnnouncementCopyView) AnnouncementPreview {
	w := AnnouncementPreview{Channel: v.Channel, ChannelName: v.ChannelName, HTML: orNull(markup.Outgoing(v.HTML)), Problem: orNull(v.Problem)}
	if v.Sender != nil {
		sender := NewFace(*v.Sender)
		w.Sender = &sender
	}
	return w
}

func newRecipient(r desk.Recipient) Recipient {
	return Recipient{Channel: r.Channel, Collection: r.Collection, Status: orNull(r.Status), Message: orNull(r.Message), Error: orNull(r.Error)}
}

// NewListedAnnouncement returns the wire form of an announcement in a list.
func NewListedAnnouncement(a desk.Announcement) ListedAnnouncement {
	return ListedAnnouncement{ID: a.ID, Name: a.Name, Status: a.Status, ScheduledTime: scheduled(a), Channels: a.Channels, Delivered: a.Delivered, Failed: a.Failed,
		CreatedAt: NewTime(a.CreatedAt), SentAt: optional(a.SentAt)}
}

// scheduled returns when an announcement will be sent, or nil unless it is still
// scheduled.
func scheduled(a desk.Announcement) *Time {
	if a.Status != desk.AnnouncementScheduled {
		return nil
	}
	return optional(a.ScheduledAt)
}

// NewEngagement returns the wire form of an engagement.
func NewEngagement(e desk.Engagement) Engagement {
	shown := Engagement{ID: e.Announcement, Each: make([]ChannelEngagement, len(e.Channels))}
	for i, c := range e.Channels {
		if c.Status == desk.Delivered {
			shown.Channels++
		}
		shown.Reactions += len(c.Reactions)
		shown.Replies += len(c.Replies)
		shown.Each[i] = ChannelEngagement{Channel: c.Channel, Status: orNull(c.Status), Reactions: len(c.Reactions),
			Top:     desk.Each(c.TopReactions(), func(t desk.TopReaction) TopReaction { return TopReaction(t) }),
			Replies: len(c.Replies), Message: orNull(c.Message), ReplyMessage: desk.Each(c.Replies, func(id string) string { return id }), Request: orNull(c.Request)}
	}
	return shown
}
