package store

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

// mostRuns limits the number of index runs that a list is put together from. Above
// it, narrower conditions are checked row by row.
const mostRuns = 64

// Requests returns a page of conversations. A page is put together from index runs
// that already have its order: one for each wanted shelf in each collection, or one
// for each author. No run is read further than the page can hold, so the cost does
// not grow with rows that are not wanted.
func (tx *Tx) Requests(f desk.RequestFilter, p desk.Page) (desk.List[desk.Request], error) {
	if p.Limit == 0 {
		p.Limit = desk.DefaultLimit
	}
	var seen []glance
	var ends []tier // for each glance, its tier
	for _, t := range tiersOf(f, p) {
		t.page.Limit = p.Limit - len(seen)
		q := tx.pageOf(t.filter, t.page)
		if q == nil {
			continue // nothing is within reach
		}
		found, err := tx.collectGlances(q)
		if err != nil {
			return desk.List[desk.Request]{}, err
		}
		seen, ends = append(seen, found...), append(ends, slices.Repeat([]tier{t}, len(found))...)
		if len(seen) > p.Limit {
			break
		}
	}
	more := len(seen) > p.Limit
	if more {
		seen = seen[:p.Limit]
	}
	var l desk.List[desk.Request]
	var err error
	l.Items, err = tx.rowsOf(seen, f.Reader.Member)
	if more && err == nil {
		l.Next = ends[p.Limit-1].position(l.Items[p.Limit-1], seen[p.Limit-1])
	}
	return l, err
}

// pageOf returns a query for glances at the requests of a page, or nil if there can
// be none.
func (tx *Tx) pageOf(f desk.RequestFilter, p desk.Page) *query {
	runs := runsOf(f)
	if len(runs) == 0 {
		return nil
	}
	var q query
	// With CROSS JOIN, SQLite starts with the page, whatever it estimates for the
	// tables.
	q.Add("SELECT "+glanceOf+" FROM (", tx.Account)
	for i, r := range runs {
		if i > 0 {
			q.Add(" UNION ALL ")
		}
		tx.addRun(&q, r, f, p)
	}
	order := " DESC"
	if p.Ascending {
		order = ""
	}
	q.Add(" ORDER BY at" + order + ", id" + order + sqldb.Limit(p.Limit+1))
	q.Add(") page CROSS JOIN"+glanceFrom+" WHERE r.account_id = ? AND r.id = page.id ORDER BY page.at"+order+", page.id"+order, tx.Account, f.Reader.Member, tx.Account)
	return &q
}

// run is a part of an index: all rows with these values, in the order of the list.
// Empty values are ignored.
type run struct {
	author     *string
	channel    string
	of         ofWhom // with value, the owner whose index it is
	value      any
	tag        string   // the tag that it is a run of
	tagged     []string // the tags whose runs come before
	collection desk.CollectionID
	shelf      string // empty if listed
	listed     bool   // everything that is or was a request
	unread     unreadRun
	snooze     string // a value of the column snooze
	following  bool
	due        bool // a run of clocks, the one due first before the others
}

// isFew reports whether nothing but the run itself may choose the index.
func (r run) isFew() bool {
	return r.tag != "" || r.unread != 0 || r.snooze != "" || r.following || r.due
}

// ofWhom is a column that narrows a list and has an index, written as in the index.
// A column written in another way is checked row by row.
type ofWhom string

const (
	ofAssignee ofWhom = "coalesce(assignee, '')"
	ofTeam     ofWhom = "coalesce(team_id, 0)"
	ofCustomer ofWhom = "coalesce(customer_id, 0)"
	ofPriority ofWhom = "priority"
)

// runsOf chooses the runs of a list. It starts with something narrow: an author,
// then a channel, then what else narrows the list. Otherwise it uses collections
// and shelves. Decision 25 says which lists are runs and which are walks.
func runsOf(f desk.RequestFilter) (runs []run) {
	shelves := Shelves(f)
	switch {
	case isPromised(f):
		return []run{{due: true}}
	case len(f.AuthorEmails) > 0:
		seen := map[string]bool{} // a request that is in a page twice would take another's place
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
	if runs := snoozeRun(f); runs != nil {
		return runs
	}
	if f.Following {
		return []run{{following: true}}
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
		collections = []desk.CollectionID{0} // reach is checked row by row
	}
	for _, c := range collections {
		for _, s := range shelves {
			runs = append(runs, run{collection: c, shelf: s})
		}
	}
	return runs
}

// runsOfWhom returns the runs of a list that is narrowed by whose requests they are
// or what they are about, or nil if it is not.
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
	case f.Unread && !openOnly(shelves): // much of what is done was read
		return []run{{unread: unreadNew}, {unread: unreadMarked}}
	case teams != nil:
		return teams
	case f.Collection != 0 || !f.Reach.All:
		return nil // what is left matches more than a collection holds
	case assignees != nil:
		return assignees
	case customers != nil:
		return customers
	}
	return priorities
}

