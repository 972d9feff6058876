package insights

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// SQL answers from the tables of facts, in the same database as everything else.
//
//  1. The names of the query are looked up in the tables of this package, so that
//     nothing that a caller wrote becomes part of a statement.
//  2. Each grain that the measures need is one statement, grouped by the
//     dimensions. It runs for one time bucket after another, with other times as
//     its arguments. So each run reads one range of the facts in order, and sorts
//     no more than a bucket.
//  3. The groups of requests are the rows. Those of other grains are joined to
//     them.
type SQL struct {
	// Limit is how long a query may take; 0 means MostTime.
	Limit time.Duration
}

// Answer answers a question, as an Engine does.
func (e SQL) Answer(ctx context.Context, db *sqldb.DB, q Question) ([]desk.InsightsRow, error) {
	p, err := q.plan()
	if err != nil {
		return nil, err
	}
	return e.answer(ctx, db, p)
}

func (e SQL) answer(ctx context.Context, db *sqldb.DB, p plan) ([]desk.InsightsRow, error) {
	var a *answering
	err := e.within(ctx, func(limited context.Context) error {
		return db.Read(limited, func(tx *sqldb.Tx) error {
			a = &answering{plan: p, rows: map[string]*row{}} // this may run more than once
			return a.run(limited, tx)
		})
	})
	if err != nil {
		return nil, err
	}
	return a.answer(), nil
}

// within limits the time for answering a query.
func (e SQL) within(ctx context.Context, answer func(limited context.Context) error) error {
	limit := cmp.Or(e.Limit, MostTime)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := answer(limited)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return desk.Errorf(desk.Invalid, "The query takes longer than %v. Ask for a shorter time or fewer groups.", limit)
	}
	return err
}

// answering is a plan that is being answered.
type answering struct {
	plan
	grains []asked
	rows   map[string]*row
}

// asked is a grain with what is asked about it.
type asked struct {
	grain    grain
	measures []Measure    // aggregates
	means    []expression // expressions whose mean is wanted
	columns  []expression // expressions whose quantiles are wanted
}

// row is a group that is being computed.
type row struct {
	keys   []string // of its buckets
	groups []any    // the values of its dimensions
	values map[string]any
}

func (a *answering) run(ctx context.Context, tx *sqldb.Tx) error {
	a.gather()
	buckets, err := a.buckets(func(t timed) (first, last *int64, err error) {
		err = tx.Row("SELECT min("+t.column()+"), max("+t.column()+") FROM request_facts f WHERE f.account_id = $1", a.Account).Scan(&first, &last)
		return first, last, err
	})
	if err != nil {
		return err
	}
	var at func(i int, keys []string, spans []span) error
	at = func(i int, keys []string, spans []span) error {
		if i == len(buckets) {
			return a.ask(ctx, tx, keys, spans)
		}
		for _, b := range buckets[i] {
			k := keys
			if a.times[i].granularity != "" {
				k = append(keys[:len(keys):len(keys)], b.key)
			}
			if err := at(i+1, k, append(spans[:len(spans):len(spans)], b.span)); err != nil {
				return err
			}
		}
		return nil
	}
	return at(0, nil, nil)
}

// gather decides what to ask each grain. Requests are always asked, because they
// are the rows.
func (a *answering) gather() {
	grains := []asked{{grain: ofRequests}, {grain: ofWaits}, {grain: ofSessions}}
	var want func(m Measure)
	want = func(m Measure) {
		g := &grains[m.grain]
		switch {
		case m.part != "":
			part, _ := measure(m.part)
			whole, _ := measure(m.whole)
			want(part)
			want(whole)
		case m.of.column != "" && m.quantile == 0:
			if !slices.Contains(g.means, m.of) {
				g.means = append(g.means, m.of)
			}
		case m.of.column != "":
			if !slices.Contains(g.columns, m.of) {
				g.columns = append(g.columns, m.of)
			}
		case !slices.ContainsFunc(g.measures, func(o Measure) bool { return o.Name == m.Name }):
			g.measures = append(g.measures, m)
		}
	}
	for _, m := range a.measures {
		want(m)
	}
	for _, g := range grains {
		if g.grain == ofRequests || len(g.measures)+len(g.means)+len(g.columns) > 0 {
			a.grains = append(a.grains, g)
		}
	}
}

