package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/sqldb"
)

// Query says what to find.
type Query struct {
	Account int64
	Text    string // as typed: see Parse. Without a word in it, nothing is found
	// OnlyPublic ignores private texts, both for finding and for ranking.
	OnlyPublic bool
	After      *time.Time // only documents strictly after
	Before     *time.Time // only documents strictly before
	From       *Position  // where the previous page ended
	Limit      int        // 0 means 50
	// OldestFirst reverses the order. It has no effect on Rank.
	OldestFirst bool
	// Labels narrow the search: a document must have one label of each of these
	// lists.
	Labels [][]string
	// Rank returns the best first, out of the newest 500 that are found. Without it
	// the newest are first, and every document is found.
	Rank bool
	// Keep, if not nil, returns those of the documents that the searcher may see
	// and wants to see. It is called between statements of the same transaction. It
	// need not check what Labels can express, except for their rare mistakes. What
	// only Keep can decide costs time, because the search then reads documents that
	// Keep drops.
	Keep func(ids []int64) ([]int64, error)
}

// Hit is a document that was found.
type Hit struct {
	ID    int64
	At    time.Time
	Score int64 // with Rank, how well it matches; comparable within one query
}

// Position is a place among hits: after the one with these values.
type Position struct {
	ID    int64
	At    time.Time
	Score int64 // only with Rank
}

const (
	defaultLimit = 50
	mostRanked   = 500
)

