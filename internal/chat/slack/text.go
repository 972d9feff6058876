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
		out.WriteString("<p>" + lineHTML(strings.TrimRight(line, "\n")) + "</p>")
	}
	return out.String()
}

// address is a link in a text: Slack marks those that people type.
var address = regexp.MustCompile(`<((?:https?|mailto):[^<>|]*)(?:\|([^<>]*))?>`)

func lineHTML(line string) string {
	var out strings.Builder
	text := func(s string) string { return html.EscapeString(unescapeText.Replace(s)) }
	for {
		at := address.FindStringSubmatchIndex(line)
		if at == nil {
			return out.String() + text(line)
		}
		link := line[at[2]:at[3]]
		label := link
		if at[4] >= 0 {
			label = line[at[4]:at[5]]
		}
		out.WriteString(text(line[:at[0]]) + `<a href="` + text(link) + `">` + text(label) + "</a>")
		line = line[at[1]:]
	}
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
