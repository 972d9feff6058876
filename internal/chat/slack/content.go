package slack

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"frontdesk/internal/chat"
)

// What Slack takes, in characters or in pieces.
const (
	mostSection  = 3000
	mostField    = 2000
	mostLabel    = 75
	mostFields   = 10 // of a section
	mostButtons  = 25 // of a row
	mostUsername = 80
)

// setContent puts what a message shows into the arguments of a call. Every
// part is there, the empty ones too: an update keeps what it is not told of.
func setContent(args url.Values, c chat.Content) {
	text := toMrkdwn(c.HTML)
	blocks := blocksOf(text, c)
	args.Set("text", text)
	args.Set("blocks", "[]")
	args.Set("attachments", "[]")
	switch {
	case c.Colour != "":
		// A text beside an attachment would be shown above it, once more.
		args.Set("text", "")
		args.Set("attachments", encode([]slack.Attachment{{Color: c.Colour, Fallback: text, Blocks: slack.Blocks{BlockSet: blocks}}}))
	case len(c.Fields)+len(c.Buttons) > 0:
		args.Set("blocks", encode(blocks))
	}
}

// blocksOf is a content in Slack's blocks: its text, its fields as a table of
// two columns, and its buttons.
func blocksOf(text string, c chat.Content) (blocks []slack.Block) {
	for _, piece := range pieces(text, mostSection) {
		blocks = append(blocks, slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, piece, false, false), nil, nil))
	}
	for some := range slices.Chunk(c.Fields, mostFields/2) {
		var cells []*slack.TextBlockObject
		for _, f := range some {
			cells = append(cells,
				slack.NewTextBlockObject(slack.MarkdownType, "*"+plainText(cut(f.Name, mostField/8))+"*", false, true), plain(f.Value, mostField))
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
	return blocks
}

// plain is a text without marks. Slack takes no empty one.
func plain(s string, most int) *slack.TextBlockObject {
	if strings.TrimSpace(s) == "" {
		s = "–"
	}
	return slack.NewTextBlockObject(slack.PlainTextType, cut(s, most), false, false)
}

// cut is a text of at most so many characters.
func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// pieces are a text in parts of at most so many characters, parted between
// lines, else between words, where that is possible.
func pieces(text string, most int) (all []string) {
	rest := []rune(text)
	for len(rest) > 0 {
		n := min(len(rest), most)
		if n < len(rest) {
			n = cmp.Or(last(rest[:n], '\n'), last(rest[:n], ' '), n)
		}
		if piece := strings.Trim(string(rest[:n]), "\n"); strings.TrimSpace(piece) != "" {
			all = append(all, piece)
		}
		rest = rest[n:]
	}
	return all
}

// last is where a character stands last, 0 where it does not.
func last(runes []rune, r rune) int {
	for i := len(runes) - 1; i > 0; i-- {
		if runes[i] == r {
			return i
		}
	}
	return 0
}
