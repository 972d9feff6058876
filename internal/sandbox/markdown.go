package sandbox

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	gfm "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	source "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	maxMarkdown = 12000 // characters of a message's Markdown
	maxHeader   = 150   // characters of a header block
	// Limits of a table block. A larger table is shown as typed.
	maxTableRows, maxTableColumns = 100, 20
)

// markdownParser reads Markdown as described in Slack's reference for the markdown
// block. HTML is plain text there, and so is <!here>, which would be a declaration.
var markdownParser = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(exceptParser(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(exceptParser(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))),
	goldmark.WithExtensions(extension.GFM)).Parser()

// exceptParser returns a list of parsers without one of them.
func exceptParser(all []util.PrioritizedValue, one any) (rest []util.PrioritizedValue) {
	for _, v := range all {
		if fmt.Sprintf("%T", v.Value) != fmt.Sprintf("%T", one) {
			rest = append(rest, v)
		}
	}
	return rest
}

// markdown returns the argument markdown_text, which cannot be combined with text
// or blocks.
func (a arguments) markdown() (string, error) {
	s := a.text("markdown_text")
	switch {
	case s == "":
		return "", nil
	case a.text("text") != "" || a.text("blocks") != "":
		return "", refuse("markdown_text_conflict")
	case utf8.RuneCountInString(s) > maxMarkdown:
		return "", refuse("msg_too_long")
	}
	return s, nil
}

// fromMarkdown returns the text and the blocks that Slack makes from Markdown.
func fromMarkdown(s string) (text string, blocks json.RawMessage, err error) {
	d := translate(s)
	if len(d.blocks) > maxMessageBlocks {
		return "", nil, refuse("msg_blocks_too_long")
	}
	return d.text(), encode(d.blocks), nil
}

// messageBlocks checks the blocks of a message. Markdown blocks become what Slack
// makes of them, which may be several blocks.
func messageBlocks(raw json.RawMessage) (json.RawMessage, error) {
	var blocks []block
	if json.Unmarshal(raw, &blocks) != nil {
		return checkBlocks(raw, "blocks", maxMessageBlocks) // this says what is wrong
	}
	var all []any
	length, translated := 0, false
	for _, b := range blocks {
		if b.text("type") != "markdown" || b.text("text") == "" {
			all = append(all, b)
			continue
		}
		translated = true
		if length += utf8.RuneCountInString(b.text("text")); length > maxMarkdown {
			return nil, &Error{Code: "invalid_blocks", Messages: []string{fmt.Sprintf("[ERROR] must be less than %d characters in all markdown blocks [json-pointer:/blocks]", maxMarkdown+1)}}
		}
		for _, made := range translate(b.text("text")).blocks {
			all = append(all, made)
		}
	}
	if translated {
		raw = encode(all)
	}
	return checkBlocks(raw, "blocks", maxMessageBlocks)
}

// translation converts Markdown to Slack's own forms: the text of a message, and
// blocks. Consecutive content other than headings, rules and tables becomes one
// block of rich text.
type translation struct {
	source []byte
	parts  []string // of the text, separated by empty lines
	blocks []object
	rich   []object // elements of the rich text that is still open
}

func translate(s string) *translation {
	d := &translation{source: []byte(s)}
	root := markdownParser.Parse(source.NewReader(d.source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		d.block(n)
	}
	d.closeRich()
	return d
}

func (d *translation) text() string { return strings.Join(d.parts, "\n\n") }

func (d *translation) say(part string) {
	if part != "" {
		d.parts = append(d.parts, part)
	}
}

func (d *translation) closeRich() {
	if d.rich != nil {
		d.blocks = append(d.blocks, object{"type": "rich_text", "block_id": newSecret(5), "elements": d.rich})
		d.rich = nil
	}
}

// alone adds a block that is not rich text.
func (d *translation) alone(b object) {
	d.closeRich()
	b["block_id"] = newSecret(5)
	d.blocks = append(d.blocks, b)
}

func (d *translation) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		d.heading(n)
	case *ast.ThematicBreak:
		d.alone(object{"type": "divider"})
		d.say("———")
	case *ast.List:
		d.say(strings.Join(d.list(n, 0), "\n"))
	case *ast.Blockquote:
		d.quote(n)
	case *ast.FencedCodeBlock:
		d.code(n, string(n.Language(d.source)))
	case *ast.CodeBlock:
		d.code(n, "")
	case *gfm.Table:
		d.table(n)
	default:
		d.paragraph(n)
	}
}

// heading adds a header, or bold text if it is too long for one.
func (d *translation) heading(n *ast.Heading) {
	plain := d.plain(n)
	switch {
	case plain == "":
		return
	case utf8.RuneCountInString(plain) <= maxHeader:
		d.alone(object{"type": "header", "text": object{"type": "plain_text", "text": plain, "emoji": true}})
	default:
		d.section(d.inline(n, style{bold: true}))
	}
	d.say("*" + escaped.Replace(plain) + "*")
}

func (d *translation) paragraph(n ast.Node) {
	d.section(d.inline(n, style{}))
	d.say(d.mrkdwn(n))
}

// section adds words to the rich text. Two paragraphs become one section, because
// Slack puts no space between sections.
func (d *translation) section(words []object) {
	if len(words) == 0 {
		return
	}
	if last := len(d.rich) - 1; last >= 0 && d.rich[last]["type"] == "rich_text_section" {
		open := d.rich[last]["elements"].([]object)
		d.rich[last]["elements"] = append(append(open, object{"type": "text", "text": "\n\n"}), words...)
		return
	}
	d.rich = append(d.rich, object{"type": "rich_text_section", "elements": words})
}

