package markup

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		most     int
		want     []string
	}{
		{"nothing", " ", 5, nil},
		{"short enough", "<p>12345</p>", 5, []string{"<p>12345</p>"}},
		{"none is too short", "ab", 0, []string{"<p>a</p>", "<p>b</p>"}},
		{"between paragraphs", "<p>ab</p><p>cd</p><p>ef</p>", 5, []string{"<p>ab</p><p>cd</p>", "<p>ef</p>"}},
		{"a paragraph stays whole", "<p>a</p><p>b<br>cd</p>", 5, []string{"<p>a</p>", "<p>b<br>cd</p>"}},
		{"between lines", "<p>ab<br>cd<br>ef</p>", 5, []string{"<p>ab<br>cd</p>", "<p>ef</p>"}},
		{"between words", "<p>ab cd ef</p>", 5, []string{"<p>ab cd</p>", "<p>ef</p>"}},
		{"in a word", "<p>abcdefg</p>", 5, []string{"<p>abcde</p>", "<p>fg</p>"}},
		{"in a word behind a short one", "<p>a bcdefg</p>", 5, []string{"<p>a bcd</p>", "<p>efg</p>"}},
		{"what is left goes on", "<p>abcdefg<br>h</p><p>i</p>", 6, []string{"<p>abcdef</p>", "<p>g<br>h</p><p>i</p>"}},
		{"not in a character", "<p>aae\u0301\u0301b</p>", 3, []string{"<p>aa</p>", "<p>e\u0301\u0301</p>", "<p>b</p>"}},
		{"in one that has no end", "<p>e\u0301\u0301\u0301</p>", 2, []string{"<p>e\u0301</p>", "<p>\u0301\u0301</p>"}},
		{"formatting begins again", "<b>ab <i>cd ef</i></b>", 5, []string{"<p><strong>ab <em>cd</em></strong></p>", "<p><strong><em>ef</em></strong></p>"}},
		{"a link begins again", `<a href="https://a.b">ab cd</a>`, 3, []string{`<p><a href="https://a.b"` + rel + `>ab</a></p>`, `<p><a href="https://a.b"` + rel + `>cd</a></p>`}},
		{"preformatted text begins again", "<pre>ab\n\n cd\nef</pre>", 7, []string{"<pre>ab\n\n cd</pre>", "<pre>ef</pre>"}},
		{"a line of it", "<pre>abcdefg</pre>", 5, []string{"<pre>abcde</pre>", "<pre>fg</pre>"}},
		{"bullets", "<ul><li>ab<li>cd<li>ef</ul>", 5, []string{"<ul><li>ab</li><li>cd</li></ul>", "<ul><li>ef</li></ul>"}},
		{"numbers go on", "<ol start=3><li>ab<li>cd<li>ef</ol>", 5, []string{`<ol start="3"><li>ab</li><li>cd</li></ol>`, `<ol start="5"><li>ef</li></ol>`}},
		{"an item goes on", "<ol><li>ab<li>cd ef</ol>", 4, []string{"<ol><li>ab</li></ol>", `<ol start="2"><li>cd</li></ol>`, `<ol start="2"><li>ef</li></ol>`}},
		{"lists in lists", "<ul><li>ab<ol><li>cd<li>ef</ol><li>gh</ul>", 5, []string{"<ul><li>ab<ol><li>cd</li></ol></li></ul>", `<ul><li><ol start="2"><li>ef</li></ol></li><li>gh</li></ul>`}},
		{"quote", "<blockquote><p>ab</p><ul><li>cd<li>ef</ul></blockquote>gh", 5, []string{"<blockquote><p>ab</p><ul><li>cd</li></ul></blockquote>", "<blockquote><ul><li>ef</li></ul></blockquote><p>gh</p>"}},
		{"quotes stay apart", "<blockquote>a</blockquote><blockquote>b</blockquote>", 9, []string{"<blockquote><p>a</p></blockquote><blockquote><p>b</p></blockquote>"}},
		{"rule", "ab<hr>cd", 6, []string{"<p>ab</p><hr>", "<p>cd</p>"}},
		{"mention is not cut", "ab <span data-user=U1>@Mira</span> cd", 7, []string{"<p>ab</p>", `<p><span data-user="U1">@Mira</span></p>`, "<p>cd</p>"}},
		{"mention that is too long", "ab<span data-user=U1>@Mira</span>cd", 4, []string{"<p>ab</p>", `<p><span data-user="U1">@Mira</span></p>`, "<p>cd</p>"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Split(tt.in, tt.most); !slices.Equal(got, tt.want) {
				t.Errorf("Split(%q, %d)\ngot  %q\nwant %q", tt.in, tt.most, got, tt.want)
			}
			checkSplit(t, tt.in, tt.most)
		})
	}
}

