package markup

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Parse parses any HTML. It cannot fail. It leaves out elements that it does not
// know and keeps their text.
//
// It looks at one tag after the other, and does not work out what a browser would
// make of the whole. A browser only ever sees what is written from the Document, so
// the two need not agree about bad HTML. And without the repairs of a real parser,
// the cost never grows faster than the length of the input.
func Parse(text string) Document {
	p := parser{tags: html.NewTokenizer(strings.NewReader(strings.ToValidUTF8(text, "\ufffd")))}
	for p.next() {
	}
	p.endMention()
	p.endPre()
	return p.b.Document()
}

type parser struct {
	tags *html.Tokenizer
	b    Builder

	marks   [len(nesting)]int // how many open elements set each mark
	heading bool
	header  bool // in a th
	link    string

	dropped string // the element that is dropped with its content, and how many of it are open
	depth   int

	pre     *strings.Builder // the text of a pre, while in one
	mention *Run             // while in one; its text so far, and how many spans are open in it
	label   strings.Builder
	spans   int
}

// next handles one tag or text. It reports whether there was one.
func (p *parser) next() bool {
	switch t := p.tags.Next(); t {
	case html.ErrorToken: // only at the end, because reading a string cannot fail
		return false
	case html.TextToken:
		if p.dropped == "" {
			p.text(string(p.tags.Text()))
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		name, _ := p.tags.TagName()
		p.start(string(name), t == html.SelfClosingTagToken)
	case html.EndTagToken:
		name, _ := p.tags.TagName()
		p.end(string(name))
	}
	return true
}

func (p *parser) text(s string) {
	switch {
	case p.mention != nil:
		p.label.WriteString(s)
	case p.pre != nil:
		p.pre.WriteString(s)
	default:
		p.b.Add(Run{Text: s, Marks: p.currentMarks(), Link: p.link})
	}
}

func (p *parser) currentMarks() Marks {
	var m Marks
	for i, n := range p.marks {
		if n > 0 {
			m |= nesting[i].mark
		}
	}
	if p.heading || p.header {
		m |= Strong
	}
	return m
}

func (p *parser) start(name string, selfClosing bool) {
	if p.dropped != "" {
		if name == p.dropped && !selfClosing {
			p.depth++
		}
		return
	}
	e := elementsByName[name]
	switch e.role {
	case drop:
		// A slash ends an element only in svg and math.
		if !selfClosing || name != "svg" && name != "math" {
			p.dropped, p.depth = name, 1
		}
		return
	case mark:
		p.count(e.mark, 1)
		return
	case anchor:
		p.link = LinkAddress(p.attribute("href"))
		return
	case span:
		p.startSpan()
		return
	case plain:
		return
	}
	p.endMention()
	if p.pre != nil && p.startInPre(e.role) {
		return
	}
	p.startBlock(e)
}

// startBlock handles the start of an element that is more than a mark.
func (p *parser) startBlock(e element) {
	switch e.role {
	case part:
		p.b.Break()
	case heading:
		p.b.Break()
		p.heading = true
	case block:
		start := 1
		if e.block == Numbers {
			start = listStart(p.attribute("start"))
		}
		p.b.Open(e.block, start)
	case tabular:
		p.heading, p.header = false, e.mark.Has(Strong)
		p.b.openTable(e.block)
	case image:
		src, alt := p.imageAttributes()
		p.b.Add(Run{Kind: Image, Target: src, Text: alt, Link: p.link})
	case newline:
		p.b.Add(Run{Kind: Break})
	case rule:
		p.b.Rule()
	case preserve:
		p.b.Break()
		p.pre = new(strings.Builder)
	}
}

// startInPre handles the start of an element in a pre, which contains only text. It
// returns false if the pre has ended before the element.
func (p *parser) startInPre(r role) bool {
	switch r {
	case image:
		_, alt := p.imageAttributes()
		p.pre.WriteString(alt)
	case newline:
		p.pre.WriteByte('\n')
	case part, heading, preserve: // some editors put each line in a div
		if s := p.pre.String(); s != "" && !strings.HasSuffix(s, "\n") {
			p.pre.WriteByte('\n')
		}
	default:
		p.endPre()
		return false
	}
	return true
}

func (p *parser) end(name string) {
	if p.dropped != "" {
		if name == p.dropped {
			if p.depth--; p.depth == 0 {
				p.dropped = ""
			}
		}
		return
	}
	e := elementsByName[name]
	switch e.role {
	case mark:
		p.count(e.mark, -1)
		return
	case anchor:
		p.link = ""
		return
	case span:
		if p.spans = max(0, p.spans-1); p.spans == 0 {
			p.endMention()
		}
		return
	case part, heading, block, tabular, preserve:
		p.endMention()
		p.endBlock(e)
	}
}

func (p *parser) endBlock(e element) {
	if p.pre != nil {
		if e.role == part || e.role == heading {
			return
		}
		p.endPre()
	}
	switch e.role {
	case part:
		p.b.Break()
	case heading:
		p.b.Break()
		p.heading = false
	case block, tabular:
		p.heading = false
		if e.role == tabular {
			p.header = false
		}
		p.b.Close(e.block)
	}
}

func (p *parser) endPre() {
	if p.pre != nil {
		p.b.Preformat(p.pre.String())
		p.pre = nil
	}
}

// startSpan begins a mention, if the span is one. A mention inside another becomes
// its text.
func (p *parser) startSpan() {
	if p.mention != nil {
		p.spans++
		return
	}
	for {
		key, value, more := p.tags.TagAttr()
		for kind, name := range attributes {
			if string(key) == name && mentionable(kind, string(value)) && p.pre == nil {
				p.mention = &Run{Kind: kind, Target: string(value), Marks: p.currentMarks()}
				p.spans = 1
				return
			}
		}
		if !more {
			return
		}
	}
}

func (p *parser) endMention() {
	if p.mention != nil {
		p.mention.Text = p.label.String()
		p.b.Add(*p.mention)
		p.mention, p.spans = nil, 0
		p.label.Reset()
	}
}

// count counts the start or the end of an element that sets a mark.
func (p *parser) count(m Marks, by int) {
	for i, n := range nesting {
		if n.mark == m {
			p.marks[i] = max(0, p.marks[i]+by)
		}
	}
}

// attribute returns the value of the current tag's first attribute with this name.
func (p *parser) attribute(name string) string {
	for {
		key, value, more := p.tags.TagAttr()
		if string(key) == name {
			return string(value)
		}
		if !more {
			return ""
		}
	}
}

func (p *parser) imageAttributes() (src, alt string) {
	for {
		key, value, more := p.tags.TagAttr()
		switch {
		case string(key) == "src" && src == "":
			src = string(value)
		case string(key) == "alt" && alt == "":
			alt = string(value)
		}
		if !more {
			return src, alt
		}
	}
}

// listStart returns the first number of a list. It is 1 for numbers that our lists
// cannot begin with.
func listStart(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 || n > MaxStart {
		return 1
	}
	return n
}
