package chattest

import (
	"html"
	"strings"
	"unicode"
)

// hostile are texts that must survive unchanged in both directions.
var hostile = []string{
	`<b>bold</b> & <script>alert("1")</script> &amp; &lt;i&gt; </p><!-- -->`,
	`'; DROP TABLE messages; -- " \ %s %d {{.}} ${x} $(rm -rf /)`,
	"bell \a escape \x1b[31m one \x01 delete \x7f tab\there",
	"\u202eright to left\u202c שלום עולם مرحبا \u200f end",
	"👩‍👩‍👧‍👦 🇨🇿 👍🏽 ☃️ 𝒳",
	"漢字かな交じり文 한국어 中文",
	"e\u0301 ﬁ Å Ω ß İ: nothing is normalised",
	"first line\nsecond line\n\nfourth line",
	"snake_case_name 2 * 3 * 4 ~ 5 ` 6",
	"<!channel> <@U0123> <#C0123|x> @here",
	"see https://example.test/a?b=c&d=e#f, please",
}

// written returns a text as HTML.
func written(text string) string {
	return "<p>" + strings.ReplaceAll(html.EscapeString(text), "\n", "<br>") + "</p>"
}

// breaks are the tags that end a line. Those of paragraphs end it where the next
// one begins.
var breaks = map[string]bool{"br": true, "/p": true, "/li": true, "/pre": true, "/blockquote": true, "/div": true, "/tr": true}

// read returns the text of HTML as a person would read it. It treats everything
// that looks like a tag as one, so typed markup that was not escaped goes missing
// and is noticed.
func read(markup string) string {
	var b strings.Builder
	rest := markup
	for {
		text, after, found := strings.Cut(rest, "<")
		b.WriteString(html.UnescapeString(text))
		if !found {
			break
		}
		tag, after, found := strings.Cut(after, ">")
		if !found {
			break
		}
		name, _, _ := strings.Cut(strings.ToLower(strings.TrimSuffix(tag, "/")), " ")
		if breaks[name] {
			b.WriteByte('\n')
		}
		rest = after
	}
	return strings.TrimRight(b.String(), "\n")
}

// looksLike reports whether two texts look the same to a person. Invisible
// differences do not count, because a system may need or drop them: control
// characters, zero-width spaces, the width of a gap, and empty lines between
// paragraphs.
func looksLike(a, b string) bool { return seen(a) == seen(b) }

func seen(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.Map(func(r rune) rune {
			switch {
			case unicode.IsSpace(r):
				return ' '
			case unicode.IsControl(r), r == '\u200b':
				return -1
			}
			return r
		}, line)
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}
