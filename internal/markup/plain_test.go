package markup

import (
	"strings"
	"testing"
)

func TestPlainText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"paragraphs", "<p>one</p><p>two<br>three</p>", "one\ntwo\nthree"},
		{"entities", "a &lt; b &amp;&amp; c&nbsp;d", "a < b && c\u00a0d"},
		{"marks", "<b>a</b> <code>b</code>", "a b"},
		{"bullets", "<ul><li>a<li>b<ul><li>c<br>d</ul></ul>", "• a\n• b\n  • c\n    d"},
		{"numbers", "<ol start=9><li>a<li><p>b</p><p>c</p></ol>", "9. a\n10. b\n    c"},
		{"item that begins with a list", "<ul><li><ol><li>a</ol></ul>", "• 1. a"},
		{"quote", "<blockquote>a<blockquote>b</blockquote><pre>c\n\nd</pre></blockquote>e", "> a\n> > b\n> c\n>\n> d\ne"},
		{"quote in an item", "<ul><li>a<blockquote>b</blockquote></ul>", "• a\n  > b"},
		{"pre", "<pre>a  b \n\n c</pre>", "a  b\n\n c"},
		{"rule", "a<hr>b", "a\n---\nb"},
		{"link", `<a href="https://a.b/c">here</a>`, "here (https://a.b/c)"},
		{"link in two pieces", `<a href="https://a.b/c">he<b>re</b></a>`, "here (https://a.b/c)"},
		{"link that shows its address", `<a href="https://a.b/">a.b</a> <a href="https://a.b">https://a.b</a> <a href=mailto:a@b.c>a@b.c</a> <a href=tel:+1>+1</a>`,
			"a.b https://a.b a@b.c +1"},
		{"image", `<img src=http://a/b alt="A cat"> <img src=http://a/b>`, "A cat"},
		{"image in a link", `<a href=http://a><img src=http://b></a>`, "(http://a)"},
		{"mention", `<span data-user=U1>@Mira</span>, hi`, "@Mira, hi"},
		{"table", "<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a | b\nc | d"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := PlainText(tt.in); got != tt.want {
				t.Errorf("PlainText(%q)\ngot  %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestFromText(t *testing.T) {
	link := func(address string) string { return `<a href="` + address + `"` + rel + `>` + address + `</a>` }
	tests := []struct{ name, in, want string }{
		{"nothing", " \n\t\n", ""},
		{"markup", "<b>a</b> &amp; \"b\"", "<p>&lt;b&gt;a&lt;/b&gt; &amp;amp; \"b\"</p>"},
		{"lines", "a\r\nb\rc\n\n \n\nd", "<p>a<br>b<br>c</p><p>d</p>"},
		{"indented", "a\n  b\tc  ", "<p>a<br>\u00a0 b\u00a0\u00a0\u00a0 c</p>"},
		{"address", "see https://a.b/c?d=e_f, or (http://x.y).", "<p>see " + link("https://a.b/c?d=e_f") + ", or (" + link("http://x.y") + ").</p>"},
		{"address with brackets", "(https://a.b/c_(d)) [https://x.y/[z]]", "<p>(" + link("https://a.b/c_(d)") + ") [" + link("https://x.y/[z]") + "]</p>"},
		{"address in Japanese", "詳細はhttps://a.b/cを「https://d.e」。", "<p>詳細は<a href=\"https://a.b/cを\"" + rel + ">https://a.b/cを</a>「" + link("https://d.e") + "」。</p>"},
		{"address in capitals", "HTTPS://A.B", `<p><a href="https://A.B"` + rel + `>HTTPS://A.B</a></p>`},
		{"no address", "http:// https://. xhttp://a ftp://a javascript://a", "<p>http:// https://. xhttp://a ftp://a javascript://a</p>"},
		{"not UTF-8", "\xff", "<p>\ufffd</p>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := FromText(tt.in)
			if got != tt.want {
				t.Errorf("FromText(%q)\ngot  %s\nwant %s", tt.in, got, tt.want)
			}
			if again := Sanitize(got); again != got {
				t.Errorf("Sanitize changes FromText(%q)\nfrom %s\nto   %s", tt.in, got, again)
			}
		})
	}
}

// Idle sentences are skipped if something else follows.
func TestFirstSentencePassesOver(t *testing.T) {
	idle := func(s string) bool { return strings.HasPrefix(s, "Hello") || strings.HasPrefix(s, "Guten Tag") }
	for in, want := range map[string]string{
		"<p>Hello! The printer is on fire. Help</p>":               "The printer is on fire.",
		"<p>Guten Tag,</p><p>der Drucker brennt. Hilfe</p>":        "der Drucker brennt.",
		"<p>Hello</p><blockquote>Old news.</blockquote><p>New</p>": "New",
		"<p>Hello!</p><p>Hello again</p>":                          "Hello!",
		"<ul><li>Hello</li><li>Second thing</li></ul>":             "Second thing",
		strings.Repeat("<p>Hello</p>", 5) + "<p>Sixth</p>":         "Sixth",
		strings.Repeat("<p>Hello</p>", 6) + "<p>Seventh</p>":       "Hello",
	} {
		if got := FirstSentence(in, 80, idle); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestFirstSentence(t *testing.T) {
	tests := []struct {
		name, in string
		most     int
		want     string
	}{
		{"nothing", "", 80, ""},
		{"one", "<p>The printer is on fire. Please help!</p>", 80, "The printer is on fire."},
		{"no end", "<p>The printer is on fire</p><p>Help</p>", 80, "The printer is on fire"},
		{"over a line's end", "<p>The printer<br>is on fire! Help</p>", 80, "The printer is on fire!"},
		{"several signs", "Really?! Yes.", 80, "Really?!"},
		{"in quotation marks", "She said “no.” Then left.", 80, "She said “no.”"},
		{"numbers and names", "Version 1.2.3 of a.b broke at 10.30 a.m. today. Next", 80, "Version 1.2.3 of a.b broke at 10.30 a.m. today."},
		{"titles and initials", "Ask Dr. No or J. Smith, e.g. Monday. Next", 80, "Ask Dr. No or J. Smith, e.g. Monday."},
		{"numbered", "1. Open it. 2. Close it.", 80, "1. Open it."},
		{"Japanese", "<p>プリンターが燃えています。助けて！</p>", 80, "プリンターが燃えています。"},
		{"Japanese in quotation marks", "「燃えています。」と彼は言った。", 80, "「燃えています。」"},
		{"item", "<ul><li>First thing. More</li><li>Second</li></ul>", 80, "First thing."},
		{"quote before the text", "<blockquote>Old news.</blockquote><p>New news.</p>", 80, "New news."},
		{"only a quote", "<hr><blockquote>Old news.</blockquote>", 80, "Old news."},
		{"link and mention", `<span data-user=U1>@Mira</span> see <a href=http://a.b>this</a>`, 80, "@Mira see this"},
		{"cut behind a word", "The printer on the second floor is on fire", 20, "The printer on the…"},
		{"cut exactly", "The printer", 11, "The printer"},
		{"cut before a comma", "The printer, which burns", 13, "The printer…"},
		{"cut a long word", "https://example.org/a/very/long/path", 12, "https://exa…"},
		{"cut without spaces", "プリンターが燃えています", 6, "プリンター…"},
		{"cut to one", "printer", 1, "…"},
		{"cut to nothing", "printer", 0, ""},
		{"cut to less than nothing", "printer", -1, ""},
		{"cut before an accent", "aaae\u0301\u0301bbb", 5, "aaa…"},
		{"cut before a family", "aa👨‍👩‍👧bb", 5, "aa…"},
		{"cut before a variant", "aa❤️bb", 4, "aa…"},
		{"cut before a skin colour", "aa👋🏽bb", 4, "aa…"},
		{"cut between flags", "🇩🇪🇫🇷🇯🇵", 5, "🇩🇪🇫🇷…"},
		{"cut in a flag", "🇩🇪🇫🇷🇯🇵", 4, "🇩🇪…"},
		{"cut in a flag of tags", "a🏴󠁧󠁢󠁥󠁮󠁧󠁿bbb", 6, "a…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := FirstSentence(tt.in, tt.most, nil)
			if got != tt.want {
				t.Errorf("FirstSentence(%q, %d)\ngot  %q\nwant %q", tt.in, tt.most, got, tt.want)
			}
			if n := len([]rune(got)); n > max(0, tt.most) {
				t.Errorf("%d code points, more than %d", n, tt.most)
			}
		})
	}
}
