package mrkdwn

import (
	"strings"
	"testing"

	"frontdesk/internal/markup"
)

const rel = ` rel="noopener noreferrer"`

// What people and Slack write, what it is in HTML, and, where it is not the same
// letter by letter, how we write it.
var written = []struct{ name, text, html, again string }{
	{"nothing", "", "", ""},
	{"text", "hello", "<p>hello</p>", ""},
	{"bold, italic, strike, code", "*a* _b_ ~c~ `d`", "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>", ""},
	{"one in the other", "*a _b ~c~_* _*`d`*_", "<p><strong>a <em>b <s>c</s></em></strong> <strong><em><code>d</code></em></strong></p>", "*a _b ~c~_* *_`d`_*"},
	{"with punctuation", "(*a*), *b*! \"_c_\" *d.*", "<p>(<strong>a</strong>), <strong>b</strong>! \"<em>c</em>\" <strong>d.</strong></p>", ""},
	{"several words", "*a b* c *d*", "<p><strong>a b</strong> c <strong>d</strong></p>", ""},
	{"not within words", "a*b*c snake_case_name 2*3*4 x~y~z a`b`c", "<p>a*b*c snake_case_name 2*3*4 x~y~z a`b`c</p>", ""},
	{"not with spaces within", "2 * 3 * 4, * a*, *a *, _ b _", "<p>2 * 3 * 4, * a*, *a *, _ b _</p>", ""},
	{"not over lines", "*a\nb* _c\n_", "<p>*a<br>b* _c<br>_</p>", ""},
	{"not in code", "`*a* _b_ :tada: &lt;`", "<p><code>*a* _b_ :tada: &lt;</code></p>", ""},
	{"not ended", "*a _b `c ~", "<p>*a _b `c ~</p>", ""},
	{"empty", "** __ `` ~~ * *", "<p>** __ `` ~~ * *</p>", ""},
	{"twice, out of habit", "**a**", "<p>*<strong>a</strong>*</p>", "*" + joint + "*a*" + joint + "*"},
	{"Japanese", "*太字* と太*字*です", "<p><strong>太字</strong> と太*字*です</p>", ""},
	{"escapes", "a &lt;b&gt; &amp;amp; &quot;", "<p>a &lt;b&gt; &amp;amp; &amp;quot;</p>", "a &lt;b&gt; &amp;amp; &amp;quot;"},
	{"spaces", "a   b\n    c", "<p>a\u00a0\u00a0 b<br>\u00a0\u00a0\u00a0 c</p>", "a\u00a0\u00a0 b\n\u00a0\u00a0\u00a0 c"},
	{"lines and paragraphs", "a\nb\n\nc\r\nd\n\n\n\ne", "<p>a<br>b</p><p>c<br>d</p><p>e</p>", "a\nb\n\nc\nd\n\ne"},

	{"pre", "a\n```\nb\n  *c* :tada:\n\n&lt;d\n```\ne", "<p>a</p><pre>b\n  *c* :tada:\n\n&lt;d</pre><p>e</p>", ""},
	{"pre in a line", "a ```b``` c", "<p>a</p><pre>b</pre><p>c</p>", "a\n```\nb\n```\nc"},
	{"pre with links", "```curl <https://a.b/c|a.b/c> <@U1>```", "<pre>curl a.b/c @U1</pre>", "```\ncurl a.b/c @U1\n```"},
	{"pre without an end", "```a\nb", "<p>```a<br>b</p>", "``" + joint + "`a\nb"},
	{"quote", "&gt; a\n&gt;b\nc", "<blockquote><p>a<br>b</p></blockquote><p>c</p>", "> a\n> b\nc"},
	{"quote of paragraphs", "> a\n>\n> *b*\n> • c", "<blockquote><p>a</p><p><strong>b</strong></p><ul><li>c</li></ul></blockquote>", ""},
	{"quote of all", "a\n&gt;&gt;&gt; b\n\nc\n> d", "<p>a</p><blockquote><p>b</p><p>c<br>&gt; d</p></blockquote>", "a\n> b\n>\n> c\n> &gt; d"},
	{"quotes", "> a\n\n> b", "<blockquote><p>a</p></blockquote><blockquote><p>b</p></blockquote>", ""},
	{"pre in a quote", "> a\n> ```b\n> c```\n> d", "<blockquote><p>a</p><pre>b\nc</pre><p>d</p></blockquote>", "> a\n```\nb\nc\n```\n> d"},
	{"rule", "a\n---\nb", "<p>a</p><hr><p>b</p>", ""},

	{"bullets", "a:\n• b\n• *c*\nd", "<p>a:</p><ul><li>b</li><li><strong>c</strong></li></ul><p>d</p>", ""},
	{"typed bullets", "- a\n- b\n-c", "<ul><li>a</li><li>b</li></ul><p>-c</p>", "• a\n• b\n-c"},
	{"bullets in bullets", "• a\n    ◦ b\n        ▪︎ c\n    ◦ d\n• e", "<ul><li>a<ul><li>b<ul><li>c</li></ul></li><li>d</li></ul></li><li>e</li></ul>", ""},
	{"numbers", "1. a\n2. b\n5. c\n1. d", `<ol><li>a</li><li>b</li></ol><ol start="5"><li>c</li></ol><ol><li>d</li></ol>`, "1. a\n2. b\n\n5. c\n\n1. d"},
	{"letters in numbers", "1. a\n    a. b\n    b. c\n        i. d\n        ii. e\n2. f\na. g",
		"<ol><li>a<ol><li>b</li><li>c<ol><li>d</li><li>e</li></ol></li></ol></li><li>f</li></ol><p>a. g</p>",
		"1. a\n    1. b\n    2. c\n        1. d\n        2. e\n2. f\na. g"},
	{"a year is no list", "2016. was good\n1.5 is not\n007. Bond", `<ol start="2016"><li>was good</li></ol><p>1.5 is not<br>007. Bond</p>`, ""},
	{"lists apart", "• a\n\n• b", "<ul><li>a</li></ul><ul><li>b</li></ul>", ""},
	{"item of lines", "• a\n  b\n\n  c\n• d", "<ul><li><p>a<br>b</p><p>c</p></li><li>d</li></ul>", ""},

	{"link", "see <https://a.b/c?d=1&amp;e=2|this &amp; that>, <https://a.b>.",
		`<p>see <a href="https://a.b/c?d=1&amp;e=2"` + rel + `>this &amp; that</a>, <a href="https://a.b"` + rel + `>https://a.b</a>.</p>`, ""},
	{"link with formatting", "*<https://a.b|c>* `<https://a.b>` _x <https://a.b/_d_|_e_>_",
		`<p><a href="https://a.b"` + rel + `><strong>c</strong></a> <a href="https://a.b"` + rel + `><code>https://a.b</code></a> <em>x </em><a href="https://a.b/_d_"` + rel + `><em>_e_</em></a></p>`, ""},
	{"other addresses", "<mailto:a@b.c|a@b.c> <mailto:a@b.c> <tel:+1|+1>",
		`<p><a href="mailto:a@b.c"` + rel + `>a@b.c</a> <a href="mailto:a@b.c"` + rel + `>a@b.c</a> <a href="tel:+1"` + rel + `>+1</a></p>`, "<mailto:a@b.c|a@b.c> <mailto:a@b.c|a@b.c> <tel:+1|+1>"},
	{"addresses that we do not link to", "<javascript:alert(1)|a> <slack://b|c> <x> <>", "<p>a c &lt;x&gt; &lt;&gt;</p>", "a c &lt;x&gt; &lt;&gt;"},
	{"people", "<@U1> <@W2|mira>, *<@U1>*", `<p><span data-user="U1">@U1</span> <span data-user="W2">@mira</span>, <strong><span data-user="U1">@U1</span></strong></p>`, "<@U1> <@W2>, *<@U1>*"},
	{"channels and teams", "<#C1|general> <#C2> <#C3|> <!subteam^S1|@support> <!subteam^S2>",
		`<p><span data-channel="C1">#general</span> <span data-channel="C2">#C2</span> <span data-channel="C3">#C3</span> <span data-team="S1">@support</span> <span data-team="S2">@S2</span></p>`,
		"<#C1> <#C2> <#C3> <!subteam^S1> <!subteam^S2>"},
	{"everyone", "<!here> <!channel|channel> <!everyone>",
		`<p><span data-everyone="here">@here</span> <span data-everyone="channel">@channel</span> <span data-everyone="everyone">@everyone</span></p>`, "<!here> <!channel> <!everyone>"},
	{"dates", "<!date^1392734382^{date}|Feb 18> <!date^1392734382^{date}^https://a.b/|there> <!date^1392734382^{date}>",
		`<p>Feb 18 <a href="https://a.b/"` + rel + `>there</a> 2014-02-18 14:39 UTC</p>`, "Feb 18 <https://a.b/|there> 2014-02-18 14:39 UTC"},
	{"other commands", "<!foo|bar> <!foo> <@U 1>", "<p>bar @foo @U 1</p>", "bar @foo @U 1"},
	{"emoji", ":tada::wave::skin-tone-3: :partyparrot: 10:30:45 :flag-de: :+1:", "<p>🎉👋🏼 :partyparrot: 10:30:45 🇩🇪 👍</p>", "🎉👋🏼 :partyparrot: 10:30:45 🇩🇪 👍"},
}

