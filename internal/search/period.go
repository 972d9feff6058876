package search

import "strconv"

// The list of documents in an index has no useful order: to find the newest with a
// common word, PostgreSQL would gather all of them. So each document also has a
// term for every period of time that it is in. Periods range from a quarter of a
// second to nine years, each eight times as long as the one before. A search goes
// through one stretch of time after another, from the newest.
const (
	shortest    = 8       // a period is 1<<shortest milliseconds long, or
	longest     = 38      // up to 1<<longest, in steps of
	periodStep  = 3       // bits
	mostPeriods = 8       // periods in a stretch
	mostTime    = 1 << 45 // milliseconds on either side of 1970 that are distinguished
)

// periodsOf returns the terms of the periods that a time is in.
func periodsOf(at int64) []string {
	var all []string
	for bits := shortest; bits <= longest; bits += periodStep {
		all = append(all, periodTerm(bits, numberAt(at, bits)))
	}
	return all
}

func numberAt(at int64, bits int) int64 { return (at + mostTime) >> bits }

func periodTerm(bits int, number int64) string {
	return strconv.FormatInt(int64(bits), 36) + joint + strconv.FormatInt(number, 36)
}

// A stretch is a part of time that is searched at once, by the terms of its
// periods. No periods means all of time.
type stretch struct {
	begin   int64
	periods []string
}

// A direction is 1 to find the newest first and -1 for the oldest. Searching goes
// from high to low. For the oldest, times and ids are negated, so that everything
// except this file and the statements can speak of the newest.
type direction int64

func (d direction) turn(n int64) int64 { return int64(d) * n }

// cover returns the stretch of the shortest periods that cover the time from low to
// high with few enough of them. It may begin earlier than asked.
func (d direction) cover(low, high int64) stretch {
	for bits := shortest; bits <= longest; bits += periodStep {
		first, last := numberAt(d.turn(low), bits), numberAt(d.turn(high), bits)
		begin := first<<bits - mostTime
		if d < 0 {
			first, last = last, first
			begin = mostTime - (last+1)<<bits + 1
		}
		if last-first >= mostPeriods {
			continue
		}
		s := stretch{begin: begin}
		for n := first; n <= last; n++ {
			s.periods = append(s.periods, periodTerm(bits, n))
		}
		return s
	}
	return stretch{begin: low}
}

// newerHalf returns the part of a stretch up to high that holds the newer half of
// its time. ok is false if it is as short as periods can be.
func (d direction) newerHalf(s stretch, high int64) (half stretch, ok bool) {
	half = d.cover(middle(s.begin, high), high)
	return half, half.begin > s.begin
}

func middle(low, high int64) int64 { return low + (high-low+1)/2 }
