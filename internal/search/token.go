package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostText  = 128 << 10 // bytes of a text that are read
	mostToken = 64        // bytes of a token; longer ones are cut, in documents and queries alike
)

// A token is the unit by which texts are compared: a run of letters and digits, or
// two neighbouring characters of a script without spaces. In such a script the last
// character of a run is a token too, so that every character begins one.
type token struct {
	text       string // folded
	start, end int    // position in the text
	first      int    // where its first character ends in the text
	unspaced   bool
	apart      bool // whether it is the first after a Divide
}

// tokens splits a text. ACME-17 and jo@example.com are several tokens. They are
// found by any of them, and as a whole by the phrase of all.
func tokens(text string) []token {
	s := splitter{found: make([]token, 0, min(len(text), mostText)/6+1)}
	text = cutText(text, mostText)
	for i := 0; i < len(text); {
		// The usual case: a word that need not be read letter by letter.
		if n := plainWord(text[i:]); n > 0 && s.word.Len() == 0 {
			s.endRun()
			s.addFound(token{text: strings.ToLower(text[i : i+min(n, mostToken)]), start: i, end: i + n, first: i + 1})
			i += n
			continue
		}
		i += fold(text, i, s.add)
	}
	s.endRun()
	s.endWord()
	return s.found
}

// plainWord returns how many bytes at the start of a text are an ASCII word, with
// nothing after them that could belong to it; 0 for none.
func plainWord(text string) int {
	n := 0
	for n < len(text) && text[n] < utf8.RuneSelf && (isWord(rune(text[n])) || 'A' <= text[n] && text[n] <= 'Z') {
		n++
	}
	if n < len(text) && text[n] >= utf8.RuneSelf {
		return 0
	}
	return n
}

// cutText shortens a text without splitting a character.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// A splitter makes tokens of characters. It is inside a word, inside a run of a
// script without spaces, or in neither.
type splitter struct {
	found []token
	word  strings.Builder
	open  token // of word
	last  char  // of the run; its token is not made yet
	inRun bool
	apart bool // whether the next token will be
}

func (s *splitter) add(c char) {
	switch {
	case unspaced(c.r), s.inRun && unicode.IsMark(c.r):
		s.addToRun(c)
	case isWord(c.r):
		s.endRun()
		s.addToWord(c)
	default:
		s.endRun()
		s.endWord()
		s.apart = s.apart || string(c.r) == Divide
	}
}

func (s *splitter) addFound(t token) {
	t.apart, s.apart = s.apart, false
	s.found = append(s.found, t)
}

func (s *splitter) addToRun(c char) {
	s.endWord()
	if s.inRun {
		s.addFound(token{text: string([]rune{s.last.r, c.r}), start: s.last.start, end: c.end, first: s.last.end, unspaced: true})
	}
	s.last, s.inRun = c, true
}

func (s *splitter) addToWord(c char) {
	if s.word.Len() == 0 {
		s.open = token{start: c.start, first: c.end}
	}
	if s.word.Len()+utf8.RuneLen(c.r) <= mostToken {
		s.word.WriteRune(c.r)
	}
	s.open.end = c.end
}

func (s *splitter) endRun() {
	if s.inRun {
		s.addFound(token{text: string(s.last.r), start: s.last.start, end: s.last.end, first: s.last.end, unspaced: true})
		s.inRun = false
	}
}

func (s *splitter) endWord() {
	if s.word.Len() > 0 {
		s.open.text = s.word.String()
		s.addFound(s.open)
		s.word.Reset()
	}
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// unspaced reports whether r belongs to a script without spaces between words, or
// one that, like Korean, attaches other words to a word.
func unspaced(r rune) bool {
	if r < 0x0e00 {
		return false
	}
	// The mark of a long vowel belongs to no script.
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar) && isWord(r)
}

// hasDigit reports whether a token contains a digit, as names with numbers do.
func hasDigit(token string) bool { return strings.ContainsFunc(token, unicode.IsNumber) }
