package slack

import (
	"html"
	"regexp"
	"strings"
)

// All that turns Slack's markup into chat's HTML, and back, is called here.

// toHTML is a message's text as chat has it.
func toHTML(mrkdwn string) string {
	if strings.TrimSpace(mrkdwn) == "" {
		return ""
	}
	var out strings.Builder
	for line := range strings.Lines(mrkdwn) {
		out.WriteString("<p>" + html.EscapeString(unescapeText.Replace(strings.TrimRight(line, "\n"))) + "</p>")
	}
	return out.String()
}

var (
	lineEnd = regexp.MustCompile(`(?i)</p>\s*<p>|<br ?/?>`)
	tag     = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
)

// toMrkdwn is chat's HTML as Slack has it.
func toMrkdwn(markup string) string {
	lines := lineEnd.ReplaceAllString(markup, "\n")
	return plainText(html.UnescapeString(tag.ReplaceAllString(lines, "")))
}

// plainText is a text in which Slack is to see no marks.
func plainText(s string) string { return escapeText.Replace(s) }

var (
	escapeText   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	unescapeText = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")
)
