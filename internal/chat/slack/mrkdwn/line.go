package mrkdwn

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/markup"
)

// glyph is a piece of a line that is being written.
type glyph struct {
	text  string // as written: a sign, a unit such as a link, or words
	sign  byte   // one of signs, if it is one
	role  role
	first rune // the outer characters, as its neighbours see them
	last  rune
	alone bool // a joint follows it, so that it begins nothing
}

type role uint8

const (
	shown  role = iota // formats nothing
	opener             // begins formatting
	closer             // ends formatting
)

// order is the order in which marks are nested, as in HTML.
var order = [...]struct {
	mark markup.Marks
	sign byte
}{{markup.Strong, '*'}, {markup.Em, '_'}, {markup.Strike, '~'}, {markup.Code, '`'}}

// writeLine writes the runs of one line. It first assumes that every sign is read
// as intended, and then adds a joint next to those that would not be.
func writeLine(runs []markup.Run) string {
	glyphs := glyphs(runs)
	var out strings.Builder
	last := nothing
	join := func() {
		if last != jointRune && last != nothing {
			out.WriteString(joint)
			last = jointRune
		}
	}
	inside := map[byte]bool{}
	behind := lastClosers(glyphs)
	for i, g := range glyphs {
		before, after := around(glyphs, i)
		switch {
		case g.role == opener && !safeEdge(last) && !(i > 0 && glyphs[i-1].role == opener):
			join()
		case g.role == shown && i > 0 && glyphs[i-1].role == closer && !safeEdge(g.first):
			join()
		case g.role == shown && g.sign != 0 && inside[g.sign] && closes(before, rune(g.sign), after):
			join()
		case g.role == shown && g.sign == '`' && strings.HasSuffix(out.String(), "``"):
			join()
		}
		out.WriteString(g.text)
		last = g.last
		switch {
		case g.role != shown:
			inside[g.sign] = g.role == opener
		case g.alone, g.sign != 0 && !inside[g.sign] && behind[g.sign] > i && opens(before, rune(g.sign), after):
			join()
		}
	}
	return out.String()
}

// glyphs returns the runs of a line with the signs that format them.
func glyphs(runs []markup.Run) []glyph {
	var out []glyph
	var open markup.Marks
	to := func(marks markup.Marks) {
		keep := held(open, marks)
		for i := len(order) - 1; i >= 0; i-- {
			if o := order[i]; open.Has(o.mark) && !keep.Has(o.mark) {
				out = append(out, glyph{string(o.sign), o.sign, closer, rune(o.sign), rune(o.sign), false})
			}
		}
		for _, o := range order {
			if marks.Has(o.mark) && !keep.Has(o.mark) {
				out = append(out, glyph{string(o.sign), o.sign, opener, rune(o.sign), rune(o.sign), false})
			}
		}
		open = marks
	}
	for _, r := range runs {
		to(r.Marks)
		switch {
		case r.Kind == markup.Image:
			out = append(out, whole(writeImage(r)))
		case r.Kind != markup.Words:
			out = append(out, whole(writeMention(r)))
		case r.Link != "":
			out = append(out, whole(writeLink(r)))
		case r.Marks.Has(markup.Code):
			g := whole(escaped(r.Text))
			g.first, _ = utf8.DecodeRuneInString(r.Text)
			g.last, _ = utf8.DecodeLastRuneInString(r.Text)
			out = append(out, g)
		default:
			out = append(out, characters(r.Text)...)
		}
	}
	to(0)
	return out
}

// whole returns a glyph for something in angle brackets.
func whole(text string) glyph { return glyph{text: text, first: '<', last: '>'} }

// characters returns the glyphs of plain words: one for each sign and colon, and
// one for all the text between two of them.
func characters(text string) []glyph {
	const apart = signs + ":"
	var out []glyph
	for text != "" {
		n := strings.IndexAny(text, apart)
		switch n {
		case -1:
			n = len(text)
		case 0:
			n = 1
		}
		g := glyph{text: escaped(text[:n])}
		g.first, _ = utf8.DecodeRuneInString(text)
		g.last, _ = utf8.DecodeLastRuneInString(text[:n])
		if c := text[0]; c == ':' {
			_, length := cutEmoji(text)
			g.alone = length > 0
		} else if strings.IndexByte(signs, c) >= 0 {
			g.sign = c
		}
		out = append(out, g)
		text = text[n:]
	}
	return out
}

// around returns the characters next to a glyph.
func around(glyphs []glyph, i int) (before, after rune) {
	before, after = nothing, nothing
	if i > 0 {
		before = glyphs[i-1].last
	}
	if i+1 < len(glyphs) {
		after = glyphs[i+1].first
	}
	return before, after
}

// lastClosers returns for each sign the last one that could end formatting. Any
// backtick could, because they pair up more greedily.
func lastClosers(glyphs []glyph) map[byte]int {
	last := map[byte]int{}
	for i, g := range glyphs {
		before, after := around(glyphs, i)
		if g.sign == '`' || g.sign != 0 && (g.role == closer || closes(before, rune(g.sign), after)) {
			last[g.sign] = i
		}
	}
	return last
}

// writeLink writes a link. It leaves out the name if it equals a web address. Other
// addresses are shown without their scheme, so they keep the name.
func writeLink(r markup.Run) string {
	address := escaped(r.Link)
	if r.Text == r.Link && strings.HasPrefix(r.Link, "http") {
		return "<" + address + ">"
	}
	// After a joint it would be an image.
	return "<" + address + "|" + name(strings.TrimLeft(r.Text, joint)) + ">"
}

// writeImage writes an image as a link whose name begins with a joint, which
// identifies it. An image without a description is named by its address.
func writeImage(r markup.Run) string {
	return "<" + escaped(r.Target) + "|" + joint + name(cmp.Or(r.Text, r.Target)) + ">"
}

// name writes the name of a link.
func name(text string) string {
	var out strings.Builder
	for _, g := range characters(text) {
		out.WriteString(g.text)
		if g.alone {
			out.WriteString(joint)
		}
	}
	return unfenced(out.String())
}

func writeMention(r markup.Run) string {
	switch r.Kind {
	case markup.Channel:
		return "<#" + r.Target + ">"
	case markup.Team:
		return "<!subteam^" + r.Target + ">"
	case markup.Everyone:
		return "<!" + r.Target + ">"
	}
	return "<@" + r.Target + ">"
}
