package markup

import (
	"strings"
	"testing"
)

// unwritten lists texts that HTML never writes. Most are harmless, but some are
// not.
var unwritten = []string{
	"x", " ", "<p>x", "x</p>", "</p>", "<p>x</P>", "<P>x</P>", "<p >x</p>", "<p>x</p >", "<p><p>x</p></p>", "<p><ul><li>x</li></ul></p>",
	"<p>x</p><script>alert(1)</script>", "<p><script>alert(1)</script></p>", "<p onclick=\"x\">x</p>", "<p>a<b</p>", "<p>a > b</p>", "<p>a & b</p>",
	"<p>&nbsp;</p>", "<p>&#60;</p>", "<p>\x00</p>", "<p>\n</p>", "<p>\x7f</p>", "<p>\u0085</p>", "<p>\xff</p>", "<p>x<", "<p>x</p><", "<>", "<!-- x -->", "<!doctype html>",
	"<pre>\nx</pre>", "<pre><b>x</b></pre>", "<pre><code>x</code></pre>", "<b>x</b>", "<p><b>x</b></p>", "<p><em><strong>x</strong></em></p>", "<p><em><em>x</em></em></p>",
	"<ul>x</ul>", "<li>x</li>", "<ul><li><li>x</li></li></ul>", "<ul><ul><li>x</li></ul></ul>", "<p><br/>x</p>", "<p><hr></p>", "<ul><hr></ul>", "<blockquote>x</blockquote>",
	`<ol start="1"><li>x</li></ol>`, `<ol start="-1"><li>x</li></ol>`, `<ol start="07"><li>x</li></ol>`, `<ol start="x"><li>x</li></ol>`, `<ol start=2><li>x</li></ol>`, `<ol type="a"><li>x</li></ol>`,
	`<p><a href="javascript:alert(1)" rel="noopener noreferrer">x</a></p>`, `<p><a href="https://a.b">x</a></p>`, `<p><a href="https://a.b" rel="noopener">x</a></p>`,
	`<p><a href="https://a.b" onclick="x" rel="noopener noreferrer">x</a></p>`, `<p><a href="HTTPS://a.b" rel="noopener noreferrer">x</a></p>`,
	`<p><a href="https://a.b/&quot;" rel="noopener noreferrer">x</a></p>`, `<p><a href="https://a.b/'" rel="noopener noreferrer">x</a></p>`,
	`<p><a href="https://a.b" rel="noopener noreferrer">x<a href="https://a.b" rel="noopener noreferrer">y</a></a></p>`,
	`<p><strong><a href="https://a.b" rel="noopener noreferrer">x</a></strong></p>`, `<p><a rel="noopener noreferrer" href="https://a.b">x</a></p>`,
	`<p><img src="https://a.b/c" alt="x" onerror="alert(1)"></p>`, `<p><img src="x" alt=""></p>`, `<p><img src="https://a.b/c"></p>`, `<p><img alt="" src="https://a.b/c"></p>`,
	`<p><img src="data:image/svg+xml,x" alt=""></p>`, `<p><img src="/v1/rest/tokens" alt=""></p>`, "<p><img src=\"https://a.b/c\" alt=\"\x01\"></p>", `<p><img src="https://a.b/c" alt=""></img></p>`,
	`<p><span>x</span></p>`, `<p><span class="x">x</span></p>`, `<p><span data-user="">x</span></p>`, `<p><span data-user="U 1">x</span></p>`, `<p><span data-everyone="all">x</span></p>`,
	`<p><span data-user="U1"><strong>x</strong></span></p>`, `<p><span data-user="U1" onclick="x">x</span></p>`, `<p><div data-user="U1">x</div></p>`,
}

func TestOutgoing(t *testing.T) {
	for _, in := range unwritten {
		if got := Outgoing(in); got != Sanitize(in) {
			t.Errorf("Outgoing(%q) = %s", in, got)
		}
	}
	for _, a := range attacks {
		if got := Outgoing(a.in); got != a.want {
			t.Errorf("Outgoing(%q) = %s, want %s", a.in, got, a.want)
		}
	}
	for n := range 60 { // as deep as possible
		checkOutgoing(t, strings.Repeat("<blockquote>", n)+"<ul><li><a href=http://a><b><i><u><s><code>x")
	}
	checkOutgoing(t, message)
	checkOutgoing(t, `<ol start=0><li>a<li><p>b<p>c<hr></ol><ol start=999999999><li><pre>a
	b</ol><blockquote><img src="/v1/rest/attachments/1" alt="&quot;'&amp;`+"`"+`<>"><a href="https://a.b/?c=1&d='"><b><i><u><s><code>é…😀`)
}

// checkOutgoing checks that a sanitised text takes the fast path.
func checkOutgoing(t *testing.T, in string) {
	t.Helper()
	if out := Sanitize(in); !written(out) {
		t.Errorf("Sanitize(%q) = %s is taken for something else", in, out)
	}
}
