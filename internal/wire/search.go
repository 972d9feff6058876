package wire

import (
	"html"
	"strings"

	"frontdesk/internal/desk"
)

// Highlights are HTML: escaped text with <mark> around the search terms.
type Highlights struct {
	Title    *string            `json:"title"`
	Messages []MessageHighlight `json:"messages"`
}

// MessageHighlight is an excerpt of one message.
type MessageHighlight struct {
	ID        desk.MessageID `json:"id"`
	IsPrivate bool           `json:"is_private"`
	Text      string         `json:"text"`
}

func newHighlights(h desk.Highlights) Highlights {
	w := Highlights{Messages: desk.Each(h.Messages, func(m desk.MessageHighlight) MessageHighlight {
		return MessageHighlight{ID: m.Message, IsPrivate: m.Private, Text: marked(m.Text)}
	})}
	if h.Title != nil {
		title := marked(h.Title)
		w.Title = &title
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
