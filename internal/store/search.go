package store

import (
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
)

// mostHighlights limits how many messages of a request are highlighted: the newest
// that match the search.
const mostHighlights = 3

// SearchRequests returns a page of the requests that a search finds.
func (tx *Tx) SearchRequests(s desk.RequestSearch, p desk.Page) (desk.List[desk.FoundRequest], error) {
	if p.Limit == 0 {
		p.Limit = desk.DefaultLimit
	}
	var l desk.List[desk.FoundRequest]
	q := search.Query{
		Account: int64(tx.Account), Text: s.Query, OnlyPublic: s.OnlyPublic, Rank: s.Rank,
		After: p.After, Before: p.Before, OldestFirst: p.Ascending, Limit: p.Limit,
		Labels: wantedLabels(s), Keep: func(ids []int64) ([]int64, error) { return tx.wanted(s, ids) },
	}
	if p.From != nil {
		q.From = &search.Position{At: p.From.At, ID: p.From.ID, Score: p.From.Score}
	}
	hits, more, err := search.Find(tx.Tx, q)
	if err != nil {
		return l, err
	}
	positions := make([]desk.Position, len(hits))
	for i, h := range hits {
		positions[i] = desk.Position{At: h.At, ID: h.ID, Score: h.Score}
	}
	if more {
		l.Next = &positions[len(positions)-1]
	}
	requests, err := tx.at(positions, s.Reader)
	if err != nil {
		return l, err
	}
	l.Items, err = tx.highlighted(requests, s)
	return l, err
}

// labelled is what the index knows of a request besides its words, to narrow a
// search.
type labelled struct {
	shelf      string
	collection desk.CollectionID
	channel    *string
	author     string // an email; its label is broader, so wanted checks again
	customer   *desk.CustomerID
	assignee   *string
	team       *desk.TeamID
	priority   desk.Priority
}

func shelfLabel(shelf string) string              { return "shelf " + shelf }
func collectionLabel(id desk.CollectionID) string { return fmt.Sprint("collection ", id) }
func channelLabel(id string) string               { return "channel " + id }
func authorLabel(email string) string             { return "author " + desk.Fold(email) }
func customerLabel(id desk.CustomerID) string     { return fmt.Sprint("customer ", id) }
func assigneeLabel(user string) string            { return "assignee " + user }
func teamLabel(id desk.TeamID) string             { return fmt.Sprint("team ", id) }
func priorityLabel(p desk.Priority) string        { return "priority " + string(p) }
func labelsFor[T any](of []T, label func(T) string) (all []string) {
	for _, v := range of {
		all = append(all, label(v))
	}
	return all
}

func (l labelled) labels() []string {
	all := []string{shelfLabel(l.shelf), collectionLabel(l.collection), authorLabel(l.author),
		customerLabel(value(l.customer)), assigneeLabel(value(l.assignee)), teamLabel(value(l.team)), priorityLabel(l.priority)}
	if l.channel != nil {
		all = append(all, channelLabel(*l.channel))
	}
	return all
}

// wantedLabels returns the labels that a search asks for. Long lists get no labels;
// they are checked row by row instead. So are conversations that never were a
// request, because a label for them would make every search walk through all other
// requests.
func wantedLabels(s desk.RequestSearch) (all [][]string) {
	add := func(labels []string) {
		if len(labels) <= mostRuns {
			all = append(all, labels)
		}
	}
	if shelves := shelvesOf(s.RequestFilter); len(shelves) > 0 {
		add(labelsFor(shelves, shelfLabel))
	}
	if s.Collection != 0 {
		add([]string{collectionLabel(s.Collection)})
	} else if !s.Reach.All {
		add(labelsFor(s.Reach.IDs, collectionLabel))
	}
	if s.Channel != "" {
		add([]string{channelLabel(s.Channel)})
	}
	if len(s.AuthorEmails) > 0 {
		add(labelsFor(s.AuthorEmails, authorLabel))
	}
	for _, labels := range [][]string{
		labelsFor(valuesOf(s.Customers, s.NoCustomer, 0), customerLabel),
		labelsFor(valuesOf(s.Assignees, s.Unassigned, ""), assigneeLabel),
		labelsFor(valuesOf(s.Teams, s.NoTeam, 0), teamLabel),
		labelsFor(s.Priorities, priorityLabel),
	} {
		if len(labels) > 0 {
			add(labels)
		}
	}
	return all
}

