package richtext

import (
	"fmt"
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
	maxHeader = 150 // characters of a header block
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

// translation converts Markdown to Slack's own forms: the text of a message, and
// blocks. Consecutive content other than headings, rules and tables becomes one
// block of rich text.
type translation struct {
	source []byte
	parts  []string // of the text, separated by empty lines
	blocks []object
	rich   []object // elements of the rich text that is still open
}

// FromMarkdown returns the text and the blocks that Slack makes from Markdown.
func FromMarkdown(s string) (text string, blocks []map[string]any) {
	d := &translation{source: []byte(s)}
	root := markdownParser.Parse(source.NewReader(d.source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		d.block(n)
	}
	d.closeRich()
	return strings.Join(d.parts, "\n\n"), d.blocks
}

func (d *translation) say(part string) {
	if part != "" {
		d.parts = append(d.parts, part)
	}
}

func (d *translation) closeRich() {
	if d.rich != nil {
		d.blocks = append(d.blocks, object{"type": "rich_text", "elements": d.rich})
		d.rich = nil
	}
}

// alone adds a block that is not rich text.
func (d *translation) alone(b object) {
	d.closeRich()
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
		var own loose
		var inner []*ast.List
		for part := item.FirstChild(); part != nil; part = part.NextSibling() {
			if l, ok := part.(*ast.List); ok {
				inner = append(inner, l)
			} else {
				own.add(d, part)
			}
		}
		into["elements"] = append(into["elements"].([]object), object{"type": "rich_text_section", "elements": append([]object{}, own.words...)})
		sign := "• "
		if n.IsOrdered() {
			sign = fmt.Sprintf("%d. ", number)
		}
		lines = append(lines, strings.Repeat("    ", indent)+sign+strings.Join(own.said, "\n"))
		number++
		for _, l := range inner {
			lines = append(lines, d.list(l, indent+1)...)
			into = nil // what follows is on this level again
		}
	}
	return lines
}

// loose is blocks where only words are allowed, one below the other: in a list or a
// quotation.
type loose struct {
	words []object
	said  []string
}

func (l *loose) add(d *translation, n ast.Node) {
	if len(l.words) > 0 {
		l.words = append(l.words, object{"type": "text", "text": "\n"})
	}
	if lines, ok := d.codeLines(n); ok {
		l.words = append(l.words, object{"type": "text", "text": lines, "style": object{"code": true}})
		l.said = append(l.said, "```\n"+escaped.Replace(lines)+"\n```")
		return
	}
	l.words = append(l.words, d.inline(n, style{})...)
	l.said = append(l.said, d.mrkdwn(n))
}

// quote adds a quotation. Nested content becomes words, line by line.
func (d *translation) quote(n ast.Node) {
	var all loose
	var add func(ast.Node)
	add = func(n ast.Node) {
		for part := n.FirstChild(); part != nil; part = part.NextSibling() {
			switch part.(type) {
			case *ast.List, *ast.ListItem, *ast.Blockquote:
				add(part)
			default:
				all.add(d, part)
			}
		}
	}
	add(n)
	if len(all.words) == 0 {
		return
	}
	d.rich = append(d.rich, object{"type": "rich_text_quote", "elements": all.words})
	d.say("&gt; " + strings.ReplaceAll(strings.Join(all.said, "\n"), "\n", "\n&gt; "))
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
