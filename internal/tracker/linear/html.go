package linear

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// reader reads Linear's Markdown. HTML in it is left out, and the end of a line is
// one, as Linear shows it. The box of a task stays text, which says whether it is
// done.
var reader = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify), goldmark.WithRendererOptions(html.WithHardWraps()))

// toHTML is the HTML of Markdown. It is not clean: addresses may lead anywhere, and
// there are elements that markup has not.
func toHTML(markdown string) string {
	var b strings.Builder
	if err := reader.Convert([]byte(markdown), &b); err != nil {
		return "" // only for a writer that fails
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), joint, ""))
}
