package markup

import (
	"slices"
	"strings"
)

// unseen are the invisible characters that may come before a text.
const unseen = " \t\n\u00a0\u200b\u2060\ufeff"

// CutPrefix removes words from the beginning of a text, and the space after them,
// however the words are formatted. It reports whether the text begins with them.
func CutPrefix(html, words string) (rest string, found bool) {
	d := Parse(html)
	if len(d.blocks) == 0 {
		return html, false
	}
	blocks := slices.Clone(d.blocks)
	first := &blocks[0]
	switch first.Kind {
	case Paragraph:
		first.Runs, found = cutWords(slices.Clone(first.Runs), words)
	case Preformatted:
		first.Text, found = strings.CutPrefix(strings.TrimLeft(first.Text, unseen), words)
		first.Text = strings.TrimLeft(first.Text, unseen)
	}
	if !found {
		return html, false
	}
	return Parse(Document{blocks}.HTML()).HTML(), true // removes what is empty now
}

// cutWords removes words that may span several runs.
func cutWords(runs []Run, words string) (rest []Run, found bool) {
	begun := false
	for len(runs) > 0 && (runs[0].Kind == Words || runs[0].Kind == Break && words == "") {
		r := &runs[0]
		if !begun {
			r.Text = strings.TrimLeft(r.Text, unseen)
		}
		begun = begun || r.Text != ""
		n := min(len(r.Text), len(words))
		if r.Text[:n] != words[:n] {
			return runs, false
		}
		r.Text, words = r.Text[n:], words[n:]
		if words == "" {
			if r.Text = strings.TrimLeft(r.Text, unseen); r.Text != "" {
				return runs, true
			}
		}
		runs = runs[1:]
	}
	return runs, words == ""
}
