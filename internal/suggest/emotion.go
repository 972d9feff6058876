package suggest

import "math"

// emotion returns the mood of everything that the requester wrote. The latest
// message counts most, and each earlier one half as much as the next. A person who
// was angry and is thankful now is not angry.
func emotion(d Discussion, read []understood) Answer[Emotion] {
	var sum, weights float64
	weight := 1.0
	seen := 0
	for i := len(d.Messages) - 1; i >= 0 && seen < mostMessages; i-- {
		if d.Messages[i].Responder {
			continue
		}
		mood := math.Max(-4, math.Min(4, read[i].mood()))
		sum += weight * mood
		weights += weight
		weight /= 2
		seen++
	}
	a := Answer[Emotion]{Value: EmotionNeutral, Source: FromRules}
	if weights == 0 {
		return a
	}
	mood := sum / weights
	switch {
	case mood >= 0.9:
		a.Value = EmotionPositive
	case mood <= -0.9:
		a.Value = EmotionNegative
	}
	a.Confidence = math.Min(0.5+0.1*math.Abs(mood), 0.9)
	return a
}
