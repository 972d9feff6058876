package search_test

import (
	"strings"
	"testing"

	"frontdesk/internal/search"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"  ", ""},
		{`"`, ""},
		{`""`, ""},
		{"(-+*)&|!:^~'", ""},
		{"🔥", ""},
		{"\x00\xff", ""},
		{"printer", "[printer…]"},
		{"printer ", "[printer]"},
		{"Printer on Fi", "[printer] [on] [fi…]"},
		{"printer f", "[printer] [f]"}, // one letter begins too many words
		{"printer printer x ", "[printer] [x]"},
		{`"printer on fire"`, "[printer on fire]"},
		{`"printer on fi`, "[printer on fi…]"},
		{`before "printer on" fire`, "[before] [printer on] [fire…]"},
		{`a"b c"d `, "[a] [b c] [d]"},
		{"“printer on” «fire» „x y“", "[printer on] [fire] [x y]"},
		{"ACME-17", "[acme 17…]"},
		{"ACME-17 ", "[acme 17]"},
		{"jo@example.com x ", "[jo example com] [x]"},
		{"don't ", "[don t]"},
		{"NOT this OR that AND (so)", "[not] [this] [or] [that] [and] [so…]"},
		{"title:x NEAR(a b) a* ^b -c", "[title x] [near a] [b] [a] [c]"},
		{"'; DROP TABLE accounts;--", "[drop] [table] [accounts…]"},
		{"東", "[東…]"},
		{"東京", "[東京]"},
		{"東京都 ", "[東京 京都]"},
		{"東京tower ", "[東京 京 tower]"},
		{"第3回", "[第 3 回…]"},
		{`"東京 京都"`, "[東京 京 京都]"},
		{strings.Repeat("a ", 5000), "[a]"},
		{`"` + strings.Repeat("a ", 5000) + `"`, "[" + strings.TrimSpace(strings.Repeat("a ", 32)) + "]"},
		{"a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1 m1 n1 o1 p1 q1 r1", "[a1] [b1] [c1] [d1] [e1] [f1] [g1] [h1] [i1] [j1] [k1] [l1] [m1] [n1] [o1] [p1]"},
	} {
		got := search.Parse(c.text)
		if got.String() != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`printer "on fire" ACME-17 東京`)
	f.Add(`"“«x`)
	f.Fuzz(func(t *testing.T, text string) {
		terms := search.Parse(text)
		// A text is found by itself, up to where a query is cut.
		if _, ok := terms.Match(search.Document{Public: text}, true); !ok && terms.String() != "" {
			t.Errorf("%q is not found by itself: %s", text, terms)
		}
	})
}
