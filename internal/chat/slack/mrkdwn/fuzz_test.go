package mrkdwn

import (
	"strings"
	"testing"
	"time"
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

// As with Sanitize: no text may cost more than it is long.
func TestHostileLength(t *testing.T) {
	for _, piece := range []string{
		"*", "* ", " *a", "*a ", "*a_b~", "_*~`", "`", " `a", "``` ", "```a", "<", "<a", "<@U1|", "<https://a.b|", ">", "> ", "&gt;", ">>>", "\n> a", "\n>>> ",
		"• ", "\n• a", "\n1. a", ":", ":a", ":tada", ":tada:", "\u200b", "*\u200b", "&", "\n", "\n\n", " ", "\n ", "---\n", "a. ", "<!date^1^",
	} {
		checkGrowth(t, piece, func(in string) {
			HTML(in)
			Text("<p>" + in + "</p>")
			Text("<b>" + in)
		})
	}
}

// checkGrowth fails where eight times the text takes far more than eight times
// as long: a quadratic step would take 64 times. Other work on the machine
// disturbs the clock, so one good comparison of several is enough.
func checkGrowth(t *testing.T, piece string, f func(string)) {
	t.Helper()
	const size = 1 << 13
	best := func(n int) time.Duration {
		text := strings.Repeat(piece, n/len(piece))
		least := time.Hour
		for range 2 {
			begin := time.Now()
			f(text)
			least = min(least, time.Since(begin))
		}
		return least
	}
	var ratio float64
	for range 6 {
		if ratio = float64(best(8*size)) / float64(best(size)); ratio < 24 {
			return
		}
	}
	t.Errorf("%q eight times as long takes %.0f times as long", piece, ratio)
}
