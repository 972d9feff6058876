package privacy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Expired is what a retention has deleted in one transaction.
type Expired struct {
	Requests, Messages, Files int
	Bytes                     int64    // of the files
	Blobs                     []string // to remove once the transaction is committed
	Done                      bool     // nothing more is due
}

// byRetention is who deletes what a collection keeps no longer.
var byRetention = desk.Actor{Name: "retention", Source: desk.SourceSystem}

// Expire deletes what is due in a collection, of at most so many requests. The next
// call goes on where this one ended. Repeating it does nothing twice, because each
// request says up to which moment it was done.
//
// What is deleted is what was said, wherever it stands, and files. A text is replaced
// by a sentence that says so. Titles, fields and names stay.
func Expire(tx *store.Tx, id desk.CollectionID, most int) (done Expired, err error) {
	r, err := retentionOf(tx, id)
	if errors.Is(err, sqldb.ErrNoRows) {
		return Expired{Done: true}, nil
	}
	if err != nil {
		return done, err
	}
	x := &expirer{Tx: tx}
	left := most
	if before := r.TextsBefore(tx.Now); before != nil {
		ids, err := textStock.some(tx, id, *before, left)
		if err == nil && len(ids) > 0 {
			left -= len(ids)
			err = x.deleteTexts(ids, desk.DeletedText(*r.MessagesDays))
		}
		if err != nil {
			return done, err
		}
	}
	if before := r.FilesBefore(tx.Now); before != nil && left > 0 {
		ids, err := fileStock.some(tx, id, *before, left)
		if err == nil && len(ids) > 0 {
			left -= len(ids)
			err = x.deleteFilesOnly(ids)
		}
		if err != nil {
			return done, err
		}
	}
	x.done.Done = left > 0
	return x.done, x.showAgain()
}

// some returns the requests whose stock is due, those whose moment is longest ago
// first.
func (s stock) some(tx *store.Tx, id desk.CollectionID, before time.Time, most int) ([]int64, error) {
	var q sqldb.Query
	q.Add("SELECT id ")
	s.due(&q, tx, id, before)
	q.Add(" ORDER BY "+moment+", id LIMIT ?", most)
	return sqldb.Collect(tx.Tx, scanNumber, q.String(), q.Args()...)
}

func scanNumber(scan func(...any) error) (n int64, err error) {
	err = scan(&n)
	return n, err
}

// expirer deletes texts and files of some requests in a transaction.
type expirer struct {
	*store.Tx
	done    Expired
	changed []desk.RequestID
}

// deleteTexts deletes the texts of requests, and their files.
func (x *expirer) deleteTexts(ids []int64, instead string) error {
	f, err := x.familyOf(ids)
	if err != nil {
		return err
	}
	html := "<p>" + instead + "</p>"
	n, err := x.exec(f.requests, "UPDATE messages SET html = ?, text = ? WHERE account_id = ? AND (html <> '' OR text <> '') AND request_id IN {}", html, instead, x.Account)
	if err != nil {
		return fmt.Errorf("delete texts: %w", err)
	}
	x.done.Messages += int(n)
	for _, s := range []struct {
		statement string
		args      []any
	}{
		{"UPDATE posts SET text = '' WHERE account_id = ? AND text <> '' AND request_id IN {}", []any{x.Account}},
		{"UPDATE mails SET body = '' WHERE account_id = ? AND body <> '' AND request_id IN {}", []any{x.Account}},
		{"UPDATE agent_session_events SET text = ? WHERE account_id = ? AND text <> '' AND session_id IN (SELECT id FROM agent_sessions WHERE account_id = ? AND request_id IN {})",
			[]any{instead, x.Account, x.Account}},
		{"UPDATE waiting_messages SET html = ? WHERE account_id = ? AND html IS NOT NULL AND " + unsent + " AND request_id IN {}", []any{html, x.Account, x.Now.UnixMilli()}},
		{"UPDATE requests SET version = version + 1, texts_deleted_to = " + moment + ", files_deleted_to = " + moment + " WHERE account_id = ? AND id IN {}", []any{x.Account}},
	} {
		if _, err := x.exec(f.requests, s.statement, s.args...); err != nil {
			return fmt.Errorf("delete texts: %w", err)
		}
	}
	if _, err := x.deleteFiles(f); err != nil {
		return err
	}
	if err := x.rewriteEvents(f, said{text: instead, html: html}); err != nil {
		return err
	}
	x.change(ids)
	return x.emptyAnswers(f)
}

