package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A char is a character of a folded text, and the bytes of the text that it
// stands for.
type char struct {
	r          rune
	start, end int
}

// fold folds what begins at a place of a text, and gives how many bytes that is:
// everything goes that people do not type alike, which is case, accents, width,
// ligatures, and what cannot be seen.
func fold(text string, i int, next func(char)) int {
	// Most of most texts: a character that nothing can follow to change it.
	if c := text[i]; c < utf8.RuneSelf && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		next(char{rune(c), i, i + 1})
		return 1
	}
	// Up to where normal forms begin anew: a letter and its accents.
	size := max(norm.NFKD.NextBoundaryInString(text[i:], true), 1)
	for _, r := range foldSegment(text[i : i+size]) {
		next(char{r, i, i + size})
	}
	return size
}

// foldSegment folds a letter with its accents. What it gives may be empty.
func foldSegment(segment string) string {
	if r, size := utf8.DecodeRuneInString(segment); size == len(segment) && norm.NFKD.PropertiesString(segment).Decomposition() == nil {
		return foldRune(r)
	}
	plain := strings.Map(func(r rune) rune {
		if isAccent(r) {
			return -1
		}
		return r
	}, norm.NFKD.String(segment))
	var b strings.Builder
	// Composed again: what NFKD takes apart is not only accents, but Hangul and
	// the voiced sounds of kana too.
	for _, r := range norm.NFC.String(plain) {
		b.WriteString(foldRune(r))
	}
	return b.String()
}

func foldRune(r rune) string {
	if isAccent(r) {
		return ""
	}
	// By way of the capital: ς and σ have the same.
	r = unicode.ToLower(unicode.ToUpper(r))
	if letters, ok := spelled[r]; ok {
		return letters
	}
	return string(r)
}

// spelled are letters that Unicode does not take apart, as they are typed on a
// keyboard that lacks them.
var spelled = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ŧ': "t", 'ŋ': "n", 'ĸ': "k",
}

// isAccent reports whether a text means the same to a searcher without r:
// accents and the points of Hebrew and Arabic, which are left out as often as
// not, and characters that are not seen. The vowel signs of other scripts and
// the voice marks of kana make other words, and stay.
func isAccent(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == '\u3099' || r == '\u309a': // voice marks
		return false
	case r == '\u200b': // a space of no width is a space
		return false
	case r == '\u0640': // a letter to lengthen Arabic words with
		return true
	case unicode.Is(unicode.Cf, r): // soft hyphens, joiners, directions
		return true
	case !unicode.In(r, unicode.Mn, unicode.Me):
		return false
	}
	return unicode.In(r, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Cyrillic)
}
