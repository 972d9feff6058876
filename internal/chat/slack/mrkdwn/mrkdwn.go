// Package mrkdwn turns Slack's message text, which Slack calls mrkdwn, into the
// HTML of package markup, and back. It also knows the names that Slack gives to
// emoji. It must not know of channels, people or requests: a mention is an id.
//
// Slack has no way to escape * _ ~ ` and the like. Text puts a zero-width space
// beside those that would be taken for formatting, and around formatting that
// begins or ends within a word; HTML takes these away again. An image is a link
// with one before its name. So a text comes back as it was, but for what Slack's
// text cannot hold:
//
//   - underline; the name that a mention is shown with; the link around an
//     image, and an image's description where it is the address;
//   - images among our own attachments: of them the description stays;
//   - preformatted text, quotes and rules in a list: they end it, and it goes on
//     behind them, as in Slack's own editor. Likewise preformatted text in a
//     quote; and quotes in quotes, which become one;
//   - the sign of an item that holds nothing before the list in it;
//   - code that has a ` in it: it is no longer code;
//   - formatting of * _ ~ ` at its own edges: they are outside of it. Likewise of
//     a space where formatting is interrupted by another that begins or ends;
//   - zero-width spaces beside * _ ~ ` : and at the beginning of a line.
//
// docs/formats.md has the same list for people, and testdata a case for each.
package mrkdwn

import (
	"strings"

	"frontdesk/internal/markup"
)

// HTML reads a message's text. The result is in normal form: Sanitize of
// package markup would change nothing.
func HTML(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "\ufffd"))
	var r reader
	r.blocks(text, false)
	return r.b.Document().HTML()
}

// Text writes HTML as a message's text. How long that may be is not its concern.
func Text(html string) string {
	var w writer
	w.blocks(shape(markup.Parse(html)).Blocks(), false)
	return strings.Join(w.lines, "\n")
}
