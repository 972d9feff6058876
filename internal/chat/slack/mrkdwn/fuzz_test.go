package mrkdwn

import (
	"strings"
	"testing"

	"frontdesk/internal/markup/markuptest"
)

func FuzzHTML(f *testing.F) {
	for _, g := range goldenCases(f) {
		if g.slack {
			f.Add(g.in)
		} else {
			f.Add(g.out)
		}
	}
	f.Add("> ```a\n> b``` c\n>>> *d\n• e ```f``` g\n        i. h\n1000000000. i")
	f.Add(strings.Repeat("• a\n ", 30))
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, text) })
}

func FuzzText(f *testing.F) {
	for _, g := range goldenCases(f) {
		if g.slack {
			f.Add(g.out)
		} else {
			f.Add(g.in)
		}
	}
	f.Add("<b>*a _b_*</b><i>`c</i><ol start=999999999><li>a<li>b</ol>```<code>d`</code>")
	f.Fuzz(func(t *testing.T, html string) { checkWritten(t, html) })
}

// As with Sanitize, the cost must stay in proportion to the length of the text.
func TestHostileLength(t *testing.T) {
	for _, piece := range []string{
		"*", "* ", " *a", "*a ", "*a_b~", "_*~`", "`", " `a", "``` ", "```a", "<", "<a", "<@U1|", "<https://a.b|", ">", "> ", "&gt;", ">>>", "\n> a", "\n>>> ",
		"• ", "\n• a", "\n1. a", ":", ":a", ":tada", ":tada:", "\u200b", "*\u200b", "&", "\n", "\n\n", " ", "\n ", "---\n", "a. ", "<!date^1^",
	} {
		markuptest.Growth(t, piece, func(in string) {
			HTML(in)
			Text("<p>" + in + "</p>")
			Text("<b>" + in)
		})
	}
}