// buckets returns the buckets of each time dimension; one without a granularity is
// a single bucket. extent returns the first and the last time of a dimension, nil
// for none.
func (a *answering) buckets(extent func(timed) (first, last *int64, err error)) ([][]bucket, error) {
	all, product := make([][]bucket, len(a.times)), 1
	for i, t := range a.times {
		if t.granularity == "" {
			all[i] = []bucket{{"", t.span}}
			continue
		}
		s := t.span
		if s.from.IsZero() || s.to.IsZero() {
			first, last, err := extent(t)
			if err != nil {
				return nil, err
			}
			if first == nil {
				return [][]bucket{nil}, nil
			}
			s = s.and(span{time.UnixMilli(*first).In(a.Zone), time.UnixMilli(*last + 1).In(a.Zone)})
		}
		var err error
		if all[i], err = t.granularity.buckets(s, mostBuckets); err != nil {
			return nil, errTooMany
		}
		if product *= len(all[i]); product > mostBuckets {
			return nil, errTooMany
		}
	}
	return all, nil
}

var errTooMany = desk.Errorf(desk.Invalid, "The query has more than %d buckets of time. Ask for a shorter time or a coarser granularity.", mostBuckets)

var errTooLong = desk.Errorf(desk.Invalid, "The answer has more than %d rows. Ask for a shorter time or fewer groups.", MostRows)

// ask asks each grain for the groups of one bucket.
func (a *answering) ask(ctx context.Context, tx *sqldb.Tx, keys []string, spans []span) error {
	for _, s := range spans {
		if s.empty() {
			return nil
		}
	}
	for _, g := range a.grains {
		// SQLite does not end a statement for this, so check between them.
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := a.askGrain(tx, g, keys, spans); err != nil {
			return err
		}
	}
	return nil
}

func (a *answering) askGrain(tx *sqldb.Tx, g asked, keys []string, spans []span) error {
	s := a.statement(g, spans)
	rows, err := sqldb.Collect(tx, func(scan func(...any) error) (r []any, err error) {
		r = make([]any, len(a.dimensions)+1+len(g.measures)+2*len(g.means)+len(g.columns))
		into := make([]any, len(r))
		for i := range r {
			into[i] = &r[i]
		}
		return r, scan(into...)
	}, s.String(), s.Args()...)
	if err != nil {
		return fmt.Errorf("ask for insights: %w", err)
	}
	for _, r := range rows {
		if err := a.put(g, keys, r); err != nil {
			return err
		}
	}
	return nil
}

// statement returns the statement of a grain for one bucket.
func (a *answering) statement(g asked, spans []span) *statement {
	s := &statement{}
	var groups []string
	s.Add("SELECT ")
	for i, d := range a.dimensions {
		column := d.column()
		if d.field != 0 {
			column = fmt.Sprintf("d%d.%s", i, cmp.Or(d.sql, "option_id"))
		}
		groups = append(groups, column)
		s.Add(column + ", ")
	}
	s.Add("count(*)")
	for _, m := range g.measures {
		s.Add(", " + m.aggregate(a.Now.UnixMilli()))
	}
	for _, e := range g.means {
		s.Add(", sum(" + e.sql() + "), count(" + e.sql() + ")")
	}
	for _, e := range g.columns {
		s.Add(", quantiles(" + e.sql() + ")")
	}
	s.Add(" FROM request_facts f")
	switch g.grain {
	case ofWaits:
		s.Add(" JOIN response_facts w ON w.account_id = f.account_id AND w.created_at = f.created_at AND w.request_id = f.request_id")
	case ofSessions:
		s.Add(" JOIN agent_sessions s ON s.account_id = f.account_id AND s.request_id = f.request_id")
	}
	for i, d := range a.dimensions {
		s.Add(d.join)
		if d.field != 0 {
			s.fieldJoin(d, fmt.Sprintf("d%d", i))
		}
	}
	s.Add(" WHERE f.account_id = ?", int64(a.Account))
	for i, t := range a.times {
		for _, end := range []struct {
			op string
			at time.Time
		}{{" >= ", spans[i].from}, {" < ", spans[i].to}} {
			if !end.at.IsZero() {
				s.Add(" AND "+t.column()+end.op+"?", end.at.UnixMilli())
			}
		}
		if spans[i].from.IsZero() && spans[i].to.IsZero() {
			s.Add(" AND " + t.column() + " IS NOT NULL")
		}
	}
	if !a.Reach.All {
		s.Add(" AND f.collection_id IN ")
		sqldb.In(s, a.Reach.IDs)
	}
	for _, f := range a.filters {
		s.filter(f)
	}
	if len(groups) > 0 {
		s.Add(" GROUP BY " + strings.Join(groups, ", "))
	}
	return s
}

