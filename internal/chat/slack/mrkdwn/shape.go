package mrkdwn

import (
	"strings"
	"unicode/utf8"

	"frontdesk/internal/markup"
)

// shape brings a document into the form that Slack's text can hold, and loses what
// the package comment lists. Reading the text written from it returns exactly the
// same document.
func shape(d markup.Document) markup.Document {
	// Each step needs normal form again: empty parts removed, and equal runs
	// joined.
	d = rebuilt(d.Blocks(), reduced)
	d = rebuilt(flat(d.Blocks()), unsigned)
	return rebuilt(d.Blocks(), unspaced)
}

// rebuilt returns a document of these blocks, with change applied to the runs.
func rebuilt(blocks []markup.Block, change func([]markup.Run) []markup.Run) markup.Document {
	var b markup.Builder
	rebuild(&b, blocks, change)
	return b.Document()
}

// flat splits quotes and lists, so that quotes hold only paragraphs, rules and
// lists, and lists hold only paragraphs and lists.
func flat(blocks []markup.Block) []markup.Block {
	var out []markup.Block
	for _, b := range blocks {
		switch b.Kind {
		case markup.Quote:
			out = append(out, flatQuote(b)...)
		case markup.Bullets, markup.Numbers:
			out = append(out, flatList(b)...)
		default:
			out = append(out, b)
		}
	}
	return out
}

// splitter cuts a quote or a list into parts, with other blocks between them.
type splitter struct {
	out  []markup.Block
	part markup.Block // the one that is open
}

// between ends the part and puts blocks behind it.
func (s *splitter) between(blocks ...markup.Block) {
	if len(s.part.Blocks) > 0 {
		s.out = append(s.out, s.part)
		s.part.Blocks = nil
	}
	s.out = append(s.out, blocks...)
}

// flatQuote splits a quote at preformatted text, and merges nested quotes into it.
func flatQuote(quote markup.Block) []markup.Block {
	s := splitter{part: markup.Block{Kind: markup.Quote}}
	for _, b := range flat(quote.Blocks) {
		switch b.Kind {
		case markup.Preformatted:
			s.between(b)
		case markup.Quote:
			s.part.Blocks = append(s.part.Blocks, b.Blocks...)
		default:
			s.part.Blocks = append(s.part.Blocks, b)
		}
	}
	s.between()
	return s.out
}

// flatList splits a list at blocks that no item can hold. The rest of the item
// follows outside, and the list continues with the next item and its number.
func flatList(l markup.Block) []markup.Block {
	s := splitter{part: markup.Block{Kind: l.Kind}}
	for i, item := range l.Blocks {
		if len(s.part.Blocks) == 0 {
			s.part.Start = l.Start + i
		}
		whole, rest := splitItem(flat(item.Blocks))
		if len(whole) > 0 {
			s.part.Blocks = append(s.part.Blocks, markup.Block{Kind: markup.Item, Blocks: whole})
		}
		if len(rest) > 0 {
			s.between(rest...)
		}
	}
	s.between()
	return s.out
}

// splitItem separates what an item can hold, a paragraph and then paragraphs and
// lists, from the rest that begins with something else.
func splitItem(blocks []markup.Block) (whole, rest []markup.Block) {
	for i, b := range blocks {
		switch {
		case b.Kind == markup.Paragraph:
		case i > 0 && (b.Kind == markup.Bullets || b.Kind == markup.Numbers):
		default:
			return blocks[:i], blocks[i:]
		}
	}
	return blocks, nil
}

func rebuild(b *markup.Builder, blocks []markup.Block, change func([]markup.Run) []markup.Run) {
	for _, block := range blocks {
		switch block.Kind {
		case markup.Paragraph:
			b.Break()
			for _, r := range change(block.Runs) {
				b.Add(r)
			}
			b.Break()
		case markup.Preformatted:
			b.Preformat(block.Text)
		case markup.Rule:
			b.Rule()
		default:
			b.Open(block.Kind, block.Start)
			rebuild(b, block.Blocks, change)
			b.Close(block.Kind)
		}
	}
}

