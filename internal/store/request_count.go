package store

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
)

const (
	// mostLooked limits how many requests are looked at to count those of a list that
	// no index holds together.
	mostLooked = 400
	// mostTogether limits how many lists one statement counts.
	mostTogether = 10
)

// CountRequests counts the requests of some lists, each no further than
// desk.MostInCount. What it costs does not depend on how many there are: it looks at
// the first rows of the runs that the list is put together from.
func (tx *Tx) CountRequests(lists []desk.RequestList) ([]desk.RequestCount, error) {
	counts := make([]desk.RequestCount, len(lists))
	for from := 0; from < len(lists); from += mostTogether {
		if err := tx.countSome(lists, from, min(from+mostTogether, len(lists)), counts); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// countSome counts the lists from one place to another with one statement.
func (tx *Tx) countSome(lists []desk.RequestList, from, to int, counts []desk.RequestCount) error {
	var q query
	looks := map[int]int{}
	for i := from; i < to; i++ {
		runs := runsOf(lists[i].RequestFilter)
		if len(runs) == 0 {
			continue // nothing is within reach
		}
		if len(looks) > 0 {
			q.Add(" UNION ALL ")
		}
		looks[i] = desk.MostInCount
		if !coverAll(runs, lists[i].RequestFilter) {
			looks[i] = mostLooked
		}
		tx.addCount(&q, i, lists[i], runs, looks[i])
	}
	if len(looks) == 0 {
		return nil
	}
	return tx.Each(func(scan scanner) error {
		var i, looked, found int
		if err := scan(&i, &looked, &found); err != nil {
			return err
		}
		counts[i] = desk.RequestCount{Count: min(found, desk.MostInCount), More: found > desk.MostInCount || looked > looks[i]}
		return nil
	}, q.String(), q.Args()...)
}

// addCount selects the place of a list, how many rows were looked at, and how many
// of them are wanted. It looks at one more than it may, to learn whether there are
// more.
func (tx *Tx) addCount(q *query, place int, l desk.RequestList, runs []run, most int) {
	q.Add("SELECT CAST(? AS BIGINT), count(*), count(DISTINCT CASE WHEN ", place)
	q.wanted(tx, l.RequestFilter)
	q.Add(" THEN id END) FROM (")
	for i, r := range runs {
		if i > 0 {
			q.Add(" UNION ALL ")
		}
		q.Add("SELECT * FROM (SELECT " + judged + " FROM ")
		tx.addRequestsOf(q, l.RequestFilter, r)
		q.values(r)
		between(&q.Query, timeOf(l.RequestFilter), l.Page)
		if r.unread == unreadNew {
			// SQLite uses the index only if its condition is repeated literally.
			q.Add(" AND newest_at > 0 AND newest_at >= ? ORDER BY newest_at DESC"+sqldb.Limit(most+1), ms(l.Reader.Since))
		}
		q.Add(") part")
	}
	q.Add(sqldb.Limit(most+1) + ") requests")
}

// coverAll reports whether runs hold only what a filter wants, so that no row of
// them has to be looked at in vain.
func coverAll(runs []run, f desk.RequestFilter) bool {
	narrowed := 0
	for _, is := range []bool{
		len(f.AuthorEmails) > 0, f.Channel != "", len(f.Assignees) > 0 || f.Unassigned, len(f.Teams) > 0 || f.NoTeam, len(f.Customers) > 0 || f.NoCustomer,
		len(f.Priorities) > 0, len(f.Tags) > 0, f.Unread, f.Snoozed != "", f.Following, f.Collection != 0 || !f.Reach.All,
		isPromised(f), len(f.Sources) > 0, len(f.Categories) > 0, len(f.Sentiments) > 0, len(f.Emotions) > 0, len(f.Choices) > 0,
	} {
		if is {
			narrowed++
		}
	}
	if f.Collection != 0 && !f.Reach.Has(f.Collection) {
		return false
	}
	return narrowed == 0 || narrowed == 1 && !slices.ContainsFunc(runs, func(r run) bool { return r.shelf == "" || r.of == "" && r.collection == 0 })
}
