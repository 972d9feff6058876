package markup

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Split splits a text for a system that limits texts to most. Each piece is a text
// in normal form. Quotes, lists and preformatted text that are cut begin again in
// the next piece, and a list continues with the number of its item. Split cuts
// between paragraphs if it can, otherwise between lines, otherwise between words.
// It cuts a word only if the word alone is too long. Only spaces at the cuts are
// lost.
//
// The length is what a reader sees, in code points: the words, the description of
// an image, and one for the end of a line. The sign of an item or a quote does not
// count, and neither does an address. A mention, an image or a rule that is longer
// than most is a piece of its own. An empty text has no pieces.
func Split(html string, most int) []string {
	s := splitter{most: max(1, most)}
	s.collect(Parse(html).blocks, nil)
	for rest := s.lines; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].block == rest[0].block {
			n++
		}
		s.add(rest[:n])
		rest = rest[n:]
	}
	s.flush()
	return s.pieces
}

// line is a line of a text, or a rule.
type line struct {
	path  []level // the blocks around it, outermost first
	block int     // which of the text's blocks it belongs to
	kind  BlockKind
	runs  []Run  // if it is a Paragraph
	text  string // if it is Preformatted
	size  int
}

// level is a block around a line.
type level struct {
	block int
	kind  BlockKind
	start int // for Numbers: the number of the item that contains the line
}

type splitter struct {
	most   int
	lines  []line
	blocks int // how many there are so far

	piece  []line // being filled
	size   int
	pieces []string
}

// collect splits a text into lines.
func (s *splitter) collect(blocks []Block, path []level) {
	path = slices.Clip(path) // so that each block has its own copy
	for _, b := range blocks {
		s.blocks++
		l := line{path: path, block: s.blocks, kind: b.Kind}
		around := level{s.blocks, b.Kind, b.Start}
		switch b.Kind {
		case Paragraph:
			for rest, more := b.Runs, true; more; {
				l.runs, rest, more = cutBreak(rest)
				l.size = sizeOf(l.runs)
				s.lines = append(s.lines, l)
			}
		case Preformatted:
			for l.text = range strings.SplitSeq(b.Text, "\n") {
				l.size = utf8.RuneCountInString(l.text)
				s.lines = append(s.lines, l)
			}
		case Rule:
			l.size = len("---")
			s.lines = append(s.lines, l)
		case Quote:
			s.collect(b.Blocks, append(path, around))
		case Bullets, Numbers:
			for _, item := range b.Blocks {
				s.blocks++
				s.collect(item.Blocks, append(path, around, level{s.blocks, Item, 0}))
				around.start++
			}
		}
	}
}

// cutBreak cuts the first line off runs.
func cutBreak(runs []Run) (first, rest []Run, more bool) {
	for i, r := range runs {
		if r.Kind == Break {
			return runs[:i], runs[i+1:], true
		}
	}
	return runs, nil, false
}

func sizeOf(runs []Run) (n int) {
	for _, r := range runs {
		n += utf8.RuneCountInString(r.Text)
	}
	return n
}

// add adds lines that belong together. They stay in one piece if they fit into one.
func (s *splitter) add(lines []line) {
	size := len(lines) - 1
	for _, l := range lines {
		size += l.size
	}
	if len(s.piece) > 0 && s.size+1+size > s.most {
		s.flush()
	}
	switch {
	case size <= s.most:
		s.size += size + min(len(s.piece), 1)
		s.piece = append(s.piece, lines...)
	case len(lines) > 1:
		for i := range lines {
			s.add(lines[i : i+1])
		}
	default:
		parts := lines[0].cut(s.most)
		for _, part := range parts[:len(parts)-1] {
			s.piece = append(s.piece, part)
			s.flush()
		}
		last := parts[len(parts)-1]
		s.piece, s.size = append(s.piece, last), last.size
	}
}

// flush ends a piece.
func (s *splitter) flush() {
	var b Builder
	var open []level
	for rest := s.piece; len(rest) > 0; {
		l, n := rest[0], 1
		for n < len(rest) && rest[n].block == l.block {
			n++
		}
		b.move(open, l.path)
		open = l.path
		b.addLines(rest[:n])
		rest = rest[n:]
	}
	if html := b.Document().HTML(); html != "" {
		s.pieces = append(s.pieces, html)
	}
	s.piece, s.size = nil, 0
}

// move closes and opens blocks to get from one line to the next.
func (b *Builder) move(from, to []level) {
	b.Break()
	same := 0
	for same < min(len(from), len(to)) && from[same].block == to[same].block {
		same++
	}
	for i := len(from) - 1; i >= same; i-- {
		b.Close(from[i].kind)
	}
	for _, l := range to[same:] {
		b.Open(l.kind, l.start)
	}
}

// addLines adds the lines of one block.
func (b *Builder) addLines(lines []line) {
	switch lines[0].kind {
	case Paragraph:
		for i, l := range lines {
			if i > 0 {
				b.Add(Run{Kind: Break})
			}
			for _, r := range l.runs {
				b.Add(r)
			}
		}
	case Preformatted:
		texts := make([]string, len(lines))
		for i, l := range lines {
			texts[i] = l.text
		}
		b.Preformat(strings.Join(texts, "\n"))
	case Rule:
		b.Rule()
	}
}

// cut cuts a line that is longer than most into shorter parts, as far as possible.
// All except the last are pieces of their own.
func (l line) cut(most int) (parts []line) {
	if l.kind == Rule {
		return []line{l}
	}
	runs := l.runs
	if l.kind == Preformatted {
		runs = []Run{{Text: l.text}}
	}
	runs = slices.Clone(runs) // cutRuns shortens them
	var runes []rune
	var whole []bool // positions where the text must not be cut
	for _, r := range runs {
		for i, c := range []rune(r.Text) {
			runes, whole = append(runes, c), append(whole, i > 0 && r.Kind != Words)
		}
	}
	for len(runes) > 0 {
		n := len(runes)
		if n > most {
			n = cutPlace(runes, whole, most)
		}
		part := l
		part.text, part.size = string(runes[:n]), n
		part.runs, runs = cutRuns(runs, part.text)
		parts = append(parts, part)
		runes, whole = runes[n:], whole[n:]
	}
	last := &parts[len(parts)-1]
	last.runs = append(last.runs, runs...) // images without a description
	return parts
}

// cutPlace returns where to cut a text that is longer than most. It prefers the end
// of a word, unless that would leave less than half. Otherwise it cuts between two
// characters, or else after the part that must not be cut.
func cutPlace(runes []rune, whole []bool, most int) int {
	for i := most; i > most/2; i-- {
		if !whole[i] && (isSpace(runes[i]) || isSpace(runes[i-1])) {
			return i
		}
	}
	for i := most; i > 0; i-- {
		if !whole[i] && !joined(runes, i) {
			return i
		}
	}
	for i := most; i > 0; i-- {
		if !whole[i] {
			return i
		}
	}
	for i := most + 1; i < len(runes); i++ {
		if !whole[i] {
			return i
		}
	}
	return len(runes)
}

// cutRuns cuts runs after the text that they begin with. tail is the rest.
func cutRuns(runs []Run, text string) (head, tail []Run) {
	for i, r := range runs {
		if text == "" {
			return head, runs[i:]
		}
		if len(r.Text) > len(text) {
			first := r
			first.Text = text
			runs[i].Text = r.Text[len(text):]
			return append(head, first), runs[i:]
		}
		head, text = append(head, r), text[len(r.Text):]
	}
	return head, nil
}
