package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A char is a character of a folded text, and the bytes of the original text that
// it stands for.
type char struct {
	r          rune
	start, end int
}

// fold folds the text at a position, and returns how many bytes it has read. It
// removes differences that people do not type consistently: case, accents, width,
// ligatures, and invisible characters.
func fold(text string, i int, next func(char)) int {
	// The usual case: a character that nothing after it can change.
	if c := text[i]; c < utf8.RuneSelf && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		next(char{rune(c), i, i + 1})
		return 1
	}
	// Up to the next boundary of normal forms: a letter and its accents.
	size := max(norm.NFKD.NextBoundaryInString(text[i:], true), 1)
	for _, r := range foldSegment(text[i : i+size]) {
		next(char{r, i, i + size})
	}
	return size
}

// foldSegment folds a letter with its accents. The result may be empty.
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
	// Compose again, because NFKD takes apart not only accents but also Hangul and
	// the voiced sounds of kana.
	for _, r := range norm.NFC.String(plain) {
		b.WriteString(foldRune(r))
	}
	return b.String()
}

func foldRune(r rune) string {
	if isAccent(r) {
		return ""
	}
	// By way of the capital, because ς and σ share one.
	r = unicode.ToLower(unicode.ToUpper(r))
	if letters, ok := spelled[r]; ok {
		return letters
	}
	return string(r)
}

// spelled are letters that Unicode does not decompose, as typed on a keyboard that
// lacks them.
var spelled = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ŧ': "t", 'ŋ': "n", 'ĸ': "k",
}

// isAccent reports whether r makes no difference to a searcher: accents and the
// points of Hebrew and Arabic, which people often leave out, and invisible
// characters. The vowel signs of other scripts and the voice marks of kana make
// different words, so they stay.
func isAccent(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == '\u3099' || r == '\u309a': // voice marks
		return false
	case r == '\u200b': // a zero-width space is a space
		return false
	case r == '\u0640': // a letter that lengthens Arabic words
		return true
	case unicode.Is(unicode.Cf, r): // soft hyphens, joiners, directions
		return true
	case !unicode.In(r, unicode.Mn, unicode.Me):
		return false
	}
	return unicode.In(r, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Cyrillic)
}
