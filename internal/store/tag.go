package store

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
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
	added := newTagRows()
	if err := added.add(tx, before, r); err != nil {
		return err
	}
	return added.flush(tx)
}

// tagRows inserts the tags of many requests, and the tags that their collections
// have ever had.
type tagRows struct{ of, ever *rows }

func newTagRows() tagRows {
	return tagRows{newRows("INSERT INTO request_tags (account_id, request_id, n, tag, made_at) VALUES ", "(?, ?, ?, ?, ?)"),
		newRows("INSERT INTO tags (account_id, collection_id, name, folded) VALUES ", "(?, ?, ?, ?)", " ON CONFLICT DO NOTHING")}
}

// add adds the tags of a request. If they changed, the caller has deleted the old
// ones.
func (t tagRows) add(tx *Tx, before, r desk.Request) error {
	changed := !slices.Equal(before.Tags, r.Tags)
	for n, tag := range r.Tags {
		if changed {
			if err := t.of.add(tx, tx.Account, r.ID, n, tag, ms(r.CreatedAt)); err != nil {
				return fmt.Errorf("keep tags: %w", err)
			}
		}
		if before.Collection.ID == r.Collection.ID && slices.Contains(before.Tags, tag) {
			continue
		}
		if err := t.ever.add(tx, tx.Account, r.Collection.ID, tag, []byte(desk.Fold(tag))); err != nil {
			return fmt.Errorf("keep tags: %w", err)
		}
	}
	return nil
}

func (t tagRows) flush(tx *Tx) error {
	return wrap("keep tags", flushAll(tx, t.of, t.ever))
}

// Tags returns the first tags of requests within reach that start with a text, in
// alphabetical order.
func (tx *Tx) Tags(w desk.TagQuery) ([]desk.Tag, error) {
	var q query
	q.add(`SELECT DISTINCT tags.folded, tags.name FROM tags WHERE tags.account_id = ?
		AND EXISTS (SELECT 1 FROM request_tags t WHERE t.account_id = tags.account_id AND t.tag = tags.name)`, tx.Account)
	if w.Text != "" {
		from, to := beginning(desk.Fold(w.Text))
		q.add(" AND tags.folded >= ? AND tags.folded < ?", from, to)
	}
	q.within("tags.collection_id", w.Reach)
	q.add(" ORDER BY tags.folded, tags.name LIMIT ?", w.Limit)
	return sqldb.Collect(tx.Tx, func(scan scanner) (t desk.Tag, err error) {
		var folded []byte
		err = scan(&folded, &t.Name)
		return t, err
	}, q.text.String(), q.args...)
}
