package insights

import (
	"slices"

	"frontdesk/internal/sqldb"
)

// countOf returns how many rows of each group a measure counts, or their sum.
func (s *scanning) countOf(m Measure) []int64 {
	n := make([]int64, len(s.keys))
	var ofRow []func(int32) bool
	var ofSession []func(session) bool
	for _, w := range m.holds {
		if holds, ok := sessionTest(w); ok {
			ofSession = append(ofSession, holds)
		} else {
			holds, _ := s.test(w, s.Now.UnixMilli())
			ofRow = append(ofRow, holds)
		}
	}
	column := slices.Index(sessionColumns, m.sum)
rows:
	for k, i := range s.rows {
		for _, holds := range ofRow {
			if !holds(i) {
				continue rows
			}
		}
		if m.grain == ofRequests {
			n[s.of[k]]++
			continue
		}
		for _, one := range s.sessions.of(i) {
			switch {
			case slices.ContainsFunc(ofSession, func(holds func(session) bool) bool { return !holds(one) }):
			case column >= 0:
				n[s.of[k]] += int64(one[column])
			default:
				n[s.of[k]]++
			}
		}
	}
	return n
}

// gathered holds the numbers of all groups. Those of a group begin at first and end
// where those of the next begin.
type gathered struct {
	numbers []int32
	first   []int
}

func (s *scanning) gatherOf(g grain, e expression) gathered {
	if g == ofWaits {
		return s.gatherWaits()
	}
	first := make([]int, len(s.keys)+1)
	numbers, _ := s.numbers(e, s.rows)
	for k, n := range numbers {
		if n != none32 {
			first[s.of[k]+1]++
		}
	}
	all, next := places(first)
	for k, n := range numbers {
		if n != none32 {
			at := &next[s.of[k]]
			all[*at] = n
			*at++
		}
	}
	return gathered{all, first}
}

func (s *scanning) gatherWaits() gathered {
	first := make([]int, len(s.keys)+1)
	for k, i := range s.rows {
		first[s.of[k]+1] += int(s.waits.count[i])
	}
	all, next := places(first)
	for k, i := range s.rows {
		at := &next[s.of[k]]
		*at += copy(all[*at:], s.waits.of(i))
	}
	return gathered{all, first}
}

// places turns the number of values in each group, stored one position later, into
// the start of each group. It also returns room for all of them.
func places(first []int) (all []int32, next []int) {
	for i := range len(first) - 1 {
		first[i+1] += first[i]
	}
	return make([]int32, first[len(first)-1]), slices.Clone(first)
}

func (g gathered) of(i int) []int32 { return g.numbers[g.first[i]:g.first[i+1]] }

func (g gathered) means(e expression, all []*row) {
	for i, r := range all {
		numbers := g.of(i)
		if len(numbers) == 0 {
			continue
		}
		sum := int64(0)
		for _, n := range numbers {
			sum += int64(n)
		}
		r.values[lengthKey(e, 0)] = mean{sum, int64(len(numbers))}
	}
}

func (g gathered) quantiles(e expression, all []*row) {
	spare := make([]int32, len(g.numbers))
	for i, r := range all {
		numbers := g.of(i)
		if len(numbers) == 0 {
			continue
		}
		sortNumbers(numbers, spare)
		for _, f := range sqldb.Quantiles {
			r.values[lengthKey(e, f)] = sqldb.Quantile(numbers, f)
		}
	}
}

// sortNumbers sorts numbers. Many are distributed by their digits, which takes a
// few passes. spare is at least as long as numbers.
func sortNumbers(numbers, spare []int32) {
	const digit = 11
	if len(numbers) < 1<<(digit-2) {
		slices.Sort(numbers)
		return
	}
	lo, hi := slices.Min(numbers), slices.Max(numbers)
	from, to := numbers, spare[:len(numbers)]
	for shift := 0; uint32(hi-lo)>>shift > 0; shift += digit {
		var place [1<<digit + 1]int
		for _, n := range from {
			place[uint32(n-lo)>>shift&(1<<digit-1)+1]++
		}
		for i := range 1 << digit {
			place[i+1] += place[i]
		}
		for _, n := range from {
			d := uint32(n-lo) >> shift & (1<<digit - 1)
			to[place[d]] = n
			place[d]++
		}
		from, to = to, from
	}
	if &from[0] != &numbers[0] {
		copy(numbers, from)
	}
}
