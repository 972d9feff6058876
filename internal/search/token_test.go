package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"frontdesk/internal/search"

	"pgregory.net/rapid"
)

func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" \t\n.,;!?()[]{}", ""},
		{"The Printer, on FIRE!", "the printer on fire"},
		{"don't", "don t"},
		{"ACME-17 v2.1 snake_case", "acme 17 v2 1 snake case"},
		{"Jo.Doe+x@mail.Example.com", "jo doe x mail example com"},
		{"https://example.org/a/b?c=d", "https example org a b c d"},
		{"ERR_TIMEOUT 0x80070005 report_final.PDF", "err timeout 0x80070005 report final pdf"},
		{"Crème Brûlée", "creme brulee"},
		{"Cre\u0300me Bru\u0302le\u0301e", "creme brulee"}, // decomposed
		{"Straße STRASSE", "strasse strasse"},
		{"Ærø Łódź Þór İzmir ılık", "aero lodz thor izmir ilik"},
		{"Ολυσσεύς ΟΛΥΣΣΕΥΣ", "ολυσσευσ ολυσσευσ"},
		{"Ёлка ёлка ЕЛКА", "елка елка елка"},
		{"ﬁle ｆｕｌｌ ① ²", "file full 1 2"},
		{"co\u00adop\u200bera\u200dte", "coop erate"},
		{"שָׁלוֹם", "שלום"},
		{"مُحَمَّد أحمد ـــ", "محمد احمد"},
		{"हिन्दी", "हिन्दी"}, // vowel signs stay
		{"東京都", "東京 京都 都"},
		{"京", "京"},
		{"東京tower 第3回", "東京 京 tower 第 3 回"},
		{"がか ガ", "がか か ガ"},
		{"か\u3099", "が"},
		{"ﾃﾞｰﾀ データ", "デー ータ タ デー ータ タ"},
		{"한국어 문서", "한국 국어 어 문서 서"},
		{"\u1112\u1161\u11ab", "한"},
		{"ภาษาไทย", "ภา าษ ษา าไ ไท ทย ย"},
		{"🔥 fire🔥fire 👨‍👩‍👧", "fire fire"},
		{"a\x00b \xff\xfe c", "a b c"},
		{"1️⃣", "1"},
		{strings.Repeat("x", 100), strings.Repeat("x", 64)},
		{strings.Repeat("é", 100), strings.Repeat("e", 64)},
		{strings.Repeat("я", 100), strings.Repeat("я", 32)},
	} {
		if got := search.Tokens(c.text); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

func TestTokensOfLongTextAreBounded(t *testing.T) {
	text := strings.Repeat("ä", search.MostText) + " unread"
	if got := search.Tokens(text); got != strings.Repeat("a", 64) {
		t.Errorf("%d bytes of tokens, ending in %q", len(got), got[max(0, len(got)-20):])
	}
}

// A document of any size, with words that are all different and as long as
// possible, has fewer bytes of terms than PostgreSQL allows.
func TestTermsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 40_000 {
		b.WriteString(strings.Repeat(string(rune('a'+i%26)), i%60))
		b.WriteString(strings.Repeat("z", i%7))
		b.WriteString(" 7 ")
		b.WriteRune(rune(0x4e00 + i%20_000))
	}
	text := b.String()
	terms := search.EntryTerms(search.Document{Account: 1 << 62, ID: 1, At: start, Title: text, Public: "p" + text, Private: "q" + text})
	if len(terms) > 1<<20-1<<10 || !utf8.ValidString(terms) {
		t.Errorf("%d bytes of terms", len(terms))
	}
	if strings.ContainsAny(terms, "'\"\\@()&|!:*ABC") || strings.Contains(terms, "  ") {
		t.Error("a term has a character that means something to an engine")
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("Crème ACME-17 東京 \u1112\u1161\u11ab \xff")
	f.Fuzz(func(t *testing.T, text string) {
		tokens := search.Tokens(text)
		if !utf8.ValidString(tokens) || strings.ContainsAny(tokens, "\x00'\"\\%_*&|!()") {
			t.Errorf("Tokens(%q) is %q", text, tokens)
		}
		// Folding twice changes nothing, unless a script without spaces is split
		// again.
		if again := search.Tokens(tokens); !strings.ContainsFunc(tokens, func(r rune) bool { return r >= 0x0e00 }) && again != tokens {
			t.Errorf("Tokens(%q) is %q, and of that %q", text, tokens, again)
		}
	})
}

// Words that are read as a whole are the same as letter by letter.
func TestPlainWords(t *testing.T) {
	part := rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z0-9]{1,9}`), rapid.StringMatching(`[a-zA-Z0-9]{60,70}`), rapid.StringMatching(`[ .,@_-]{1,2}`),
		rapid.SampledFrom([]string{"é", "e\u0301", "\u0301", "ß", "本", "日本", "ー", "ไทย", "한국", "\u200b", "\u00ad", "ﬁ", "Σ", "½", search.Divide, "\xff"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "parts"), "")
		if quickly, slowly := search.TokensOf(text), search.TokensByLetter(text); quickly != slowly {
			t.Fatalf("%q has\n%s\nnot\n%s", text, quickly, slowly)
		}
	})
}

// However terms are gathered, they are the same, in the same order, because the
// index is compared with them.
func TestTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := search.Document{Account: 7, ID: 1, At: start, Labels: []string{"x", "y"},
			Title: genText.Draw(t, "title"), Public: genText.Draw(t, "public") + genText.Draw(t, "more"),
			Private: genText.Draw(t, "private") + rapid.SampledFrom([]string{"", "\u3099 京\u3099", "京\u3099 \u3099", "京\u3099\u3099 \u3099\u3099"}).Draw(t, "marks")}
		if got, want := search.EntryTerms(d), search.PlainTerms(d); got != want {
			t.Fatalf("%+v:\n got %s\nwant %s", d, got, want)
		}
	})
}
