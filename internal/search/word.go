package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"frontdesk/internal/desk"
)

const (
	mostNameWords  = 40 // that a user is found by
	mostWordLength = 60 // in bytes; longer words are cut, in users and in queries
	mostSought     = 10 // words of a query; if there are more, the longest
	mostSuffixes   = 8  // of one run in a script without spaces
)

// Words returns the words that a user is found by: runs of letters and digits,
// folded and without accents. In scripts without spaces between words, a match may
// start at any character.
func Words(texts ...string) []string {
	var found []string
	for _, text := range texts {
		for _, run := range runs(text) {
			found = append(found, cut(run))
			if r := []rune(run); unspaced(r[0]) {
				for i := 1; i < min(len(r), mostSuffixes); i++ {
					found = append(found, cut(string(r[i:])))
				}
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return found[:min(len(found), mostNameWords)]
}

// Sought returns the words of a query. Each must start a word of a match. A word
// that is the start of another is dropped, because it adds nothing.
func Sought(query string) []string {
	all := runs(query)
	for i := range all {
		all[i] = cut(all[i])
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var kept []string
	for _, w := range all {
		if !slices.ContainsFunc(kept, func(k string) bool { return strings.HasPrefix(k, w) }) {
			kept = append(kept, w)
		}
	}
	return kept[:min(len(kept), mostSought)]
}

// runs returns the runs of letters and digits in a text, folded.
func runs(text string) []string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
	// Compose again, because NFKD takes apart not only accents but Hangul too.
	return strings.FieldsFunc(desk.Fold(norm.NFC.String(plain)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

// cut shortens a word without splitting a character.
func cut(word string) string {
	if len(word) <= mostWordLength {
		return word
	}
	return strings.ToValidUTF8(word[:mostWordLength], "")
}

// Beginning returns the range of words that start with w. Words are stored as
// bytes, because each engine sorts text differently.
func Beginning(w string) (from, to []byte) {
	from, to = []byte(w), []byte(w)
	to[len(to)-1]++ // the last byte of UTF-8 is never 0xff
	return from, to
}
