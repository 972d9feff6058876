package linear

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// reader parses Linear's Markdown. Like Linear, it leaves out HTML and keeps line
// ends. The checkbox of a task stays text, which says whether it is done.
var reader = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify), goldmark.WithRendererOptions(html.WithHardWraps()))

// toHTML converts Markdown to HTML. The result is not sanitised. Links may lead
// anywhere, and it has elements outside the subset of markup.
func toHTML(markdown string) string {
	var b strings.Builder
	if err := reader.Convert([]byte(markdown), &b); err != nil {
		return "" // only if the writer fails
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), joint, ""))
}
