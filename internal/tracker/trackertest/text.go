package trackertest

import (
	"errors"
	"html"
	"strings"

	"github.com/google/uuid"
	parser "golang.org/x/net/html"

	"frontdesk/internal/desk"
)

func as(err error, e **desk.Error) bool { return errors.As(err, e) }

// textOf returns the text that a person reads in HTML, with single spaces.
func textOf(source string) string {
	var b strings.Builder
	z := parser.NewTokenizer(strings.NewReader(source))
	for {
		switch z.Next() {
		case parser.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case parser.TextToken:
			b.WriteString(html.UnescapeString(string(z.Raw())))
		case parser.StartTagToken, parser.EndTagToken, parser.SelfClosingTagToken:
			if name, _ := z.TagName(); strings.Contains(" p br li div ", " "+string(name)+" ") {
				b.WriteString(" ")
			}
		}
	}
}

// plain returns a text in the form of textOf.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// paragraph returns a text as an HTML paragraph.
func paragraph(text string) string { return "<p>" + html.EscapeString(text) + "</p>" }

// newKey returns a random UUID.
func newKey() string { return uuid.NewString() }

// hostile are texts that try to be more than text.
var hostile = []string{
	"<script>alert(1)</script>", "<b>bold</b> &amp; <i>it", "*stars* and **more** and _lines_", "`ticks` and ```fences```", "[x](javascript:alert(1))",
	"![x](https://evil.test/pixel.png)", "@all @channel @here", "# heading", "- item", "1. item", "> quote", "---", "a \\ b \\* c", "| a | b |", "{{ticket.id}}", "💥 Привет 日本 é",
	"'; DROP TABLE tickets; --", "%s %d %n", "\u202eabc",
}
