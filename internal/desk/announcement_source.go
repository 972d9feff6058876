package desk

import "time"

// SourceMessage is a chat message as it would be announced.
type SourceMessage struct {
	ChatMessage
	ChannelName string
	HTML        string
	Author      *User // nil if we do not know the author
	Files       []SourceFile
	Link        string // where people open it; empty if unknown
	Problem     string // why it cannot be announced; empty if it can
	CreatedAt   time.Time
	EditedAt    *time.Time
}

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
