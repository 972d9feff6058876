package mrkdwn

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/markup"
)

// common reports whether a document is in the subset that HTML and Slack's text
// share, all of which survives. It repeats the list of docs/formats.md and does not
// depend on how shape works.
func common(d markup.Document) bool { return commonBlocks(d.Blocks(), markup.Paragraph) }

// commonBlocks does the work of common for the contents of a block of this kind;
// for a document it is Paragraph.
func commonBlocks(blocks []markup.Block, in markup.BlockKind) bool {
	for i, b := range blocks {
		switch b.Kind {
		case markup.Paragraph:
			if !commonRuns(b.Runs) {
				return false
			}
			continue
		case markup.Preformatted:
			if in != markup.Paragraph {
				return false
			}
		case markup.Rule:
			if in == markup.Item {
				return false
			}
		case markup.Quote:
			if in != markup.Paragraph {
				return false
			}
		case markup.Bullets, markup.Numbers:
			if in == markup.Item && i == 0 {
				return false
			}
		}
		if !commonBlocks(b.Blocks, b.Kind) {
			return false
		}
	}
	return true
}

func commonRuns(runs []markup.Run) bool {
	for i, r := range runs {
		var before, after markup.Marks
		if i > 0 {
			before = runs[i-1].Marks
		}
		if i+1 < len(runs) {
			after = runs[i+1].Marks
		}
		switch {
		case r.Marks.Has(markup.Underline):
			return false
		case r.Kind == markup.Break:
		case r.Kind == markup.Image:
			if r.Link != "" || r.Text == r.Target || !strings.HasPrefix(r.Target, "http") {
				return false
			}
		case r.Kind != markup.Words:
			if r.Text != sigil(r.Kind)+r.Target {
				return false
			}
		case r.Marks.Has(markup.Code) && strings.Contains(r.Text, "`"):
			return false
		case r.Marks != 0 && r.Link == "" && !r.Marks.Has(markup.Code) && signed(r.Text):
			return false
		case r.Link == "" && spaceFirst(r.Text) && !within(r.Marks, before), r.Link == "" && spaceLast(r.Text) && !within(r.Marks, after):
			return false
		}
	}
	return true
}

// signed reports whether a text begins or ends with a formatting sign, ignoring
// spaces.
func signed(text string) bool {
	text = strings.TrimFunc(text, func(r rune) bool { return !solid(r) })
	return strings.Trim(text, signs) != text
}

func spaceFirst(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return !solid(r)
}

func spaceLast(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return !solid(r)
}

// within reports whether a neighbour continues all of these marks, with no mark
// around them that begins or ends between the two.
func within(marks, neighbour markup.Marks) bool {
	return neighbour&(1<<bits.Len8(uint8(marks))-1) == marks
}

// sigil returns the sign that starts a mention without its own name.
func sigil(kind markup.RunKind) string {
	if kind == markup.Channel {
		return "#"
	}
	return "@"
}
