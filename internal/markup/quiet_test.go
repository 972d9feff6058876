package markup

import "testing"

func TestQuiet(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"<p>a</p>", "<p>a</p>"},
		{`<p>hey <span data-everyone="channel">@channel</span> and <span data-user="U1">@U1</span></p>`, `<p>hey @channel and <span data-user="U1">@U1</span></p>`},
		{`<blockquote><p><strong><span data-team="S1">@ops</span>!</strong></p></blockquote>`, `<blockquote><p><strong>@ops!</strong></p></blockquote>`},
		{`<ul><li><span data-everyone="here">@here</span></li></ul>`, `<ul><li>@here</li></ul>`},
	} {
		if got := Quiet(c[0]); got != c[1] {
			t.Errorf("%s became %s, not %s", c[0], got, c[1])
		}
		if got := Quiet(Quiet(c[0])); got != c[1] {
			t.Errorf("%s made quiet twice became %s", c[0], got)
		}
	}
}
