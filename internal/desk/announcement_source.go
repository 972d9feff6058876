package desk

import "time"

// SourceMessage is a chat message as it would be announced.
type SourceMessage struct {
	ChatMessage
	ChannelName string
	HTML        string
	Author      *User // nil if we do not know the author
	Sender      *Face // how the chat system shows who sent it; nil if nobody is known
	Files       []SourceFile
	Link        string // where people open it; empty if unknown
	Problem     string // why it cannot be announced; empty if it can
	CreatedAt   time.Time
	EditedAt    *time.Time
}

// Face is the name and the avatar under which the chat system shows a message.
type Face struct {
	Name   string
	Avatar string // empty if it has none
}

// FaceOf returns how a user is shown.
func FaceOf(u User) Face { return Face{u.Name, u.Avatar} }

// SourceFile is a file that would be announced with the message.
type SourceFile struct {
	Name, Type string
	Size       int64
}

// SourceQuery names a chat message: by its link, or by its channel and its id in
// the channel.
type SourceQuery struct {
	Link string
	ChatMessage
}

// Check returns what is wrong with the query.
func (q SourceQuery) Check() error {
	var p Problems
	switch byID := q.ChatMessage != (ChatMessage{}); {
	case q.Link == "" && !byID:
		p.Add("link", "is required unless channel_id and message_ts are given")
	case q.Link != "" && byID:
		p.Add("link", "must not be given together with channel_id or message_ts")
	case byID && q.Channel == "":
		p.Add("channel_id", "is required with message_ts")
	case byID && q.Message == "":
		p.Add("message_ts", "is required with channel_id")
	}
	return p.Err()
}
