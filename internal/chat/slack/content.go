package slack

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slack-go/slack"

	"frontdesk/internal/chat"
	"frontdesk/internal/markup"
)

// Slack's limits, in characters or in items.
const (
	mostSection  = 3000
	mostField    = 2000
	mostLabel    = 75
	mostFields   = 10 // of a section
	mostButtons  = 25 // of a row
	mostUsername = 80
)

// In a text that a person wrote, @channel is a word. Slack would look for people
// and channels in it, unless blocks are marked as verbatim and updates say to parse
// nothing. It reads angle brackets in any case.
const verbatim = true

// setContent puts the content of a message into the arguments of a call. It sets
// every part, including empty ones, because an update keeps the parts that it does
// not mention.
func setContent(args url.Values, c chat.Content) {
	text := toMrkdwn(c.HTML)
	blocks := blocksOf(c)
	args.Set("text", text)
	args.Set("parse", "none")
	args.Set("blocks", "[]")
	args.Set("attachments", "[]")
	switch {
	case c.Colour != "":
		// A text next to an attachment would be shown again above it.
		args.Set("text", "")
		args.Set("attachments", encode([]slack.Attachment{{Color: c.Colour, Fallback: text, Blocks: slack.Blocks{BlockSet: blocks}}}))
	case needsBlocks(c):
		args.Set("blocks", encode(blocks))
	}
}

// needsBlocks reports whether a content is more than text.
func needsBlocks(c chat.Content) bool { return len(c.Fields)+len(c.Buttons) > 0 || c.Footer != "" }

// blocksOf returns a content as Slack's blocks: its text, its fields as a table of
// two columns, its buttons, and its footer.
func blocksOf(c chat.Content) (blocks []slack.Block) {
	for _, part := range sections(c.HTML, mostSection) {
		blocks = append(blocks, slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, part, false, verbatim), nil, nil))
	}
	for some := range slices.Chunk(c.Fields, mostFields/2) {
		var cells []*slack.TextBlockObject
		for _, f := range some {
			cells = append(cells,
				slack.NewTextBlockObject(slack.MarkdownType, "*"+plainText(cut(f.Name, mostField/8))+"*", false, verbatim), plain(f.Value, mostField))
		}
		blocks = append(blocks, slack.NewSectionBlock(nil, cells, nil))
	}
	for some := range slices.Chunk(c.Buttons, mostButtons) {
		var row []slack.BlockElement
		for _, b := range some {
			row = append(row, slack.NewButtonBlockElement(b.ID, b.Value, plain(b.Label, mostLabel)).WithStyle(slack.Style(b.Style)))
		}
		blocks = append(blocks, slack.NewActionBlock("", row...))
	}
	for _, part := range sections(c.Footer, mostSection) {
		blocks = append(blocks, slack.NewContextBlock("", slack.NewTextBlockObject(slack.MarkdownType, part, false, verbatim)))
	}
	return blocks
}

// plain returns a text without markup. Slack does not accept an empty one.
func plain(s string, most int) *slack.TextBlockObject {
	if strings.TrimSpace(s) == "" {
		s = "–"
	}
	return slack.NewTextBlockObject(slack.PlainTextType, cut(s, most), false, false)
}

// cut shortens a text to most characters.
func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// sections returns a text in Slack's markup, in parts of at most the given number
// of characters. Signs, addresses and escapes count, so a part that reads as short
// may still be too long.
func sections(html string, most int) []string { return parted(markup.Sanitize(html), most, most) }

// addresses finds tags with an address in HTML in normal form.
var addresses = regexp.MustCompile("</?a[^>]*>|<img[^>]*>")

func parted(html string, most, shown int) (all []string) {
	text := toMrkdwn(html)
	n := utf8.RuneCountInString(text)
	switch {
	case n == 0:
		return nil
	case n <= most:
		return []string{text}
	case shown <= most/64: // the address alone is too long: keep only the words
		return []string{cut(toMrkdwn(addresses.ReplaceAllString(html, "")), most)}
	}
	for _, piece := range markup.Split(html, shown) {
		all = append(all, parted(piece, most, min(shown*7/8, shown*most/n+1))...)
	}
	return all
}
