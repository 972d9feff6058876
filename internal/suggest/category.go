package suggest

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

const (
	leastCategory  = 1.2 // a lower score means nothing
	secondCategory = 2.0 // what a second category needs
	mostCategories = 3
)

// categories suggests some of an account's categories. It knows the defaults by
// their signs, however the account spells them, and all others by the words in
// their names.
func categories(l *lexicon, u understood, allowed []string) Answer[[]string] {
	known, stems := u.categoryScores(), u.stems()
	seen := map[string]bool{}
	type scored struct {
		name  string
		score float64
		rules string // the default that it matches; empty for none
	}
	var all []scored
	for _, name := range allowed {
		if seen[name] {
			continue
		}
		seen[name] = true
		c := scored{name: name, rules: defaultCategory(name)}
		if c.rules != "" {
			c.score = known[c.rules]
		} else {
			c.score = u.ownWords(l, stems, name)
		}
		if c.score >= leastCategory {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })

	a := Answer[[]string]{Value: []string{}, Source: FromRules, Confidence: 0.3}
	for i, c := range all {
		if i > 0 && (c.score < secondCategory || c.score < 0.85*all[0].score || i >= mostCategories) {
			break
		}
		// A fault is either a bug or a problem, whichever is likelier.
		if c.rules == Bug && slices.ContainsFunc(all[:i], func(o scored) bool { return o.rules == Problem }) ||
			c.rules == Problem && slices.ContainsFunc(all[:i], func(o scored) bool { return o.rules == Bug }) {
			continue
		}
		a.Value = append(a.Value, c.name)
	}
	if len(all) > 0 {
		a.Confidence = math.Min(0.4+0.1*all[0].score, 0.85)
		if len(all) > 1 && all[1].score > 0.85*all[0].score {
			a.Confidence -= 0.15
		}
	}
	return a
}

// categoryScores returns how strongly the text suggests each of the defaults.
func (u understood) categoryScores() map[string]float64 {
	scores := map[string]float64{}
	if u.verdict != Request {
		return scores
	}
	add := func(name string, weight float64) {
		if scores[name] > 0 { // saying it twice adds little
			weight *= 0.4
		}
		scores[name] += weight
	}
	o := u.outline()
	added := map[int]bool{}
	for _, s := range u.signs {
		sentence := o.sentence[s.start]
		please, begs := o.begs[sentence]
		switch s.section {
		case "category":
			w := s.weight
			if s.name == Question && !o.asks[sentence] && !u.opens(s.start) {
				w *= 0.4 // "nobody knows why" asks nothing
			}
			add(s.name, w)
		case "doing":
			switch {
			case begs && s.start >= please-8:
				add(Task, 2.6)
			case s.start == 0 || o.sentence[s.start-1] != sentence: // an order
				add(Task, 2)
			}
		case "adding":
			if added[sentence] {
				continue
			}
			added[sentence] = true
			switch {
			case o.wishes[sentence]:
				add(FeatureRequest, 3)
			case begs:
				add(Task, 2.4)
			}
		}
	}
	if u.code {
		add(Bug, 1.5)
	}
	u.guess(scores, o)
	return scores
}

// guess uses the kind of sentence if the words say little.
func (u understood) guess(scores map[string]float64, o outline) {
	if len(o.asks) > 0 {
		scores[Question] += 1.25
	}
	// A request for something that the lexicon lacks is still a request.
	if len(o.begs) > 0 && scores[Task] == 0 {
		scores[Task] = 1.5
	}
	// A statement about a page or a button, without a question or a plea, reports
	// that something is wrong with it. A "no" or "but" reports a problem. Three
	// words are too few for either.
	if len(o.asks) > 0 || len(o.begs) > 0 || len(u.tokens) <= 4 {
		return
	}
	switch {
	case o.software && len(scores) == 0:
		scores[Bug] = leastCategory
	case o.software:
		scores[Bug] += 0.8
	case len(scores) == 0 && u.objects():
		scores[Problem] = leastCategory
	}
}

// outline says what each sentence is. Sentences are numbered.
type outline struct {
	sentence []int        // sentence of each token
	asks     map[int]bool // has a question mark
	begs     map[int]int  // says please, at this token
	wishes   map[int]bool // names something one may wish for
	software bool         // anywhere in the text
}

func (u understood) outline() outline {
	o := outline{sentence: u.sentences(), asks: map[int]bool{}, begs: map[int]int{}, wishes: map[int]bool{}}
	for i := range u.tokens {
		if u.tokens[i].kind == aQuestion {
			o.asks[o.sentence[i]] = true
		}
	}
	for _, s := range u.signs {
		switch sentence := o.sentence[s.start]; s.section {
		case "please":
			if _, ok := o.begs[sentence]; !ok {
				o.begs[sentence] = s.start
			}
		case "wishable":
			o.wishes[sentence] = true
		case "software":
			o.software = true
		}
	}
	return o
}

// objects reports whether a text contains a no or a but.
func (u understood) objects() bool {
	return slices.ContainsFunc(u.signs, func(s sign) bool { return s.section == "negation" || s.section == "but" })
}

// opens reports whether a token begins a sentence or a clause, perhaps after one
// small word: "an wen", "à qui".
func (u understood) opens(i int) bool {
	return i < 2 || u.tokens[i-1].kind != aWord || u.tokens[i-2].kind != aWord
}

// defaultCategory returns the default that a name means. It also recognises
// "Feature Request" and "bugs".
func defaultCategory(name string) string {
	plain := strings.Join(nameWords(name), "_")
	for _, d := range DefaultCategories() {
		if plain == d || plain == d+"s" {
			return d
		}
	}
	return ""
}

// nameWords returns the words of a category's name: data and export for
// "dataExport", "data-export" and "Data export".
func nameWords(name string) []string {
	var words []string
	var word []byte
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	lower := false
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
			flush()
			lower = false
			continue
		}
		if unicode.IsUpper(r) && lower {
			flush()
		}
		lower = unicode.IsLower(r)
		word = fold(word, r)
	}
	flush()
	return words
}

// ownWords scores a category by its name. All of its words must be in the text, in
// any order and with any ending.
func (u understood) ownWords(l *lexicon, stems map[string]bool, name string) float64 {
	wanted := 0
	for _, word := range nameWords(name) {
		if s := l.words.words[word]; s != 0 && l.words.languages[s] != 0 && len(word) < 5 {
			continue // "of", "and": no meaning
		}
		wanted++
		if !stems[stem(word)] {
			return 0
		}
	}
	if wanted == 0 {
		return 0
	}
	return 2.2 + 0.4*float64(wanted-1)
}

// stems returns the stems of all words.
func (u understood) stems() map[string]bool {
	all := make(map[string]bool, len(u.tokens))
	for _, t := range u.tokens {
		if t.kind == aWord || t.kind == aNumber {
			all[stem(u.text[t.start:t.end])] = true
		}
	}
	return all
}

// stem removes the usual endings of our five languages, so that refund and refunds,
// Rechnung and Rechnungen, billing and billed are the same.
func stem(word string) string {
	for _, ending := range []string{"ungen", "ments", "ment", "iones", "ciones", "ings", "ing", "ung", "ion", "ions", "ers", "er", "ed", "en", "es", "s", "e", "n", "a", "o"} {
		if short, ok := strings.CutSuffix(word, ending); ok && len(short) >= 4 {
			return short
		}
	}
	return word
}