// runsFor returns the runs of an index, one for each value and each shelf. It
// returns nil if there are too many or none.
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

// valuesOf returns the values of a column that a filter asks for, each once. If
// orNone is set, none is one of them.
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

// openOnly reports whether the shelves hold only requests that still need work.
func openOnly(shelves []string) bool {
	done := []string{string(desk.Solved), string(desk.Closed), shelfMarked, shelfNone}
	return len(shelves) > 0 && !slices.ContainsFunc(shelves, func(s string) bool { return slices.Contains(done, s) })
}

// listedShelves are the shelves of everything that is or was a request.
var listedShelves = func() (all []string) {
	for _, s := range desk.States {
		all = append(all, string(s))
	}
	return append(all, shelfMarked)
}()

// Shelves returns the shelves that the filter asks for: values of the column that
// says which list a request is on. It returns none if the filter names no states.
func Shelves(f desk.RequestFilter) (shelves []string) {
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

// addRun selects the start of a run, as long as a page.
func (tx *Tx) addRun(q *query, r run, f desk.RequestFilter, p desk.Page) {
	at, id := timeOf(f), "id"
	// A column that is written in another way than in the index is checked row by
	// row. Otherwise SQLite would choose between two indexes without statistics on
	// either.
	collection, shelf := "collection_id", "shelf"
	if r.of != "" || r.isFew() {
		collection = "collection_id + 0"
	}
	if r.isFew() {
		shelf = "shelf || ''"
	}
	switch {
	case r.due:
		if f.Order == desk.ByNextDue {
			at, id = "due_at", "request_id"
		}
		q.Add("SELECT * FROM (SELECT id, " + at + " AS at FROM ")
		tx.addDue(q, f)
		q.Add(" CROSS JOIN requests WHERE id = request_id AND account_id = ? AND merged_into IS NULL", tx.Account)
		if at == "due_at" {
			between(&q.Query, timeOf(f), p)
			p.After, p.Before = nil, nil
		}
	case r.tag != "":
		column := at
		if column == "created_at" {
			at, id, column = "made_at", "request_id", "made_at"
		}
		q.Add("SELECT * FROM (SELECT id, "+column+" AS at FROM (SELECT request_id, made_at FROM request_tags WHERE account_id = ? AND tag = ?) tagged JOIN requests ON id = request_id WHERE account_id = ? AND merged_into IS NULL",
			tx.Account, r.tag, tx.Account)
	default:
		q.Add("SELECT * FROM (SELECT id, " + at + " AS at FROM ")
		tx.addRequestsOf(q, f, r)
	}
	q.values(r)
	if r.collection == 0 && f.Collection != 0 {
		q.Add(" AND "+collection+" = ?", f.Collection)
	}
	switch shelves := Shelves(f); {
	case r.shelf != "" || r.listed:
	case len(shelves) > 0:
		q.Add(" AND " + shelf + " IN ")
		sqldb.In(q, shelves)
	default:
		q.Add(" AND is_listed") // in this form SQLite takes the index of the author or channel
	}
	if r.channel == "" && f.Channel != "" {
		q.Add(" AND channel_id = ?", f.Channel)
	}
	if r.author == nil && len(f.AuthorEmails) > 0 {
		q.Add(" AND author_email_folded IN ")
		sqldb.In(q, desk.Each(f.AuthorEmails, desk.FoldEmail))
	}
	if r.collection == 0 || !f.Reach.Has(r.collection) {
		q.within(collection, f.Reach)
	}
	q.narrow(tx, f, r)
	Window(&q.Query, at, id, p)
	q.Add(") part")
}

// addRequestsOf adds the table of requests and, for a run of another table, that table
// before it. With CROSS JOIN, SQLite starts with it, whatever it estimates for the two.
// Otherwise it reads every request of the account.
func (tx *Tx) addRequestsOf(q *query, f desk.RequestFilter, r run) {
	few := true
	switch {
	case r.tag != "":
		q.Add("(SELECT request_id AS few_id FROM request_tags WHERE account_id = ? AND tag = ?)", tx.Account, r.tag)
	case r.due:
		q.Add("(SELECT request_id AS few_id FROM ")
		tx.addDue(q, f)
		q.Add(")")
	case r.unread == unreadMarked:
		q.Add("(SELECT request_id AS few_id FROM request_reads WHERE account_id = ? AND member_id = ? AND message_id = -1)", tx.Account, f.Reader.Member)
	case r.following:
		q.Add("(SELECT request_id AS few_id FROM request_reads WHERE account_id = ? AND member_id = ? AND followed_at IS NOT NULL)", tx.Account, f.Reader.Member)
	default:
		few = false
	}
	if few {
		q.Add(" few CROSS JOIN requests WHERE id = few_id AND account_id = ? AND merged_into IS NULL", tx.Account)
		return
	}
	q.Add("requests WHERE account_id = ? AND merged_into IS NULL", tx.Account)
}

// values adds the values of a run's index.
func (q *query) values(r run) {
	if r.author != nil {
		q.Add(" AND author_email_folded = ?", *r.author)
	}
	if r.snooze != "" {
		q.Add(" AND snooze = ?", r.snooze)
	}
	if r.channel != "" {
		q.Add(" AND channel_id = ?", r.channel)
	}
	if r.of != "" {
		q.Add(" AND "+string(r.of)+" = ?", r.value)
	}
	if r.collection != 0 {
		q.Add(" AND collection_id = ?", r.collection)
	}
	if r.shelf != "" {
		q.Add(" AND shelf = ?", r.shelf)
	}
	if r.listed {
		q.Add(" AND is_listed = TRUE") // SQLite finds the index only in this form
	}
}

// judged are the columns that wanted reads.
const judged = "id, merged_into, shelf, is_listed, collection_id, channel_id, author_email_folded, customer_id, assignee, team_id, priority, source, newest_id, newest_by, newest_at, snooze"

// RequestsAmong returns those of some requests that a filter finds. A search index
// gives nearly the same answer, but it lags behind, and access control cannot rely on
// that.
func (tx *Tx) RequestsAmong(ids []desk.RequestID, f desk.RequestFilter) ([]desk.RequestID, error) {
	var q query
	// MATERIALIZED, because the ids are few. Otherwise SQLite might use another
	// index that it wrongly takes for narrower.
	q.Add("WITH few AS MATERIALIZED (SELECT "+judged+" FROM requests WHERE account_id = ? AND id IN ", tx.Account)
	sqldb.In(&q, ids)
	q.Add(") SELECT id FROM few requests WHERE ")
	q.wanted(tx, f)
	return sqldb.Collect(tx.Tx, scanID[desk.RequestID], q.String(), q.Args()...)
}

// wanted adds all conditions of a filter, checked row by row.
func (q *query) wanted(tx *Tx, f desk.RequestFilter) {
	q.Add("merged_into IS NULL")
	if shelves := Shelves(f); len(shelves) > 0 {
		q.Add(" AND shelf IN ")
		sqldb.In(q, shelves)
	} else {
		q.Add(" AND is_listed")
	}
	if f.Collection != 0 {
		q.Add(" AND collection_id = ?", f.Collection)
	}
	if f.Channel != "" {
		q.Add(" AND channel_id = ?", f.Channel)
	}
	if len(f.AuthorEmails) > 0 {
		q.Add(" AND author_email_folded IN ")
		sqldb.In(q, desk.Each(f.AuthorEmails, desk.FoldEmail))
	}
	q.narrow(tx, f, run{})
	q.within("collection_id", f.Reach)
}

// itsTag selects tags of one request, which are few. Written in this way, it does not
// lead SQLite to the index by tag, where it would walk past all requests with that tag.
const itsTag = "SELECT 1 FROM request_tags t WHERE t.account_id = ? AND t.request_id = requests.id AND t.n >= 0 AND t.tag || ''"

// narrow adds the conditions of a filter that are checked row by row. It leaves out
// those that the run already covers.
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
		q.Add(" AND NOT EXISTS ("+itsTag+" = ?)", tx.Account, tag)
	}
	if r.tag == "" && len(f.Tags) > 0 {
		q.Add(" AND EXISTS ("+itsTag+" IN ", tx.Account)
		sqldb.In(q, f.Tags)
		q.Add(")")
	}
	if f.Unread && r.unread != unreadMarked {
		q.unread(tx, f.Reader, r.unread)
	}
	q.narrowSnoozed(f, r)
	if f.Following && !r.following {
		q.following(tx, f.Reader)
	}
	q.triage(tx, f, r)
}

// orNone selects rows by the values of a column, or rows without a value.
func orNone[T any](q *query, column string, values []T, none bool) {
	switch {
	case len(values) > 0 && none:
		q.Add(" AND (" + column + " IS NULL OR " + column + " IN ")
		sqldb.In(q, values)
		q.Add(")")
	case len(values) > 0:
		q.Add(" AND " + column + " IN ")
		sqldb.In(q, values)
	case none:
		q.Add(" AND " + column + " IS NULL")
	}
}
