// Package mrkdwn converts Slack's message text, which Slack calls mrkdwn, to the
// HTML of package markup, and back. It also knows Slack's names for emoji. It must
// not know about channels, people or requests: a mention is an id.
//
// Slack has no way to escape * _ ~ ` and the like. Text puts a zero-width space
// next to those that would be read as formatting, and around formatting that begins
// or ends within a word. HTML removes it again. An image is a link with a
// zero-width space before its name. So a text survives the round trip, except for
// what Slack's text cannot hold:
//
//   - underline; the name that a mention is shown with; the link around an
//     image, and an image's description if it equals the address;
//   - images among our own attachments: only their description stays;
//   - preformatted text, quotes and rules in a list: they end the list, and it
//     continues after them, as in Slack's own editor. The same goes for
//     preformatted text in a quote. Nested quotes become one;
//   - the bullet of an item that has nothing before its nested list;
//   - code that contains a `: it is no longer code;
//   - formatting of * _ ~ ` at its own edges: they move outside. The same goes for
//     a space where formatting is interrupted because another begins or ends;
//   - zero-width spaces next to * _ ~ ` : and at the beginning of a line.
//
// docs/formats.md has the same list for people, and testdata has a case for each.
package mrkdwn

import (
	"strings"

	"frontdesk/internal/markup"
)

// HTML converts a message's text to HTML. The result is in normal form: Sanitize of
// package markup would not change it.
func HTML(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "\ufffd"))
	var r reader
	r.blocks(text, false)
	return r.b.Document().HTML()
}

// Text converts HTML to a message's text. It does not limit the length.
func Text(html string) string {
	var w writer
	w.blocks(shape(markup.Parse(html)).Blocks(), false)
	return strings.Join(w.lines, "\n")
}
