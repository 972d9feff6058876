package linear

import (
	"html"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/markup"
)

func TestMarkdown(t *testing.T) {
	tests := []struct{ html, markdown string }{
		{`<p>one</p><p>two<br>three</p>`, "one\n\ntwo\\\nthree"},
		{`<p><strong>bold</strong> <em>italic</em> <s>struck</s> <code>code</code></p>`, "**bold** *italic* ~~struck~~ `code`"},
		{`<p><strong><em>both</em></strong></p>`, `***both***`},
		{`<p>half<strong>way</strong></p>`, `half**way**`},
		{`<p>half<strong>way:</strong>there</p>`, "half**way:" + joint + "**there"},
		{`<p><strong>a</strong><em>b</em></p>`, "**a**" + joint + "*b*"},
		{`<p><code>a ` + "`" + ` b</code></p>`, "``a ` b``"},
		{"<p><code>`</code></p>", "`` ` ``"},
		{`<pre>if a &lt; b {` + "\n" + `  c()` + "\n" + `}</pre>`, "```\nif a < b {\n  c()\n}\n```"},
		{"<pre>```\n*x*</pre>", "````\n```\n*x*\n````"},
		{`<blockquote><p>a quote<br>of two lines</p><p>more</p></blockquote>`, "> a quote\\\n> of two lines\n>\n> more"},
		{`<p>a</p><hr><p>b</p>`, "a\n\n___\n\nb"},
		{`<ul><li>one<ul><li>within</li></ul></li><li>two</li></ul>`, "- one\n  - within\n- two"},
		{`<ol start="3"><li>three</li><li>four</li></ol>`, "3. three\n4. four"},
		{`<ul><li>a</li></ul><ul><li>b</li></ul><ul><li>c</li></ul>`, "- a\n\n+ b\n\n- c"},
		{`<p><a href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer">a <strong>link</strong></a></p>`, "[a **link**](https://example.org/?a=1&b=2)"},
		{`<p><a href="https://example.org/a_(b)" rel="noopener noreferrer">x</a></p>`, "[x](<https://example.org/a_(b)>)"},
		{`<p><img src="https://example.org/cat.png" alt="A cat"></p>`, "![A cat](https://example.org/cat.png)"},
	}
	for _, tt := range tests {
		if got := toMarkdown(tt.html); got != tt.markdown {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.html, got, tt.markdown)
		}
		if got := markup.Sanitize(toHTML(tt.markdown)); got != tt.html {
			t.Errorf("%q comes back as\n     %s\nwant %s", tt.markdown, got, tt.html)
		}
	}
}

// Some formatting is lost, because Markdown has no sign for it or the person
// mentioned is not there.
func TestMarkdownThatDoesNotComeBack(t *testing.T) {
	for from, want := range map[string]string{
		`<p><u>under</u></p>`:                               `under`,
		`<p><span data-user="U1">@Mira</span></p>`:          `\@Mira`,
		`<p><span data-everyone="here">@here</span></p>`:    `\@here`,
		`<p><img src="/v1/rest/attachments/1" alt="x"></p>`: `x`,
		``: ``,
	} {
		if got := toMarkdown(from); got != want {
			t.Errorf("%s: got %q, want %q", from, got, want)
		}
	}
}

// hostile are texts of people, and of attackers who want to look like us.
var hostile = []string{
	"*", "**bold**", "_em_", "`code`", "```", "~~~", "~~struck~~", "<script>alert(1)</script>", "<b>x</b>", "&lt;b&gt;", "&#42;",
	"[x](javascript:alert(1))", "![x](https://evil.test/pixel.png)", "<https://evil.test>", "https://evil.test", "www.evil.test", "jo@evil.test",
	"@all", "@channel hello", "# heading", "- item", "+ item", "+++ more", "1. item", "2) item", "> quote", "---", "===", "a\\", "\\*", "| a | b |", "[^1]: note",
	"[x]: https://evil.test", "- [ ] task", "    code", "\tcode", ":smile:", "a * b * c", "1986. A year", "http://x", "ENG-17", "<!-- x -->", "x  ", "~x~",
}

func TestTextStaysText(t *testing.T) {
	for _, text := range hostile {
		checkText(t, text)
		checkText(t, "before "+text+" after")
	}
}

// checkText expects that a text comes back unchanged and without new formatting,
// wherever it stands.
func checkText(t interface{ Errorf(string, ...any) }, text string) {
	e := html.EscapeString(text)
	for _, from := range []string{"<p>" + e + "</p>", "<p>x<br>" + e + "</p>", "<ul><li>" + e + "</li></ul>", "<blockquote><p>" + e + "</p></blockquote>",
		"<p><strong>" + e + "</strong></p>", "<p>x<em>" + e + "</em>y</p>", `<p><a href="https://example.org/">` + e + `</a></p>`, "<p><code>" + e + "</code></p>", "<pre>" + e + "</pre>"} {
		from = markup.Sanitize(from)
		if got := markup.Sanitize(toHTML(toMarkdown(from))); got != from {
			t.Errorf("%q\nis written  %q\nand read as %q", from, toMarkdown(from), got)
		}
	}
}

