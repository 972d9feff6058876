package richtext

import (
	"strings"
	"testing"
)

// words is a piece of rich text.
func words(s string, look ...string) object {
	o := object{"type": "text", "text": s}
	if len(look) > 0 {
		style := object{}
		for _, l := range look {
			style[l] = true
		}
		o["style"] = style
	}
	return o
}

func rich(elements ...object) []object {
	return []object{{"type": "rich_text", "elements": elements}}
}

func section(elements ...object) object {
	return object{"type": "rich_text_section", "elements": elements}
}

func header(s string) object {
	return object{"type": "header", "text": object{"type": "plain_text", "text": s, "emoji": true}}
}

// What Slack's reference for the markdown block lists, and other things people
// write.
func TestFromMarkdown(t *testing.T) {
	list := func(kind string, indent int, items ...object) object {
		return object{"type": "rich_text_list", "style": kind, "indent": indent, "border": 0, "elements": items}
	}
	offset := list("ordered", 0, section(words("three")), section(words("four")))
	offset["offset"] = 2
	code := object{"type": "rich_text_preformatted", "border": 0, "elements": []object{words("a < b\n\n  c")}}
	python := object{"type": "rich_text_preformatted", "border": 0, "language": "python", "elements": []object{words("print(1)")}}
	for _, tt := range []struct {
		name, markdown, text string
		blocks               []object
	}{
		{"bold", "**a** and __b__", "*a* and *b*", rich(section(words("a", "bold"), words(" and "), words("b", "bold")))},
		{"italic", "*a* and _b_", "_a_ and _b_", rich(section(words("a", "italic"), words(" and "), words("b", "italic")))},
		{"both", "***a***", "_*a*_", rich(section(words("a", "bold", "italic")))},
		{"nested", "**so _very_ so**", "*so _very_ so*", rich(section(words("so ", "bold"), words("very", "bold", "italic"), words(" so", "bold")))},
		{"struck", "~~a~~", "~a~", rich(section(words("a", "strike")))},
		{"code", "`a < *b*`", "`a &lt; *b*`", rich(section(words("a < *b*", "code")))},
		{"escapes", `\*a\* &amp; b`, "*a* &amp; b", rich(section(words("*a* & b")))},
		{"link", "[my text](https://x.test/?a=1&b=2)", "<https://x.test/?a=1&amp;b=2|my text>",
			rich(section(object{"type": "link", "url": "https://x.test/?a=1&b=2", "text": "my text"}))},
		{"bold link", "**[a](https://x.test)**", "*<https://x.test|a>*", rich(section(object{"type": "link", "url": "https://x.test", "text": "a", "style": object{"bold": true}}))},
		{"bare address", "see https://x.test/a.", "see <https://x.test/a>.", rich(section(words("see "), object{"type": "link", "url": "https://x.test/a"}, words(".")))},
		{"email", "<a@x.test>", "<mailto:a@x.test|a@x.test>", rich(section(object{"type": "link", "url": "mailto:a@x.test", "text": "a@x.test"}))},
		{"picture", "![Logo](https://x.test/l.png)", "<https://x.test/l.png|Logo>", rich(section(object{"type": "link", "url": "https://x.test/l.png", "text": "Logo"}))},
		{"address that leads nowhere", "[a](javascript:alert(1)) [b](c.html)", "a b", rich(section(words("a"), words(" "), words("b")))},
		{"address with signs", "[a|b](https://x.test/a|b)", "<https://x.test/a%7Cb|a|b>", rich(section(object{"type": "link", "url": "https://x.test/a%7Cb", "text": "a|b"}))},
		{"paragraphs", "a\nb\n\nc", "a\nb\n\nc", rich(section(words("a\nb"), words("\n\n"), words("c")))},
		{"header", "# One & *two*\n\ntext\n\n### Three", "*One &amp; two*\n\ntext\n\n*Three*",
			[]object{header("One & two"), rich(section(words("text")))[0], header("Three")}},
		{"long header", "# " + strings.Repeat("x", 151), "*" + strings.Repeat("x", 151) + "*", rich(section(words(strings.Repeat("x", 151), "bold")))},
		{"rule", "a\n\n---\n\nb", "a\n\n———\n\nb", []object{rich(section(words("a")))[0], {"type": "divider"}, rich(section(words("b")))[0]}},
		{"list", "- a\n- **b**", "• a\n• *b*", rich(list("bullet", 0, section(words("a")), section(words("b", "bold"))))},
		{"numbered", "3. three\n4. four", "3. three\n4. four", rich(offset)},
		{"lists in lists", "- a\n  1. b\n- c", "• a\n    1. b\n• c",
			rich(list("bullet", 0, section(words("a"))), list("ordered", 1, section(words("b"))), list("bullet", 0, section(words("c"))))},
		{"tasks", "- [ ] a\n- [x] b", "• ☐ a\n• ☑ b", rich(list("bullet", 0, section(words("☐ a")), section(words("☑ b"))))},
		{"quotation", "> a\n> *b*", "&gt; a\n&gt; _b_", rich(object{"type": "rich_text_quote", "elements": []object{words("a\n"), words("b", "italic")}})},
		{"code block", "```\na < b\n\n  c\n```", "```\na &lt; b\n\n  c\n```", rich(code)},
		{"code in a language", "```python\nprint(1)\n```", "```\nprint(1)\n```", rich(python)},
		{"HTML", "<b>a</b> <script>", "&lt;b&gt;a&lt;/b&gt; &lt;script&gt;", rich(section(words("<b>a</b> <script>")))},
		{"HTML block", "<div>\n**a**", "&lt;div&gt;\n*a*", rich(section(words("<div>\n"), words("a", "bold")))},
		{"who is named", "<@U1> and <#C1|desk>, **<!here>**", "<@U1> and <#C1|desk>, *<!here>*",
			rich(section(object{"type": "user", "user_id": "U1"}, words(" and "), object{"type": "channel", "channel_id": "C1"}, words(", "),
				object{"type": "broadcast", "range": "here", "style": object{"bold": true}}))},
		{"everybody first", "<!here> look", "<!here> look", rich(section(object{"type": "broadcast", "range": "here"}, words(" look")))},
		{"table", "| A | B |\n|---|--:|\n| **a** | 1 |", "```\nA  B\na  1\n```", []object{{"type": "table", "column_settings": []object{{"align": "left"}, {"align": "right"}},
			"rows": [][]object{{rich(section(words("A")))[0], rich(section(words("B")))[0]}, {rich(section(words("a", "bold")))[0], rich(section(words("1")))[0]}}}}},
		{"nothing", " \n", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, blocks := FromMarkdown(tt.markdown)
			want(t, "text", text, tt.text)
			want(t, "blocks", blocks, tt.blocks)
		})
	}
}

// A table that is too large for a block is shown as typed.
func TestLargeTables(t *testing.T) {
	for rows, kind := range map[int]string{maxTableRows: "table", maxTableRows + 1: "rich_text"} {
		_, blocks := FromMarkdown("| A |\n|---|\n" + strings.Repeat("| a |\n", rows-1))
		want(t, kind, []any{len(blocks), blocks[0]["type"]}, []any{1, kind})
	}
	for columns, kind := range map[int]string{maxTableColumns: "table", maxTableColumns + 1: "rich_text"} {
		_, blocks := FromMarkdown(strings.Repeat("|A", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n")
		want(t, kind, []any{len(blocks), blocks[0]["type"]}, []any{1, kind})
	}
}
