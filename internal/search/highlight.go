package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostFragments = 3
	around        = 60         // bytes of text shown on each side of a match
	together      = 2 * around // maximum bytes between two matches in one fragment
	fragmentSize  = 400        // bytes after which a fragment takes no further match
)

// A Fragment is a part of a text with matches in it. Its pieces joined are that
// part of the text, unchanged. To show it as HTML, escape each piece.
type Fragment struct {
	Pieces       []Piece
	Begins, Ends bool // whether the text itself begins or ends with it
}

// A Piece is text that matches, or text between matches. It is never empty.
type Piece struct {
	Text  string
	Match bool
}

// Highlight returns the parts of a text that best show why it was found, at most
// three, in the order of the text. It returns none if there is no match. Pass only
// text that the searcher may see, because nothing else can then be shown.
func Highlight(terms Terms, text string) []Fragment {
	groups := grouped(terms.matches(text))
	best := slices.Clone(groups)
	slices.SortStableFunc(best, func(a, b group) int { return cmp.Compare(b.phrases(), a.phrases()) })
	best = best[:min(len(best), mostFragments)]
	var all []Fragment
	low := 0 // text before this has been shown, or matches in a fragment that is not shown
	for i, g := range groups {
		if !slices.ContainsFunc(best, func(b group) bool { return b[0] == g[0] }) {
			low = g.end()
			continue
		}
		high := len(text)
		if i+1 < len(groups) {
			high = groups[i+1][0].start
		}
		var f Fragment
		f, low = g.fragment(text, low, high)
		all = append(all, f)
	}
	return all
}

// A match is where a text has one of the phrases, or several that overlap.
type match struct {
	start, end int
	phrases    uint // one bit for each
}

// matches returns where a text has any of the phrases, without overlaps.
func (t Terms) matches(text string) []match {
	marks, done := t.plainMarks(text)
	if !done {
		marks = t.marks(text)
	}
	slices.SortFunc(marks, func(a, b match) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var apart []match
	for _, m := range marks {
		if n := len(apart) - 1; n >= 0 && m.start <= apart[n].end {
			apart[n].end = max(apart[n].end, m.end)
			apart[n].phrases |= m.phrases
		} else {
			apart = append(apart, m)
		}
	}
	return apart
}

// plainMarks does the work of marks without splitting the text, which costs far
// more than looking for a few words in it. It gives up if the text is not ASCII, or
// has the beginning of a phrase of several words.
func (t Terms) plainMarks(text string) (marks []match, done bool) {
	text = cutText(text, mostText)
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return nil, false
		}
	}
	text = strings.ToLower(text)
	for n, p := range t.phrases {
		first := p.tokens[0]
		for from := 0; ; {
			at := strings.Index(text[from:], first)
			if at < 0 {
				break
			}
			if len(p.tokens) > 1 {
				return nil, false
			}
			at += from
			from = at + plainWord(text[at:])
			word := text[at:min(from, at+mostToken)]
			begun := at > 0 && isWord(rune(text[at-1]))
			if !begun && (word == first || p.begins && strings.HasPrefix(word, first)) {
				marks = append(marks, match{at, from, 1 << n})
			}
		}
	}
	return marks, true
}

// marks returns where a text has each of the phrases.
func (t Terms) marks(text string) (marks []match) {
	found := tokens(text)
	all := words(found)
	for n, p := range t.phrases {
		for i := range all {
			if !p.at(all[i:]) {
				continue
			}
			last := found[i+len(p.tokens)-1]
			end := last.end
			if p.begins && last.unspaced {
				end = last.first
			}
			marks = append(marks, match{found[i].start, end, 1 << n})
		}
	}
	return marks
}

// A group is a set of matches that are shown in one fragment.
type group []match

func grouped(matches []match) (groups []group) {
	for _, m := range matches {
		if n := len(groups) - 1; n >= 0 && m.start-groups[n].end() <= together && m.end-groups[n][0].start <= fragmentSize {
			groups[n] = append(groups[n], m)
		} else {
			groups = append(groups, group{m})
		}
	}
	return groups
}

func (g group) end() int { return g[len(g)-1].end }

// phrases returns how many different phrases the group shows.
func (g group) phrases() int {
	var all uint
	for _, m := range g {
		all |= m.phrases
	}
	return bits.OnesCount(all)
}

// fragment cuts the group out of its text, with some text around it between low and
// high, and returns where it ends.
func (g group) fragment(text string, low, high int) (Fragment, int) {
	start, end := max(g[0].start-around, low), min(g.end()+around, high)
	start += len(leadingPart(text[start:g[0].start], start == 0))
	end -= len(trailingPart(text[g.end():end], end == len(text)))
	f := Fragment{Begins: start == 0, Ends: end == len(text)}
	add := func(s string, match bool) {
		if s != "" {
			f.Pieces = append(f.Pieces, Piece{s, match})
		}
	}
	for _, m := range g {
		add(text[start:m.start], false)
		add(text[m.start:m.end], true)
		start = m.end
	}
	add(text[start:end], false)
	return f, end
}

// leadingPart returns what to leave out before a match: a word that is cut or,
// without spaces, a character that is.
func leadingPart(before string, whole bool) string {
	if whole {
		return ""
	}
	if i := strings.IndexFunc(before, unicode.IsSpace); i >= 0 {
		rest := strings.TrimLeftFunc(before[i:], unicode.IsSpace)
		return before[:len(before)-len(rest)]
	}
	i := 0
	for i < len(before) && !utf8.RuneStart(before[i]) {
		i++
	}
	return before[:i]
}

// trailingPart does the same after a match.
func trailingPart(after string, whole bool) string {
	if whole {
		return ""
	}
	if i := strings.LastIndexFunc(after, unicode.IsSpace); i >= 0 {
		return after[len(strings.TrimRightFunc(after[:i], unicode.IsSpace)):]
	}
	for i := len(after); i > 0; i-- {
		if r, size := utf8.DecodeLastRuneInString(after[:i]); r != utf8.RuneError || size != 1 {
			return after[i:]
		}
	}
	return after
}