// The same holds for any text made of such pieces.
func TestAnyTextStaysText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := append([]string{" ", "a", "b1", "\u00a0", "é", "日", "(", ")", ".", "!", "\"", "'", "/", ":", ";", "?", "%"}, hostile...)
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, "text"), "")
		checkText(t, text)
	})
}

func TestHTML(t *testing.T) {
	tests := []struct{ markdown, html string }{
		{"# Title\n\ntext", `<p><strong>Title</strong></p><p>text</p>`},
		{"one\ntwo", `<p>one<br>two</p>`},
		{"~~gone~~ https://example.org", `<p><s>gone</s> <a href="https://example.org" rel="noopener noreferrer">https://example.org</a></p>`},
		{"* a\n* b", `<ul><li>a</li><li>b</li></ul>`},
		{"<script>alert(1)</script>text", ``},
		{"a <b>b</b> <img src=x onerror=y>", `<p>a b</p>`},
		{"[x](javascript:alert(1)) [y](JaVaScRiPt:z) ![z](data:text/html,x)", `<p>x y z</p>`},
		{"@all hello", `<p>@all hello</p>`},
		{"- [x] done", `<ul><li>[x] done</li></ul>`},
		{"", ""},
	}
	for _, tt := range tests {
		raw := toHTML(tt.markdown)
		if strings.Contains(raw, "<script") || strings.Contains(raw, "onerror") || strings.Contains(strings.ToLower(raw), "javascript:") {
			t.Errorf("%q gives %s", tt.markdown, raw)
		}
		if got := markup.Sanitize(raw); got != tt.html {
			t.Errorf("%q: got %s, want %s", tt.markdown, got, tt.html)
		}
	}
}

// anyBlocks generates formatted text as HTML.
func anyBlocks(t *rapid.T, depth int) string {
	var out strings.Builder
	for range rapid.IntRange(1, 3).Draw(t, "blocks") {
		kind := rapid.IntRange(0, 6).Draw(t, "kind")
		if depth == 0 {
			kind = min(kind, 2)
		}
		switch kind {
		case 0, 1:
			out.WriteString("<p>" + anyRuns(t) + "</p>")
		case 2:
			out.WriteString("<pre>" + html.EscapeString(rapid.SampledFrom(hostile).Draw(t, "code")) + "\n  x</pre>")
		case 3:
			out.WriteString("<blockquote>" + anyBlocks(t, depth-1) + "</blockquote>")
		case 4:
			out.WriteString("<ul><li>" + anyBlocks(t, depth-1) + "</li><li>" + anyBlocks(t, depth-1) + "</li></ul>")
		case 5:
			out.WriteString(`<ol start="7"><li>` + anyBlocks(t, depth-1) + "</li><li>" + anyBlocks(t, depth-1) + "</li></ol>")
		case 6:
			out.WriteString("<hr>")
		}
	}
	return out.String()
}

func anyRuns(t *rapid.T) string {
	var out strings.Builder
	for range rapid.IntRange(1, 4).Draw(t, "runs") {
		text := html.EscapeString(rapid.SampledFrom(append([]string{"a", " b", "c ", "!", "d.", " "}, hostile...)).Draw(t, "text"))
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"strong", "em", "s", "code"}), 0, 2, rapid.ID[string]).Draw(t, "marks") {
			text = "<" + name + ">" + text + "</" + name + ">"
		}
		switch rapid.IntRange(0, 5).Draw(t, "around") {
		case 0:
			text = `<a href="https://example.org/?a=1&amp;b=(2)&amp;lt;">` + text + "</a>"
		case 1:
			text += "<br>"
		}
		out.WriteString(text)
	}
	return out.String()
}

// Formatted text comes back with its words and its structure. A space between two
// formatted parts may end up outside both.
func TestAnyFormattingComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := markup.Sanitize(anyBlocks(t, 2))
		back := markup.Sanitize(toHTML(toMarkdown(from)))
		if got, want := bare(back), bare(from); got != want {
			t.Errorf("%s\nis written  %q\nand read as %s", from, toMarkdown(from), back)
		}
	})
}

// bare returns HTML without marks.
func bare(s string) string {
	for _, name := range []string{"strong", "em", "s"} {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "<"+name+">", ""), "</"+name+">", "")
	}
	return s
}
