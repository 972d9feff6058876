package zendesktest

import (
	"html"
	"strings"

	parser "golang.org/x/net/html"
)

// fromText returns the HTML of a comment that was given as text.
func fromText(text string) string {
	var b strings.Builder
	for p := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		b.WriteString(`<p dir="auto">` + strings.ReplaceAll(html.EscapeString(p), "\n", "<br>") + "</p>")
	}
	return b.String()
}

// toText returns the text of a comment that was given as HTML.
func toText(source string) string {
	var b strings.Builder
	for _, t := range tokens(source) {
		switch {
		case t.Type == parser.TextToken:
			b.WriteString(t.Data)
		case t.Data == "br" || t.Data == "p" && t.Type == parser.EndTagToken || t.Data == "li" && t.Type == parser.EndTagToken:
			b.WriteString("\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// withoutScripts returns what Zendesk keeps of HTML.
func withoutScripts(source string) string {
	var b strings.Builder
	for _, t := range tokens(source) {
		b.WriteString(t.String())
	}
	return b.String()
}

// tokens returns the tokens of HTML, without scripts, styles and their content.
func tokens(source string) (all []parser.Token) {
	z := parser.NewTokenizer(strings.NewReader(source))
	within := ""
	for z.Next() != parser.ErrorToken {
		t := z.Token()
		switch {
		case within != "":
			if t.Type == parser.EndTagToken && t.Data == within {
				within = ""
			}
		case t.Type == parser.StartTagToken && (t.Data == "script" || t.Data == "style"):
			within = t.Data
		default:
			all = append(all, t)
		}
	}
	return all
}