// put puts a grain's answer into its row.
func (a *answering) put(g asked, keys []string, r []any) error {
	groups := make([]any, len(a.dimensions))
	for i, d := range a.dimensions {
		groups[i] = d.shown(plainValue(r[i]))
	}
	b, err := json.Marshal([]any{keys, groups})
	if err != nil {
		return err
	}
	key := string(b)
	found, ok := a.rows[key]
	if !ok {
		count := plainValue(r[len(groups)]).(int64)
		// Without groups there is always one row. With groups there are only those
		// with a request, which the first grain has returned.
		if g.grain != ofRequests || count == 0 && len(groups)+len(keys) > 0 {
			return nil
		}
		if len(a.rows) == MostRows {
			return errTooLong
		}
		found = &row{keys: keys, groups: groups, values: map[string]any{}}
		a.rows[key] = found
	}
	r = r[len(groups)+1:]
	for i, m := range g.measures {
		found.values[m.Name] = plainValue(r[i])
	}
	r = r[len(g.measures):]
	for i, c := range g.means {
		if n := asCount(plainValue(r[2*i+1])); n > 0 {
			found.values[lengthKey(c, 0)] = mean{asCount(plainValue(r[2*i])), n}
		}
	}
	r = r[2*len(g.means):]
	for i, c := range g.columns {
		if err := found.quantiles(c, plainValue(r[i])); err != nil {
			return err
		}
	}
	return nil
}

// quantiles records the quantiles of a value, which come as JSON; nil if there are
// none.
func (r *row) quantiles(of expression, v any) error {
	said, ok := v.(string)
	if !ok {
		return nil
	}
	var all []float64
	if err := json.Unmarshal([]byte(said), &all); err != nil {
		return fmt.Errorf("read quantiles: %w", err)
	}
	for i, q := range sqldb.Quantiles {
		r.values[lengthKey(of, q)] = all[i]
	}
	return nil
}

func lengthKey(of expression, q float64) string { return fmt.Sprint(of.column, " ", of.points, " ", q) }

// plainValue converts a value to what the drivers of both engines might return.
func plainValue(v any) any {
	switch n := v.(type) {
	case []byte:
		return string(n)
	case int32:
		return int64(n)
	case int16:
		return int64(n)
	case float32:
		return float64(n)
	}
	return v
}

// answer sorts the rows and returns what was asked for.
func (a *answering) answer() []desk.InsightsRow {
	ordered := make([]*row, 0, len(a.rows))
	for _, r := range a.rows {
		ordered = append(ordered, r)
	}
	slices.SortFunc(ordered, func(x, y *row) int {
		if c := slices.Compare(x.keys, y.keys); c != 0 {
			return c
		}
		for i := range x.groups {
			if c := order(x.groups[i], y.groups[i]); c != 0 {
				return c
			}
		}
		return 0
	})
	all := make([]desk.InsightsRow, len(ordered))
	for i, r := range ordered {
		all[i] = a.show(r)
	}
	return all
}

// order compares two values of a dimension; no value comes last.
func order(a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	if x, ok := asNumber(a); ok {
		if y, ok := asNumber(b); ok {
			return cmp.Compare(x, y)
		}
	}
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

func asNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func (a *answering) show(r *row) (cells desk.InsightsRow) {
	for i := range a.dimensions {
		cells = append(cells, desk.InsightsCell{Name: a.Query.Dimensions[i], Value: number4(r.groups[i])})
	}
	k := 0
	for i, t := range a.times {
		if t.granularity != "" {
			cells = append(cells, desk.InsightsCell{Name: a.Query.TimeDimensions[i].Key(), Value: r.keys[k]})
			k++
		}
	}
	for i, m := range a.measures {
		cells = append(cells, desk.InsightsCell{Name: a.Query.Measures[i], Value: r.value(m)})
	}
	return cells
}

// value returns a measure of a row. If nothing was recorded, a count is 0 and a
// duration is empty.
func (r *row) value(m Measure) any {
	switch {
	case m.part != "":
		part, whole := asCount(r.values[m.part]), asCount(r.values[m.whole])
		if whole == 0 {
			return nil
		}
		return ratio(100*part, whole)
	case m.of.column != "":
		switch v := r.values[lengthKey(m.of, m.quantile)].(type) {
		case mean:
			return ratio(v.sum, v.n*int64(m.scale))
		case float64:
			return round(v / m.scale)
		}
		return nil
	case m.Type == integer:
		return asCount(r.values[m.Name])
	}
	return number4(r.values[m.Name])
}

func asCount(v any) int64 {
	if n, ok := asNumber(v); ok {
		return int64(n)
	}
	if text, ok := v.(string); ok { // PostgreSQL's sum of many is a numeric
		n, _ := strconv.ParseFloat(text, 64)
		return int64(n)
	}
	return 0
}

// number4 rounds to four decimals.
func number4(v any) any {
	if f, ok := v.(float64); ok {
		return round(f)
	}
	return v
}

// mean is a sum and its count.
type mean struct{ sum, n int64 }

// ratio divides one integer by another, exactly to four decimals. With floats the
// last decimal would depend on the order of additions.
func ratio(a, b int64) float64 {
	f, _ := strconv.ParseFloat(big.NewRat(a, b).FloatString(4), 64)
	return f
}

func round(f float64) float64 { return math.Round(f*1e4) / 1e4 }
