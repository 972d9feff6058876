package demo

import (
	"math/rand/v2"
	"time"
)

// weekly is how much is asked on each day of the week, from Sunday on.
var weekly = [7]float64{0.15, 1.35, 1.2, 1.1, 1.05, 0.85, 0.2}

// hourly is how much is asked in each hour of the day.
var hourly = [24]float64{6: 1, 7: 4, 8: 9, 9: 12, 10: 11, 11: 8, 12: 5, 13: 8, 14: 10, 15: 8, 16: 6, 17: 3, 18: 2, 19: 1, 20: 1, 21: 1}

func working(t time.Time) bool {
	return t.Weekday() != time.Saturday && t.Weekday() != time.Sunday
}

func midnight(t time.Time) time.Time { return t.Truncate(day) }

// spread gives each story its day, oldest first: more on a Monday than on a Sunday,
// and more recently than three months ago. Today gets its share up to now.
func spread(now time.Time) []time.Time {
	var weights [daysBack]float64
	all := 0.0
	for i := range weights {
		at := now.AddDate(0, 0, i+1-daysBack)
		weights[i] = weekly[at.Weekday()] * (0.8 + 0.4*float64(i)/daysBack)
		if i == daysBack-1 {
			weights[i] *= over(now)
		}
		all += weights[i]
	}
	days := make([]time.Time, stories)
	d, sum := 0, weights[0]
	for i := range days {
		for sum < all*(float64(i)+0.5)/stories && d < daysBack-1 {
			d++
			sum += weights[d]
		}
		days[i] = now.AddDate(0, 0, d+1-daysBack)
	}
	return days
}

// over returns how much of a day's questions has been asked by then.
func over(now time.Time) float64 {
	asked, all := 0.0, 0.0
	for h, weight := range hourly {
		all += weight
		if h < now.Hour() {
			asked += weight
		}
	}
	return asked / all
}

// workingTime returns a time on a day, not after now.
func workingTime(r *rand.Rand, on, now time.Time) time.Time {
	for range 100 {
		h := r.IntN(24)
		if r.Float64()*12 > hourly[h] {
			continue
		}
		at := midnight(on).Add(time.Duration(h)*time.Hour + time.Duration(r.IntN(3600))*time.Second)
		if at.Before(now.Add(-5 * time.Minute)) {
			return at
		}
	}
	return now.Add(-time.Duration(5+r.IntN(50)) * time.Minute)
}

// officeTime returns when something is written that could be written at a time:
// then, or else on the next working morning.
func officeTime(r *rand.Rand, at time.Time) time.Time {
	early := at.Hour() < 7
	if working(at) && !early && at.Hour() < 18 {
		return at
	}
	morning := midnight(at)
	if !early || !working(at) {
		morning = morning.AddDate(0, 0, 1)
	}
	for !working(morning) {
		morning = morning.AddDate(0, 0, 1)
	}
	return morning.Add(7*time.Hour + 20*time.Minute + time.Duration(r.IntN(90*60))*time.Second)
}
