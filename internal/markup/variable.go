package markup

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

// A variable is a word in braces that stands for something else: {customer}, or
// {customer|everyone} with what stands there where there is nothing for it. Other braces
// are text.

var (
	tag      = regexp.MustCompile(`<[^>]*>`)
	variable = regexp.MustCompile(`\{(\w+)(?:\|([^{}]*))?\}`)
)

// Variables returns the names of the variables in a plain text.
func Variables(text string) (names []string) {
	for _, found := range variable.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	return names
}

// Fill puts values in the places of variables. Only text is filled in, so a link leads
// to the same place with all values. missing lists the variables that have neither a
// value nor words to stand there instead.
func Fill(text string, values map[string]string) (filled string, missing []string) {
	in := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(found string) string {
			part := variable.FindStringSubmatch(found)
			switch name := part[1]; {
			case values[name] != "":
				return html.EscapeString(values[name])
			case strings.Contains(found, "|"):
				return strings.TrimSpace(part[2])
			case !slices.Contains(missing, name):
				missing = append(missing, name)
			}
			return found
		})
	}
	var b strings.Builder
	at := 0
	for _, place := range tag.FindAllStringIndex(text, -1) {
		b.WriteString(in(text[at:place[0]]))
		b.WriteString(text[place[0]:place[1]])
		at = place[1]
	}
	b.WriteString(in(text[at:]))
	return b.String(), missing
}