// reduced returns the runs without what Slack does not have.
func reduced(runs []markup.Run) []markup.Run {
	out := make([]markup.Run, 0, len(runs))
	for _, r := range runs {
		r.Marks &^= markup.Underline
		switch r.Kind {
		case markup.Words:
			if strings.Contains(r.Text, "`") {
				r.Marks &^= markup.Code
			}
		case markup.Break:
		case markup.Image:
			r.Link = ""
			switch {
			case markup.LinkAddress(r.Target) == "": // one of ours, which Slack cannot reach
				r = markup.Run{Text: r.Text}
			case r.Text == r.Target:
				r.Text = ""
			}
		default:
			r.Text = "" // the Builder inserts the id
		}
		out = append(out, r)
	}
	return out
}

// unsigned removes formatting from signs at the edges of formatted words, because
// next to the formatting sign nobody could tell them apart. Code and link names are
// left alone, because signs are ordinary characters there.
func unsigned(runs []markup.Run) []markup.Run {
	out := make([]markup.Run, 0, len(runs))
	for _, r := range runs {
		if r.Kind != markup.Words || r.Marks == 0 || r.Marks.Has(markup.Code) || r.Link != "" {
			out = append(out, r)
			continue
		}
		head := signsFirst(r.Text)
		tail := signsLast(r.Text[head:])
		core := r
		core.Text = r.Text[head : len(r.Text)-tail]
		out = append(out, markup.Run{Text: r.Text[:head]}, core, markup.Run{Text: r.Text[len(r.Text)-tail:]})
	}
	return out
}

// unspaced removes formatting from spaces where it is interrupted because an outer
// one begins or ends: formatting cannot end after a space.
func unspaced(runs []markup.Run) []markup.Run {
	out := make([]markup.Run, 0, len(runs))
	var before markup.Marks
	for i, r := range runs {
		if r.Kind != markup.Words || r.Marks == 0 || r.Link != "" {
			out = append(out, r)
			before = r.Marks
			continue
		}
		var after markup.Marks
		if i+1 < len(runs) {
			after = runs[i+1].Marks
		}
		rest := strings.TrimLeftFunc(r.Text, hollow)
		core := strings.TrimRightFunc(rest, hollow)
		head, tail := r, r
		head.Text, tail.Text = r.Text[:len(r.Text)-len(rest)], rest[len(core):]
		if core == "" {
			head.Marks = held(before, r.Marks) & held(r.Marks, after)
			before = head.Marks
		} else {
			head.Marks, tail.Marks = held(before, r.Marks), held(r.Marks, after)
			before = r.Marks
		}
		r.Text = core
		out = append(out, head, r, tail)
	}
	return out
}

func hollow(r rune) bool { return !solid(r) }

// held returns the marks that stay open from one run to the next.
func held(from, to markup.Marks) markup.Marks {
	var keep markup.Marks
	for _, o := range order {
		if from.Has(o.mark) != to.Has(o.mark) {
			break
		}
		keep |= from & o.mark
	}
	return keep
}

// signsFirst returns the length of the signs at the beginning of a text, including
// spaces among them.
func signsFirst(text string) int {
	n := 0
	for i, r := range text {
		switch {
		case strings.ContainsRune(signs, r):
			n = i + 1
		case solid(r):
			return n
		}
	}
	return n
}

// signsLast does the same at the end.
func signsLast(text string) int {
	n := 0
	for rest := text; rest != ""; {
		r, size := utf8.DecodeLastRuneInString(rest)
		rest = rest[:len(rest)-size]
		switch {
		case strings.ContainsRune(signs, r):
			n = len(text) - len(rest)
		case solid(r):
			return n
		}
	}
	return n
}
