package insights

import (
	"context"
	"math"
	"slices"
	"sort"
	"strconv"
)

// scan answers a plan from a table. It returns errUnanswered, before it has read
// any row, if the plan needs something that is in no column.
func (a *answering) scan(ctx context.Context, t *table) error {
	a.gather()
	s := &scanning{answering: a, table: t, keysThere: 1}
	if err := s.lookUp(); err != nil {
		return err
	}
	if err := s.layOut(); err != nil {
		return err
	}
	if s.nothing {
		return nil
	}
	if err := s.selectRows(ctx); err != nil {
		return err
	}
	return s.count(ctx)
}

// scanning is an answer that is being computed from columns.
type scanning struct {
	*answering
	*table
	nothing   bool   // the query matches no time
	keysThere uint64 // how many keys are possible

	times    []*timeline
	filtered []func(row int32) bool
	groups   []grouping

	// The selection: rows, each as often as it is in groups, and the numbers of
	// their groups. keys are the keys of the groups.
	rows   []int32
	of     []int32
	keys   []uint64
	number map[uint64]int32 // number of a group by its key; dense is used instead if there are few
	dense  []int32
}

// timeline is a time dimension with its consecutive buckets.
type timeline struct {
	buckets    []bucket
	at         []int64 // of each row
	from, to   []int64
	last       int // where the previous one was found
	beginsRows bool
}

// find returns the bucket that a time is in, or -1.
func (l *timeline) find(at int64) int {
	if at >= l.from[l.last] && at < l.to[l.last] {
		return l.last
	}
	i := sort.Search(len(l.from), func(i int) bool { return l.from[i] > at }) - 1
	if i < 0 || at >= l.to[i] {
		return -1
	}
	l.last = i
	return i
}

// grouping is a dimension.
type grouping struct {
	source
	size   int
	values []any     // of groups
	many   [][]int32 // groups by code, for values that can be in several
}

func newGrouping(s source) grouping {
	g := grouping{source: s, values: s.values, size: len(s.values)}
	if !slices.ContainsFunc(s.values, func(v any) bool { _, list := v.([]int64); return list }) {
		return g
	}
	known := map[any]int32{}
	g.values, g.many = []any{nil}, make([][]int32, len(s.values))
	g.many[0] = []int32{0}
	for code := 1; code < len(s.values); code++ {
		for _, v := range s.of(int32(code)) {
			n, ok := known[v]
			if !ok {
				n = int32(len(g.values))
				known[v], g.values = n, append(g.values, v)
			}
			g.many[code] = append(g.many[code], n)
		}
	}
	g.size = len(g.values)
	return g
}

// mostKeys bounds the number of possible groups, and mostDense the number up to
// which a list is used.
const (
	mostKeys  = 1 << 62
	mostDense = 1 << 20
)

// multiply multiplies the number of possible keys by n. It returns false if there
// are too many.
func (s *scanning) multiply(n int) bool {
	n = max(n, 1)
	if s.keysThere > mostKeys/uint64(n) {
		return false
	}
	s.keysThere *= uint64(n)
	return true
}

// layOut makes the time buckets, and the numbers for groups.
func (s *scanning) layOut() error {
	buckets, err := s.buckets(func(t timed) (first, last *int64, err error) {
		column, _ := s.moments(t.of.column)
		lo, hi := int64(math.MaxInt64), int64(none64)
		for _, at := range column {
			if at != none64 {
				lo, hi = min(lo, at), max(hi, at)
			}
		}
		if hi == none64 {
			return nil, nil, nil
		}
		return &lo, &hi, nil
	})
	if err != nil {
		return err
	}
	for i, t := range s.answering.times {
		if i >= len(buckets) || len(buckets[i]) == 0 || t.granularity == "" && t.span.empty() {
			s.nothing = true
			return nil
		}
		column, _ := s.moments(t.of.column)
		if !s.multiply(len(buckets[i])) {
			return errUnanswered
		}
		s.times = append(s.times, newTimeline(t, buckets[i], column))
	}
	if s.keysThere <= mostDense {
		s.dense = make([]int32, s.keysThere)
	} else {
		s.number = map[uint64]int32{}
	}
	return nil
}

func newTimeline(t timed, buckets []bucket, column []int64) *timeline {
	l := &timeline{buckets: buckets, at: column, beginsRows: t.of.column == "f.created_at"}
	for _, b := range buckets {
		from, to := int64(none64+1), int64(math.MaxInt64)
		if !b.from.IsZero() {
			from = b.from.UnixMilli()
		}
		if !b.to.IsZero() {
			to = b.to.UnixMilli()
		}
		l.from, l.to = append(l.from, from), append(l.to, to)
	}
	return l
}

