package store

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
)

// saveTags saves the tags of a request, and adds them to the tags its collection
// has ever had.
func (tx *Tx) saveTags(before, r desk.Request) error {
	changed := !slices.Equal(before.Tags, r.Tags)
	if !changed && before.Collection.ID == r.Collection.ID {
		return nil
	}
	if changed && len(before.Tags) > 0 {
		if err := tx.Do("DELETE FROM request_tags WHERE account_id = $1 AND request_id = $2", tx.Account, r.ID); err != nil {
			return err
		}
	}
	added := tx.newTagRows()
	added.add(before, r)
	return added.flush()
}

// tagRows inserts the tags of many requests, and the tags that their collections
// have ever had.
type tagRows struct {
	account  desk.AccountID
	of, ever *sqldb.Insert
}

func (tx *Tx) newTagRows() tagRows {
	return tagRows{tx.Account, tx.insert("INSERT INTO request_tags (account_id, request_id, n, tag, made_at) VALUES "),
		tx.insert("INSERT INTO tags (account_id, collection_id, name, folded) VALUES ", " ON CONFLICT DO NOTHING")}
}

// add adds the tags of a request. If they changed, the caller has deleted the old
// ones.
func (t tagRows) add(before, r desk.Request) {
	changed := !slices.Equal(before.Tags, r.Tags)
	for n, tag := range r.Tags {
		if changed {
			t.of.Add(t.account, r.ID, n, tag, ms(r.CreatedAt))
		}
		if before.Collection.ID == r.Collection.ID && slices.Contains(before.Tags, tag) {
			continue
		}
		t.ever.Add(t.account, r.Collection.ID, tag, []byte(desk.Fold(tag)))
	}
}

func (t tagRows) flush() error { return wrap("keep tags", sqldb.Flush(t.of, t.ever)) }

// Tags returns the first tags of requests within reach that start with a text, in
// alphabetical order.
func (tx *Tx) Tags(w desk.TagQuery) ([]desk.Tag, error) {
	var q query
	q.Add(`SELECT DISTINCT tags.folded, tags.name FROM tags WHERE tags.account_id = ?
		AND EXISTS (SELECT 1 FROM request_tags t WHERE t.account_id = tags.account_id AND t.tag = tags.name)`, tx.Account)
	if w.Text != "" {
		from, to := search.Beginning(desk.Fold(w.Text))
		q.Add(" AND tags.folded >= ? AND tags.folded < ?", from, to)
	}
	q.within("tags.collection_id", w.Reach)
	q.Add(" ORDER BY tags.folded, tags.name LIMIT ?", w.Limit)
	return sqldb.Collect(tx.Tx, func(scan scanner) (t desk.Tag, err error) {
		var folded []byte
		err = scan(&folded, &t.Name)
		return t, err
	}, q.String(), q.Args()...)
}
