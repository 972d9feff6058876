package markup

import "testing"

func TestReduce(t *testing.T) {
	const original = `<p>Hi <span data-user="U1">@Mira</span> <img src="https://ours.example/a.png" alt="a"></p>`
	for _, tt := range []struct{ html, want string }{
		{`<p>Hi <strong>there</strong></p>`, `<p>Hi <strong>there</strong></p>`},
		{`<p>See <img src="https://evil.example/?q=secret" alt="this"></p>`, `<p>See this</p>`},
		{`<p><img src="https://evil.example/?q=secret" alt=""></p>`, ``},
		{`<p>Hi <span data-everyone="channel">@channel</span> and <span data-user="U2">@Jo</span></p>`, `<p>Hi @channel and @Jo</p>`},
		{`<p>Hi <span data-user="U1">@Mira</span> <img src="https://ours.example/a.png" alt="b"></p>`, `<p>Hi <span data-user="U1">@Mira</span> <img src="https://ours.example/a.png" alt="b"></p>`},
		{`<p><a href="https://a.example/x">a</a> <a href="http://b.example/">b</a> <a href="mailto:a@b.example">c</a></p>`, `<p><a href="https://a.example/x" rel="noopener noreferrer">a</a> <a href="http://b.example/" rel="noopener noreferrer">b</a> <a href="mailto:a@b.example" rel="noopener noreferrer">c</a></p>`},
		{`<p><a href="tel:+4930123456">call</a> <a href="javascript:alert(1)">x</a> <a href="data:text/html,x">y</a></p>`, `<p>call x y</p>`},
		{`<ul><li><p onclick="x()">one<script>alert(1)</script></p><blockquote><p><span data-team="S1">@all</span></p></blockquote></li></ul>`, `<ul><li>one<blockquote><p>@all</p></blockquote></li></ul>`},
	} {
		if got := Reduce(tt.html, Parse(original)); got != tt.want {
			t.Errorf("Reduce(%q)\n got %q\nwant %q", tt.html, got, tt.want)
		}
	}
}
