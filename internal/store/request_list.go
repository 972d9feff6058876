package store

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// mostRuns bounds the runs of an index that a list is put together from. Beyond
// it what is narrower than the runs is looked at row by row.
const mostRuns = 64

// Requests is a page of conversations. Each page is put together from runs of
// indexes that are in its order already: one for each shelf that is wanted, in
// each collection, or for each author. Of each no more is read than the page
// can hold, so the cost does not grow with what is not wanted.
func (tx *Tx) Requests(f desk.RequestFilter, p desk.Page) (desk.List[desk.Request], error) {
	if p.Limit == 0 {
		p.Limit = desk.DefaultLimit
	}
	q := tx.positionsOf(f, p)
	if q == nil {
		return desk.List[desk.Request]{}, nil // nothing is within reach
	}
	positions, err := sqldb.Collect(tx.Tx, func(scan scanner) (at desk.Position, err error) {
		var moment int64
		err = scan(&at.ID, &moment)
		at.At = fromMS(moment)
		return at, err
	}, q.text.String(), q.args...)
	if err != nil {
		return desk.List[desk.Request]{}, err
	}
	var l desk.List[desk.Request]
	if len(positions) > p.Limit {
		positions = positions[:p.Limit]
		l.Next = &positions[p.Limit-1]
	}
	l.Items, err = tx.requestsAt(positions)
	return l, err
}

// positionsOf selects the positions of a page, nil when there can be none.
func (tx *Tx) positionsOf(f desk.RequestFilter, p desk.Page) *query {
	runs := runsOf(f)
	if len(runs) == 0 {
		return nil
	}
	var q query
	for i, r := range runs {
		if i > 0 {
			q.add(" UNION ALL ")
		}
		tx.addRun(&q, r, f, p)
	}
	order := " DESC"
	if p.Ascending {
		order = ""
	}
	q.add(" ORDER BY at"+order+", id"+order+" LIMIT ?", p.Limit+1)
	return &q
}

// requestsAt reads requests in the order of their positions.
func (tx *Tx) requestsAt(positions []desk.Position) ([]desk.Request, error) {
	if len(positions) == 0 {
		return nil, nil
	}
	ids, place := make([]int64, len(positions)), make(map[desk.RequestID]int, len(positions))
	for i, at := range positions {
		ids[i], place[desk.RequestID(at.ID)] = at.ID, i
	}
	var q query
	q.add("SELECT "+requestColumns+requestTables+" WHERE r.account_id = ? AND r.id IN ", tx.Account)
	among(&q, ids)
	requests, err := sqldb.Collect(tx.Tx, scanRequest, q.text.String(), q.args...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(requests, func(a, b desk.Request) int { return place[a.ID] - place[b.ID] })
	return requests, tx.fillRequests(requests)
}

// run is a part of an index: everything with these values, in the order of the
// list. What is empty is not looked at.
type run struct {
	author     *string
	channel    string
	collection desk.CollectionID
	shelf      string // empty with listed
	listed     bool   // whatever is or was a request
}

// runsOf puts a list together. A narrow thing to begin with is an author, then a
// channel; else collections and shelves.
func runsOf(f desk.RequestFilter) (runs []run) {
	shelves := shelvesOf(f)
	switch {
	case len(f.AuthorEmails) > 0:
		seen := map[string]bool{} // twice in a page, a request would take another's place
		for _, email := range f.AuthorEmails {
			if folded := desk.Fold(email); !seen[folded] {
				seen[folded] = true
				runs = append(runs, run{author: &folded})
			}
		}
		return runs
	case f.Channel != "":
		return []run{{channel: f.Channel}}
	}
	collections := []desk.CollectionID{f.Collection}
	if f.Collection == 0 && !f.Reach.All {
		collections = f.Reach.IDs
	}
	if len(shelves) == 0 {
		if len(collections) == 1 && collections[0] == 0 {
			return []run{{listed: true}}
		}
		shelves = listedShelves
	}
	if len(collections)*len(shelves) > mostRuns {
		collections = []desk.CollectionID{0} // reach is looked at row by row
	}
	for _, c := range collections {
		for _, s := range shelves {
			runs = append(runs, run{collection: c, shelf: s})
		}
	}
	return runs
}

// listedShelves are those of what is or was a request.
var listedShelves = func() (all []string) {
	for _, s := range desk.States {
		all = append(all, string(s))
	}
	return append(all, shelfMarked)
}()

// shelvesOf are the shelves that states ask for, none without any.
func shelvesOf(f desk.RequestFilter) (shelves []string) {
	for _, s := range f.States {
		if !slices.Contains(shelves, string(s)) {
			shelves = append(shelves, string(s))
		}
	}
	if f.None {
		shelves = append(shelves, shelfMarked, shelfNone)
	}
	return shelves
}

// addRun selects the beginning of a run, as long as a page.
func (tx *Tx) addRun(q *query, r run, f desk.RequestFilter, p desk.Page) {
	at := "created_at"
	if f.ByUpdate {
		at = "updated_at"
	}
	q.add("SELECT * FROM (SELECT id, "+at+" AS at FROM requests WHERE account_id = ? AND merged_into IS NULL", tx.Account)
	if r.author != nil {
		q.add(" AND author_email_folded = ?", *r.author)
	}
	if r.channel != "" {
		q.add(" AND channel_id = ?", r.channel)
	}
	if r.collection != 0 {
		q.add(" AND collection_id = ?", r.collection)
	} else if f.Collection != 0 {
		q.add(" AND collection_id = ?", f.Collection)
	}
	switch shelves := shelvesOf(f); {
	case r.shelf != "":
		q.add(" AND shelf = ?", r.shelf)
	case len(shelves) > 0:
		q.add(" AND shelf IN ")
		among(q, shelves)
	case r.listed:
		q.add(" AND is_listed = TRUE") // SQLite finds an index only so
	default:
		q.add(" AND is_listed") // and so takes that of the author or the channel
	}
	if r.channel == "" && f.Channel != "" {
		q.add(" AND channel_id = ?", f.Channel)
	}
	if r.collection == 0 || !f.Reach.Has(r.collection) {
		q.within("collection_id", f.Reach)
	}
	q.window(at, p)
	q.add(") part")
}