// checkSplit checks the properties that Split has for any text.
func checkSplit(t interface {
	Helper()
	Errorf(string, ...any)
}, in string, most int) {
	t.Helper()
	want, _, longest := shows(Parse(in).blocks, "")
	var got []string
	for _, piece := range Split(in, most) {
		if !written(piece) || Sanitize(piece) != piece {
			t.Errorf("Split(%q, %d) has %s, which is not in normal form", in, most, piece)
		}
		some, size, _ := shows(Parse(piece).blocks, "")
		if size > max(1, most, longest) {
			t.Errorf("Split(%q, %d) has %s, of %d", in, most, piece, size)
		}
		if len(some) == 0 && !strings.Contains(piece, "<img") {
			t.Errorf("Split(%q, %d) has %s, which shows nothing", in, most, piece)
		}
		got = append(got, some...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Split(%q, %d) shows\n%q, not\n%q", in, most, got, want)
	}
}

// shows returns everything that blocks show, each character with the blocks around
// it and without spaces. It also returns the length, and the length of the longest
// part that cannot be cut.
func shows(blocks []Block, path string) (all []string, size, longest int) {
	show := func(text, as string) {
		for _, r := range letters(text) {
			all = append(all, fmt.Sprintf("%c %s %s", r, path, as))
		}
		size += utf8.RuneCountInString(text)
	}
	for i, b := range blocks {
		if i > 0 && b.Kind != Item || i > 0 && path != "" {
			size++
		}
		switch b.Kind {
		case Paragraph:
			for _, r := range b.Runs {
				switch as := fmt.Sprint(r.Kind, r.Marks, r.Link, r.Target); r.Kind {
				case Break:
					size++
				case Words:
					show(r.Text, as)
				default:
					all = append(all, r.Text+path+as)
					n := utf8.RuneCountInString(r.Text)
					size, longest = size+n, max(longest, n)
				}
			}
		case Preformatted:
			show(b.Text, "pre")
		case Rule:
			all = append(all, "rule"+path)
			size, longest = size+3, max(longest, 3)
		default:
			some, n, long := shows(b.Blocks, path+fmt.Sprint(b.Kind, " "))
			all, size, longest = append(all, some...), size+n, max(longest, long)
		}
	}
	return all, size, longest
}

func TestSplitLosesNothing(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"<p>", "<br>", "<hr>", "<pre>", "</pre>", "<blockquote>", "</blockquote>", "<ul><li>", "</ul>", "<ol start=7><li>", "</ol>", "<li>", "<b>", "</b>", "<i>", "</i>", "<code>", "</code>",
		`<a href="https://a.b">`, "</a>", "<span data-user=U1>@Mira</span>", `<img src="https://a.b/c.png" alt="A cat">`, "word", "two words", " ", "\n", "  ", "&nbsp;", "x", "é", "e\u0301",
		"👨‍👩‍👧", "🇩🇪🇫🇷", "長い文章です", "averyveryverylongword", "a b c d e f g h", "&lt;&amp;",
	})
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(part, 0, 40).Draw(t, "parts"), "")
		checkSplit(t, in, rapid.IntRange(0, 40).Draw(t, "most"))
	})
}

func FuzzSplit(f *testing.F) {
	f.Add(message[:300], 40)
	f.Add("<ul><li>a b<ol><li><pre>c\nd</ol></ul>", 2)
	f.Fuzz(func(t *testing.T, in string, most int) { checkSplit(t, in, most) })
}
