package suggest

import "math"

// mood returns how a message sounds: below zero bad, above good. One strong word
// makes about 3.
func (u understood) mood() float64 {
	var negated, stress []float64
	turn := -1 // the last "but"
	for _, s := range u.signs {
		switch s.section {
		case "negation", "intensifier":
			if negated == nil {
				negated, stress = make([]float64, len(u.tokens)), make([]float64, len(u.tokens))
			}
			for i := s.start; i < s.end; i++ {
				if s.section == "negation" {
					negated[i] = 1
				} else {
					stress[i] = s.weight
				}
			}
		case "but":
			turn = s.start
		}
	}
	var good, bad gathered
	for _, s := range u.signs {
		if s.section != "sentiment" {
			continue
		}
		w := s.weight
		if negated != nil {
			w = u.modified(w, s, negated, stress)
		}
		switch { // what follows a "but" is what is meant
		case turn >= s.end:
			w *= 0.5
		case turn >= 0 && turn < s.start:
			w *= 1.2
		}
		if w > 0 {
			good.add(w)
		} else {
			bad.add(-w)
		}
	}
	sum := good.sum() - bad.sum()
	if u.verdict == Thanks && sum < 1.6 {
		sum = math.Max(sum, 0) + 1.2
	}
	if u.shouts() || u.bangs >= 3 {
		sum *= 1.25
	}
	return sum
}

// gathered adds up weights. The greatest counts most, because two small complaints
// are not a great one.
type gathered struct{ most, others float64 }

func (g *gathered) add(w float64) {
	if w > g.most {
		w, g.most = g.most, w
	}
	g.others += w
}

func (g *gathered) sum() float64 { return g.most + 0.5*math.Min(g.others, 4) }

// modified returns the weight of a sign with the words around it: "very good", "not
// very good" or, in German and French word order, "gefällt mir nicht".
func (u understood) modified(w float64, s sign, negated, stress []float64) float64 {
	const reach = 4
	no := false
	for i := s.start - 1; i >= max(0, s.start-reach); i-- {
		if k := u.tokens[i].kind; k == aStop || k == aComma || k == aQuestion {
			break
		}
		if negated[i] != 0 {
			no = true
		}
		if f := stress[i]; f != 0 && s.start-i <= 2 {
			w *= f
		}
	}
	for i := s.end; i < min(len(u.tokens), s.end+3) && !no; i++ {
		if k := u.tokens[i].kind; k == aStop || k == aComma || k == aQuestion {
			break
		}
		no = negated[i] != 0 && u.negatesBack(i)
	}
	if !no {
		return w
	}
	if w > 0 {
		return -math.Min(w, 2.4) // not perfect is not terrible
	}
	return -0.7 * w // not bad is hardly good
}

// negatesBack reports whether a negation may come after what it negates.
func (u understood) negatesBack(i int) bool {
	return oneOf(u.phrase(i, i+1), "nicht", "pas", "nix")
}

// sentiment returns the message's sentiment.
func (u understood) sentiment() Answer[Sentiment] {
	mood := u.mood()
	a := Answer[Sentiment]{Value: Neutral, Source: FromRules, Confidence: 0.6}
	switch {
	case mood >= 3.4:
		a.Value = VeryPositive
	case mood >= 1:
		a.Value = Positive
	case mood <= -3.1:
		a.Value = VeryNegative
	case mood <= -1:
		a.Value = Negative
	}
	switch {
	case u.verdict == "":
		a.Confidence = 0
	case a.Value != Neutral:
		a.Confidence = math.Min(0.45+0.1*math.Abs(mood), 0.9)
	case mood != 0:
		a.Confidence = 0.4
	}
	return a
}
