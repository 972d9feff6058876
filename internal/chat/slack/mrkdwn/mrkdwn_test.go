package mrkdwn

import (
	"strings"
	"testing"

	"frontdesk/internal/markup"
)

// Documents limit their depth, and the reader has the same limit.
func TestDeepest(t *testing.T) {
	for n := range 60 {
		checkWritten(t, strings.Repeat("<ul><li>a", n))
		checkWritten(t, "<blockquote>"+strings.Repeat("<ol><li>a", n))
		checkRead(t, strings.Repeat("> ", n)+"a")
	}
}

// checkRead checks what must be true of HTML for every text.
func checkRead(t *testing.T, text string) {
	t.Helper()
	html := HTML(text)
	if clean := markup.Sanitize(html); clean != html {
		t.Errorf("Sanitize changes HTML(%q)\nfrom %s\nto   %s", text, html, clean)
	}
	checkWritten(t, html)
}

// checkWritten checks the promise of the package, to(from(x)) = x: a document in
// the common subset comes back unchanged, and any other as shape left it. The round
// trip loses nothing more.
func checkWritten(t interface {
	Helper()
	Errorf(string, ...any)
}, html string) {
	t.Helper()
	document := markup.Parse(html)
	x := document.HTML()
	if strings.Contains(x, joint) {
		Text(html) // must not panic; it may lose some of them
		return
	}
	text := Text(html)
	got := HTML(text)
	if common(document) && got != x {
		t.Errorf("Text(%q)\ngives %q\nread  %s\nwant  %s", html, text, got, x)
	}
	shaped := shape(document)
	want := shaped.HTML()
	if got != want {
		t.Errorf("Text(%q)\ngives %q\nread  %s\nwant  %s, as shape has it", html, text, got, want)
	}
	if again := Text(got); again != text {
		t.Errorf("Text(%q)\ngives %q\nread and written again %q", html, text, again)
	}
	if again := shape(shaped).HTML(); again != want {
		t.Errorf("shape of %q is not stable\nfirst  %s\nsecond %s", html, want, again)
	}
}
