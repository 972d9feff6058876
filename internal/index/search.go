package index

import (
	"slices"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

const (
	// mostHighlights limits how many messages of a request are highlighted: the
	// newest that match the search.
	mostHighlights = 3
	// mostLabels limits how many labels of one kind a search asks for.
	mostLabels = 64
)

// Search returns a page of the requests that a search finds. If the search is a
// request's key, or its number, that request comes first.
func Search(tx *store.Tx, s desk.RequestSearch, p desk.Page) (desk.List[desk.FoundRequest], error) {
	if p.Limit == 0 {
		p.Limit = desk.DefaultLimit
	}
	var l desk.List[desk.FoundRequest]
	called, err := calledSo(tx, s)
	if err != nil {
		return l, err
	}
	q := search.Query{
		Account: int64(tx.Account), Text: s.Query, OnlyPublic: s.OnlyPublic, Rank: s.Rank,
		After: p.After, Before: p.Before, OldestFirst: p.Ascending, Limit: p.Limit,
		Labels: wantedLabels(s), Keep: func(ids []int64) ([]int64, error) {
			kept, err := tx.RequestsAmong(desk.Each(ids, func(id int64) desk.RequestID { return desk.RequestID(id) }), s.RequestFilter)
			kept = slices.DeleteFunc(kept, func(id desk.RequestID) bool { return id == called }) // it comes first, once
			return desk.Each(kept, func(id desk.RequestID) int64 { return int64(id) }), err
		},
	}
	first := called != 0 && p.From == nil
	if first && p.Limit > 1 {
		q.Limit--
	}
	if p.From != nil {
		q.From = &search.Position{At: p.From.At, ID: p.From.ID, Score: p.From.Score}
	}
	hits, more, err := search.Find(tx.Tx, q)
	if err != nil {
		return l, err
	}
	switch {
	case first && p.Limit == 1 && len(hits) > 0:
		l.Next, hits = before(hits[0], p.Ascending && !s.Rank), nil
	case more:
		last := hits[len(hits)-1]
		l.Next = &desk.Position{At: last.At, ID: last.ID, Score: last.Score}
	}
	ids := desk.Each(hits, func(h search.Hit) desk.RequestID { return desk.RequestID(h.ID) })
	if first {
		ids = append([]desk.RequestID{called}, ids...)
	}
	requests, err := tx.Rows(ids, desk.Everything, s.Reader.Member)
	if err != nil {
		return l, err
	}
	if first && len(requests) > 0 && !within(requests[0].CreatedAt, p) {
		requests = requests[1:]
	}
	l.Items, err = highlighted(tx, requests, s)
	return l, err
}

// calledSo returns the request that a search names by its key, or 0 if it names none
// that the filter finds.
func calledSo(tx *store.Tx, s desk.RequestSearch) (desk.RequestID, error) {
	key, ok := desk.ParseSearchedKey(s.Query)
	if !ok {
		return 0, nil
	}
	id, err := tx.RequestKeyed(key)
	if err != nil || id == 0 {
		return 0, err
	}
	if id, err = tx.MergedInto(id); err != nil {
		return 0, err
	}
	kept, err := tx.RequestsAmong([]desk.RequestID{id}, s.RequestFilter)
	if err != nil || len(kept) == 0 {
		return 0, err
	}
	return id, nil
}

// before returns the position after which a hit is the next.
func before(h search.Hit, ascending bool) *desk.Position {
	p := &desk.Position{At: h.At, ID: h.ID + 1, Score: h.Score}
	if ascending {
		p.ID = h.ID - 1
	}
	return p
}

// within reports whether a time is in the period of a page.
func within(at time.Time, p desk.Page) bool {
	return (p.After == nil || at.After(*p.After)) && (p.Before == nil || at.Before(*p.Before))
}

// wantedLabels returns the labels that a search asks for. Long lists get no labels;
// they are checked row by row instead. So are conversations that never were a
// request, because a label for them would make every search walk through all other
// requests.
func wantedLabels(s desk.RequestSearch) (all [][]string) {
	add := func(labels []string) {
		if len(labels) <= mostLabels {
			all = append(all, labels)
		}
	}
	if shelves := store.Shelves(s.RequestFilter); len(shelves) > 0 {
		add(desk.Each(shelves, shelfLabel))
	}
	if s.Collection != 0 {
		add([]string{collectionLabel(s.Collection)})
	} else if !s.Reach.All {
		add(desk.Each(s.Reach.IDs, collectionLabel))
	}
	if s.Channel != "" {
		add([]string{channelLabel(s.Channel)})
	}
	if len(s.AuthorEmails) > 0 {
		add(desk.Each(s.AuthorEmails, authorLabel))
	}
	for _, labels := range [][]string{
		desk.Each(orNone(s.Customers, s.NoCustomer, 0), customerLabel),
		desk.Each(orNone(s.Assignees, s.Unassigned, ""), assigneeLabel),
		desk.Each(orNone(s.Teams, s.NoTeam, 0), teamLabel),
		desk.Each(s.Priorities, priorityLabel),
	} {
		if len(labels) > 0 {
			add(labels)
		}
	}
	return all
}

// orNone returns the values that a search asks for, with the one that stands for
// none if it asks for that too.
func orNone[T any](values []T, asked bool, none T) []T {
	if !asked {
		return values
	}
	return append(slices.Clone(values), none)
}

// highlighted adds to each request the parts that match a search.
func highlighted(tx *store.Tx, requests []desk.Request, s desk.RequestSearch) ([]desk.FoundRequest, error) {
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
	var q sqldb.Query
	q.Add("SELECT request_id, id, is_private, text FROM messages WHERE account_id = ? AND request_id IN ", tx.Account)
	sqldb.In(&q, ids)
	q.Add(" AND removed_at IS NULL")
	if s.OnlyPublic {
		q.Add(" AND is_private = FALSE")
	}
	q.Add(" ORDER BY request_id DESC, said_at DESC, id DESC") // in one direction, for one index
	err := tx.Each(func(scan func(...any) error) error {
		var of desk.RequestID
		var m desk.MessageHighlight
		var text string
		if err := scan(&of, &m.Message, &m.Private, &text); err != nil {
			return err
		}
		h := at[of]
		if len(h.Messages) == mostHighlights {
			return nil
		}
		if m.Text = excerpt(terms, text); m.Text != nil {
			h.Messages = append(h.Messages, m)
		}
		return nil
	}, q.String(), q.Args()...)
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