// wanted returns those of the requests that a search asks for and may see. The
// index gives nearly the same answer, but it lags behind, and access control cannot
// rely on that.
func (tx *Tx) wanted(s desk.RequestSearch, ids []int64) ([]int64, error) {
	var q query
	// MATERIALIZED, because the ids are few. Otherwise SQLite might use another
	// index that it wrongly takes for narrower.
	q.Add(`WITH few AS MATERIALIZED (
		SELECT id, merged_into, shelf, is_listed, collection_id, channel_id, author_email_folded, customer_id, assignee, team_id, priority, newest_id, newest_by, newest_at
		FROM requests WHERE account_id = ? AND id IN `, tx.Account)
	sqldb.In(&q, ids)
	q.Add(") SELECT id FROM few requests WHERE merged_into IS NULL")
	if shelves := shelvesOf(s.RequestFilter); len(shelves) > 0 {
		q.Add(" AND shelf IN ")
		sqldb.In(&q, shelves)
	} else {
		q.Add(" AND is_listed")
	}
	if s.Collection != 0 {
		q.Add(" AND collection_id = ?", s.Collection)
	}
	if s.Channel != "" {
		q.Add(" AND channel_id = ?", s.Channel)
	}
	if len(s.AuthorEmails) > 0 {
		q.Add(" AND author_email_folded IN ")
		sqldb.In(&q, labelsFor(s.AuthorEmails, desk.FoldEmail))
	}
	q.narrow(tx, s.RequestFilter, run{})
	q.within("collection_id", s.Reach)
	return sqldb.Collect(tx.Tx, scanID[int64], q.String(), q.Args()...)
}

// at returns the requests of a page, with what lists show a reader.
func (tx *Tx) at(positions []desk.Position, reader desk.Reader) ([]desk.Request, error) {
	ids := make([]desk.RequestID, len(positions))
	for i, p := range positions {
		ids[i] = desk.RequestID(p.ID)
	}
	return tx.Rows(ids, desk.Everything, reader.Member)
}

// highlighted adds to each request the parts that match a search.
func (tx *Tx) highlighted(requests []desk.Request, s desk.RequestSearch) ([]desk.FoundRequest, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	terms := search.Parse(s.Query)
	found := make([]desk.FoundRequest, len(requests))
	ids, at := make([]desk.RequestID, len(requests)), make(map[desk.RequestID]*desk.Highlights, len(requests))
	for i, r := range requests {
		found[i] = desk.FoundRequest{Request: r, Highlights: desk.Highlights{Title: excerpt(terms, r.Title)}}
		ids[i], at[r.ID] = r.ID, &found[i].Highlights
	}
	type message struct {
		id      desk.MessageID
		private bool
		text    string
	}
	scan := func(scan scanner) (m message, err error) {
		err = scan(&m.id, &m.private, &m.text)
		return m, err
	}
	and := " AND removed_at IS NULL"
	if s.OnlyPublic {
		and += " AND is_private = FALSE"
	}
	err := collectFor(tx, ids, "id, is_private, text FROM messages", "said_at DESC, id DESC", scan, func(id desk.RequestID, m message) {
		h := at[id]
		if len(h.Messages) == mostHighlights {
			return
		}
		if text := excerpt(terms, m.text); text != nil {
			h.Messages = append(h.Messages, desk.MessageHighlight{Message: m.id, Private: m.private, Text: text})
		}
	}, and)
	return found, err
}

// excerpt returns the parts of a text that show why it was found, or nil if there
// are none.
func excerpt(terms search.Terms, text string) (all desk.Excerpt) {
	fragments := search.Highlight(terms, text)
	for i, f := range fragments {
		if i > 0 || !f.Begins {
			all = append(all, desk.Piece{Text: "… "})
		}
		for _, p := range f.Pieces {
			all = append(all, desk.Piece(p))
		}
		switch last := i == len(fragments)-1; {
		case !last:
			all = append(all, desk.Piece{Text: " "})
		case !f.Ends:
			all = append(all, desk.Piece{Text: " …"})
		}
	}
	return all
}
