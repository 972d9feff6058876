package mailbox

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"frontdesk/internal/mail"
)

// A mail is shown as a page of its own, in a frame. Three things keep it from doing
// anything, and each would do alone:
//
//  1. Only known elements and attributes are left of the mail, and nothing that has an
//     address but links and the mail's own images.
//  2. The page's policy loads nothing and runs nothing.
//  3. The frame has no scripts and no forms, and cannot leave its place.

// pagePolicy is the policy of the page of a mail. The frame has its origin, so that the
// page around it can see how high it is. Without scripts that gives the mail nothing.
const pagePolicy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; " +
	"sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox"

// pageStyle is for every mail. A mail that brings no colours has those of the page
// around it, dark or light.
const pageStyle = `
body { margin: 0; overflow-wrap: anywhere; font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif }
p { margin: 0 0 .7em } p:last-child { margin: 0 }
img { max-width: 100%; height: auto } table { max-width: 100% }
pre { white-space: pre-wrap }
blockquote { margin: .4em 0; padding-inline-start: 12px; border-inline-start: 3px solid #8886 }
details { margin-block-start: .7em }
summary { display: inline-block; padding: 0 8px; border-radius: 8px; background: #8883; line-height: 1.1; cursor: pointer; list-style: none }
summary::-webkit-details-marker { display: none }
details[open] summary { margin-block-end: .7em }
`

const plainColours = `
:root { color-scheme: light dark; color: light-dark(#1d2129, #e4e7ec) }
a { color: light-dark(#3b56bc, #97a9f3) }
`

const ownColours = `
:root { color-scheme: light; background: #fff; color: #000 }
body { padding: 12px }
`

