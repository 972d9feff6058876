package trackertest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"strings"

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
func newKey() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// hostile are texts that try to be more than text.
var hostile = []string{
	"<script>alert(1)</script>", "<b>bold</b> &amp; <i>it", "*stars* and **more** and _lines_", "`ticks` and ```fences```", "[x](javascript:alert(1))",
	"![x](https://evil.test/pixel.png)", "@all @channel @here", "# heading", "- item", "1. item", "> quote", "---", "a \\ b \\* c", "| a | b |", "{{ticket.id}}", "💥 Привет 日本 é",
	"'; DROP TABLE tickets; --", "%s %d %n", "\u202eabc",
}
