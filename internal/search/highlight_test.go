package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"frontdesk/internal/search"
)

// shown returns fragments as a person would see them: [matches] in brackets, …
// where text is left out.
func shown(fragments []search.Fragment) string {
	var all []string
	for _, f := range fragments {
		var b strings.Builder
		if !f.Begins {
			b.WriteString("…")
		}
		for _, p := range f.Pieces {
			if p.Match {
				b.WriteString("[" + p.Text + "]")
			} else {
				b.WriteString(p.Text)
			}
		}
		if !f.Ends {
			b.WriteString("…")
		}
		all = append(all, b.String())
	}
	return strings.Join(all, " / ")
}

func TestHighlight(t *testing.T) {
	filler := strings.Repeat("and so on ", 40)
	for _, c := range []struct{ query, text, want string }{
		{"printer", "", ""},
		{"", "printer", ""},
		{"scanner", "the printer", ""},
		{"printer ", "The PRINTER burns", "The [PRINTER] burns"},
		{"prin", "Printers print", "[Printers] [print]"},
		{"prin ", "Printers prin.", "Printers [prin]."},
		{`"on fire"`, "on the printer on\nfire, on it", "on the printer [on\nfire], on it"},
		{"fire printer ", "printer fire", "[printer] [fire]"},
		{`"a b" "b c"`, "a b c", "[a b c]"},
		{"<b> ", "1 <b>bold</b> & <script>", "1 <[b]>bold</[b]> & <script>"},
		{"creme ", "la Crème\u0301!", "la [Crème\u0301]!"},
		{"strasse ", "Hauptstraße 1, Straße", "Hauptstraße 1, [Straße]"},
		{"ACME-17 ", "see ACME-17, not ACME-170", "see [ACME-17], not ACME-170"},
		{"ACME-17", "see ACME-170", "see [ACME-170]"},
		{"京", "東京都と京都", "東[京]都と[京]都"},
		{"京都", "東京都と京都", "東[京都]と[京都]"},
		{"東京都", "東京都と京都", "[東京都]と京都"},
		{"needle ", filler + "a needle " + filler, "…so on and so on and so on and so on and so on and so on a [needle] and so on and so on and so on and so on and so on and so…"},
		{"needle ", strings.Repeat("字", 50) + "needle" + strings.Repeat("字", 50), "…" + strings.Repeat("字", 20) + "[needle]" + strings.Repeat("字", 20) + "…"},
		{"x y ", "x" + strings.Repeat(" one", 40) + " x" + strings.Repeat(" two", 40) + " x" + strings.Repeat(" tre", 40) + " x y" + strings.Repeat(" for", 40) + " x",
			"[x]" + strings.Repeat(" one", 14) + "… / …" + strings.Repeat("one ", 14) + "[x]" + strings.Repeat(" two", 14) + "… / …" + strings.Repeat("tre ", 14) + "[x] [y]" + strings.Repeat(" for", 14) + "…"},
	} {
		if got := shown(search.Highlight(search.Parse(c.query), c.text)); got != c.want {
			t.Errorf("%q in %.60q:\n got %q\nwant %q", c.query, c.text, got, c.want)
		}
	}
}

// Searching a text without splitting it finds the same as splitting it.
func TestPlainlyFound(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abB1]{1,3}|[ab]{63,66}`)
		text := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[ -.\n<]{1,2}`), 12, 12).Draw(t, "between"), "%")
		for range 12 {
			text = strings.Replace(text, "%", word.Draw(t, "word"), 1)
		}
		terms := search.Parse(strings.Join(rapid.SliceOfN(word, 0, 3).Draw(t, "query"), rapid.SampledFrom([]string{" ", "-"}).Draw(t, "apart")) +
			rapid.SampledFrom([]string{"", " "}).Draw(t, "end"))
		if plain, split, done := terms.PlainlyFound(text); done {
			compared++
			if plain != split {
				t.Fatalf("%v in %q: plain %s, split %s", terms, text, plain, split)
			}
		}
	})
	if compared < 50 {
		t.Errorf("only %d were compared", compared)
	}
	for _, text := range []string{"a é", "\xff a"} {
		if _, _, done := search.Parse("a ").PlainlyFound(text); done {
			t.Errorf("%q is not plain", text)
		}
	}
}

func FuzzHighlight(f *testing.F) {
	f.Add("printer on fi", "The PRINTER is on <b>fire</b>")
	f.Add("京 é", strings.Repeat("東京", 300)+"e\u0301\xff")
	f.Add("a", strings.Repeat("a b ", 300))
	f.Fuzz(func(t *testing.T, query, text string) {
		terms := search.Parse(query)
		fragments := search.Highlight(terms, text)
		if _, ok := terms.Match(search.Document{Public: text}, true); ok && len(fragments) == 0 {
			t.Errorf("%q is found by %q and nothing of it is shown", text, query)
		}
		if len(fragments) > 3 {
			t.Errorf("%d fragments", len(fragments))
		}
		rest := text
		for i, f := range fragments {
			whole, matches := "", 0
			for _, p := range f.Pieces {
				if p.Text == "" {
					t.Error("an empty piece")
				}
				if p.Match {
					matches++
				}
				whole += p.Text
			}
			before, after, ok := strings.Cut(rest, whole)
			if !ok || matches == 0 || f.Begins && before != "" && i == 0 || f.Ends && !strings.HasSuffix(text, whole) {
				t.Errorf("fragment %d of %q is %q", i, text, whole)
			}
			if utf8.ValidString(text) && !utf8.ValidString(whole) {
				t.Errorf("fragment %d cuts a character: %q", i, whole)
			}
			rest = after
		}
	})
}
