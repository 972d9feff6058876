package store

import (
	"slices"

	"frontdesk/internal/desk"
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
	q := tx.pageOf(f, p)
	if q == nil {
		return desk.List[desk.Request]{}, nil // nothing is within reach
	}
	seen, err := tx.collectGlances(*q)
	if err != nil {
		return desk.List[desk.Request]{}, err
	}
	more := len(seen) > p.Limit
	if more {
		seen = seen[:p.Limit]
	}
	var l desk.List[desk.Request]
	l.Items, err = tx.rowsOf(seen, f.Reader.Member)
	if more && err == nil {
		last := l.Items[p.Limit-1]
		l.Next = &desk.Position{At: last.CreatedAt, ID: int64(last.ID)}
		if f.ByUpdate {
			l.Next.At = fromMS(seen[p.Limit-1].updated)
		}
	}
	return l, err
}

// pageOf looks at the requests of a page, nil when there can be none.
func (tx *Tx) pageOf(f desk.RequestFilter, p desk.Page) *query {
	runs := runsOf(f)
	if len(runs) == 0 {
		return nil
	}
	var q query
	// CROSS JOIN: SQLite begins with the page, whatever it guesses of the tables.
	q.add("SELECT "+glanceOf+" FROM (", tx.Account)
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
	q.add(") page CROSS JOIN"+glanceFrom+" WHERE r.account_id = ? AND r.id = page.id ORDER BY page.at"+order+", page.id"+order, tx.Account, f.Reader.Member, tx.Account)
	return &q
}

// run is a part of an index: everything with these values, in the order of the
// list. What is empty is not looked at.
type run struct {
	author     *string
	channel    string
	of         ofWhom // with value, whose index it is
	value      any
	tag        string   // that it is a run of
	tagged     []string // those whose runs come before
	collection desk.CollectionID
	shelf      string // empty with listed
	listed     bool   // whatever is or was a request
	unread     unreadRun
}

// ofWhom is what requests are of, by which there are indexes: their column as the
// index has it. Written in another way the column is looked at row by row.
type ofWhom string

const (
	ofAssignee ofWhom = "coalesce(assignee, '')"
	ofTeam     ofWhom = "coalesce(team_id, 0)"
	ofCustomer ofWhom = "coalesce(customer_id, 0)"
	ofPriority ofWhom = "priority"
)

