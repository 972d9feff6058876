package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostQuery   = 4 << 10 // bytes of a query that are read
	mostPhrases = 16      // that a query may have; of more, the first
	mostWords   = 32      // of a phrase
)

// Terms are what a query asks for: a document must have all of them, each in
// its title, its public text or, if the query may see it, its private text.
type Terms struct {
	phrases []phrase
}

// A phrase is tokens that must follow one another.
type phrase struct {
	tokens []string
	begins bool // the last token need only begin so
}

// Parse reads a query as people write it: words, and phrases in quotes. There is
// no other syntax. A word with punctuation inside, such as ACME-17, is the phrase
// of its parts. The last word, as long as no space or quote follows it, is taken
// for the beginning of one, from two characters on: it may still be being typed.
func Parse(text string) Terms {
	text = cutText(text, mostQuery)
	var t Terms
	start, quoted := 0, false
	for i, r := range text {
		if isQuote(r) || !quoted && unicode.IsSpace(r) {
			t.add(text[start:i], false)
			quoted = quoted != isQuote(r)
			start = i + utf8.RuneLen(r)
		}
	}
	t.add(text[start:], true)
	return t
}

func (t *Terms) add(text string, open bool) {
	if len(t.phrases) == mostPhrases {
		return
	}
	p := phraseOf(tokens(text), open)
	same := func(q phrase) bool { return q.begins == p.begins && slices.Equal(q.tokens, p.tokens) }
	if len(p.tokens) > 0 && !slices.ContainsFunc(t.phrases, same) {
		t.phrases = append(t.phrases, p)
	}
}

// isQuote reports whether r is a double quotation mark of any kind: telephones
// do not write the plain one.
func isQuote(r rune) bool {
	switch r {
	case '"', '“', '”', '„', '‟', '«', '»', '「', '」', '『', '』', '＂':
		return true
	}
	return false
}

// phraseOf makes a phrase of tokens. open says that the last may be unfinished.
func phraseOf(found []token, open bool) phrase {
	if len(found) > mostWords {
		found, open = found[:mostWords], false
	}
	if len(found) == 0 {
		return phrase{}
	}
	last := found[len(found)-1]
	begins := open && utf8.RuneCountInString(last.text) > 1
	if last.unspaced {
		// A run may go on behind what was asked for: its last character is then
		// no token of its own, but begins one.
		begins = last.first == last.end
		if n := len(found) - 2; begins && n >= 0 && found[n].unspaced && found[n].end == last.end {
			found, begins = found[:n+1], false
		}
	}
	return phrase{words(found), begins}
}

func words(found []token) []string {
	all := make([]string, len(found))
	for i, t := range found {
		all[i] = t.text
	}
	return all
}

// at reports whether the phrase stands at the first of some words.
func (p phrase) at(words []string) bool {
	if len(words) < len(p.tokens) {
		return false
	}
	n := len(p.tokens) - 1
	if last := p.tokens[n]; words[n] != last && !(p.begins && strings.HasPrefix(words[n], last)) {
		return false
	}
	return slices.Equal(words[:n], p.tokens[:n])
}

// pattern finds the phrase in a stream, with LIKE. No token has a character
// that means something to it.
func (p phrase) pattern() string {
	s := "% " + strings.Join(p.tokens, " ")
	if !p.begins {
		s += " "
	}
	return s + "%"
}

// A unit is a term of the index that a document with a phrase must have.
type unit struct {
	begin bool
	term  string
}

// units are the terms to find the phrase by. exact says that a document which
// has them has the phrase, too; if not, its stream must be read.
func (p phrase) units() (all []unit, exact bool) {
	n := len(p.tokens)
	exact = n == 1 || n == 2 && isPair(p.tokens[0], p.tokens[1])
	for i, token := range p.tokens {
		paired := i > 0 && isPair(p.tokens[i-1], token)
		if begins := p.begins && i == n-1; begins {
			least := 2
			if r, _ := utf8.DecodeRuneInString(token); paired || unspaced(r) {
				least = 1
			}
			known, complete := longestBeginning(token, least)
			token, exact = known, exact && complete
			all = append(all, unit{true, pairTerm(p.tokens, i, token, paired)})
			continue
		}
		if paired || i == n-1 || !isPair(token, p.tokens[i+1]) {
			all = append(all, unit{false, pairTerm(p.tokens, i, token, paired)})
		}
	}
	return all, exact
}

func pairTerm(tokens []string, i int, token string, paired bool) string {
	if !paired {
		return token
	}
	return tokens[i-1] + joint + token
}
