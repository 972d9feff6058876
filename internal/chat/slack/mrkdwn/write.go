package mrkdwn

import (
	"strconv"
	"strings"

	"frontdesk/internal/markup"
)

// writer writes a document that shape has prepared.
type writer struct{ lines []string }

// blocks writes blocks one below the other. It adds an empty line only where HTML
// would otherwise read two blocks as one.
func (w *writer) blocks(blocks []markup.Block, quoted bool) {
	for i, b := range blocks {
		if i > 0 && parted(blocks[i-1].Kind, b.Kind) {
			w.lines = append(w.lines, "")
		}
		switch b.Kind {
		case markup.Paragraph:
			for _, line := range lines(b.Runs) {
				if _, ok := cutMarker(line); ok || line == rule {
					line = joint + line
				}
				if _, ok := cutSign(line, 1); ok && !quoted {
					line = joint + line
				}
				w.lines = append(w.lines, line)
			}
		case markup.Preformatted:
			w.lines = append(w.lines, fence, escaped(unfenced(b.Text)), fence)
		case markup.Rule:
			w.lines = append(w.lines, rule)
		case markup.Quote:
			var inner writer
			inner.blocks(b.Blocks, true)
			for _, line := range inner.lines {
				w.lines = append(w.lines, strings.TrimRight("> "+line, " "))
			}
		case markup.Bullets, markup.Numbers:
			w.list(b, 0)
		}
	}
}

// parted reports whether two blocks need an empty line between them.
func parted(a, b markup.BlockKind) bool {
	isList := func(k markup.BlockKind) bool { return k == markup.Bullets || k == markup.Numbers }
	return a == b && (a == markup.Paragraph || a == markup.Quote) || isList(a) && isList(b)
}

// Each list is indented further than its parent, and the further lines of an item a
// little further than its bullet.
const (
	listIndent = "    "
	lineIndent = "  "
)

func (w *writer) list(l markup.Block, depth int) {
	indent := strings.Repeat(listIndent, depth)
	for i, item := range l.Blocks {
		sign := bullets[min(depth, 2)]
		if l.Kind == markup.Numbers {
			sign = strconv.Itoa(l.Start+i) + ". "
		}
		for j, b := range item.Blocks {
			if j > 0 && parted(item.Blocks[j-1].Kind, b.Kind) {
				w.lines = append(w.lines, "")
			}
			if b.Kind != markup.Paragraph {
				w.list(b, depth+1)
				continue
			}
			for k, line := range lines(b.Runs) {
				switch {
				case j+k == 0:
					line = sign + line
				case beginsItem(line):
					line = lineIndent + joint + line
				default:
					line = lineIndent + line
				}
				w.lines = append(w.lines, indent+line)
			}
		}
	}
}

// beginsItem reports whether a line within a list could be read as an item,
// including one of a list that counts with letters.
func beginsItem(line string) bool {
	if _, ok := cutMarker(line); ok {
		return true
	}
	count, _, ok := strings.Cut(line, ". ")
	return ok && (letterNumber(count) > 0 || romanNumber(count) > 0)
}

// lines writes the lines of a paragraph.
func lines(runs []markup.Run) []string {
	var out []string
	for len(runs) > 0 {
		n := 0
		for n < len(runs) && runs[n].Kind != markup.Break {
			n++
		}
		out = append(out, writeLine(runs[:n]))
		runs = runs[min(n+1, len(runs)):]
	}
	return out
}

// escaped writes a text for places where signs have no meaning.
func escaped(s string) string { return escapes.Replace(s) }

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// unfenced separates backticks that would begin or end preformatted text.
func unfenced(s string) string {
	if !strings.Contains(s, fence) {
		return s
	}
	var out strings.Builder
	ticks := 0
	for i := range len(s) {
		if s[i] != '`' {
			ticks = 0
		} else if ticks++; ticks == len(fence) {
			out.WriteString(joint)
			ticks = 1
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// refenced removes what unfenced added between backticks.
func refenced(s string) string {
	const parted = "`" + joint + "`"
	for strings.Contains(s, parted) { // at most twice: each pass handles every other one
		s = strings.ReplaceAll(s, parted, "``")
	}
	return s
}
