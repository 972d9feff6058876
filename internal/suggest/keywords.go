package suggest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Keywords returns the words of a plain text that say what it is about, at most this
// many, in its order and spelling and each once: without small words, greetings, and
// anything shorter than three letters.
func Keywords(text string, most int) (all []string) {
	l := theLexicon()
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) }) {
		if len(all) == most {
			break
		}
		if n := utf8.RuneCountInString(word); n < 3 && isASCII(word) || n > mostKeyword || seen[stem(folded(word))] {
			continue
		}
		seen[stem(folded(word))] = true
		if s := l.words.words[folded(word)]; s != 0 && (l.words.languages[s] != 0 || len(l.pleasantries.firsts[s]) > 0) {
			continue
		}
		all = append(all, word)
	}
	return all
}

// mostKeyword is the length of a word beyond which it is no word.
const mostKeyword = 40

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

func folded(word string) string {
	var b []byte
	for _, r := range word {
		b = fold(b, r)
	}
	return string(b)
}
