package wire

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// QuickReply is a quick reply on the wire, as the audit log stores it.
type QuickReply struct {
	ID     desk.QuickReplyID `json:"id"`
	Name   string            `json:"name"`
	HTML   string            `json:"html"`
	Shared bool              `json:"shared"`
}

// ShownQuickReply is a quick reply as one member sees it.
type ShownQuickReply struct {
	QuickReply
	Mine bool `json:"mine"`
}

// NewQuickReply returns the wire form of a quick reply. Its HTML is sanitised
// again, like a message's.
func NewQuickReply(r desk.QuickReply) QuickReply {
	return QuickReply{ID: r.ID, Name: r.Name, HTML: markup.Outgoing(r.HTML), Shared: r.Shared}
}

// NewShownQuickReply returns the wire form of a quick reply for one member.
func NewShownQuickReply(r desk.QuickReply) ShownQuickReply {
	return ShownQuickReply{NewQuickReply(r), r.Mine}
}
