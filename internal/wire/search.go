package wire

import (
	"html"
	"strings"

	"frontdesk/internal/desk"
)

// FoundRequest is a request in the answer to a search.
type FoundRequest struct {
	Request
	Highlights Highlights `json:"highlights"`
}

// Highlights are HTML: escaped text, with <mark> around what was searched for.
type Highlights struct {
	Title    *string            `json:"title"`
	Messages []MessageHighlight `json:"messages"`
}

// MessageHighlight is the part of one message.
type MessageHighlight struct {
	ID        desk.MessageID `json:"id"`
	IsPrivate bool           `json:"is_private"`
	Text      string         `json:"text"`
}

// NewFoundRequest is how a request looks that was found, in the form that it has
// in lists.
func NewFoundRequest(f desk.FoundRequest, form func(desk.Request) Request) FoundRequest {
	w := FoundRequest{Request: form(f.Request), Highlights: Highlights{Messages: make([]MessageHighlight, len(f.Highlights.Messages))}}
	if f.Highlights.Title != nil {
		title := marked(f.Highlights.Title)
		w.Highlights.Title = &title
	}
	for i, m := range f.Highlights.Messages {
		w.Highlights.Messages[i] = MessageHighlight{ID: m.Message, IsPrivate: m.Private, Text: marked(m.Text)}
	}
	return w
}

func marked(e desk.Excerpt) string {
	var b strings.Builder
	for _, p := range e {
		if p.Match {
			b.WriteString("<mark>" + html.EscapeString(p.Text) + "</mark>")
		} else {
			b.WriteString(html.EscapeString(p.Text))
		}
	}
	return b.String()
}