// runsOf puts a list together. A narrow thing to begin with is an author, then a
// channel, then what the list is narrowed by otherwise; else collections and
// shelves. Decision 25 says which lists are runs and which are walks.
func runsOf(f desk.RequestFilter) (runs []run) {
	shelves := shelvesOf(f)
	switch {
	case len(f.AuthorEmails) > 0:
		seen := map[string]bool{} // twice in a page, a request would take another's place
		for _, email := range f.AuthorEmails {
			if folded := desk.FoldEmail(email); !seen[folded] {
				seen[folded] = true
				runs = append(runs, run{author: &folded})
			}
		}
		return runs
	case f.Channel != "":
		return []run{{channel: f.Channel}}
	}
	if runs := runsOfWhom(f, shelves); runs != nil {
		return runs
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

// runsOfWhom are the runs of a list that is narrowed by whose requests they are,
// or what they are about; nil for none.
func runsOfWhom(f desk.RequestFilter, shelves []string) (runs []run) {
	if len(shelves) == 0 {
		shelves = listedShelves
	}
	assignees, teams := runsFor(ofAssignee, valuesOf(f.Assignees, f.Unassigned, ""), shelves), runsFor(ofTeam, valuesOf(f.Teams, f.NoTeam, 0), shelves)
	customers, priorities := runsFor(ofCustomer, valuesOf(f.Customers, f.NoCustomer, 0), shelves), runsFor(ofPriority, valuesOf(f.Priorities, false, ""), shelves)
	for i, tag := range f.Tags {
		runs = append(runs, run{tag: tag, tagged: f.Tags[:i]})
	}
	switch {
	case customers != nil && !f.NoCustomer:
		return customers
	case assignees != nil && !f.Unassigned:
		return assignees
	case runs != nil:
		return runs
	case f.Unread && !openOnly(shelves): // of what is done there is much that was read
		return []run{{unread: unreadNew}, {unread: unreadMarked}}
	case teams != nil:
		return teams
	case f.Collection != 0 || !f.Reach.All:
		return nil // of what is left there is more than in a collection
	case assignees != nil:
		return assignees
	case customers != nil:
		return customers
	}
	return priorities
}

// runsFor are the runs of an index, one for each value and each shelf; nil where
// there are too many of them, or none.
func runsFor[T any](of ofWhom, values []T, shelves []string) (runs []run) {
	if len(values)*len(shelves) > mostRuns {
		return nil
	}
	for _, v := range values {
		for _, s := range shelves {
			runs = append(runs, run{of: of, value: v, shelf: s})
		}
	}
	return runs
}

// valuesOf are the values of a column that a filter asks for, each once, none
// being one of them.
func valuesOf[T comparable](given []T, orNone bool, none T) (all []T) {
	seen := map[T]bool{}
	for _, v := range given {
		if !seen[v] {
			seen[v], all = true, append(all, v)
		}
	}
	if orNone {
		all = append(all, none)
	}
	return all
}

// openOnly reports whether shelves hold only what there is still something to do
// about.
func openOnly(shelves []string) bool {
	done := []string{string(desk.Solved), string(desk.Closed), shelfMarked, shelfNone}
	return len(shelves) > 0 && !slices.ContainsFunc(shelves, func(s string) bool { return slices.Contains(done, s) })
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
	at, id := "created_at", "id"
	if f.ByUpdate {
		at = "updated_at"
	}
	// A column that is written in another way than the index has it is looked at
	// row by row: SQLite would choose between two indexes without knowing either.
	collection, shelf := "collection_id", "shelf"
	if r.of != "" || r.tag != "" || r.unread != 0 {
		collection = "collection_id + 0"
	}
	if r.tag != "" || r.unread != 0 {
		shelf = "shelf || ''"
	}
	if r.tag != "" {
		column := "updated_at"
		if !f.ByUpdate {
			at, id, column = "made_at", "request_id", "made_at"
		}
		q.add("SELECT * FROM (SELECT id, "+column+" AS at FROM (SELECT request_id, made_at FROM request_tags WHERE account_id = ? AND tag = ?) tagged JOIN requests ON id = request_id WHERE account_id = ? AND merged_into IS NULL",
			tx.Account, r.tag, tx.Account)
	} else {
		q.add("SELECT * FROM (SELECT id, "+at+" AS at FROM requests WHERE account_id = ? AND merged_into IS NULL", tx.Account)
	}
	if r.author != nil {
		q.add(" AND author_email_folded = ?", *r.author)
	}
	if r.channel != "" {
		q.add(" AND channel_id = ?", r.channel)
	}
	if r.of != "" {
		q.add(" AND "+string(r.of)+" = ?", r.value)
	}
	if r.collection != 0 {
		q.add(" AND collection_id = ?", r.collection)
	} else if f.Collection != 0 {
		q.add(" AND "+collection+" = ?", f.Collection)
	}
	switch shelves := shelvesOf(f); {
	case r.shelf != "":
		q.add(" AND shelf = ?", r.shelf)
	case len(shelves) > 0:
		q.add(" AND " + shelf + " IN ")
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
		q.within(collection, f.Reach)
	}
	q.narrow(tx, f, r)
	q.windowBy(at, id, p)
	q.add(") part")
}

// narrow leaves out what a filter does not ask for, row by row, but for what the
// run has seen to.
func (q *query) narrow(tx *Tx, f desk.RequestFilter, r run) {
	if r.of != ofAssignee {
		orNone(q, "assignee", f.Assignees, f.Unassigned)
	}
	if r.of != ofTeam {
		orNone(q, "team_id", f.Teams, f.NoTeam)
	}
	if r.of != ofCustomer {
		orNone(q, "customer_id", f.Customers, f.NoCustomer)
	}
	if r.of != ofPriority {
		orNone(q, "priority || ''", f.Priorities, false)
	}
	for _, tag := range r.tagged { // it is in the run of that tag
		q.add(" AND NOT EXISTS (SELECT 1 FROM request_tags t WHERE t.account_id = ? AND t.request_id = requests.id AND t.tag = ?)", tx.Account, tag)
	}
	if r.tag == "" && len(f.Tags) > 0 {
		q.add(" AND EXISTS (SELECT 1 FROM request_tags t WHERE t.account_id = ? AND t.request_id = requests.id AND t.tag IN ", tx.Account)
		among(q, f.Tags)
		q.add(")")
	}
	if f.Unread {
		q.unread(tx, f.Reader, r.unread)
	}
}

// orNone selects rows by the values of a column, or that it has none.
func orNone[T any](q *query, column string, values []T, none bool) {
	switch {
	case len(values) > 0 && none:
		q.add(" AND (" + column + " IS NULL OR " + column + " IN ")
		among(q, values)
		q.add(")")
	case len(values) > 0:
		q.add(" AND " + column + " IN ")
		among(q, values)
	case none:
		q.add(" AND " + column + " IS NULL")
	}
}