// selectRows finds the wanted rows and their groups.
func (s *scanning) selectRows(ctx context.Context) error {
	if len(s.groups) == 0 && !slices.ContainsFunc(s.answering.times, func(t timed) bool { return t.granularity != "" }) {
		s.group(0) // there is always one row
	}
	var blocks []int32
	for b, in := range s.table.blocks {
		if !slices.ContainsFunc(s.times, func(l *timeline) bool {
			return l.beginsRows && (in.last < l.from[0] || in.first >= l.to[len(l.to)-1])
		}) {
			blocks = append(blocks, int32(b))
		}
	}
	// If some rows of a block are in the time range, most are, and usually each is
	// in one group.
	if len(s.filtered) == 0 {
		room := min(len(blocks)*blockRows, len(s.ids))
		s.rows, s.of = make([]int32, 0, room), make([]int32, 0, room)
	}
	rows := int32(len(s.ids))
	for _, b := range blocks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := s.selectFrom(b*blockRows, min((b+1)*blockRows, rows)); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanning) selectFrom(first, end int32) error {
	keys := make([]uint64, 1, 8)
rows:
	for i := first; i < end; i++ {
		key := uint64(0)
		for _, l := range s.times {
			b := l.find(l.at[i])
			if b < 0 {
				continue rows
			}
			key = key*uint64(len(l.buckets)) + uint64(b)
		}
		for _, holds := range s.filtered {
			if !holds(i) {
				continue rows
			}
		}
		keys = append(keys[:0], key)
		for g := range s.groups {
			keys = s.groups[g].spread(keys, i)
		}
		for _, key := range keys {
			g := s.group(key)
			if g >= MostRows {
				return errTooLong
			}
			s.rows, s.of = append(s.rows, i), append(s.of, g)
		}
	}
	return nil
}

// spread multiplies keys by the groups of a row.
func (g *grouping) spread(keys []uint64, row int32) []uint64 {
	code := g.code(row)
	if g.many != nil && len(g.many[code]) == 1 {
		code = g.many[code][0]
	} else if g.many != nil {
		return g.spreadMany(keys, g.many[code])
	}
	for k := range keys {
		keys[k] = keys[k]*uint64(g.size) + uint64(code)
	}
	return keys
}

func (g *grouping) spreadMany(keys []uint64, groups []int32) []uint64 {
	var all []uint64
	for _, key := range keys {
		for _, n := range groups {
			all = append(all, key*uint64(g.size)+uint64(n))
		}
	}
	return all
}

// group returns the number of the group with a key.
func (s *scanning) group(key uint64) int32 {
	if s.dense != nil {
		if s.dense[key] == 0 {
			s.keys = append(s.keys, key)
			s.dense[key] = int32(len(s.keys))
		}
		return s.dense[key] - 1
	}
	n, ok := s.number[key]
	if !ok {
		n = int32(len(s.keys))
		s.keys, s.number[key] = append(s.keys, key), n
	}
	return n
}

// count computes the measures for all groups.
func (s *scanning) count(ctx context.Context) error {
	all := make([]*row, len(s.keys))
	for g, key := range s.keys {
		all[g] = s.rowOf(key)
		s.answering.rows[strconv.Itoa(g)] = all[g]
	}
	for _, g := range s.grains {
		for _, m := range g.measures {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			for i, n := range s.countOf(m) {
				all[i].values[m.Name] = n
			}
		}
		lengths := map[expression]gathered{}
		for _, e := range slices.Concat(g.means, g.columns) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if _, ok := lengths[e]; !ok {
				lengths[e] = s.gatherOf(g.grain, e)
			}
		}
		for _, e := range g.means {
			lengths[e].means(e, all)
		}
		for _, e := range g.columns {
			lengths[e].quantiles(e, all)
		}
	}
	return nil
}

// rowOf returns the row of a group, still without numbers.
func (s *scanning) rowOf(key uint64) *row {
	r := &row{groups: make([]any, len(s.groups)), values: map[string]any{}}
	for i := len(s.groups) - 1; i >= 0; i-- {
		g := &s.groups[i]
		r.groups[i] = s.dimensions[i].shown(g.values[key%uint64(g.size)])
		key /= uint64(g.size)
	}
	for i := len(s.times) - 1; i >= 0; i-- {
		l := s.times[i]
		if s.answering.times[i].granularity != "" {
			r.keys = append(r.keys, l.buckets[key%uint64(len(l.buckets))].key)
		}
		key /= uint64(len(l.buckets))
	}
	slices.Reverse(r.keys)
	return r
}
