package desk

import "time"

// SourceMessage is a message of the chat system as it would be announced.
type SourceMessage struct {
	ChatMessage
	ChannelName string
	HTML        string
	Author      *User // nil where it is nobody that we know
	Files       []SourceFile
	Link        string // where people open it; empty where it is not known
	Problem     string // why it cannot be announced; empty where it can
	CreatedAt   time.Time
	EditedAt    *time.Time
}

// SourceFile is a file that would be announced along.
type SourceFile struct {
	Name, Type string
	Size       int64
}

// SourceQuery names a message of the chat system: by its link, or by its channel
// and its id there.
type SourceQuery struct {
	Link string
	ChatMessage
}

// Check says what is wrong with the question.
func (q SourceQuery) Check() error {
	var p Problems
	switch byID := q.ChatMessage != (ChatMessage{}); {
	case q.Link == "" && !byID:
		p.Add("link", "is required, or channel_id and message_ts")
	case q.Link != "" && byID:
		p.Add("link", "must not be given together with channel_id or message_ts")
	case byID && q.Channel == "":
		p.Add("channel_id", "is required with message_ts")
	case byID && q.Message == "":
		p.Add("message_ts", "is required with channel_id")
	}
	return p.Err()
}
