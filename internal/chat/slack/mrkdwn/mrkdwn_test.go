package mrkdwn

import (
	"strings"
	"testing"

	"frontdesk/internal/markup"
)

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

// checkWritten checks the promise of the package, to(from(x)) = x: what is of
// the common subset comes back as it was, and everything else as shape has made
// it. Nothing more is lost by going there and back again.
func checkWritten(t interface {
	Helper()
	Errorf(string, ...any)
}, html string) {
	t.Helper()
	document := markup.Parse(html)
	x := document.HTML()
	if strings.Contains(x, joint) {
		Text(html) // must not panic; some of them are lost
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
