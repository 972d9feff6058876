package suggest

// priority uses the strongest sign of haste, outage, danger or money. Others add to
// it, and signs of leisure reduce it. Without any sign it is normal.
func priority(u understood) Answer[Priority] {
	var strongest, others, weak, leisure float64
	for _, s := range u.signs {
		if s.section != "priority" {
			continue
		}
		switch {
		case s.weight < 0:
			leisure = min(leisure, s.weight)
		case s.weight <= 1: // alone it says little, however often it occurs
			weak = min(weak+s.weight, 1.5)
		case s.weight > strongest:
			strongest, others = s.weight, others+strongest
		default:
			others += s.weight
		}
	}
	score := strongest + 0.25*min(others, 4) + 0.5*weak
	if strongest == 0 {
		score = weak
	}
	if score > 0 && (u.shouts() || u.bangs >= 3) {
		score += 0.5
	}
	score += leisure
	a := Answer[Priority]{Value: Normal, Source: FromRules, Confidence: 0.5}
	switch {
	case score >= 3:
		a.Value, a.Confidence = Urgent, min(0.6+0.1*(score-3), 0.9)
	case score >= 2:
		a.Value, a.Confidence = High, 0.6
	case score <= -1:
		a.Value, a.Confidence = Low, min(0.5-0.1*score, 0.8)
	case score > 0:
		a.Confidence = 0.4 // almost the next higher
	}
	return a
}