func TestHTML(t *testing.T) {
	for _, tt := range written {
		t.Run(tt.name, func(t *testing.T) {
			got := HTML(tt.text)
			if got != tt.html {
				t.Errorf("HTML(%q)\ngot  %s\nwant %s", tt.text, got, tt.html)
			}
			again := tt.again
			if again == "" {
				again = tt.text
			}
			if text := Text(got); text != again {
				t.Errorf("Text(%s)\ngot  %q\nwant %q", got, text, again)
			}
			checkRead(t, tt.text)
		})
	}
}

func TestText(t *testing.T) {
	j := joint
	tests := []struct{ name, html, want string }{
		{"nothing to escape", "2 * 3 * 4, snake_case_name, a ~ b, 5 > 4 & 3 < 4, don`t, C:\\x", "2 * 3 * 4, snake_case_name, a ~ b, 5 &gt; 4 &amp; 3 &lt; 4, don`t, C:\\x"},
		{"signs that would format", "*a* _b_ ~c~ `d`", "*" + j + "a* _" + j + "b_ ~" + j + "c~ `" + j + "d`"},
		{"a sign alone", "*a, ~b and _c", "*a, ~b and _c"},
		{"sign that would end it", "<b>a* b</b>", "*a" + j + "* b*"},
		{"within a word", "a<b>b</b>c", "a" + j + "*b*" + j + "c"},
		{"beside Japanese", "これ（<b>太字</b>）", "これ（" + j + "*太字*" + j + "）"},
		{"one beside the other", "<b>a</b><i>b</i>", "*a*" + j + "_b_"},
		{"overlapping", "<b>a<i>b</b>c</i>", "*a" + j + "_b_*" + j + "_c_"},
		{"spaces within", "a<b> b </b>c", "a *b* c"},
		{"signs at its edges", "<b>*a*</b> <i>_</i>", "*" + j + "*a*" + j + "* _"},
		{"backtick in code", "<code>a`b</code> <code>c</code>", "a`b `c`"},
		{"beginnings of lines", "<p>&gt; a<br>- b<br>1. c<br>• d<br>---<br>a. e</p>", j + "&gt; a\n" + j + "- b\n" + j + "1. c\n" + j + "• d\n" + j + "---\na. e"},
		{"beginnings of lines in an item", "<ul><li>- a<br>- b<br>a. c<br>&gt; d</li></ul>", "• - a\n  " + j + "- b\n  " + j + "a. c\n  &gt; d"},
		{"fence", "<p>```</p><pre>a```b</pre>", "``" + j + "`\n```\na``" + j + "`b\n```"},
		{"names of emoji", ":tada: :partyparrot: 🎉", ":" + j + "tada: :partyparrot: 🎉"},
		{"mentions in disguise", "&lt;!channel&gt; &lt;@U1&gt;", "&lt;!channel&gt; &lt;@U1&gt;"},
		{"address with a bar", `<a href="https://a.b/|>">c|d&gt;</a>`, "<https://a.b/%7C%3E|c|d&gt;>"},
		{"link in two pieces", `<a href="https://a.b">c <b>d</b></a>`, "<https://a.b|c >*<https://a.b|d>*"},
		{"underline", "<u>a</u>", "a"},
		{"image", `<img src="https://a.b/c.png" alt="A cat"> <img src="https://a.b/c.png">`, "<https://a.b/c.png|A cat> <https://a.b/c.png>"},
		{"attachment", `<img src="/v1/rest/attachments/1" alt="A cat">`, "A cat"},
		{"heading", "<h2>Title</h2>text", "*Title*\n\ntext"},
		{"table", "<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a | b\nc | d"},
		{"pre in a list", "<ol><li>a<pre>b</pre>c<li>d<li><pre>e</pre><li>f</ol>", "1. a\n```\nb\n```\nc\n2. d\n```\ne\n```\n4. f"},
		{"quote in a quote", "<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> b"},
		{"deep lists", "<ul><li>a<ol><li>b<ul><li>c<ul><li>d</ul></ul></ol>", "• a\n    1. b\n        ▪︎ c\n            ▪︎ d"},
		{"list that begins with a list", "<ul><li><ul><li>a</ul></ul>", "• a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(tt.html); got != tt.want {
				t.Errorf("Text(%s)\ngot  %q\nwant %q", tt.html, got, tt.want)
			}
			checkWritten(t, tt.html)
		})
	}
}

