package search

import (
	"math"
	"slices"
	"time"

	"frontdesk/internal/sqldb"
)

const (
	docsPerHit = 4 // documents in the first stretch for each wanted one
	// How many times further than all before it a later stretch may reach, and the
	// same if the searcher may see none of what was found.
	mostGrowth, unseenGrowth = 256, 16
	everything               = -1 // the growth of a stretch that reaches back to the oldest document
	// A later stretch is too long if it has this many documents with the terms for
	// each wanted one, plus this many.
	manyPerHit, many = 4, 128
	leastKept        = 32 // documents that Keep is asked about at once
)

// newest finds the newest documents with the terms, up to want. It goes back in
// time, one stretch after another, until there are enough:
//
//  1. The first stretch is as long as four documents for each wanted one take up.
//     With a common word that is enough, and the rest is never read.
//  2. If not, the word is rare, and a long stretch has few of it. The next stretch
//     reaches back twice as far as the findings so far suggest. If nothing was
//     found, it is all the rest, which is read without the terms of periods: those
//     have long lists, and the list of a rare word is short.
//  3. A stretch may still have many, because the word was once common. It is
//     abandoned as soon as this shows. Its newer half is read instead, then the
//     newer half of the rest, and so on.
//
// So the cost depends on the page and on how rare the word is. It grows with the
// logarithm of the account's size.
func (f *finder) newest(want int) (found []place, err error) {
	below := f.start()
	newest, ok, err := f.bounds(below)
	if err != nil || !ok {
		return nil, err
	}
	seen := 0 // documents with the terms
	for high, growth := newest, int64(0); len(found) < want && high >= f.oldest; growth = growthAfter(len(found), seen, want) {
		s, err := f.stretch(newest, high, below, growth, want)
		if err != nil {
			return nil, err
		}
		most := manyPerHit*want + many
		if growth == 0 {
			most = 2*docsPerHit*want + many // as many as were counted, plus a margin because the periods may begin earlier
		}
		places, s, err := f.read(s, high, below, most)
		if err != nil {
			return nil, err
		}
		if found, err = f.keep(found, places, want); err != nil {
			return nil, err
		}
		seen += len(places)
		high, below = s.begin-1, place{s.begin, lowestID}
	}
	return found, nil
}

// growthAfter returns how many times further than all before it the next stretch
// reaches.
func growthAfter(found, seen, want int) int64 {
	switch {
	case found > 0:
		return int64(min(max(2*want/found, 1), mostGrowth))
	case seen > 0:
		return unseenGrowth
	}
	return everything
}

// read returns all documents of a stretch, newest first. If there are more than
// most, it reads a part of the stretch instead, and returns which.
func (f *finder) read(s stretch, high int64, below place, most int) ([]place, stretch, error) {
	for {
		half, divides := f.direction.newerHalf(s, high)
		if !divides {
			most = math.MaxInt32 // too many at one moment: they must be sorted anyway
		}
		places, err := f.places(s, below, most+1)
		if err != nil {
			return nil, s, err
		}
		if len(places) <= most {
			slices.SortFunc(places, func(a, b place) int { return b.compare(a) })
			return places, s, nil
		}
		f.dense, s = s.begin, half
	}
}

// start returns the place that the page begins below.
func (f *finder) start() place {
	below := aboveAll
	if first, _ := f.ends(); first != nil {
		below = place{f.direction.turn(clampTime(*first)), lowestID}
	}
	if from := f.q.From; from != nil && !f.q.Rank {
		if p := f.direction.place(clampTime(from.At), from.ID); p.compare(below) < 0 {
			below = p
		}
	}
	return below
}

// ends returns the times between which documents are wanted: where reading begins
// and where it ends.
func (f *finder) ends() (first, last *time.Time) {
	if f.direction < 0 {
		return f.q.After, f.q.Before
	}
	return f.q.Before, f.q.After
}

// keep adds the documents that the searcher may see to found, up to want.
func (f *finder) keep(found, places []place, want int) ([]place, error) {
	if f.q.Keep == nil {
		return append(found, places[:min(len(places), want-len(found))]...), nil
	}
	for some := range slices.Chunk(places, max(want, leastKept)) {
		ids := make([]int64, len(some))
		for i, p := range some {
			ids[i] = f.direction.turn(p.id)
		}
		kept, err := f.q.Keep(ids)
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			if len(found) < want && slices.Contains(kept, f.direction.turn(p.id)) {
				found = append(found, p)
			}
		}
		if len(found) == want {
			break
		}
	}
	return found, nil
}

// stretch chooses the next stretch: below a place, and not after high. The first
// has no growth.
func (f *finder) stretch(newest, high int64, below place, growth int64, want int) (stretch, error) {
	low := high - (newest-high)*growth
	switch {
	case growth == 0:
		var err error
		if low, err = f.nthBelow(below, want*docsPerHit); err != nil {
			return stretch{}, err
		}
	case f.dense <= high:
		low = middle(f.dense, high)
	case growth == everything:
		return stretch{begin: f.oldest}, nil
	}
	return f.direction.cover(max(low, f.oldest), high), nil
}

// bounds finds the time of the newest document below a place, and remembers that of
// the oldest. ok is false if there are none.
func (f *finder) bounds(below place) (newest int64, ok bool, err error) {
	o := f.direction.order()
	var low, high *int64
	err = f.tx.Row(`SELECT
		(SELECT at FROM search_documents WHERE account_id = $1 AND at `+o.since+` $2 ORDER BY at `+o.up+`, document_id `+o.up+` LIMIT 1),
		(SELECT at FROM search_documents WHERE account_id = $1 AND (at, document_id) `+o.below+` ($3, $4) ORDER BY at `+o.down+`, document_id `+o.down+` LIMIT 1)`,
		f.q.Account, f.direction.turn(f.oldest), f.direction.turn(below.at), f.direction.turn(below.id)).Scan(&low, &high)
	if err != nil || low == nil || high == nil || f.direction.turn(*high) < f.direction.turn(*low) {
		return 0, false, err
	}
	f.oldest = f.direction.turn(*low)
	return f.direction.turn(*high), true, nil
}

// nthBelow returns the time of the nth document below a place, or of the last if
// there are fewer.
func (f *finder) nthBelow(below place, n int) (at int64, err error) {
	o := f.direction.order()
	err = f.tx.Row(`SELECT at FROM (
			SELECT at, document_id FROM search_documents WHERE account_id = $1 AND at `+o.since+` $2 AND (at, document_id) `+o.below+` ($3, $4)
			ORDER BY at `+o.down+`, document_id `+o.down+sqldb.Limit(n)+`
		) n ORDER BY at `+o.up+`, document_id `+o.up+` LIMIT 1`,
		f.q.Account, f.direction.turn(f.oldest), f.direction.turn(below.at), f.direction.turn(below.id)).Scan(&at)
	return f.direction.turn(at), err
}
