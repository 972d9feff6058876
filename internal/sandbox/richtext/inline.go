package richtext

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	gfm "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// style is how words look.
type style struct{ bold, italic, strike, code bool }

func (s style) object() object {
	o := object{}
	for name, on := range map[string]bool{"bold": s.bold, "italic": s.italic, "strike": s.strike, "code": s.code} {
		if on {
			o[name] = true
		}
	}
	return o
}

// words returns an element of rich text with its style.
func (s style) words(o object) object {
	if look := s.object(); len(look) > 0 {
		o["style"] = look
	}
	return o
}

// inline returns the content of a block as elements of rich text.
func (d *translation) inline(n ast.Node, s style) (all []object) {
	plain := ""
	flush := func() {
		all = append(all, named(plain, s)...)
		plain = ""
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if words, ok := d.words(c); ok {
			plain += words // join runs, because a mention may span several
			continue
		}
		flush()
		switch c := c.(type) {
		case *ast.CodeSpan:
			within := s
			within.code = true
			all = append(all, within.words(object{"type": "text", "text": d.plain(c)}))
		case *ast.Emphasis:
			within := s
			within.italic, within.bold = s.italic || c.Level == 1, s.bold || c.Level == 2
			all = append(all, d.inline(c, within)...)
		case *gfm.Strikethrough:
			within := s
			within.strike = true
			all = append(all, d.inline(c, within)...)
		default:
			if address, label, ok := d.link(c); ok {
				l := object{"type": "link", "url": address}
				if label != "" && label != address {
					l["text"] = label
				}
				all = append(all, s.words(l))
			} else {
				all = append(all, d.inline(c, s)...)
			}
		}
	}
	flush()
	return all
}

// mrkdwn returns the content of a block in Slack's own markup.
func (d *translation) mrkdwn(n ast.Node) string {
	var b strings.Builder
	plain := ""
	flush := func() {
		b.WriteString(escapeUnnamed(plain))
		plain = ""
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if words, ok := d.words(c); ok {
			plain += words
			continue
		}
		flush()
		switch c := c.(type) {
		case *ast.CodeSpan:
			b.WriteString("`" + escaped.Replace(d.plain(c)) + "`")
		case *ast.Emphasis:
			sign := map[int]string{1: "_", 2: "*"}[c.Level]
			b.WriteString(sign + d.mrkdwn(c) + sign)
		case *gfm.Strikethrough:
			b.WriteString("~" + d.mrkdwn(c) + "~")
		default:
			address, label, ok := d.link(c)
			switch {
			case !ok:
				b.WriteString(d.mrkdwn(c))
			case label == "" || label == address:
				b.WriteString("<" + escaped.Replace(address) + ">")
			default:
				b.WriteString("<" + escaped.Replace(address) + "|" + escaped.Replace(label) + ">")
			}
		}
	}
	flush()
	return b.String()
}

// words returns the words of a node that has nothing else. A line break becomes a
// newline.
func (d *translation) words(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.Text:
		s := string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(n.Segment.Value(d.source)))))
		if n.SoftLineBreak() || n.HardLineBreak() {
			s += "\n"
		}
		return s, true
	case *ast.String:
		return string(n.Value), true
	case *gfm.TaskCheckBox:
		if n.IsChecked {
			return "☑ ", true
		}
		return "☐ ", true
	}
	return "", false
}

// plain returns the content of a node without formatting.
func (d *translation) plain(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok && n.Kind() == ast.KindCodeSpan {
			b.Write(t.Segment.Value(d.source)) // nothing is escaped in code
		} else if words, ok := d.words(c); ok {
			b.WriteString(words)
		} else if l, ok := c.(*ast.AutoLink); ok {
			b.Write(l.Label(d.source))
		} else {
			b.WriteString(d.plain(c))
		}
	}
	return b.String()
}

// linkable are the address schemes that a message may link to.
var linkable = map[string]bool{"http": true, "https": true, "mailto": true, "tel": true, "slack": true}

// link reads a link, or a picture, which is shown as a link. If the address is not
// valid, its words stay plain words.
func (d *translation) link(n ast.Node) (address, label string, ok bool) {
	switch n := n.(type) {
	case *ast.Link:
		address, label = string(n.Destination), d.plain(n)
	case *ast.Image:
		address, label = string(n.Destination), d.plain(n)
	case *ast.AutoLink:
		address, label = string(n.URL(d.source)), string(n.Label(d.source))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(address, "mailto:") {
			address = "mailto:" + address
		}
	default:
		return "", "", false
	}
	u, err := url.Parse(address)
	if err != nil || !linkable[strings.ToLower(u.Scheme)] {
		return "", "", false
	}
	// These characters would end the address in Slack's markup.
	return strings.NewReplacer("|", "%7C", "<", "%3C", ">", "%3E").Replace(address), label, true
}

// namedPattern matches a person, a channel or everybody. Markdown names them as
// Slack's own markup does.
var namedPattern = regexp.MustCompile(`<([@#!])([^<>|\s]+)(?:\|([^<>]*))?>`)

// named returns words as elements of rich text, with the people and channels named
// in them.
func named(words string, s style) (all []object) {
	say := func(part string) {
		if part != "" {
			all = append(all, s.words(object{"type": "text", "text": part}))
		}
	}
	rest := words
	for at := namedPattern.FindStringSubmatchIndex(rest); at != nil; at = namedPattern.FindStringSubmatchIndex(rest) {
		say(rest[:at[0]])
		all = append(all, s.words(namedElement(rest[at[2]:at[3]], rest[at[4]:at[5]])))
		rest = rest[at[1]:]
	}
	say(rest)
	return all
}

// escapeUnnamed escapes words for Slack's markup, except for mentions.
func escapeUnnamed(words string) string {
	var b strings.Builder
	last := 0
	for _, at := range namedPattern.FindAllStringIndex(words, -1) {
		b.WriteString(escaped.Replace(words[last:at[0]]) + words[at[0]:at[1]])
		last = at[1]
	}
	return b.String() + escaped.Replace(words[last:])
}