// unsent is a condition on messages that were to be sent before a time, and could
// not.
const unsent = "sent_as IS NULL AND taken_at IS NULL AND send_at <= ?"

// deleteFilesOnly deletes the files of requests whose texts stay. Requests without
// files do not change.
func (x *expirer) deleteFilesOnly(ids []int64) error {
	f, err := x.familyOf(ids)
	if err != nil {
		return err
	}
	had, err := x.deleteFiles(f)
	if err != nil {
		return err
	}
	had = slices.DeleteFunc(had, func(id int64) bool { return !slices.Contains(ids, id) })
	if len(had) > 0 {
		if err := x.rewriteEvents(f, said{}); err != nil {
			return err
		}
	}
	x.change(had)
	if _, err := x.exec(had, "UPDATE requests SET version = version + 1 WHERE account_id = ? AND id IN {}", x.Account); err != nil {
		return err
	}
	_, err = x.exec(ids, "UPDATE requests SET files_deleted_to = "+moment+" WHERE account_id = ? AND id IN {}", x.Account)
	return err
}

func (x *expirer) change(ids []int64) {
	x.done.Requests += len(ids)
	for _, id := range ids {
		x.changed = append(x.changed, desk.RequestID(id))
	}
}

// deleteFiles deletes the files of requests, and the mails as they came, because files
// are in them. It returns the requests that had any.
func (x *expirer) deleteFiles(f family) (had []int64, err error) {
	for _, s := range []struct {
		statement string
		args      []any
	}{
		{"DELETE FROM attachments WHERE account_id = ? AND request_id IN {} RETURNING request_id, blob_key, size", []any{x.Account}},
		{"SELECT request_id, source, 0 FROM mails WHERE account_id = ? AND source IS NOT NULL AND request_id IN {}", []any{x.Account}},
		{"DELETE FROM waiting_files WHERE account_id = ? AND waiting_id IN (SELECT id FROM waiting_messages WHERE account_id = ? AND " + unsent +
			" AND request_id IN {}) RETURNING 0, blob_key, size", []any{x.Account, x.Account, x.Now.UnixMilli()}},
	} {
		isFile := strings.HasPrefix(s.statement, "DELETE")
		q := withIDs(f.requests, s.statement, s.args...)
		if err := x.Each(func(scan func(...any) error) error {
			var id, size int64
			var key string
			err := scan(&id, &key, &size)
			x.done.Blobs = append(x.done.Blobs, key)
			if isFile {
				x.done.Files++
				x.done.Bytes += size
			}
			if !slices.Contains(had, id) {
				had = append(had, id)
			}
			return err
		}, q.String(), q.Args()...); err != nil {
			return nil, fmt.Errorf("delete files: %w", err)
		}
	}
	for _, s := range []string{
		"UPDATE mails SET source = NULL WHERE account_id = ? AND source IS NOT NULL AND request_id IN {}",
		"DELETE FROM incoming_files WHERE account_id = ? AND request_id IN {}",
	} {
		if _, err := x.exec(f.requests, s, x.Account); err != nil {
			return nil, fmt.Errorf("delete files: %w", err)
		}
	}
	return had, nil
}

// showAgain makes everybody read the requests that changed again, as after any other
// change.
func (x *expirer) showAgain() error {
	ids := desk.Each(x.changed, func(id desk.RequestID) int64 { return int64(id) })
	if err := search.Remove(x.Tx.Tx, int64(x.Account), ids...); err != nil {
		return err
	}
	requests, err := x.RequestsNamed(x.changed, desk.Everything)
	if err != nil {
		return err
	}
	for _, r := range requests {
		if err := x.Record(desk.Change{By: byRetention, Event: desk.RequestUpdated, After: r}); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a statement for some ids, which take the place of {}, and returns how many
// rows it changed.
func (x *expirer) exec(ids []int64, statement string, args ...any) (int64, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	q := withIDs(ids, statement, args...)
	return x.Exec(q.String(), q.Args()...)
}

// withIDs returns a statement in which ids take the place of {}.
func withIDs[T any](ids []T, statement string, args ...any) *sqldb.Query {
	var q sqldb.Query
	before, after, _ := strings.Cut(statement, "{}")
	q.Add(before, args...)
	sqldb.In(&q, ids)
	q.Add(after)
	return &q
}
