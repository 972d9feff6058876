package wire

import "frontdesk/internal/desk"

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
func NewShownView(v desk.View) ShownView { return ShownView{NewView(v), v.Mine} }

// RequestCount is how many requests a list has.
type RequestCount struct {
	Count  int  `json:"count"`
	IsMore bool `json:"is_more"`
}

// NewRequestCount returns the wire form of a count.
func NewRequestCount(c desk.RequestCount) RequestCount { return RequestCount{c.Count, c.More} }

// Tag is a tag on the wire.
type Tag struct {
	Name string `json:"name"`
}

// NewTag returns the wire form of a tag.
func NewTag(t desk.Tag) Tag { return Tag(t) }
