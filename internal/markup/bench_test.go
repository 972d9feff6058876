package markup

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// message is a typical message of 4,000 characters.
var message = func() string {
	const paragraph = `<p>Hello <span data-user="U1">@Mira</span>, since <strong>this morning</strong> the <em>export</em> of our ` +
		`<a href="https://example.org/report?id=1&amp;x=2">monthly report</a> fails with <code>ERR_TIMEOUT</code>.<br>It worked last week.</p>` +
		`<ul><li>open the report<li>press <b>Export</b></ul><blockquote>Have you tried again?</blockquote><pre>GET /export
504 Gateway Timeout</pre>`
	return strings.Repeat(paragraph, 4000/len(paragraph)+1)[:4000]
}()

// The baseline is parsing the same message into a browser's tree and writing it out
// again, without cleaning anything.
func BenchmarkSanitize(b *testing.B) {
	b.Run("sanitize", func(b *testing.B) {
		b.SetBytes(int64(len(message)))
		b.ReportAllocs()
		for b.Loop() {
			Sanitize(message)
		}
	})
	b.Run("parse and render", func(b *testing.B) {
		b.SetBytes(int64(len(message)))
		b.ReportAllocs()
		for b.Loop() {
			n, err := html.Parse(strings.NewReader(message))
			if err != nil {
				b.Fatal(err)
			}
			var out strings.Builder
			if err := html.Render(&out, n); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain text", func(b *testing.B) {
		for b.Loop() {
			PlainText(message)
		}
	})
}

// The baseline is Sanitize, which has the same result.
func BenchmarkOutgoing(b *testing.B) {
	kept := Sanitize(message)
	for name, f := range map[string]func(string) string{"outgoing": Outgoing, "sanitize": Sanitize} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(kept)))
			b.ReportAllocs()
			for b.Loop() {
				f(kept)
			}
		})
	}
}
