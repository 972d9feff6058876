package markup

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// allowed lists the elements of the subset and their possible attributes. It
// repeats the rules of the code on purpose.
var allowed = map[string]map[string]*regexp.Regexp{
	"p": {}, "br": {}, "hr": {}, "pre": {}, "blockquote": {}, "ul": {}, "li": {},
	"strong": {}, "em": {}, "u": {}, "s": {}, "code": {},
	"ol": {"start": regexp.MustCompile(`^(0|[2-9]|[1-9][0-9]{1,8})$`)},
	"a": {
		"href": regexp.MustCompile(`^(https?://[^/?#\s"<>][^\s"<>]*|mailto:[^\s"<>]+|tel:[^\s"<>]+)$`),
		"rel":  regexp.MustCompile(`^noopener noreferrer$`),
	},
	"img": {
		"src": regexp.MustCompile(`^(https?://[^/?#\s"<>][^\s"<>]*|/v1/rest/attachments/[A-Za-z0-9._/-]+)$`),
		"alt": regexp.MustCompile(`(?s)^.*$`),
	},
	"span": {
		"data-user":     regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`),
		"data-channel":  regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`),
		"data-team":     regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`),
		"data-everyone": regexp.MustCompile(`^(here|channel|everyone)$`),
	},
}

// checkSanitized checks the properties that Sanitize has for any input.
func checkSanitized(t *testing.T, in string) {
	t.Helper()
	out := Sanitize(in)
	if again := Sanitize(out); again != out {
		t.Errorf("Sanitize(%q) is not stable\nfirst  %s\nsecond %s", in, out, again)
	}
	checkTree(t, in, out)
}

// checkTree checks that out, the result for in, contains only what the subset
// allows. A parser that repairs bad HTML like a browser must read it exactly as it
// was written. It has nothing to repair, so nothing can turn into something else.
func checkTree(t *testing.T, in, out string) {
	t.Helper()
	var back strings.Builder
	for _, n := range parseFragment(t, out) {
		if err := write(&back, n); err != nil {
			t.Errorf("%q became %s: %v", in, out, err)
		}
	}
	if back.String() != out {
		t.Errorf("%q is read differently\nwritten %s\nread    %s", in, out, back.String())
	}
}

func parseFragment(t *testing.T, s string) []*html.Node {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(s), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		t.Fatalf("parse %q: %v", s, err)
	}
	return nodes
}

// write writes a browser's tree the way our own writer would.
func write(out *strings.Builder, n *html.Node) error {
	switch n.Type {
	case html.TextNode:
		out.WriteString(inText.Replace(n.Data))
		return nil
	case html.ElementNode:
	default:
		return fmt.Errorf("a node of type %v", n.Type)
	}
	may, ok := allowed[n.Data]
	if !ok || n.Namespace != "" {
		return fmt.Errorf("the element %s %s", n.Namespace, n.Data)
	}
	out.WriteString("<" + n.Data)
	for _, a := range n.Attr {
		if shape := may[a.Key]; shape == nil || !shape.MatchString(a.Val) {
			return fmt.Errorf("the attribute %s=%q of %s", a.Key, a.Val, n.Data)
		}
		out.WriteString(" " + a.Key + `="` + inAttribute.Replace(a.Val) + `"`)
	}
	out.WriteString(">")
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if err := write(out, c); err != nil {
			return err
		}
	}
	switch n.Data {
	case "br", "hr", "img":
	default:
		out.WriteString("</" + n.Data + ">")
	}
	return nil
}
