package suggest

import (
	"context"
	"strings"
	"testing"

	"frontdesk/internal/markup"
)

// One operation is one message of the corpus. The comparison is the cost of only
// reading the same HTML.
func BenchmarkJudge(b *testing.B) {
	var messages []string
	for _, e := range corpus(b, "intake_tuning.tsv") {
		messages = append(messages, markup.FromText(e.text))
	}
	long := markup.FromText(strings.Repeat("Hello, since this morning the export of our monthly report fails. ", 30))
	Judge("ok") // reads the lexicon
	perSecond := func(b *testing.B) { b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s") }
	b.Run("corpus", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			Judge(messages[i%len(messages)])
		}
		perSecond(b)
	})
	b.Run("corpus parsed only", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			markup.Parse(messages[i%len(messages)])
		}
		perSecond(b)
	})
	b.Run("long", func(b *testing.B) {
		for b.Loop() {
			Judge(long)
		}
		perSecond(b)
	})
}

func BenchmarkRules(b *testing.B) {
	d := Discussion{Categories: DefaultCategories(), Messages: []Message{{
		HTML: markup.FromText("Hello, since this morning the export of our monthly report fails with ERR_TIMEOUT. It worked last week. Could you have a look? Thanks"),
	}}}
	Judge("ok")
	b.ReportAllocs()
	for b.Loop() {
		Rules{}.Suggest(context.Background(), d)
	}
}

// What the first message after a start waits for.
func BenchmarkLexicon(b *testing.B) {
	for b.Loop() {
		if _, err := readLexicon(); err != nil {
			b.Fatal(err)
		}
	}
}
