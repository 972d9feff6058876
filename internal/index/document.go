package index

import (
	"fmt"
	"strings"

	"frontdesk/internal/desk"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// mostMessages limits how many messages of a request are read: the newest.
const mostMessages = 1000

// labelled is what the index knows of a request besides its words, to narrow a
// search.
type labelled struct {
	shelf      string
	collection desk.CollectionID
	channel    *string
	author     string // an email; its label is broader, so RequestsAmong checks again
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

func (l labelled) labels() []string {
	all := []string{shelfLabel(l.shelf), collectionLabel(l.collection), authorLabel(l.author),
		customerLabel(orZero(l.customer)), assigneeLabel(orZero(l.assignee)), teamLabel(orZero(l.team)), priorityLabel(l.priority)}
	if l.channel != nil {
		all = append(all, channelLabel(*l.channel))
	}
	return all
}

// orZero returns what v points to, or the zero value.
func orZero[T any](v *T) (zero T) {
	if v == nil {
		return zero
	}
	return *v
}

// putRequests puts requests into the index in their current state. It removes
// requests that no longer exist, and merged ones, which are in no list.
func putRequests(tx *store.Tx, ids []desk.RequestID, put *search.Writer) error {
	if len(ids) == 0 {
		return nil
	}
	var q sqldb.Query
	q.Add(`SELECT id, merged_into IS NULL, title, created_at, shelf, collection_id, channel_id, author_email_folded, customer_id, assignee, team_id, priority
		FROM requests WHERE account_id = ? AND id IN `, tx.Account)
	sqldb.In(&q, ids)
	at := map[desk.RequestID]*search.Document{}
	_, err := sqldb.Collect(tx.Tx, func(scan func(...any) error) (id desk.RequestID, err error) {
		var l labelled
		var created int64
		var stands bool
		d := search.Document{Account: int64(tx.Account)}
		err = scan(&id, &stands, &d.Title, &created, &l.shelf, &l.collection, &l.channel, &l.author, &l.customer, &l.assignee, &l.team, &l.priority)
		if stands {
			d.ID, d.At, d.Labels = int64(id), store.FromMS(created), l.labels()
			at[id] = &d
		}
		return id, err
	}, q.String(), q.Args()...)
	if err != nil {
		return err
	}
	var found []desk.RequestID
	var gone []int64
	for _, id := range ids {
		if at[id] != nil {
			found = append(found, id)
		} else {
			gone = append(gone, int64(id))
		}
	}
	if err := put.Remove(int64(tx.Account), gone...); err != nil {
		return err
	}
	if err := addSaid(tx, found, at); err != nil {
		return err
	}
	return put.Put(desk.Each(found, func(id desk.RequestID) search.Document { return *at[id] })...)
}

// addSaid reads the texts of requests' messages and notes, newest first, so that in
// very long requests the latest messages can be found.
func addSaid(tx *store.Tx, ids []desk.RequestID, to map[desk.RequestID]*search.Document) error {
	if len(ids) == 0 {
		return nil
	}
	var q sqldb.Query
	for i, id := range ids {
		if i > 0 {
			q.Add(" UNION ALL ")
		}
		// A separate query for each request makes the limit effective. A window
		// function would read everything ever said.
		q.Add(`SELECT * FROM (SELECT request_id, is_private, text FROM messages WHERE account_id = ? AND request_id = ? AND removed_at IS NULL
			ORDER BY said_at DESC, id DESC LIMIT ?) AS said`, tx.Account, id, mostMessages)
	}
	type texts struct{ public, private []string }
	said := map[desk.RequestID]*texts{}
	_, err := sqldb.Collect(tx.Tx, func(scan func(...any) error) (id desk.RequestID, err error) {
		var private bool
		var text string
		err = scan(&id, &private, &text)
		if said[id] == nil {
			said[id] = &texts{}
		}
		if private {
			said[id].private = append(said[id].private, text)
		} else {
			said[id].public = append(said[id].public, text)
		}
		return id, err
	}, q.String(), q.Args()...)
	for id, t := range said {
		to[id].Public, to[id].Private = strings.Join(t.public, search.Divide), strings.Join(t.private, search.Divide)
	}
	return err
}
