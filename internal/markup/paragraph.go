package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// paragraphs converts the runs of a paragraph to normal form. What a browser shows
// stays, and there is only one way to write it. Two breaks in a row, or a line with
// only spaces, end a paragraph.
func paragraphs(runs []Run) [][]Run {
	var all [][]Run
	var now []Run
	for len(runs) > 0 {
		n := 0
		for n < len(runs) && runs[n].Kind != Break {
			n++
		}
		line := tidyLine(runs[:n])
		runs = runs[min(n+1, len(runs)):]
		switch {
		case len(line) == 0 && now != nil:
			all, now = append(all, now), nil
		case len(line) == 0:
		case now == nil:
			now = line
		default:
			now = append(append(now, Run{Kind: Break}), line...)
		}
	}
	if now != nil {
		all = append(all, now)
	}
	return all
}

// tidyLine returns a line in normal form, or nil if it would show nothing.
func tidyLine(line []Run) []Run {
	empty := true
	for _, r := range line {
		if r.Kind != Words || !blank(r.Text) {
			empty = false
		}
	}
	if empty {
		return nil
	}
	return collapse(unmarkEdges(line))
}

// unmarkEdges removes marks and links from the spaces at their edges, where they
// hardly show. Chat systems do not read *bold *text as formatting.
func unmarkEdges(line []Run) []Run {
	pieces := make([]Run, 0, len(line)+4)
	for _, r := range line {
		if r.Kind != Words || r.Marks == 0 && r.Link == "" {
			pieces = append(pieces, r)
			continue
		}
		core := strings.TrimLeftFunc(r.Text, isSpace)
		head := r.Text[:len(r.Text)-len(core)]
		core = strings.TrimRightFunc(core, isSpace)
		tail := r.Text[len(head)+len(core):]
		for _, text := range [...]string{head, core, tail} {
			if text != "" {
				piece := r
				piece.Text = text
				pieces = append(pieces, piece)
			}
		}
	}
	// A space keeps what the words on both sides have in common.
	var before Run
	for i := 0; i < len(pieces); {
		if !space(pieces[i]) {
			before = pieces[i]
			i++
			continue
		}
		end := i
		for end < len(pieces) && space(pieces[end]) {
			end++
		}
		var after Run
		if end < len(pieces) {
			after = pieces[end]
		}
		for ; i < end; i++ {
			pieces[i].Marks &= before.Marks & after.Marks
			if before.Link != pieces[i].Link || after.Link != pieces[i].Link {
				pieces[i].Link = ""
			}
		}
	}
	return pieces
}

// collapse reduces several spaces to one and removes those at the ends. It merges
// neighbouring runs that look the same. Spaces in code are kept.
func collapse(pieces []Run) []Run {
	out := make([]Run, 0, len(pieces))
	var text strings.Builder
	spaced := true // the output is empty or ends with a space
	for i := 0; i < len(pieces); {
		r := pieces[i]
		if r.Kind != Words {
			out = append(out, r)
			spaced = false
			i++
			continue
		}
		if single := i+1 == len(pieces) || !alike(pieces[i+1], r); single && settled(r, spaced) {
			out = append(out, r)
			spaced = strings.HasSuffix(r.Text, " ")
			i++
			continue
		}
		text.Reset()
		for ; i < len(pieces) && alike(pieces[i], r); i++ {
			if r.Marks.Has(Code) {
				text.WriteString(pieces[i].Text)
				spaced = false
				continue
			}
			for _, c := range pieces[i].Text {
				if c != ' ' || !spaced {
					text.WriteRune(c)
				}
				spaced = c == ' '
			}
		}
		if text.Len() > 0 {
			r.Text = text.String()
			out = append(out, r)
		}
	}
	for n := len(out); n > 0 && out[n-1].Kind == Words; n = len(out) {
		if out[n-1].Text = strings.TrimRight(out[n-1].Text, " "); out[n-1].Text != "" {
			break
		}
		out = out[:n-1]
	}
	return rejoined(out)
}

// settled reports whether a run has no spaces to remove, as most runs do.
func settled(r Run, spaced bool) bool {
	return r.Marks.Has(Code) || !strings.Contains(r.Text, "  ") && !(spaced && r.Text[0] == ' ')
}

// rejoined merges neighbours that only an empty run separated.
func rejoined(runs []Run) []Run {
	out := runs[:0]
	for _, r := range runs {
		if n := len(out); n > 0 && alike(out[n-1], r) {
			out[n-1].Text += r.Text
			continue
		}
		out = append(out, r)
	}
	return out
}

// alike reports whether two runs are words with the same formatting.
func alike(a, b Run) bool {
	return a.Kind == Words && b.Kind == Words && a.Marks == b.Marks && a.Link == b.Link
}

// space reports whether a run has only spaces.
func space(r Run) bool { return r.Kind == Words && blank(r.Text) }

// isSpace also accepts the zero-width space, because it ends a word too.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }

// blank reports whether a text has only spaces.
func blank(text string) bool { return strings.TrimLeftFunc(text, isSpace) == "" }

// words makes a text fit for a paragraph. Every kind of HTML white space becomes a
// space, and control characters, which are not allowed in HTML, are removed.
func words(text string) string {
	clean := true
	for i := 0; i < len(text) && clean; i++ {
		clean = text[i] >= ' ' && text[i] < 0x7f
	}
	if clean {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\f' || r == '\r' || r == '\u0085':
			return ' '
		case unicode.IsControl(r):
			return -1
		case r == utf8.RuneError:
			return '\ufffd' // also for bytes that are not UTF-8
		}
		return r
	}, text)
}

// preformatted makes a text fit for a Preformatted block.
func preformatted(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
	text = strings.TrimRightFunc(text, isSpace)
	for {
		first, rest, more := strings.Cut(text, "\n")
		if !more || !blank(first) {
			return text
		}
		text = rest
	}
}

// clean returns a run as the subset allows it, and whether anything of it is left.
func clean(r Run) (Run, bool) {
	r.Text = words(r.Text)
	switch r.Kind {
	case Break:
		return Run{Kind: Break}, true
	case Image:
		r.Text = label(r.Text)
		r.Target, r.Link, r.Marks = imageAddress(r.Target), LinkAddress(r.Link), 0
		if r.Target == "" { // keep its description as words
			r.Kind = Words
			return r, r.Text != ""
		}
		return r, true
	case Words:
		r.Target, r.Link = "", LinkAddress(r.Link)
		return r, r.Text != ""
	}
	r.Text, r.Link = label(r.Text), ""
	r.Marks &^= Code
	if !mentionable(r.Kind, r.Target) {
		r.Kind, r.Target = Words, ""
		return r, r.Text != ""
	}
	if r.Kind == Everyone || r.Text == "" {
		r.Text = sigil(r.Kind) + r.Target
	}
	return r, true
}

// label returns a text with single spaces, and none at the ends.
func label(text string) string { return strings.Join(strings.Fields(text), " ") }