// pageOf returns the page of a mail.
func pageOf(m mail.Mail) []byte {
	doc, err := html.Parse(strings.NewReader(m.HTML))
	if err != nil || strings.TrimSpace(m.HTML) == "" { // it is nested too deeply, or there is only text
		doc, err = html.Parse(strings.NewReader(m.Whole(nil)))
	}
	if err != nil {
		doc = &html.Node{Type: html.DocumentNode} // formatted text is flat
	}
	f := filter{images: map[string]string{}}
	for _, file := range m.Files {
		if file.ContentID != "" && slices.Contains(pictures, file.Type) {
			f.images[file.ContentID] = "data:" + file.Type + ";base64," + base64.StdEncoding.EncodeToString(file.Content)
		}
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	f.copyChildren(body, doc)
	foldHistory(body)

	colours := plainColours
	if f.coloured {
		colours = ownColours
	}
	var out bytes.Buffer
	out.WriteString(`<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><base target="_blank"><title>Mail</title><style>` +
		pageStyle + colours + f.styles.String() + "</style></head>")
	html.Render(&out, body) // a buffer takes everything
	out.WriteString("</html>")
	return out.Bytes()
}

// pictures are the types of images that are shown. SVG is a document and not only an
// image.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// filter copies what may be shown.
type filter struct {
	images   map[string]string // the addresses of the mail's images, by their content id
	styles   strings.Builder
	coloured bool // the mail brings its own colours
}

// shownElements are copied. Of others, what is in them is.
var shownElements = setOf("a", "abbr", "address", "article", "b", "big", "blockquote", "br", "caption", "center", "cite", "code", "col", "colgroup", "dd", "del", "div", "dl", "dt",
	"em", "figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "i", "img", "ins", "kbd", "li", "main", "ol", "p", "pre", "q", "s", "samp",
	"section", "small", "span", "strike", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var")

// droppedElements are left out with everything that is in them.
var droppedElements = setOf("applet", "audio", "button", "canvas", "embed", "frame", "frameset", "iframe", "input", "link", "math", "meta", "noembed", "noframes", "noscript", "object",
	"plaintext", "script", "select", "svg", "template", "textarea", "title", "video", "xmp")

var shownAttributes = setOf("align", "alt", "bgcolor", "border", "cellpadding", "cellspacing", "color", "colspan", "dir", "face", "height", "lang", "rowspan", "size", "start", "title",
	"type", "valign", "width")

func setOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

func (f *filter) copyChildren(into, from *html.Node) {
	for n := range from.ChildNodes() {
		f.copy(into, n)
	}
}

func (f *filter) copy(into, n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		into.AppendChild(&html.Node{Type: html.TextNode, Data: n.Data})
	case n.Type != html.ElementNode && n.Type != html.DocumentNode, n.Namespace != "", droppedElements[n.Data]:
	case n.Data == "style":
		if n.FirstChild != nil {
			f.styles.WriteString(safeStyle(n.FirstChild.Data) + "\n")
			f.coloured = f.coloured || isColoured(n.FirstChild.Data)
		}
	case n.Type == html.DocumentNode || !shownElements[n.Data]:
		if n.Data == "body" {
			f.noteColours(n)
		}
		f.copyChildren(into, n)
	default:
		if shown := f.element(n); shown != nil {
			into.AppendChild(shown)
			f.copyChildren(shown, n)
		}
	}
}

// element copies an element with its attributes. It returns nil for an image that stays
// where it is, in the network.
func (f *filter) element(n *html.Node) *html.Node {
	shown := &html.Node{Type: html.ElementNode, Data: n.Data, DataAtom: n.DataAtom}
	add := func(key, value string) { shown.Attr = append(shown.Attr, html.Attribute{Key: key, Val: value}) }
	f.noteColours(n)
	for _, a := range n.Attr {
		switch {
		case shownAttributes[a.Key]:
			add(a.Key, a.Val)
		case a.Key == "style":
			add("style", safeStyle(a.Val))
		case a.Key == "class" && f.styles.Len() > 0:
			add("class", a.Val)
		case a.Key == "href" && n.Data == "a" && isLink(a.Val):
			add("href", a.Val)
			add("rel", "noopener noreferrer")
		}
	}
	if n.Data != "img" {
		return shown
	}
	if address := f.images[contentID(attribute(n, "src"))]; address != "" {
		add("src", address)
		return shown
	}
	if alt := attribute(n, "alt"); alt != "" {
		return &html.Node{Type: html.TextNode, Data: alt}
	}
	return nil
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// contentID returns the id of an image that is part of the mail, or nothing.
func contentID(src string) string {
	u, err := url.Parse(strings.TrimSpace(src))
	if err != nil || u.Scheme != "cid" {
		return ""
	}
	id, err := url.PathUnescape(u.Opaque)
	if err != nil {
		return ""
	}
	return id
}

func isLink(address string) bool {
	u, err := url.Parse(strings.TrimSpace(address))
	return err == nil && slices.Contains([]string{"http", "https", "mailto", "tel"}, u.Scheme)
}

// safeStyle returns a style sheet or the style of an element if nothing in it can name
// an address or end the sheet, and otherwise nothing.
func safeStyle(style string) string {
	for _, sign := range []string{"url", "@import", "image", "src", `\`, "<", "expression", "behavior"} {
		if strings.Contains(strings.ToLower(style), sign) {
			return ""
		}
	}
	return style
}

func (f *filter) noteColours(n *html.Node) {
	for _, a := range n.Attr {
		f.coloured = f.coloured || a.Key == "bgcolor" || a.Key == "color" || a.Key == "style" && isColoured(a.Val)
	}
}

func isColoured(style string) bool {
	style = strings.ToLower(style)
	return strings.Contains(style, "color") || strings.Contains(style, "background")
}

// foldHistory hides the quoted mail at the end of a mail behind three dots, with the
// line that says who wrote it.
func foldHistory(body *html.Node) {
	quote := lastElement(body)
	for quote != nil && quote.Data == "div" {
		quote = lastElement(quote)
	}
	if quote == nil || quote.Data != "blockquote" {
		return
	}
	first := quote
	if before := previousElement(quote); before != nil && strings.HasSuffix(strings.TrimSpace(textOf(before)), ":") {
		first = before
	}
	parent := quote.Parent
	if previousElement(first) == nil && parent == body {
		return // nothing else would be left
	}
	details := &html.Node{Type: html.ElementNode, Data: "details", DataAtom: atom.Details}
	summary := &html.Node{Type: html.ElementNode, Data: "summary", DataAtom: atom.Summary, Attr: []html.Attribute{{Key: "aria-label", Val: "Earlier mail"}}}
	summary.AppendChild(&html.Node{Type: html.TextNode, Data: "…"})
	details.AppendChild(summary)
	parent.InsertBefore(details, first)
	for n := first; n != nil; n = details.NextSibling {
		parent.RemoveChild(n)
		details.AppendChild(n)
	}
}

func lastElement(n *html.Node) *html.Node {
	for c := n.LastChild; c != nil; c = c.PrevSibling {
		if c.Type == html.ElementNode {
			return c
		}
		if strings.TrimSpace(c.Data) != "" {
			return nil // text after the last element
		}
	}
	return nil
}

func previousElement(n *html.Node) *html.Node {
	for c := n.PrevSibling; c != nil; c = c.PrevSibling {
		if c.Type == html.ElementNode {
			return c
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			out.WriteString(d.Data)
		}
	}
	return out.String()
}
