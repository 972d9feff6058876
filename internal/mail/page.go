package mail

import (
	"html"
	"net/url"
	"strings"

	tags "golang.org/x/net/html"

	"frontdesk/internal/markup"
)

// page is HTML as a list of tags and words, which belong to lines, so that lines can be
// left out. It has no tree. Package markup reads tag after tag as well, and so the work
// grows with the text and no faster.
type page struct {
	bits  []bit
	lines []line
}

// bit is a tag, or words. Tags are always written. What people see is written if its
// line is not dropped.
type bit struct {
	raw  string // HTML as it is written, without attributes that nobody may set
	text string // words, not escaped
	cid  string // an image among the files of the mail
	line int
	seen bool // people see it: words, an image, a line break, a rule
}

// region is an element whose lines mean something: a quote, a signature.
type region struct {
	name  string
	depth int // how many elements of that name are open in it
	mark  func(*line)
}

// pageReader reads HTML into a page.
type pageReader struct {
	page
	in   *region
	skip *region // an element that nobody sees
	pre  int
	next func(*line) // what is said about the next line
}

// blockTags begin and end on a line of their own.
var blockTags = map[string]bool{
	"p": true, "div": true, "blockquote": true, "ul": true, "ol": true, "li": true, "table": true, "tr": true, "pre": true, "hr": true,
	"h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "section": true, "article": true, "header": true, "footer": true,
	"center": true, "address": true, "dl": true, "dt": true, "dd": true, "body": true, "form": true, "fieldset": true, "tbody": true,
}

// hiddenTags are elements that people do not read. Package markup drops them too, but
// their words must not be taken for lines.
var hiddenTags = map[string]bool{"style": true, "script": true, "title": true, "template": true, "noscript": true, "svg": true, "math": true, "textarea": true, "select": true}

// readPage reads HTML.
func readPage(text string) page {
	r := &pageReader{}
	r.lines = []line{{}}
	z := tags.NewTokenizer(strings.NewReader(text))
	for {
		switch t := z.Next(); t {
		case tags.ErrorToken:
			r.line().complete()
			return r.page
		case tags.TextToken:
			if r.skip == nil {
				r.words(string(z.Text()))
			}
		case tags.StartTagToken, tags.SelfClosingTagToken:
			r.start(z.Token())
		case tags.EndTagToken:
			name, _ := z.TagName()
			r.end(string(name))
		}
	}
}

func (r *pageReader) line() *line { return &r.lines[len(r.lines)-1] }

// newLine ends the current line, unless it is empty and need not be seen.
func (r *pageReader) newLine(always bool) {
	l := r.line()
	if l.complete(); always || !l.blank() {
		r.lines = append(r.lines, line{})
		r.markLine()
	}
}

// markLine says about the current line what is known of it.
func (r *pageReader) markLine() {
	if r.in != nil {
		r.in.mark(r.line())
	}
	if r.next != nil {
		r.next(r.line())
	}
}

func (r *pageReader) add(b bit) {
	b.line = len(r.lines) - 1
	r.bits = append(r.bits, b)
	if b.seen {
		r.next = nil
	}
}

func (r *pageReader) words(s string) {
	if r.pre == 0 {
		r.line().addWords(s)
		r.add(bit{text: s, seen: strings.TrimSpace(s) != ""})
		return
	}
	for i, part := range strings.Split(s, "\n") {
		if i > 0 {
			r.add(bit{text: "\n", seen: true})
			r.newLine(true)
		}
		r.line().addWords(part)
		r.add(bit{text: part, seen: part != ""})
	}
}

func (r *pageReader) start(t tags.Token) {
	name := t.Data
	if r.skip != nil {
		if name == r.skip.name {
			r.skip.depth++
		}
		return
	}
	attr := map[string]string{}
	for _, a := range t.Attr {
		if _, twice := attr[a.Key]; !twice {
			attr[a.Key] = a.Val
		}
	}
	if hiddenTags[name] || hidden(attr["style"]) && !voidTags[name] {
		if t.Type == tags.StartTagToken {
			r.skip = &region{name: name, depth: 1}
		}
		return
	}
	if blockTags[name] {
		r.newLine(false)
	}
	if r.in != nil && name == r.in.name {
		r.in.depth++
	}
	if mark, whole := meaning(name, attr); mark != nil {
		switch {
		case !whole || voidTags[name]:
			r.next = mark
			r.markLine()
		case r.in == nil:
			r.in = &region{name: name, depth: 1, mark: mark}
			r.markLine()
		}
	}
	switch name {
	case "br":
		r.add(bit{raw: "<br>", seen: true})
		r.newLine(true)
	case "hr":
		r.line().rule = true
		r.add(bit{raw: "<hr>", seen: true})
		r.newLine(false)
	case "img":
		r.image(attr)
	case "pre":
		r.pre++
		r.add(bit{raw: "<pre>"})
	default:
		r.add(bit{raw: openTag(name, attr)})
	}
}

