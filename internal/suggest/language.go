package suggest

import "math/bits"

// spoken guesses the languages of a text by the small words of each. This separates
// words with several meanings: "mal" is bad in French and once in German. Without
// any evidence it may be any language.
func (l *lexicon) spoken(tokens []token) languages {
	var count [8]int
	for i := range tokens {
		if tokens[i].kind != aWord || tokens[i].n == 0 {
			continue
		}
		for set := l.words.languages[tokens[i].ids[0]]; set != 0; set &= set - 1 {
			count[bits.TrailingZeros8(uint8(set))]++
		}
	}
	most := 0
	for _, n := range count {
		most = max(most, n)
	}
	if most == 0 {
		return everyLanguage
	}
	var set languages
	for i, n := range count {
		if n > 0 && (n+1 >= most || n*3 >= most*2) {
			set |= 1 << i
		}
	}
	return set
}
