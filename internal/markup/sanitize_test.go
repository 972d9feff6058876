package markup

import (
	"testing"

	"frontdesk/internal/markup/markuptest"
)

// rel is written into every link.
const rel = ` rel="noopener noreferrer"`

func TestSanitize(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"only spaces", " \n\t<p> </p>&nbsp;<p>&nbsp;</p>", ""},
		{"bare text", "hello", "<p>hello</p>"},
		{"paragraphs", "<p>one</p>\n<p>two</p>", "<p>one</p><p>two</p>"},
		{"paragraphs never ended", "<p>one<p>two", "<p>one</p><p>two</p>"},
		{"div", "<div>one<div>two</div>three</div>", "<p>one</p><p>two</p><p>three</p>"},
		{"breaks", "one<br>two<br/>three<br>", "<p>one<br>two<br>three</p>"},
		{"two breaks", "one<br><br>two<br> &nbsp; <br>three", "<p>one</p><p>two</p><p>three</p>"},
		{"spaces", " one \n  two <b> three </b> four ", "<p>one two <strong>three</strong> four</p>"},
		{"spaces between marks", "<b>one</b> <b>two</b><b> three</b>", "<p><strong>one</strong> <strong>two three</strong></p>"},
		{"no-break spaces", "10&nbsp;km &nbsp;x", "<p>10\u00a0km \u00a0x</p>"},
		{"no-break spaces first", "<p>&nbsp;<b>x</b></p>", "<p>\u00a0<strong>x</strong></p>"},
		{"no-break spaces between items", "<ul>&nbsp;<li>a</li>&nbsp;</ul>&nbsp;", "<ul><li>a</li></ul>"},
		{"spaces in code", "<code>a  b</code>", "<p><code>a  b</code></p>"},
		{"other names", "<b>1</b><i>2</i><del>3</del><strike>4</strike><ins>5</ins><tt>6</tt>",
			"<p><strong>1</strong><em>2</em><s>34</s><u>5</u><code>6</code></p>"},
		{"one order of nesting", "<code><s><u><em><strong>x</strong></em></u></s></code>",
			"<p><strong><em><u><s><code>x</code></s></u></em></strong></p>"},
		{"overlapping", "<b>1<i>2</b>3</i>", "<p><strong>1<em>2</em></strong><em>3</em></p>"},
		{"marks around blocks", "<b><p>1</p><ul><li>2</ul></b>3", "<p><strong>1</strong></p><ul><li><strong>2</strong></li></ul><p>3</p>"},
		{"marks end with a line", "<b>1<br>2</b>", "<p><strong>1</strong><br><strong>2</strong></p>"},
		{"unknown elements", "<blink>a</blink><font color=red>b</font><custom-x>c</custom-x>", "<p>abc</p>"},
		{"headings", "<h1>One</h1>text<h3>T<i>w</i>o</h3>", "<p><strong>One</strong></p><p>text</p><p><strong>T<em>w</em>o</strong></p>"},
		{"rule", "a<hr>b", "<p>a</p><hr><p>b</p>"},
		{"entities", "&lt;b&gt; &amp;amp; &quot;x&quot; &eacute; &#x1F600;", "<p>&lt;b&gt; &amp;amp; \"x\" é 😀</p>"},
		{"control characters", "a\x00b\x08c\u0085d&#0;e&#13;f", "<p>abc d\ufffde f</p>"},
		{"not UTF-8", "a\xffb", "<p>a\ufffdb</p>"},

		{"pre", "<pre>\n a\n\n  b\n</pre>", "<pre> a\n\n  b</pre>"},
		{"pre begins with empty lines", "<pre>\n\n\nx</pre>", "<pre>x</pre>"},
		{"pre with code in it", "<pre><code class=go>a &lt; <b>b</b></code></pre>", "<pre>a &lt; b</pre>"},
		{"pre of lines", "<pre><div>a</div><div>b</div>c<br>d</pre>", "<pre>a\nbc\nd</pre>"},
		{"pre never ended", "<ul><li><pre>x</ul>y", "<ul><li><pre>x</pre></li></ul><p>y</p>"},

		{"quote", "<blockquote>a<blockquote>b</blockquote></blockquote>", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"},
		{"empty quote", "a<blockquote> <p></p></blockquote>b", "<p>a</p><p>b</p>"},
		{"list", "<ul>\n <li>a\n <li><p>b</p>\n</ul>", "<ul><li>a</li><li>b</li></ul>"},
		{"item of paragraphs", "<ul><li><p>a</p><p>b</p></li></ul>", "<ul><li><p>a</p><p>b</p></li></ul>"},
		{"nested list", "<ol><li>a<ul><li>b</ul></ol>", "<ol><li>a<ul><li>b</li></ul></li></ol>"},
		{"nested list behind its item", "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"},
		{"list start", `<ol start="7"><li>a</ol><ol start=1><li>b</ol><ol start=-3><li>c</ol><ol start=x><li>d</ol>`,
			`<ol start="7"><li>a</li></ol><ol><li>b</li></ol><ol><li>c</li></ol><ol><li>d</li></ol>`},
		{"text in a list", "<ul>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"},
		{"item without a list", "<li>a<li>b</li>c", "<ul><li>a</li><li>b</li></ul><p>c</p>"},
		{"ends of nothing", "</ul></li></p></b></a></span></blockquote></pre>x", "<p>x</p>"},

		{"table of data", "<table><tr><th>a<th>b<tr><td>1<td>2</table>", "<p><strong>a</strong> | <strong>b</strong><br>1 | 2</p>"},
		{"table that arranges", "<table><tr><td><p>a<p>b<td>c</table>", "<p>a</p><p>b</p><p>c</p>"},
		{"table in a table", "<table><tr><td><table><tr><td>a<td>b</table><tr><td>c</table>", "<p>a | b</p><p>c</p>"},
		{"text in a table", "<table>x<tr>y<td>z</table>", "<p>x</p><p>y | z</p>"},
		{"list in a table", "<ul><li><table><tr><td>a</ul><ul><li>b</table>c</ul>", "<ul><li><p>a</p><ul><li>b</li></ul><p>c</p></li></ul>"},

		{"link", `<a href="https://example.org/?a=1&b=2" onclick=x class=y>x</a>`, `<p><a href="https://example.org/?a=1&amp;b=2"` + rel + `>x</a></p>`},
		{"link schemes", `<a href=HTTP://a.b>1</a> <a href=mailto:a@b.c>2</a> <a href=tel:+491>3</a> <a href=ftp://x>4</a>`,
			`<p><a href="http://a.b"` + rel + `>1</a> <a href="mailto:a@b.c"` + rel + `>2</a> <a href="tel:+491"` + rel + `>3</a> 4</p>`},
		{"relative links", `<a href="/x">1</a><a href="//evil.example">2</a><a href="https:/x">3</a><a href="https:///x">4</a>`, `<p>1234</p>`},
		{"link in a link", `<a href=http://a>1<a href=http://b>2</a>3</a>`, `<p><a href="http://a"` + rel + `>1</a><a href="http://b"` + rel + `>2</a>3</p>`},
		{"link around blocks", `<a href=http://a><div>1</div><b>2</b></a>`,
			`<p><a href="http://a"` + rel + `>1</a></p><p><a href="http://a"` + rel + `><strong>2</strong></a></p>`},
		{"address with odd characters", "<a href='http://a/\" <>`|\\ {}^'>x</a>", `<p><a href="http://a/%22%20%3C%3E%60%7C%5C%20%7B%7D%5E"` + rel + `>x</a></p>`},
		{"empty link", `a<a href=http://a></a>b`, `<p>ab</p>`},

		{"image", `<img src="https://a.b/c.png" alt=" A  b " width=1 onerror=x>`, `<p><img src="https://a.b/c.png" alt="A b"></p>`},
		{"attachment", `<img src=/v1/rest/attachments/12/shot.png>`, `<p><img src="/v1/rest/attachments/12/shot.png" alt=""></p>`},
		{"other paths of ours", `<img src=/v1/rest/attachments/../tokens alt=x><img src=/v1/rest/tokens><img src="/v1/rest/attachments/a?b">`, `<p>x</p>`},
		{"image in a link", `<a href=http://a><img src=http://b/c alt=d></a>`, `<p><a href="http://a"` + rel + `><img src="http://b/c" alt="d"></a></p>`},
		{"image that may not be", `<img src=data:image/png;base64,AAAA alt="A cat">`, `<p>A cat</p>`},

		{"mentions", `<span data-user="U1">@Mira</span> <span data-channel="C1">#general</span> <span data-team="S1">@support</span> <span data-everyone="here">x</span>`,
			`<p><span data-user="U1">@Mira</span> <span data-channel="C1">#general</span> <span data-team="S1">@support</span> <span data-everyone="here">@here</span></p>`},
		{"mention without text", `<span data-user=U1></span><span data-channel=C1> </span>`, `<p><span data-user="U1">@U1</span><span data-channel="C1">#C1</span></p>`},
		{"mention with bad targets", `<span data-user="U1 x">a</span><span data-user="">b</span><span data-everyone=all>c</span>`, `<p>abc</p>`},
		{"mention with markup", `<b><span data-user=U1 onclick=x>@<i>Mi</i><span>ra</span></span></b>!`, `<p><strong><span data-user="U1">@Mira</span></strong>!</p>`},
		{"mention never ended", `<p><span data-user=U1>@Mira<p>next`, `<p><span data-user="U1">@Mira</span></p><p>next</p>`},
		{"mention in code and a link", `<a href=http://a><code>x<span data-user=U1>@M</span></code></a>`,
			`<p><a href="http://a"` + rel + `><code>x</code></a><span data-user="U1">@M</span></p>`},
		{"other spans", `<span class=a>x<span data-user=U1>@M</span>y</span>z`, `<p>x<span data-user="U1">@M</span>yz</p>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Sanitize(tt.in)
			if got != tt.want {
				t.Errorf("Sanitize(%q)\ngot  %s\nwant %s", tt.in, got, tt.want)
			}
			checkSanitized(t, tt.in)
		})
	}
}

// attacks are ways to get a script past a filter, each with what may be left of it.
var attacks = []struct{ name, in, want string }{
	{"script", `a<script>alert(1)</script>b`, `<p>ab</p>`},
	{"script in capitals, with a slash", `<ScRiPt/x>alert(1)</sCrIpT >b`, `<p>b</p>`},
	{"script that looks closed", `<script/>alert(1)</script>b`, `<p>b</p>`},
	{"script never ended", `a<script>alert(1)`, `<p>a</p>`},
	{"script in script", `<scr<script>ipt>alert(1)</scr</script>ipt>`, `<p>ipt&gt;alert(1)ipt&gt;</p>`},
	{"script between its own ends", `<<script>script>alert(1)<</script>/script>`, `<p>&lt;/script&gt;</p>`},
	{"style", `<style>@import "x"; p{background:url(javascript:alert(1))}</style>b`, `<p>b</p>`},
	{"frame", `<iframe src="javascript:alert(1)"><p>x</p></iframe>b`, `<p>b</p>`},
	{"object", `<object data=x><param name=y><object>z</object>z</object>b`, `<p>b</p>`},
	{"embed and base", `<embed src=x><base href=//x><link rel=stylesheet href=x><meta http-equiv=refresh content="0;url=x">b`, `<p>b</p>`},
	{"drawing", `<svg/onload=alert(1)><script>alert(1)</script></svg>b`, `<p>b</p>`},
	{"drawing that closes itself", `<svg onload=alert(1) />b`, `<p>b</p>`},
	{"formula", `<math><mtext><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"></math>b`, `<p>b</p>`},
	{"template", `<template><img src=x onerror=alert(1)></template>b`, `<p>b</p>`},
	{"handler", `<p onmouseover="alert(1)" ONCLICK=alert(1)>x</p>`, `<p>x</p>`},
	{"handler after odd separators", "<img/src=\"http://a\"\x0conerror=alert(1)/**/x=\"`\">", `<p><img src="http://a" alt=""></p>`},
	{"quotes out of the attribute", `<img src="http://a" alt='"><script>alert(1)</script>'>`, `<p><img src="http://a" alt="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"></p>`},
	{"backticks as quotes", "<img src=`javascript:alert(1)` alt=`x`>", "<p>`x`</p>"},
	{"style attribute", `<p style="background:url(x)" class=x id=y>x</p>`, `<p>x</p>`},
	{"javascript", `<a href="javascript:alert(1)">x</a>`, `<p>x</p>`},
	{"javascript in mixed case", `<a href="JaVaScRiPt:alert(1)">x</a>`, `<p>x</p>`},
	{"javascript with spaces", "<a href=\" \x01\x0bjava\nscr\tipt:alert(1)\">x</a>", `<p>x</p>`},
	{"javascript in entities", `<a href="&#106;&#x61;vascript&colon;alert(1)">x</a>`, `<p>x</p>`},
	{"javascript in entities without ends", `<a href="&#0000106&#0000097&#0000118&#0000097script:alert(1)">x</a>`, `<p>x</p>`},
	{"javascript with a zero byte", "<a href=\"java\x00script:alert(1)\">x</a>", `<p>x</p>`},
	{"javascript behind a good address", "<a href=\"javascript://https://a.b/%0aalert(1)\">x</a>", `<p>x</p>`},
	{"data", `<a href="data:text/html;base64,PHNjcmlwdD4=">x</a><img src="data:image/svg+xml,<svg onload=alert(1)>">`, `<p>x</p>`},
	{"vbscript", `<a href="vbscript:msgbox(1)">x</a>`, `<p>x</p>`},
	{"script as the address of a picture", `<img src=javascript:alert(1) lowsrc=x dynsrc=y srcset="z 1x">`, ``},
	{"two attributes of one name", `<a href="javascript:alert(1)" href="https://a.b">x</a>`, `<p>x</p>`},
	{"comment", `a<!--><img src=x onerror=alert(1)>--><!-- <script>x</script> -->b`, `<p>a--&gt;b</p>`},
	{"condition", `<!--[if gte IE 4]><script>alert(1)</script><![endif]-->b`, `<p>b</p>`},
	{"cdata", `<![CDATA[<script>alert(1)</script>]]>b`, `<p>alert(1)]]&gt;b</p>`},
	{"tag in a tag", `<img """><script>alert(1)</script>">`, `<p>"&gt;</p>`},
	{"half a tag", `b<img src="x" onerror="alert(1)"`, `<p>b</p>`},
	{"end of the text area", `<textarea></textarea><script>alert(1)</script></textarea>b`, `<p>b</p>`},
	{"noscript", `<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>b`, `<p>"&gt;b</p>`},
	{"plaintext", `a<plaintext><script>x</script></plaintext>b`, `<p>a</p>`},
	{"form", `<form action="javascript:alert(1)"><input type=image src=x><button formaction="javascript:x">y</button></form>b`, `<p>b</p>`},
	{"escaped twice stays escaped", `&lt;script&gt;alert(1)&lt;/script&gt;`, `<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>`},
	{"name space", `<html xmlns:x="x"><x:script>y</x:script><p xlink:href="javascript:x">z</p>`, `<p>y</p><p>z</p>`},
	{"mention out of its attribute", `<span data-user='U1"><img src=x onerror=alert(1)>'>x</span>`, `<p>x</p>`},
	{"text that a table throws out", `<table><td><a><table><tr><svg><desc><td>x`, ``},
	{"mark through a table", `<b><table><td></b><i></table>x`, `<p><em>x</em></p>`},
}

func TestSanitizeAttacks(t *testing.T) {
	for _, tt := range attacks {
		t.Run(tt.name, func(t *testing.T) {
			if got := Sanitize(tt.in); got != tt.want {
				t.Errorf("Sanitize(%q)\ngot  %s\nwant %s", tt.in, got, tt.want)
			}
			checkSanitized(t, tt.in)
		})
	}
}

// Nesting and repetition must not cost more than the length of the text.
func TestSanitizeHostileLength(t *testing.T) {
	for _, piece := range []string{
		"<blockquote>", "<ul><li>", "<li>", "<ol>", "<table><tr><td>", "<td>", "<b>", "<b><p>", "<a href=http://a>", "<b><i><a href=http://a>x<p>",
		"<span data-user=U1>", "<span data-user=U1>a<b>", "<pre>", "<pre><div>", "</p>", "</blockquote>", "<svg>", "<script>", "<", "<!--", "&", "&#",
		"<a b=c ", "<br>", " <b> </b>", "x<br>", "<li>x<ul>", "<h1>", "<font size=7>x<p>", "\u00a0", "http://) ", "http://(", "<table>x", "<tr><td>a<td>b",
	} {
		markuptest.Growth(t, piece, func(in string) {
			if out := Sanitize(in); len(out) > 40*len(in) {
				t.Errorf("%q: %d bytes became %d", piece, len(in), len(out))
			}
			PlainText(in)
			FirstSentence(in, 80, nil)
			FromText(in)
			Outgoing(in)
			Split(in, 80)
		})
	}
}
