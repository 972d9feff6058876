package markup

import (
	"math/bits"
	"strconv"
	"strings"
)

// HTML returns the document in the subset.
func (d Document) HTML() string {
	var w writer
	w.blocks(d.blocks)
	return w.String()
}

type writer struct{ strings.Builder }

func (w *writer) blocks(blocks []Block) {
	for _, b := range blocks {
		w.block(b)
	}
}

func (w *writer) block(b Block) {
	switch b.Kind {
	case Paragraph:
		w.WriteString("<p>")
		w.runs(b.Runs)
		w.WriteString("</p>")
	case Preformatted: // never begins with a line end, which a browser would drop
		w.WriteString("<pre>")
		w.text(b.Text)
		w.WriteString("</pre>")
	case Rule:
		w.WriteString("<hr>")
	case Quote:
		w.WriteString("<blockquote>")
		w.blocks(b.Blocks)
		w.WriteString("</blockquote>")
	case Bullets:
		w.WriteString("<ul>")
		w.blocks(b.Blocks)
		w.WriteString("</ul>")
	case Numbers:
		w.WriteString("<ol")
		if b.Start != 1 {
			w.attribute("start", strconv.Itoa(b.Start))
		}
		w.WriteString(">")
		w.blocks(b.Blocks)
		w.WriteString("</ol>")
	case Item:
		w.WriteString("<li>")
		w.item(b.Blocks)
		w.WriteString("</li>")
	}
}

// item writes an item's first paragraph without a p, because that is how people
// write lists.
func (w *writer) item(blocks []Block) {
	paragraphs := 0
	for _, b := range blocks {
		if b.Kind == Paragraph {
			paragraphs++
		}
	}
	if paragraphs == 1 && blocks[0].Kind == Paragraph {
		w.runs(blocks[0].Runs)
		blocks = blocks[1:]
	}
	w.blocks(blocks)
}

// nesting is the fixed order of nesting. The link is outermost, then strong, and so
// on, and the words of a run are inside.
var nesting = [...]struct {
	mark       Marks
	start, end string
}{
	{Strong, "<strong>", "</strong>"}, {Em, "<em>", "</em>"}, {Underline, "<u>", "</u>"}, {Strike, "<s>", "</s>"}, {Code, "<code>", "</code>"},
}

// linkRest is the rest of a link's start tag after its address.
const linkRest = `" rel="noopener noreferrer">`

// runs writes a paragraph's content. Elements stay open from one run to the next as
// far as the two share them, from the outermost inwards.
func (w *writer) runs(runs []Run) {
	var last Run
	for _, r := range runs {
		keep := shared(last, r)
		w.closeElements(last, keep)
		w.openElements(r, keep)
		w.run(r)
		last = r
	}
	w.closeElements(last, 0)
}

// openElements opens the elements around a run, except the outermost ones, which
// are already open.
func (w *writer) openElements(r Run, open int) {
	if r.Link != "" {
		if open == 0 {
			w.WriteString(`<a href="`)
			_, _ = inAttribute.WriteString(&w.Builder, r.Link)
			w.WriteString(linkRest)
		}
		open--
	}
	for _, n := range nesting {
		if !r.Marks.Has(n.mark) {
			continue
		}
		if open <= 0 {
			w.WriteString(n.start)
		}
		open--
	}
}

// closeElements closes the elements around a run, except the outermost ones.
func (w *writer) closeElements(r Run, keep int) {
	depth := bits.OnesCount8(uint8(r.Marks))
	if r.Link != "" {
		depth++
	}
	for i := len(nesting) - 1; i >= 0 && depth > keep; i-- {
		if r.Marks.Has(nesting[i].mark) {
			w.WriteString(nesting[i].end)
			depth--
		}
	}
	if depth > keep {
		w.WriteString("</a>")
	}
}

// shared returns how many of the elements around a are also around b.
func shared(a, b Run) int {
	if a.Link != b.Link {
		return 0
	}
	n := 0
	if a.Link != "" {
		n++
	}
	for _, e := range nesting {
		if a.Marks.Has(e.mark) != b.Marks.Has(e.mark) {
			return n
		}
		if a.Marks.Has(e.mark) {
			n++
		}
	}
	return n
}

// attributes are the attributes for the targets of mentions.
var attributes = map[RunKind]string{User: "data-user", Channel: "data-channel", Team: "data-team", Everyone: "data-everyone"}

func (w *writer) run(r Run) {
	switch r.Kind {
	case Words:
		w.text(r.Text)
	case Break:
		w.WriteString("<br>")
	case Image:
		w.WriteString("<img")
		w.attribute("src", r.Target)
		w.attribute("alt", r.Text)
		w.WriteString(">")
	default:
		w.WriteString("<span")
		w.attribute(attributes[r.Kind], r.Target)
		w.WriteString(">")
		w.text(r.Text)
		w.WriteString("</span>")
	}
}

var (
	inText      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	inAttribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "`", "&#96;")
)

func (w *writer) text(s string) { _, _ = inText.WriteString(&w.Builder, s) }

func (w *writer) attribute(name, value string) {
	w.WriteByte(' ')
	w.WriteString(name)
	w.WriteString(`="`)
	_, _ = inAttribute.WriteString(&w.Builder, value)
	w.WriteByte('"')
}
