package wire

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// View is a view on the wire, as the audit log stores it.
type View struct {
	ID       desk.ViewID `json:"id"`
	Name     string      `json:"name"`
	Query    string      `json:"query"`
	Shared   bool        `json:"shared"`
	Position int64       `json:"position"`
}

// ShownView is a view as one member sees it.
type ShownView struct {
	View
	Mine bool `json:"mine"`
}

// NewView returns the wire form of a view.
func NewView(v desk.View) View {
	return View{ID: v.ID, Name: v.Name, Query: v.Query, Shared: v.Shared, Position: v.Position}
}

// NewShownView returns the wire form of a view for one member.
func NewShownView(v desk.ShownView) ShownView { return ShownView{NewView(v.View), v.Mine} }

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
func NewShownQuickReply(r desk.ShownQuickReply) ShownQuickReply {
	return ShownQuickReply{NewQuickReply(r.QuickReply), r.Mine}
}

// Tag is a tag on the wire.
type Tag struct {
	Name string `json:"name"`
}

// NewTag returns the wire form of a tag.
func NewTag(t desk.Tag) Tag { return Tag(t) }
