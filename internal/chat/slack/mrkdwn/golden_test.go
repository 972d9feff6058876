package mrkdwn

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/markup"
)

// fewestGolden is how many cases the files must have at least.
const fewestGolden = 150

// golden is a case in testdata. The README there describes the format.
type golden struct {
	file, name string
	slack      bool   // whether it begins with Slack's text and not with HTML
	in, out    string // the input and its conversion
	back       string // the conversion back
	plain      *string
}

func TestGolden(t *testing.T) {
	cases := goldenCases(t)
	for _, g := range cases {
		t.Run(g.file+"/"+g.name, g.check)
	}
	if len(cases) < fewestGolden {
		t.Errorf("%d cases, fewer than %d", len(cases), fewestGolden)
	}
}

func (g golden) check(t *testing.T) {
	there, back, html := Text, HTML, g.in
	if g.slack {
		there, back, html = HTML, Text, g.out
		checkRead(t, g.in)
	}
	if got := there(g.in); got != g.out {
		t.Errorf("%q\ngives %q\nwant  %q", g.in, got, g.out)
	}
	if got := back(g.out); got != g.back {
		t.Errorf("%q\ncomes back as %q\nwant          %q", g.in, got, g.back)
	}
	if got := markup.PlainText(html); g.plain != nil && got != *g.plain {
		t.Errorf("%q\nreads %q\nwant  %q", html, got, *g.plain)
	}
	checkWritten(t, html)
}

// goldenCases reads all files.
func goldenCases(t testing.TB) (all []golden) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut("\n"+string(b), "\n=== ")
		for part := range strings.SplitSeq(text, "\n=== ") {
			g := readGolden(t, part)
			g.file = strings.TrimSuffix(filepath.Base(file), ".txt")
			all = append(all, g)
		}
	}
	return all
}

// readGolden reads one case, without the sign in front of its name.
func readGolden(t testing.TB, part string) golden {
	t.Helper()
	name, rest, _ := strings.Cut(strings.TrimRight(part, "\n"), "\n")
	g := golden{name: name}
	var labels []string
	var texts [][]string
	for line := range strings.SplitSeq(rest, "\n") {
		switch {
		case line == "slack:", line == "html:", line == "plain:":
			labels, texts = append(labels, line), append(texts, nil)
		case labels == nil:
			t.Fatalf("%s: %q is before slack: and html:", name, line)
		default:
			texts[len(texts)-1] = append(texts[len(texts)-1], line)
		}
	}
	text := func(i int) string { return visible(strings.Join(texts[i], "\n")) }
	if n := len(labels) - 1; labels[n] == "plain:" {
		plain := text(n)
		g.plain, labels = &plain, labels[:n]
	}
	switch strings.Join(labels, " ") {
	case "slack: html:", "html: slack:":
		g.in, g.out, g.back = text(0), text(1), text(0)
	case "slack: html: slack:", "html: slack: html:":
		g.in, g.out, g.back = text(0), text(1), text(2)
		if g.back == g.in {
			t.Errorf("%s: it comes back as it was, which need not be said", name)
		}
	default:
		t.Fatalf("%s: has %q", name, labels)
	}
	g.slack = labels[0] == "slack:"
	return g
}

var hidden = regexp.MustCompile(`\{x?[0-9a-f]{1,6}\}`)

// visible replaces {200b} by the character and {xff} by the byte.
func visible(s string) string {
	return hidden.ReplaceAllStringFunc(s, func(code string) string {
		digits, raw := strings.CutPrefix(code[1:len(code)-1], "x")
		n, _ := strconv.ParseUint(digits, 16, 32) // the pattern matches only digits
		if raw {
			return string([]byte{byte(n)})
		}
		return string(rune(n))
	})
}
