package desk

import (
	"strings"
	"testing"
	"unicode"
)

func TestText(t *testing.T) {
	const family = "👨‍👩‍👧‍👦" // one glyph, seven code points
	for _, c := range []struct {
		name        string
		in          string
		least, most int
		out         string
		problem     string // empty if the text is fine
	}{
		{"plain", "Acme", 1, 10, "Acme", ""},
		{"space around it goes", "\t\u00a0 Acme \u2003\r\n", 1, 10, "Acme", ""},
		{"space inside stays", "Acme  Inc", 1, 10, "Acme  Inc", ""},
		{"empty", "", 1, 10, "", "must not be empty"},
		{"nothing but space", " \u3000\n", 1, 10, "", "must not be empty"},
		{"empty where that is allowed", "", 0, 10, "", ""},
		{"at the limit", strings.Repeat("x", 10), 1, 10, strings.Repeat("x", 10), ""},
		{"one over", strings.Repeat("x", 11), 1, 10, strings.Repeat("x", 11), "must have 1 to 10 characters; it has 11"},
		{"at the limit once trimmed", " " + strings.Repeat("x", 10) + " ", 1, 10, strings.Repeat("x", 10), ""},
		{"too short", "ab", 3, 10, "ab", "must have 3 to 10 characters; it has 2"},
		{"code points, not bytes", strings.Repeat("ü", 10), 1, 10, strings.Repeat("ü", 10), ""},
		{"code points beyond the first plane", strings.Repeat("😀", 10), 1, 10, strings.Repeat("😀", 10), ""},
		{"an emoji of seven code points", family, 1, 7, family, ""},
		{"an emoji of seven code points, one too many", family, 1, 6, family, "must have 1 to 6 characters; it has 7"},
		{"a combining mark counts", "e\u0301", 1, 1, "e\u0301", "must have 1 to 1 characters; it has 2"},
		{"the same composed is one", "\u00e9", 1, 1, "\u00e9", ""},
		{"right to left", "שלום", 1, 4, "שלום", ""},
		{"markup and SQL are text", `<b>'; DROP TABLE members; --</b>`, 1, 40, `<b>'; DROP TABLE members; --</b>`, ""},
		{"U+0000", "a\x00b", 1, 10, "a\x00b", "must be valid UTF-8 without the character U+0000"},
		{"bytes that are no UTF-8", "a\xffb", 1, 10, "a\xffb", "must be valid UTF-8 without the character U+0000"},
		{"a surrogate in UTF-8", "\xed\xa0\x80", 1, 10, "\xed\xa0\x80", "must be valid UTF-8 without the character U+0000"},
	} {
		var p Problems
		s := c.in
		p.Text("name", &s, c.least, c.most)
		if s != c.out {
			t.Errorf("%s: text %q, want %q", c.name, s, c.out)
		}
		got := ""
		if len(p.fields) == 1 && p.fields[0].Field == "name" {
			got = p.fields[0].Message
		}
		if got != c.problem || len(p.fields) > 1 {
			t.Errorf("%s: problems %v, want %q", c.name, p.fields, c.problem)
		}
	}
}

func TestEmail(t *testing.T) {
	// 254 bytes is the longest.
	long := func(n int) string { return "jo@" + strings.Repeat("a", n-len("jo@.com")) + ".com" }
	for _, c := range []struct {
		in, out string
		ok      bool
	}{
		{"jo@example.com", "jo@example.com", true},
		{" jo@example.com\n", "jo@example.com", true},
		{"Jo.Doe+desk@Example.COM", "Jo.Doe+desk@Example.COM", true},
		{"o'neil@example.com", "o'neil@example.com", true},
		{"jürgen@bücher.example", "jürgen@bücher.example", true},
		{"用户@例子.公司", "用户@例子.公司", true},
		{long(254), long(254), true},
		{long(255), "", false},
		{"", "", false},
		{"jo", "", false},
		{"@example.com", "", false},
		{"jo@", "", false},
		{"jo@@example.com", "", false},
		{"jo@exa mple.com", "", false},
		{"jo doe@example.com", "", false},
		{"Jo <jo@example.com>", "", false},
		{"<jo@example.com>", "", false},
		{`"jo doe"@example.com`, "", false},
		{"jo@example.com (Jo)", "", false},
		{"jo@example.com, al@example.com", "", false},
		{"jo@example.com\r\nBcc: al@example.com", "", false},
		{"jo\t@example.com", "", false},
		{"jo\x00@example.com", "", false},
		{"jo\x7f@example.com", "", false},
		{"jo\u0085@example.com", "", false},
		{"jo\xff@example.com", "", false},
		{".jo@example.com", "", false},
		{"jo..doe@example.com", "", false},
	} {
		var p Problems
		s := c.in
		p.Email("email", &s)
		if ok := p.Err() == nil; ok != c.ok || ok && s != c.out {
			t.Errorf("%q: %q, %v; want %q, taken %v", c.in, s, p.Err(), c.out, c.ok)
		}
	}
}

func TestOneOf(t *testing.T) {
	for v, want := range map[Role]string{"admin": "", "viewer": "", "": wantRoles, "Admin": wantRoles, "root": wantRoles} {
		var p Problems
		OneOf(&p, "role", v, Roles...)
		got := ""
		if len(p.fields) == 1 {
			got = p.fields[0].Message
		}
		if got != want {
			t.Errorf("%q: %q, want %q", v, got, want)
		}
	}
}

const wantRoles = "must be one of admin, agent, viewer"

func TestStorable(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, "a": true, "\x01": true, "\ufffd": true, "😀": true,
		"\x00": false, "a\x00": false, "\xff": false, "\xed\xa0\x80": false, "\xf4\x90\x80\x80": false,
	} {
		if got := Storable(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func TestFoldEmail(t *testing.T) {
	for email, want := range map[string]string{
		"jo@example.com": "jo@example.com", "JO@Example.COM": "jo@example.com", "Z[@`a{": "z[@`a{",
		"admın@acme.teſt": "admın@acme.teſt", "\u212A@x.example": "\u212A@x.example", "JÜRGEN@x.example": "jÜrgen@x.example", "": "",
	} {
		if got := FoldEmail(email); got != want {
			t.Errorf("%q folds to %q, want %q", email, got, want)
		}
		if plain := PlainEmail(email); plain != (len(email) == len([]rune(email))) {
			t.Errorf("%q is plain: %v", email, plain)
		}
	}
}

func TestFold(t *testing.T) {
	for _, same := range [][]string{
		{"jo@example.com", "JO@EXAMPLE.COM", "Jo@Example.Com"},
		{"jürgen", "JÜRGEN"},
		{"σοφός", "ΣΟΦΌΣ", "σοφόσ"}, // the sigma at the end of a word is a different letter
		{"straße", "straße"},
		{"ǆ", "ǅ", "Ǆ"},
	} {
		for _, s := range same {
			if Fold(s) != Fold(same[0]) {
				t.Errorf("%q folds to %q, and %q to %q", s, Fold(s), same[0], Fold(same[0]))
			}
		}
	}
	if Fold("jo") == Fold("jö") {
		t.Error("an accent is no matter of case")
	}
	// A folded text is stored in a column and compared with texts folded later.
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if once := Fold(string(r)); Fold(once) != once {
			t.Errorf("%U folds to %q, and that to %q", r, once, Fold(once))
		}
	}
}
