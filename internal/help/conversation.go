package help

import (
	"slices"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/markup"
)

// Limits on what is read of a conversation, in bytes of plain text. Its first message
// says what it is about, so it is always read. Of the others the newest are.
const (
	MostRead        = 100 // messages
	mostConversed   = 24_000
	mostMessageText = 6_000
)

// line is a message as a model is told it. Names and addresses of authors are left out.
type line struct {
	From string `json:"from"`
	Text string `json:"text"`
}

const (
	fromRequester = "requester"
	fromResponder = "responder"
	fromNote      = "internal note"
)

// Public returns the messages that the customer can read, too.
func Public(messages []desk.Message) []desk.Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m desk.Message) bool { return m.Private })
}

// conversation returns what is read of messages, which are in the order of time.
func conversation(messages []desk.Message) (lines []line, r Read) {
	room := mostConversed
	take := func(m desk.Message) {
		text, cut := cutText(plain(m), min(room, mostMessageText))
		if cut {
			r.Shortened++
		}
		room -= len(text)
		r.Messages++
		lines = append(lines, line{authorOf(m), text})
	}
	messages = slices.DeleteFunc(slices.Clone(messages), func(m desk.Message) bool { return plain(m) == "" })
	if len(messages) == 0 {
		return nil, r
	}
	take(messages[0])
	for i := len(messages) - 1; i > 0 && room > 0 && r.Messages < MostRead; i-- {
		take(messages[i])
	}
	slices.Reverse(lines[1:])
	r.LeftOut = len(messages) - r.Messages
	return lines, r
}

// plain is what a message says; of one that only has files, which.
func plain(m desk.Message) string {
	text := strings.TrimSpace(m.Text)
	if text == "" {
		text = strings.TrimSpace(markup.PlainText(m.HTML))
	}
	if text == "" && len(m.Attachments) > 0 {
		return "[" + strings.Join(desk.Each(m.Attachments, func(a desk.Attachment) string { return a.Name }), ", ") + "]"
	}
	return text
}

func authorOf(m desk.Message) string {
	switch {
	case m.Private:
		return fromNote
	case m.Responder:
		return fromResponder
	}
	return fromRequester
}

// cutText returns the beginning of a text, at most this many bytes, and whether that
// is not all of it. Characters stay whole.
func cutText(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	return strings.ToValidUTF8(text[:max(most, 0)], ""), true
}