// Find returns a page of hits, and whether there are more.
func Find(tx *sqldb.Tx, q Query) (hits []Hit, more bool, err error) {
	terms := Parse(q.Text)
	if len(terms.phrases) == 0 || slices.ContainsFunc(q.Labels, func(l []string) bool { return len(l) == 0 }) {
		return nil, false, nil
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	if q.Rank {
		hits, err = best(tx, q, terms)
	} else {
		hits, err = newest(tx, q, terms, limit+1)
	}
	if err != nil {
		return nil, false, fmt.Errorf("find documents: %w", err)
	}
	if len(hits) > limit {
		return hits[:limit], true, nil
	}
	return hits, false, nil
}

// newest returns the newest documents with the terms, up to want.
func newest(tx *sqldb.Tx, q Query, terms Terms, want int) ([]Hit, error) {
	f, err := newFinder(tx, q, terms)
	if err != nil {
		return nil, err
	}
	places, err := f.newest(want)
	hits := make([]Hit, len(places))
	for i, p := range places {
		hits[i] = f.direction.hit(p, 0)
	}
	return hits, err
}

// A place is where a document is in the order of all, from high to low.
type place struct{ at, id int64 }

var aboveAll = place{math.MaxInt64, math.MaxInt64}

const lowestID = -math.MaxInt64 // which can be negated

func (p place) compare(o place) int { return cmp.Or(cmp.Compare(p.at, o.at), cmp.Compare(p.id, o.id)) }

func (d direction) place(at, id int64) place { return place{d.turn(at), d.turn(id)} }

func (d direction) hit(p place, score int64) Hit {
	return Hit{d.turn(p.id), time.UnixMilli(d.turn(p.at)).UTC(), score}
}

// A finder reads the documents that have the terms of a query.
type finder struct {
	tx        *sqldb.Tx
	q         Query
	direction direction
	match     string // the terms, in the syntax of search_index
	like      string // conditions for what the terms leave open
	args      []any  // arguments of like
	oldest    int64  // no document is older
	dense     int64  // from here up to where reading has got, there are more than enough

	places func(s stretch, below place, most int) ([]place, error) // query, or what a test wraps around it
}

func newFinder(tx *sqldb.Tx, q Query, terms Terms) (*finder, error) {
	f := &finder{tx: tx, q: q, direction: 1, oldest: -mostTime, dense: math.MaxInt64}
	f.places = f.query
	if q.OldestFirst && !q.Rank {
		f.direction = -1
	}
	if _, last := f.ends(); last != nil {
		f.oldest = f.direction.turn(clampTime(*last)) + 1
	}
	var all []string
	for _, p := range terms.phrases {
		units, exact := p.units()
		for _, u := range units {
			condition, isExact, err := f.condition(u)
			if err != nil {
				return nil, err
			}
			all, exact = append(all, condition), exact && isExact
		}
		if !exact {
			f.addLike(p.pattern())
		}
	}
	for _, labels := range q.Labels {
		all = append(all, f.oneOf(label, labels, labelTerm))
	}
	f.match = strings.Join(all, " AND ")
	return f, nil
}

// oneOf returns the condition that a document has one of several terms of a kind.
func (f *finder) oneOf(kind string, of []string, term func(string) string) string {
	quoted := make([]string, len(of))
	for i, text := range of {
		quoted[i] = f.quote(kind, term(text))
	}
	return anyOf(quoted)
}

func anyOf(terms []string) string { return "(" + strings.Join(terms, " OR ") + ")" }

// either returns the conditions of which one says that a document has a unit in a text
// that the query may read.
func (f *finder) either(u unit) (terms []string) {
	var kinds []string
	if u.whole {
		kinds = append(kinds, wholePublic, wholePrivate)
	}
	if u.begin {
		kinds = append(kinds, beginPublic, beginPrivate)
	}
	for _, kind := range kinds {
		if isPrivate := kind == wholePrivate || kind == beginPrivate; !isPrivate || !f.q.OnlyPublic {
			terms = append(terms, f.quote(kind, u.term))
		}
	}
	return terms
}

func (f *finder) quote(kind, term string) string { return `"` + scope(f.q.Account) + kind + term + `"` }

// fixedArgs is the number of arguments before those of like.
const fixedArgs = 5

func (f *finder) addLike(pattern string) {
	f.args = append(f.args, pattern)
	// SQLite prepares a statement again for each value of a bare parameter of LIKE, in
	// case an index could serve it. An expression has no such effect.
	mark := "CAST($" + strconv.Itoa(fixedArgs+len(f.args)) + " AS TEXT)"
	f.like += " AND (d.title LIKE " + mark + " OR d.public LIKE " + mark
	if !f.q.OnlyPublic {
		f.like += " OR d.private LIKE " + mark
	}
	f.like += ")"
}

// within returns the condition that a document is in one of several periods.
func (f *finder) within(periods []string) string {
	if len(periods) == 0 {
		return ""
	}
	return " AND " + f.oneOf(period, periods, func(p string) string { return p })
}

// query finds documents in a stretch of time, below a place, in no particular
// order.
func (f *finder) query(s stretch, below place, most int) ([]place, error) {
	statement, args := f.statement(s, below, most)
	return sqldb.Collect(f.tx, func(scan func(...any) error) (p place, err error) {
		err = scan(&p.id, &p.at)
		return f.direction.place(p.at, p.id), err
	}, statement, args...)
}

// An order is a direction in SQL.
type order struct{ up, down, below, since string }

func (d direction) order() order {
	if d < 0 {
		return order{up: "DESC", down: "ASC", below: ">", since: "<="}
	}
	return order{up: "ASC", down: "DESC", below: "<", since: ">="}
}

func (f *finder) statement(s stretch, below place, most int) (string, []any) {
	o := f.direction.order()
	// New documents have high row ids, so that is where SQLite begins to look for them:
	// from the other end it would walk through all others first.
	from := " @lastfirst"
	if f.direction < 0 {
		from = ""
	}
	// CROSS JOIN makes SQLite begin with the table that is named first, whatever it
	// guesses about their sizes. There is no other ORDER BY, because it would read
	// everything before it returns one row.
	return `SELECT d.document_id, d.at FROM search_index($1) s CROSS JOIN search_documents d
		WHERE d.id = s.rowid AND d.account_id = $2 AND d.at ` + o.since + ` $3 AND (d.at, d.document_id) ` + o.below + ` ($4, $5)` + f.like + from + sqldb.Limit(most),
		append([]any{f.match + f.within(s.periods), f.q.Account, f.direction.turn(max(s.begin, f.oldest)), f.direction.turn(below.at), f.direction.turn(below.id)}, f.args...)
}
