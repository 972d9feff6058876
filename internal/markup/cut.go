package markup

import (
	"slices"
	"strings"
)

// unseen is what may stand before a text without being seen.
const unseen = " \t\n\u00a0\u200b\u2060\ufeff"

// CutPrefix is a text without the words that it begins with, and without the
// space behind them, however they are marked. It reports whether it begins so.
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
	return Parse(Document{blocks}.HTML()).HTML(), true // nothing empty is left
}

// cutWords takes words away that may reach over several runs.
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