// list adds a list and its nested lists, each as its own list with another indent,
// and returns its lines.
func (d *translation) list(n *ast.List, indent int) (lines []string) {
	kind, number := "bullet", n.Start
	if n.IsOrdered() {
		kind = "ordered"
	}
	open := func() object {
		l := object{"type": "rich_text_list", "style": kind, "indent": indent, "border": 0, "elements": []object{}}
		if n.IsOrdered() && number > 1 {
			l["offset"] = number - 1
		}
		d.rich = append(d.rich, l)
		return l
	}
	var into object
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if into == nil {
			into = open()
		}
		var words []object
		var said []string
		var inner []*ast.List
		for part := item.FirstChild(); part != nil; part = part.NextSibling() {
			if l, ok := part.(*ast.List); ok {
				inner = append(inner, l)
				continue
			}
			if len(words) > 0 {
				words = append(words, object{"type": "text", "text": "\n"})
			}
			words = append(words, d.loose(part)...)
			said = append(said, d.looseMrkdwn(part))
		}
		into["elements"] = append(into["elements"].([]object), object{"type": "rich_text_section", "elements": append([]object{}, words...)})
		sign := "• "
		if n.IsOrdered() {
			sign = fmt.Sprintf("%d. ", number)
		}
		lines = append(lines, strings.Repeat("    ", indent)+sign+strings.Join(said, "\n"))
		number++
		for _, l := range inner {
			lines = append(lines, d.list(l, indent+1)...)
			into = nil // what follows is on this level again
		}
	}
	return lines
}

// loose returns a block where only words are allowed: in a list or a quotation.
func (d *translation) loose(n ast.Node) []object {
	if lines, ok := d.codeLines(n); ok {
		return []object{{"type": "text", "text": lines, "style": object{"code": true}}}
	}
	return d.inline(n, style{})
}

func (d *translation) looseMrkdwn(n ast.Node) string {
	if lines, ok := d.codeLines(n); ok {
		return "```\n" + escaped.Replace(lines) + "\n```"
	}
	return d.mrkdwn(n)
}

// quote adds a quotation. Nested content becomes words, line by line.
func (d *translation) quote(n ast.Node) {
	var words []object
	var said []string
	var add func(ast.Node)
	add = func(n ast.Node) {
		for part := n.FirstChild(); part != nil; part = part.NextSibling() {
			switch part.(type) {
			case *ast.List, *ast.ListItem, *ast.Blockquote:
				add(part)
				continue
			}
			if len(words) > 0 {
				words = append(words, object{"type": "text", "text": "\n"})
			}
			words = append(words, d.loose(part)...)
			said = append(said, d.looseMrkdwn(part))
		}
	}
	add(n)
	if len(words) == 0 {
		return
	}
	d.rich = append(d.rich, object{"type": "rich_text_quote", "elements": words})
	d.say("&gt; " + strings.ReplaceAll(strings.Join(said, "\n"), "\n", "\n&gt; "))
}

func (d *translation) codeLines(n ast.Node) (string, bool) {
	switch n.(type) {
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return strings.TrimSuffix(string(n.Lines().Value(d.source)), "\n"), true
	}
	return "", false
}

func (d *translation) code(n ast.Node, language string) {
	lines, _ := d.codeLines(n)
	d.preformatted(lines, language)
}

func (d *translation) preformatted(lines, language string) {
	if strings.TrimSpace(lines) == "" {
		return
	}
	b := object{"type": "rich_text_preformatted", "border": 0, "elements": []object{{"type": "text", "text": lines}}}
	if language != "" {
		b["language"] = language
	}
	d.rich = append(d.rich, b)
	d.say("```\n" + escaped.Replace(lines) + "\n```")
}

// table adds a table: as a block, and in the text with aligned columns.
func (d *translation) table(n *gfm.Table) {
	var rows [][]object
	var lines [][]string
	var widths []int
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []object
		var line []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			words := d.inline(cell, style{})
			if len(words) == 0 {
				words = []object{{"type": "text", "text": " "}} // Slack does not accept an empty one
			}
			cells = append(cells, object{"type": "rich_text", "elements": []object{{"type": "rich_text_section", "elements": words}}})
			line = append(line, d.plain(cell))
			if len(widths) < len(line) {
				widths = append(widths, 0)
			}
			widths[len(line)-1] = max(widths[len(line)-1], utf8.RuneCountInString(line[len(line)-1]))
		}
		rows, lines = append(rows, cells), append(lines, line)
	}
	var drawn []string
	for _, line := range lines {
		var b strings.Builder
		for i, cell := range line {
			b.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		drawn = append(drawn, strings.TrimRight(b.String(), " "))
	}
	if len(rows) > maxTableRows || len(widths) > maxTableColumns {
		d.preformatted(strings.Join(drawn, "\n"), "")
		return
	}
	columns := []object{}
	for _, a := range n.Alignments {
		if a == gfm.AlignNone {
			a = gfm.AlignLeft
		}
		columns = append(columns, object{"align": a.String()})
	}
	d.alone(object{"type": "table", "rows": rows, "column_settings": columns})
	d.say("```\n" + escaped.Replace(strings.Join(drawn, "\n")) + "\n```")
}

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

// namedElement returns the element of rich text for a mention.
func namedElement(mark, what string) object {
	switch mark {
	case "@":
		return object{"type": "user", "user_id": what}
	case "#":
		return object{"type": "channel", "channel_id": what}
	}
	return object{"type": "broadcast", "range": what}
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
