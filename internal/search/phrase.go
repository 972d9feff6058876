package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostQuery   = 4 << 10 // bytes of a query that are read
	mostPhrases = 16      // phrases of a query; further ones are ignored
	mostWords   = 32      // words of a phrase
)

// Terms are what a query asks for. A document must have all of them, each in its
// title, its public text or, if the query may see it, its private text.
type Terms struct {
	phrases []phrase
}

// A phrase is a sequence of tokens.
type phrase struct {
	tokens []string
	begins bool // the last token is only a beginning
}

// Parse reads a query as people write it: words, and phrases in quotes. There is no
// other syntax. A word with punctuation inside, such as ACME-17, is the phrase of
// its parts. The last word may still be unfinished, so it counts as the beginning
// of a word from two characters on, unless a space or quote follows it.
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

// isQuote reports whether r is a double quotation mark of any kind, because phones
// do not write the plain one.
func isQuote(r rune) bool {
	switch r {
	case '"', '“', '”', '„', '‟', '«', '»', '「', '」', '『', '』', '＂':
		return true
	}
	return false
}

// phraseOf makes a phrase of tokens. open says that the last one may be unfinished.
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
		// A run may continue after the searched part. Then its last character is
		// not a token itself, but the beginning of one.
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

// at reports whether words begin with the phrase.
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

// pattern returns a LIKE pattern that finds the phrase in a stream. No token
// contains a character that is special to LIKE.
func (p phrase) pattern() string {
	s := "% " + strings.Join(p.tokens, " ")
	if !p.begins {
		s += " "
	}
	return s + "%"
}

// A unit is what every document with a phrase must have: a whole token, or one that
// begins with the term. whole says that the term itself would do, too. typed is a
// longer beginning than words without digits have as terms.
type unit struct {
	begin, whole bool
	term, typed  string
}

// units returns the terms to find the phrase by. exact says that a document with
// these terms also has the phrase. Otherwise its stream must be read.
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
			exact = exact && complete
			u := unit{begin: true, whole: complete, term: pairTerm(p.tokens, i, known, paired)}
			if !paired && outgrows(token) {
				u.typed = token
			}
			all = append(all, u)
			continue
		}
		if paired || i == n-1 || !isPair(token, p.tokens[i+1]) {
			all = append(all, unit{whole: true, term: pairTerm(p.tokens, i, token, paired)})
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
