package markup

import "testing"

func TestCutPrefix(t *testing.T) {
	for _, c := range []struct {
		html, rest string
		found      bool
	}{
		{"<p>// a note</p>", "<p>a note</p>", true},
		{"<p>//a note // and more</p>", "<p>a note // and more</p>", true},
		{"<p><strong>//</strong> a note</p>", "<p>a note</p>", true},
		{"<p><strong>// a</strong> note</p>", "<p><strong>a</strong> note</p>", true},
		{"<p>/<em>/ a</em> note</p>", "<p><em>a</em> note</p>", true},
		{"<p>//<br>a note</p>", "<p>a note</p>", true},
		{"<p>//</p><p>a note</p>", "<p>a note</p>", true},
		{"<p>//</p>", "", true},
		{"<p>// see <a href=\"https://a.example/x\">this</a></p>", "<p>see <a href=\"https://a.example/x\" rel=\"noopener noreferrer nofollow\">this</a></p>", true},
		{"<pre>// a note\n// more</pre>", "<pre>a note\n// more</pre>", true},
		{"<p><code>//</code> a note</p>", "<p>a note</p>", true},
		{"<p>\u200b// a note</p>", "<p>a note</p>", true},
		{"<p>/ / no</p>", "<p>/ / no</p>", false},
		{"<p>a // no</p>", "<p>a // no</p>", false},
		{"<p><a href=\"https://a.example/x\">a</a></p>", "<p><a href=\"https://a.example/x\">a</a></p>", false},
		{"<p>/</p><p>/ no</p>", "<p>/</p><p>/ no</p>", false},
		{"", "", false},
	} {
		rest, found := CutPrefix(c.html, "//")
		want := c.rest
		if found {
			want = Sanitize(c.rest)
		}
		if rest != want || found != c.found {
			t.Errorf("%s: %s, %t; want %s, %t", c.html, rest, found, want, c.found)
		}
	}
}
