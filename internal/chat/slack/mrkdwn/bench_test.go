package mrkdwn

import (
	"strings"
	"testing"

	"frontdesk/internal/markup"
)

// The yardstick is the cost of Sanitize on the same message of 4,000 characters,
// which every message pays anyway.
func BenchmarkMrkdwn(b *testing.B) {
	const paragraph = "Hello <@U1>, since *this morning* the _export_ of our <https://example.org/report?id=1&amp;x=2|monthly report> " +
		"fails with `ERR_TIMEOUT` :sob:\nIt worked last week.\n• open the report\n• press *Export*\n&gt; Have you tried again?\n```GET /export\n504 Gateway Timeout```\n"
	text := strings.Repeat(paragraph, 4000/len(paragraph)+1)[:4000]
	html := HTML(text)
	b.Run("sanitize", func(b *testing.B) {
		for b.Loop() {
			markup.Sanitize(html)
		}
	})
	b.Run("HTML", func(b *testing.B) {
		for b.Loop() {
			HTML(text)
		}
	})
	b.Run("Text", func(b *testing.B) {
		for b.Loop() {
			Text(html)
		}
	})
}
