package wire

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// SourceMessage is a message that can be announced, on the wire.
type SourceMessage struct {
	Channel     string       `json:"channel_id"`
	ChannelName string       `json:"channel_name"`
	TS          string       `json:"ts"`
	HTML        string       `json:"html"`
	Author      *User        `json:"author"`
	Sender      *Face        `json:"sender"`
	Files       []SourceFile `json:"files"`
	URL         *string      `json:"url"`
	Problem     *string      `json:"problem"` // why it cannot be announced
	CreatedAt   Time         `json:"created_at"`
	EditedAt    *Time        `json:"edited_at"`
}

// Face is the name and the avatar under which a message is shown, on the wire.
type Face struct {
	Name   string  `json:"name"`
	Avatar *string `json:"avatar"`
}

// NewFace returns the wire form of a face.
func NewFace(f desk.Face) Face { return Face{f.Name, orNull(f.Avatar)} }

// SourceFile is a file of such a message.
type SourceFile struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int64  `json:"size"`
}

// NewSourceMessage returns the wire form of a message that can be announced. Like
// any other message, it is sanitised on its way out.
func NewSourceMessage(m desk.SourceMessage) SourceMessage {
	w := SourceMessage{
		Channel: m.Channel, ChannelName: m.ChannelName, TS: m.Message, HTML: markup.Outgoing(m.HTML),
		Files: desk.Each(m.Files, func(f desk.SourceFile) SourceFile { return SourceFile(f) }),
		URL:   orNull(m.Link), Problem: orNull(m.Problem), CreatedAt: NewTime(m.CreatedAt), EditedAt: optional(m.EditedAt),
	}
	if m.Author != nil {
		author := NewUser(*m.Author)
		w.Author = &author
	}
	if m.Sender != nil {
		sender := NewFace(*m.Sender)
		w.Sender = &sender
	}
	return w
}