var voidTags = map[string]bool{"br": true, "hr": true, "img": true, "meta": true, "link": true, "input": true, "col": true, "area": true, "base": true, "wbr": true}

// hidden reports whether a style hides an element: the line that newsletters show in a
// list of mails, and text for searching machines.
func hidden(style string) bool {
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	return strings.Contains(style, "display:none") || strings.Contains(style, "mso-hide:all")
}

// image adds an image of the mail itself. All other images stay where they are, in the
// network: only their description is kept.
func (r *pageReader) image(attr map[string]string) {
	id, ours := cutCID(attr["src"])
	alt := plain(attr["alt"])
	l := r.line()
	if !ours {
		if alt != "" {
			l.addWords(alt)
			r.add(bit{text: alt, seen: true})
		}
		return
	}
	l.picture = true
	r.add(bit{text: alt, cid: id, seen: true})
}

func cutCID(src string) (id string, ok bool) {
	src = strings.TrimSpace(src)
	if len(src) < 5 || !strings.EqualFold(src[:4], "cid:") {
		return "", false
	}
	id = src[4:]
	if decoded, err := url.PathUnescape(id); err == nil {
		id = decoded
	}
	return strings.Trim(id, "<> "), true
}

// openTag writes a tag with the attributes that formatted text has. In particular, no
// mail can mention people, or show a file of somebody else.
func openTag(name string, attr map[string]string) string {
	switch {
	case name == "a" && attr["href"] != "":
		return `<a href="` + html.EscapeString(attr["href"]) + `">`
	case name == "ol" && attr["start"] != "":
		return `<ol start="` + html.EscapeString(attr["start"]) + `">`
	}
	return "<" + name + ">"
}

func (r *pageReader) end(name string) {
	if r.skip != nil {
		if name == r.skip.name {
			if r.skip.depth--; r.skip.depth == 0 {
				r.skip = nil
			}
		}
		return
	}
	if name == "pre" {
		r.pre = max(0, r.pre-1)
	}
	if blockTags[name] {
		r.newLine(false)
	}
	if name != "br" {
		r.add(bit{raw: "</" + name + ">"})
	}
	if r.in != nil && name == r.in.name {
		if r.in.depth--; r.in.depth == 0 {
			r.in = nil
			if l := r.line(); l.blank() {
				*l = line{} // it was marked when the last line of the region ended
				r.markLine()
			}
		}
	}
}

// html writes the page without the lines that are dropped. images has the addresses of
// the images of the mail, by their content id; others become their description.
func (p page) html(images map[string]string) string {
	var out strings.Builder
	for _, b := range p.bits {
		switch {
		case b.seen && p.lines[b.line].drop:
		case b.cid != "" && images[b.cid] != "":
			out.WriteString(`<img src="` + html.EscapeString(images[b.cid]) + `" alt="` + html.EscapeString(b.text) + `">`)
		case b.raw != "":
			out.WriteString(b.raw)
		default:
			out.WriteString(html.EscapeString(b.text))
		}
	}
	return out.String()
}

// textBits returns plain text as bits, of which each belongs to its line. Empty lines
// divide paragraphs, and web addresses become links, as package markup does it.
func textBits(text string) (bits []bit) {
	for i, s := range strings.Split(text, "\n") {
		if strings.Trim(s, blankCharacters+"\r") == "" {
			bits = append(bits, bit{raw: "</p><p>", line: i})
			continue
		}
		inner := html.EscapeString(markup.KeepSpaces(s))
		if strings.Contains(s, "://") {
			// One line makes one paragraph, whose content is what we need.
			inner = strings.TrimSuffix(strings.TrimPrefix(markup.FromText(s), "<p>"), "</p>")
		}
		bits = append(bits, bit{raw: inner, line: i, seen: true}, bit{raw: "<br>", line: i, seen: true})
	}
	return bits
}

// contentIDs returns the ids of the files that HTML shows.
func contentIDs(text string) map[string]bool {
	ids := map[string]bool{}
	z := tags.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case tags.ErrorToken:
			return ids
		case tags.StartTagToken, tags.SelfClosingTagToken:
			for more := true; more; {
				var value []byte
				_, value, more = z.TagAttr()
				if id, ok := cutCID(string(value)); ok {
					ids[id] = true
				}
			}
		}
	}
}
