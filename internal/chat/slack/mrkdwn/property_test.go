package mrkdwn

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/markup"
)

// words are made of letters and of everything that has a meaning to Slack.
var words = rapid.Custom(func(t *rapid.T) string {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"*", "_", "~", "`", "```", "**", "__", ":", "<", ">", "&", "|", ">>>", "-", "- ", "• ", "◦ ", "1. ", "12. ", "a. ", "ii. ", "---", "---\n",
			":tada:", ":wave:", ":skin-tone-3:", ":flag-de:", ":custom_one:", "&lt;", "&amp;", "<@U1>", "<!here>", "<https://a.b|c>", "@here", "#x",
			" ", "  ", "\u00a0", ".", ",", "!", "(", ")", "（", "。", "👋", "é", "e\u0301", "太", "1", "2*3", "snake_case", "a", "b", "word", "\t",
		}),
		rapid.StringMatching(`[a-c*_~ ]{0,4}`),
	)
	return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "words"), "")
})

// documents are random documents that use the whole subset.
var documents = rapid.Custom(func(t *rapid.T) string {
	var b markup.Builder
	addBlocks(t, &b, 0)
	return b.Document().HTML()
})

func addBlocks(t *rapid.T, b *markup.Builder, depth int) {
	for range rapid.IntRange(0, 4).Draw(t, "blocks") {
		kind := markup.Paragraph
		if depth < 4 {
			kind = rapid.SampledFrom([]markup.BlockKind{markup.Paragraph, markup.Paragraph, markup.Preformatted, markup.Rule, markup.Quote, markup.Bullets, markup.Numbers}).Draw(t, "kind")
		}
		switch kind {
		case markup.Paragraph:
			b.Break()
			for range rapid.IntRange(0, 5).Draw(t, "runs") {
				b.Add(run(t))
			}
			b.Break()
		case markup.Preformatted:
			b.Preformat(words.Draw(t, "pre"))
		case markup.Rule:
			b.Rule()
		default:
			b.Open(kind, rapid.SampledFrom([]int{0, 1, 2, 9, 99, markup.MaxStart}).Draw(t, "start"))
			if kind != markup.Quote {
				for range rapid.IntRange(1, 3).Draw(t, "items") {
					b.Open(markup.Item, 0)
					addBlocks(t, b, depth+1)
					b.Close(markup.Item)
				}
			} else {
				addBlocks(t, b, depth+1)
			}
			b.Close(kind)
		}
	}
}

func run(t *rapid.T) markup.Run {
	r := markup.Run{
		Kind:  rapid.SampledFrom([]markup.RunKind{markup.Words, markup.Words, markup.Words, markup.Break, markup.Image, markup.User, markup.Channel, markup.Team, markup.Everyone}).Draw(t, "kind"),
		Marks: markup.Marks(rapid.IntRange(0, 31).Draw(t, "marks")),
		Link:  rapid.SampledFrom([]string{"", "", "", "https://a.b/c_d_", "http://x.y/?a=1&b=(*)", "mailto:a@b.c", "tel:+1"}).Draw(t, "link"),
		Text:  words.Draw(t, "text"),
	}
	switch {
	case rapid.IntRange(0, 9).Draw(t, "says its address") == 0:
		r.Text = r.Link
	case rapid.IntRange(0, 3).Draw(t, "plain") > 0:
		r.Marks, r.Link = 0, ""
	}
	switch r.Kind {
	case markup.Image:
		r.Target = rapid.SampledFrom([]string{"https://a.b/c.png", "/v1/rest/attachments/1"}).Draw(t, "src")
	case markup.Everyone:
		r.Target = rapid.SampledFrom([]string{"here", "channel", "everyone"}).Draw(t, "everyone")
	default:
		r.Target = "U1_-.x"
	}
	return r
}

// We read back everything we write, except for what is lost by design.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkWritten(t, documents.Draw(t, "document"))
	})
}

// Documents that use only what Slack has lose nothing at all.
func TestRoundTripExact(t *testing.T) {
	simple := rapid.StringMatching(`[a-z,.!*_~:>-]{0,3}[a-z]( ?[a-z0-9.,*_~:<>&-]){0,8}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		var b markup.Builder
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			open := rapid.SampledFrom([]markup.BlockKind{markup.Paragraph, markup.Quote, markup.Bullets, markup.Numbers}).Draw(t, "block")
			if open != markup.Paragraph {
				b.Open(open, 1)
			}
			for range rapid.IntRange(1, 3).Draw(t, "items") {
				if open >= markup.Bullets {
					b.Open(markup.Item, 0)
				}
				for range rapid.IntRange(1, 4).Draw(t, "runs") {
					marks := rapid.SampledFrom([]markup.Marks{0, 0, markup.Strong, markup.Em, markup.Strike, markup.Strong | markup.Em}).Draw(t, "marks")
					text := simple.Draw(t, "text")
					if marks != 0 {
						text = "a" + text + "z"
					}
					b.Add(markup.Run{Text: text, Marks: marks})
				}
				b.Break()
			}
			if open != markup.Paragraph {
				b.Close(open)
			}
		}
		html := b.Document().HTML()
		if got := HTML(Text(html)); got != html {
			t.Errorf("\ntext %q\ngot  %s\nwant %s", Text(html), got, html)
		}
	})
}

// What people write looks the same after we have read and rewritten it.
func TestShowsTheSame(t *testing.T) {
	line := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "", "> ", "&gt; ", "• ", "- ", "    ◦ ", "1. ", "2. ", "    a. ", "  "}).Draw(t, "prefix") + words.Draw(t, "words")
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 0, 8).Draw(t, "lines"), "\n")
		once := HTML(text)
		if clean := markup.Sanitize(once); clean != once {
			t.Errorf("Sanitize changes HTML(%q)\nfrom %s\nto   %s", text, once, clean)
		}
		checkWritten(t, once)
	})
}
