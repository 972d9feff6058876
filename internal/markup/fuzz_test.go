package markup

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzSanitize(f *testing.F) {
	for _, a := range attacks {
		f.Add(a.in)
	}
	f.Add(message)
	f.Add("<table><tr><td>a<ul><li>b<table><td>c</ul></table>d<li>e<ol start=3><li><pre>\n\nf</ol>")
	f.Add("<b> <i>a </i></b><code> b  c </code>&nbsp;<a href=http://a> d</a>\u200b<br>&#13;<br>")
	f.Add(strings.Repeat("<blockquote><ul><li>", 40) + "x" + strings.Repeat("</ul>y", 40))
	f.Fuzz(func(t *testing.T, in string) {
		checkSanitized(t, in)

		plain := PlainText(in)
		if PlainText(Sanitize(in)) != plain {
			t.Errorf("PlainText(%q) depends on the form", in)
		}
		for line := range strings.SplitSeq(plain, "\n") {
			if strings.TrimRight(line, " ") != line {
				t.Errorf("PlainText(%q) has a line with blanks at its end: %q", in, line)
			}
		}
	})
}

func FuzzFromText(f *testing.F) {
	f.Add("see http://a.b/(c), or\n\n\thttps://x.y/[z]!\r\n<b>")
	f.Fuzz(func(t *testing.T, in string) {
		out := FromText(in)
		if again := Sanitize(out); again != out {
			t.Errorf("Sanitize changes FromText(%q)\nfrom %s\nto   %s", in, out, again)
		}
		// No letter is lost, only spaces and control characters.
		if got, want := letters(PlainText(out)), letters(in); got != want {
			t.Errorf("FromText(%q) reads %q", in, got)
		}
	})
}

// Whatever was stored, the output is in the subset. Sanitised text leaves
// unchanged, without the cost of sanitising it again.
func FuzzOutgoing(f *testing.F) {
	for _, a := range attacks {
		f.Add(a.in)
		f.Add(a.want)
	}
	f.Add(Sanitize(message))
	for _, in := range unwritten {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		checkTree(t, in, Outgoing(in))
		if out := Sanitize(in); !written(out) {
			t.Errorf("Sanitize(%q) = %s is taken for something else", in, out)
		}
	})
}

// letters returns a text without spaces and control characters.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if isSpace(r) || r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

func FuzzFirstSentence(f *testing.F) {
	f.Add("The printer, on fire. Help!", 12)
	f.Add("🇩🇪🇫🇷👨‍👩‍👧e\u0301。x", 3)
	f.Fuzz(func(t *testing.T, in string, most int) {
		got := FirstSentence(in, most, nil)
		if n := utf8.RuneCountInString(got); n > max(0, most) {
			t.Errorf("FirstSentence(%q, %d) = %q, of %d code points", in, most, got, n)
		}
		if strings.ContainsAny(got, "\r\n") || !utf8.ValidString(got) {
			t.Errorf("FirstSentence(%q, %d) = %q", in, most, got)
		}
	})
}
