package search

import (
	"math"
	"slices"
	"time"
)

const (
	docsPerHit = 4 // documents in the first stretch, for each that is wanted
	// How many times as far as all before it a later stretch reaches, at most; and
	// where the searcher was not to see any of what was found.
	mostGrowth, unseenGrowth = 256, 16
	// A later stretch that turns out to have so many documents with the terms,
	// for each that is wanted and besides, is too long.
	manyPerHit, many = 4, 128
	leastKept        = 32 // documents that Keep is asked for at once
)

// newest finds the newest documents that have the terms, as many as wanted. It
// goes back in time, one stretch after another, until there are enough:
//
//  1. The first stretch is as long as four documents for each that is wanted
//     take up. With a common word that is enough, and the rest is never looked at.
//  2. If not, the word is rare, and a long stretch holds few of it: the next reaches
//     back twice as far as what was found so far suggests, and very far where that
//     is nothing.
//  3. A stretch that has many all the same, because the word was common once, is
//     left as soon as that shows. Its newer half is read instead, then the newer
//     half of the rest, and so on.
//
// So the cost depends on the page and on how rare the word is, and with the
// size of the account grows as its logarithm does.
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
			most = 2*docsPerHit*want + many // as many as were counted, and where its periods begin earlier
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

// growthAfter is how many times as far as all before the next stretch reaches.
func growthAfter(found, seen, want int) int64 {
	switch {
	case found > 0:
		return int64(min(max(2*want/found, 1), mostGrowth))
	case seen > 0:
		return unseenGrowth
	}
	return mostGrowth
}

// read returns all documents of a stretch, the newest first. If there are more
// than most, it reads a part of the stretch instead, and says which.
func (f *finder) read(s stretch, high int64, below place, most int) ([]place, stretch, error) {
	for {
		half, divides := f.direction.newerHalf(s, high)
		if !divides {
			most = math.MaxInt32 // too many at one moment: they must be put in order all the same
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

// start is the place that the page is below of.
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

// ends are the times between which documents are wanted, where reading begins
// and where it ends.
func (f *finder) ends() (first, last *time.Time) {
	if f.direction < 0 {
		return f.q.After, f.q.Before
	}
	return f.q.Before, f.q.After
}

// keep adds to found what the searcher is to see of some documents, until there
// are as many as wanted.
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
	}
	return f.direction.cover(max(low, f.oldest), high), nil
}

// bounds finds the time of the newest document below a place, and remembers
// that of the oldest. ok says that there are any.
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

// nthBelow is the time of the nth document below a place, or of the last where
// there are fewer.
func (f *finder) nthBelow(below place, n int) (at int64, err error) {
	o := f.direction.order()
	err = f.tx.Row(`SELECT at FROM (
			SELECT at, document_id FROM search_documents WHERE account_id = $1 AND at `+o.since+` $2 AND (at, document_id) `+o.below+` ($3, $4)
			ORDER BY at `+o.down+`, document_id `+o.down+` LIMIT $5
		) n ORDER BY at `+o.up+`, document_id `+o.up+` LIMIT 1`,
		f.q.Account, f.direction.turn(f.oldest), f.direction.turn(below.at), f.direction.turn(below.id), n).Scan(&at)
	return f.direction.turn(at), err
}
