package suggest

// sign is a phrase of the lexicon in a text.
type sign struct {
	*sense
	start, end int // tokens
}

// signs finds the signs of the text's languages, in the order of the text. Of
// overlapping signs of one kind the first counts, and of those that begin together
// the longest: "not urgent" is not "urgent".
func (l *lexicon) signsIn(r reading) []sign {
	spoken := l.spoken(r.tokens)
	var all []sign
	taken := map[string]int{} // for each kind, the token after the last sign
	for i := range r.tokens {
		first := len(all)
		l.signs.walk(r.tokens, i, func(end int, meaning int32) {
			s := sign{&l.senses[meaning], i, end}
			if s.languages&spoken == 0 || i < taken[s.kind()] {
				return
			}
			for k := first; k < len(all); k++ {
				if all[k].kind() == s.kind() {
					if s.end > all[k].end || all[k].section != "courtesy" {
						all[k] = s
					}
					return
				}
			}
			all = append(all, s)
		})
		for _, s := range all[first:] {
			taken[s.kind()] = s.end
		}
	}
	return all
}

// kind returns what excludes another sign at the same place.
func (s *sense) kind() string {
	switch s.section {
	case "category":
		return s.name
	case "courtesy":
		return "sentiment"
	}
	return s.section
}

// sentences returns the number of the sentence of each token.
func (r *reading) sentences() []int {
	numbers := make([]int, len(r.tokens)+1)
	n := 0
	for i := range r.tokens {
		numbers[i] = n
		if k := r.tokens[i].kind; k == aStop || k == aQuestion {
			n++
		}
	}
	numbers[len(r.tokens)] = n
	return numbers
}

// shouts reports whether most of a text is in capitals.
func (r *reading) shouts() bool {
	words, loud := 0, 0
	for i := range r.tokens {
		if r.tokens[i].kind == aWord && r.tokens[i].end-r.tokens[i].start > 2 {
			words++
			if r.tokens[i].shape == shouted {
				loud++
			}
		}
	}
	return loud > 1 && loud*2 > words
}
