package markup

import "strings"

// Builder makes a Document. It accepts parts in reading order and in any
// arrangement. The result is in normal form, and has no address or id that the
// subset does not allow. The zero value is ready to use.
type Builder struct {
	stack   []frame // the open blocks; the first is the document
	ignored [blockKinds]int
}

// frame is a block that is still open.
type frame struct {
	Block
	runs    []Run // the paragraph being written at its end
	implied bool  // opened because its content needs it, not by the caller
}

// maxDepth bounds the number of open blocks. This also bounds the work per part and
// the recursion of code that walks the result. Deeper blocks are left out and their
// content stays. Mail with a dozen nested tables still fits.
const maxDepth = 50

// MaxStart is the highest first number of a list.
const MaxStart = 999_999_999

// framesNeeded is how many frames a block of this kind needs. A list needs an item, and a
// table needs a row and a cell.
var framesNeeded = [blockKinds]int{Quote: 1, Bullets: 2, Numbers: 2, table: 3}

// Document closes everything that is open and returns the text. The Builder is then
// empty.
func (b *Builder) Document() Document {
	b.top()
	for len(b.stack) > 1 {
		b.pop()
	}
	b.Break()
	d := Document{b.stack[0].Blocks}
	*b = Builder{}
	return d
}

// Open begins a Quote, Bullets, Numbers or an Item. start is the first number of
// Numbers, from 0 to MaxStart. A block ends with its Close, or with the block
// around it.
func (b *Builder) Open(kind BlockKind, start int) {
	switch kind {
	case Item:
		b.openItem()
		return
	case Bullets, Numbers:
		b.intoItem()
	}
	b.intoFlow()
	if len(b.stack)+framesNeeded[kind] > maxDepth {
		b.ignored[kind]++
		return
	}
	switch {
	case kind != Numbers:
		start = 0
	case start < 0 || start > MaxStart:
		start = 1
	}
	b.push(kind, start, false)
}

// Close ends the innermost open block of this kind and everything in it. It does
// nothing if there is none.
func (b *Builder) Close(kind BlockKind) {
	if flows(b.top().Kind) {
		b.Break() // not in a table, whose rows are still being collected
	}
	if b.ignored[kind] > 0 {
		b.ignored[kind]--
		return
	}
	for i := len(b.stack) - 1; i > 0; i-- {
		switch k := b.stack[i].Kind; {
		case k == kind:
			for len(b.stack) > i {
				b.pop()
			}
			return
		// Ending a list outside a table must not end a list inside one of its
		// cells.
		case k == table, k == cell && kind < table, kind == Item && isList(k):
			return
		}
	}
}

// Break ends the current paragraph. Without one it does nothing.
func (b *Builder) Break() { b.top().endParagraph() }

// Add adds to the current paragraph, and begins one if there is none.
func (b *Builder) Add(r Run) {
	r, ok := clean(r)
	f := b.top()
	switch {
	case !ok:
		return
	case !flows(f.Kind) && (r.Kind == Break || space(r)):
		return // ignore spaces between the items of a list or the rows of a table
	case len(f.runs) == 0 && (r.Kind == Break || r.Kind == Words && strings.Trim(r.Text, " ") == ""):
		return
	}
	if !flows(f.Kind) {
		b.intoFlow()
		f = b.top()
	}
	f.runs = append(f.runs, r)
}

// Preformat adds preformatted text.
func (b *Builder) Preformat(text string) {
	if text = preformatted(text); text == "" {
		return
	}
	b.intoFlow()
	f := b.top()
	f.Blocks = append(f.Blocks, Block{Kind: Preformatted, Text: text})
}

// Rule adds a rule.
func (b *Builder) Rule() {
	b.intoFlow()
	f := b.top()
	f.Blocks = append(f.Blocks, Block{Kind: Rule})
}

func (b *Builder) top() *frame {
	if len(b.stack) == 0 {
		b.stack = append(b.stack, frame{Block: Block{Kind: Quote}}) // a document accepts what a quote accepts
	}
	return &b.stack[len(b.stack)-1]
}

func (f *frame) endParagraph() {
	for _, runs := range paragraphs(f.runs) {
		f.Blocks = append(f.Blocks, Block{Kind: Paragraph, Runs: runs})
	}
	f.runs = nil
}

func (b *Builder) push(kind BlockKind, start int, implied bool) {
	b.stack = append(b.stack, frame{Block: Block{Kind: kind, Start: start}, implied: implied})
}

// pop closes the innermost block and adds it to the one around it, unless it is
// empty.
func (b *Builder) pop() {
	b.Break()
	f := b.stack[len(b.stack)-1]
	b.stack = b.stack[:len(b.stack)-1]
	if len(f.Blocks) == 0 {
		return
	}
	around := b.top()
	switch f.Kind {
	case row:
		around.addRow(f.Blocks)
	case table:
		around.Blocks = append(around.Blocks, f.Blocks...)
	default:
		around.Blocks = append(around.Blocks, f.Block)
	}
}

// intoFlow makes the innermost block one that accepts paragraphs, and ends the
// current paragraph there.
func (b *Builder) intoFlow() {
	for {
		b.Break()
		switch f := b.top(); {
		case flows(f.Kind):
			return
		case isList(f.Kind) && f.implied:
			b.pop()
		case isList(f.Kind):
			b.push(Item, 0, true)
		case f.Kind == table:
			b.push(row, 0, true)
		case f.Kind == row:
			b.push(cell, 0, true)
		}
	}
}

// openItem begins an item of the innermost list. An open item ends. Outside any
// list it opens an implied list, which ends with its items.
func (b *Builder) openItem() {
	b.Break()
	if b.top().Kind == Item {
		b.pop()
	}
	if !isList(b.top().Kind) {
		b.intoFlow()
		if len(b.stack)+framesNeeded[Bullets] > maxDepth {
			b.ignored[Item]++
			return
		}
		b.push(Bullets, 0, true)
	}
	b.push(Item, 0, false)
}

// intoItem opens the last item of a list again. Old editors put a nested list after
// its item instead of inside it.
func (b *Builder) intoItem() {
	f := b.top()
	if n := len(f.Blocks); isList(f.Kind) && !f.implied && n > 0 {
		last := f.Blocks[n-1]
		f.Blocks = f.Blocks[:n-1]
		b.stack = append(b.stack, frame{Block: last, implied: true})
	}
}

func isList(k BlockKind) bool { return k == Bullets || k == Numbers }

// flows reports whether a block of this kind accepts paragraphs.
func flows(k BlockKind) bool { return k == Quote || k == Item || k == cell }
