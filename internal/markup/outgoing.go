package markup

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Outgoing makes a stored text ready to leave. It was sanitised on its way in, but
// an older version may have written it, or another program. So the text leaves
// unchanged only if it contains nothing but the subset, exactly as HTML writes it,
// which is quick to check. Otherwise it is sanitised again.
func Outgoing(html string) string {
	if written(html) {
		return html
	}
	return Sanitize(html)
}

// holder says what an open element may contain.
type holder uint8

const (
	flow  holder = iota // blocks: the document, a quote
	item                // words, then blocks
	list                // items
	lines               // words and breaks: a paragraph
	bare                // characters only: preformatted text, a mention
	// The other holders are the link and the marks in their order of nesting. They
	// contain words and the holders after them.
	linked
)

// opened is an element that is not closed yet.
type opened struct {
	holds holder
	end   string
}

// written reports whether a browser reads a text as exactly the tree that it was
// written from, and whether the text contains only the subset. This is true for
// everything that Document.HTML writes.
func written(html string) bool {
	var stack [maxDepth + 8]opened // enough for nested blocks and a link with every mark
	open := append(stack[:0], opened{})
	for i := 0; i < len(html); {
		top := open[len(open)-1]
		if html[i] != '<' {
			n := character(html[i:], top)
			if n == 0 {
				return false
			}
			i += n
			continue
		}
		n := strings.IndexByte(html[i:], '>') + 1
		tag := html[i : i+n]
		i += n
		switch {
		case tag == "":
			return false
		case tag == top.end:
			open = open[:len(open)-1]
			continue
		}
		next, ok := startTag(tag, top.holds)
		if !ok || len(open) == cap(open) {
			return false
		}
		if next.end != "" {
			open = append(open, next)
		}
		if tag == "<pre>" && strings.HasPrefix(html[i:], "\n") {
			return false // a browser would drop it
		}
	}
	return len(open) == 1
}

// character returns the length of the next character of a text, or 0 if it must not
// appear there in this form.
func character(text string, in opened) int {
	if in.holds == flow || in.holds == list {
		return 0
	}
	switch c := text[0]; {
	case c == '&':
		for _, e := range [...]string{"&amp;", "&lt;", "&gt;"} {
			if strings.HasPrefix(text, e) {
				return len(e)
			}
		}
		return 0
	case c == '\n' || c == '\t':
		if in.end == "</pre>" {
			return 1
		}
		return 0
	case c < ' ' || c == '>' || c == 0x7f:
		return 0
	case c < utf8.RuneSelf:
		return 1
	}
	r, n := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && n == 1 || r < 0xa0 {
		return 0
	}
	return n
}

// startTag parses the start of an element in a holder. next is empty for an element
// without an end tag.
func startTag(tag string, in holder) (next opened, ok bool) {
	takesBlocks := in == flow || in == item
	takesWords := in != flow && in != list && in != bare
	switch tag {
	case "<p>":
		return opened{lines, "</p>"}, takesBlocks
	case "<pre>":
		return opened{bare, "</pre>"}, takesBlocks
	case "<blockquote>":
		return opened{flow, "</blockquote>"}, takesBlocks
	case "<ul>":
		return opened{list, "</ul>"}, takesBlocks
	case "<ol>":
		return opened{list, "</ol>"}, takesBlocks
	case "<li>":
		return opened{item, "</li>"}, in == list
	case "<hr>":
		return opened{}, takesBlocks
	case "<br>":
		return opened{}, in == lines || in == item
	}
	for i, m := range nesting {
		if tag == m.start {
			holds := linked + 1 + holder(i)
			return opened{holds, m.end}, takesWords && in < holds
		}
	}
	if strings.HasPrefix(tag, "<ol ") {
		return opened{list, "</ol>"}, takesBlocks && startAttribute(tag)
	}
	return withAttributes(tag, takesWords, in < linked)
}

// withAttributes parses the start of a link, an image or a mention.
func withAttributes(tag string, takesWords, takesLinks bool) (next opened, ok bool) {
	name, value, _ := strings.Cut(tag, `="`)
	switch name {
	case "<a href":
		address, ok := strings.CutSuffix(value, linkRest)
		return opened{linked, "</a>"}, takesWords && takesLinks && ok && attribute(address, LinkAddress)
	case "<img src":
		address, rest, _ := strings.Cut(value, `" alt="`)
		alt, ok := strings.CutSuffix(rest, `">`)
		return opened{}, takesWords && ok && attribute(address, imageAddress) && attribute(alt, words)
	}
	for kind, attribute := range attributes {
		if len(name) == len("<span ")+len(attribute) && name[len("<span "):] == attribute && name[:len("<span ")] == "<span " {
			target, ok := strings.CutSuffix(value, `">`)
			return opened{bare, "</span>"}, takesWords && ok && mentionable(kind, target)
		}
	}
	return opened{}, false
}

// startAttribute reports whether the start tag of a list writes its first number as
// we do.
func startAttribute(tag string) bool {
	start, _ := strings.CutPrefix(tag, `<ol start="`)
	start, ok := strings.CutSuffix(start, `">`)
	n := listStart(start)
	return ok && n != 1 && strconv.Itoa(n) == start
}

// attribute reports whether a value is escaped as we do it, and fit leaves it
// unchanged.
func attribute(value string, fit func(string) string) bool {
	plain := value
	if strings.Contains(value, "&") {
		plain = fromAttribute.Replace(value)
	}
	return fit(plain) == plain && inAttribute.Replace(plain) == value
}

var fromAttribute = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&#96;", "`")