// Documents bound how deep they are, and so does the reader, in the same place.
func TestDeepest(t *testing.T) {
	for n := range 60 {
		checkWritten(t, strings.Repeat("<ul><li>a", n))
		checkWritten(t, "<blockquote>"+strings.Repeat("<ol><li>a", n))
		checkRead(t, strings.Repeat("> ", n)+"a")
	}
}

// checkRead checks what must hold of HTML whatever the text is.
func checkRead(t *testing.T, text string) {
	t.Helper()
	html := HTML(text)
	if clean := markup.Sanitize(html); clean != html {
		t.Errorf("Sanitize changes HTML(%q)\nfrom %s\nto   %s", text, html, clean)
	}
	checkWritten(t, html)
}

// checkWritten checks that a text comes back as shape has made it, and that
// nothing more is lost by going there and back again.
func checkWritten(t interface {
	Helper()
	Errorf(string, ...any)
}, html string) {
	t.Helper()
	shaped := shape(markup.Parse(html))
	want := shaped.HTML()
	text := Text(html)
	if strings.Contains(html, joint) {
		return // lost, some of it
	}
	if got := HTML(text); got != want {
		t.Errorf("Text(%q)\ngives %q\nread  %s\nwant  %s", html, text, got, want)
	}
	if again := shape(shaped).HTML(); again != want {
		t.Errorf("shape of %q is not stable\nfirst  %s\nsecond %s", html, want, again)
	}
}
