package privacy

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Retention is counted from a request's moment: the last time that it was solved or
// closed, or that anything was said in it. Migration 34 has an index of the requests
// that still have texts, and one of those that still have files, each in the order of
// this moment. So what is due is found without reading what was deleted already.

// moment is the expression of the two indexes.
const moment = `(CASE
	WHEN newest_at >= last_message_at AND newest_at >= coalesce(solved_at, 0) THEN newest_at
	WHEN last_message_at >= coalesce(solved_at, 0) THEN last_message_at ELSE solved_at END)`

// A stock is what a request has until a retention deletes it: its texts or its files.
// It is the column that says up to which moment they are deleted.
type stock string

const (
	textStock stock = "texts_deleted_to"
	fileStock stock = "files_deleted_to"
)

// due adds the condition on the requests of a collection whose stock goes, because
// their moment is not after a time.
func (s stock) due(q *sqldb.Query, tx *store.Tx, id desk.CollectionID, before time.Time) {
	q.Add("FROM requests WHERE account_id = ? AND collection_id = ? AND shelf IN ('solved', 'closed') AND merged_into IS NULL AND "+
		string(s)+" < "+moment+" AND "+moment+" <= ?", tx.Account, id, before.UnixMilli())
}

// Kept is a collection that keeps something for a time only.
type Kept struct {
	Account    desk.AccountID
	Collection desk.CollectionID
}

// KeptForATime returns all collections that keep something for a time only, also
// removed ones, because their requests are still there.
func KeptForATime(ctx context.Context, s *store.Store) (all []Kept, err error) {
	err = s.DB().Look(ctx, func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, func(scan func(...any) error) (k Kept, err error) {
			err = scan(&k.Account, &k.Collection)
			return k, err
		}, `/* every account: one sweep for all */ SELECT account_id, id FROM collections
			WHERE retention_messages_days IS NOT NULL OR retention_files_days IS NOT NULL ORDER BY account_id, id`)
		return err
	})
	return all, err
}

// Forget removes what the database's own files may still have of what was deleted;
// see sqldb.DB.Forget.
func Forget(ctx context.Context, s *store.Store) error { return s.DB().Forget(ctx, "search_index") }

// retentionOf returns the retention of a collection, also of a removed one.
func retentionOf(tx *store.Tx, id desk.CollectionID) (r desk.Retention, err error) {
	err = tx.Row("SELECT retention_messages_days, retention_files_days FROM collections WHERE account_id = $1 AND id = $2", tx.Account, id).
		Scan(&r.MessagesDays, &r.FilesDays)
	return r, err
}

// PreviewRetention says what a retention of a collection would delete.
func PreviewRetention(tx *store.Tx, id desk.CollectionID, r desk.Retention) (p desk.RetentionPreview, err error) {
	p.Retention = r
	if p.Now, err = expiring(tx, id, r, tx.Now); err != nil {
		return p, err
	}
	p.Soon, err = expiring(tx, id, r, tx.Now.Add(desk.RetentionAhead))
	return p, err
}

// expiring counts what a retention deletes by a time. It counts no more than
// desk.MostCounted of anything, and looks no further.
func expiring(tx *store.Tx, id desk.CollectionID, r desk.Retention, at time.Time) (e desk.Expiring, err error) {
	textsBefore, filesBefore := r.TextsBefore(at), r.FilesBefore(at)
	var m moments
	if textsBefore != nil {
		if e, m, err = countTexts(tx, id, *textsBefore); err != nil {
			return e, err
		}
	}
	if filesBefore != nil {
		if err := countFiles(tx, id, textsBefore, *filesBefore, &e, &m); err != nil {
			return e, err
		}
	}
	e.Oldest, e.Newest = m.times()
	return e, nil
}

// moments are the first and the last moment of some requests; nil if there are none.
type moments struct{ first, last *int64 }

func (m *moments) add(o moments) {
	if o.first != nil && (m.first == nil || *o.first < *m.first) {
		m.first = o.first
	}
	if o.last != nil && (m.last == nil || *o.last > *m.last) {
		m.last = o.last
	}
}

func (m moments) times() (oldest, newest *time.Time) {
	if m.first == nil || m.last == nil {
		return nil, nil
	}
	o, n := time.UnixMilli(*m.first).UTC(), time.UnixMilli(*m.last).UTC()
	return &o, &n
}

// counted turns a number that was counted to one above the limit.
func counted(n int) desk.Counted {
	return desk.Counted{Count: min(n, desk.MostCounted), More: n > desk.MostCounted}
}

// oneMore is a limit that shows whether there are more than are counted.
const oneMore = desk.MostCounted + 1

// countTexts counts the requests that lose their texts, and their messages.
func countTexts(tx *store.Tx, id desk.CollectionID, before time.Time) (e desk.Expiring, m moments, err error) {
	var q, said sqldb.Query
	q.Add("SELECT count(*), min(at), max(at) FROM (SELECT " + moment + " AS at ")
	textStock.due(&q, tx, id, before)
	q.Add(" ORDER BY " + moment + sqldb.Limit(oneMore) + ") AS due")
	var requests, messages int
	if err := tx.Row(q.String(), q.Args()...).Scan(&requests, &m.first, &m.last); err != nil {
		return e, m, fmt.Errorf("count requests: %w", err)
	}
	if requests == 0 {
		return e, m, nil
	}
	said.Add("SELECT count(*) FROM (SELECT 1 FROM (SELECT id, texts_deleted_to ")
	textStock.due(&said, tx, id, before)
	said.Add(" ORDER BY "+moment+sqldb.Limit(desk.MostCounted)+`) AS due JOIN messages m ON m.account_id = ? AND m.request_id = due.id
		WHERE m.removed_at IS NULL AND m.created_at > due.texts_deleted_to`+sqldb.Limit(oneMore)+") AS said", tx.Account)
	if err := tx.Row(said.String(), said.Args()...).Scan(&messages); err != nil {
		return e, m, fmt.Errorf("count messages: %w", err)
	}
	e.Requests, e.Messages = counted(requests), counted(messages)
	if e.Requests.More {
		e.Messages.More = true
		var last sqldb.Query
		last.Add("SELECT " + moment + " ")
		textStock.due(&last, tx, id, before)
		last.Add(" ORDER BY " + moment + " DESC LIMIT 1")
		err = tx.Row(last.String(), last.Args()...).Scan(&m.last)
	}
	return e, m, err
}

// countFiles counts the files that go, and adds the requests that lose files and keep
// their texts. Texts go before textsBefore, if at all.
func countFiles(tx *store.Tx, id desk.CollectionID, textsBefore *time.Time, before time.Time, e *desk.Expiring, m *moments) error {
	keptAfter := int64(-1)
	if textsBefore != nil {
		keptAfter = textsBefore.UnixMilli()
	}
	var q sqldb.Query
	q.Add("SELECT (SELECT count(*) FROM (SELECT 1 ")
	fileStock.due(&q, tx, id, before)
	q.Add(sqldb.Limit(oneMore)+") AS due), count(*), coalesce(sum(size), 0), count(DISTINCT CASE WHEN at > ? THEN id END), min(at), max(at) FROM (SELECT due.id, due.at, a.size FROM (SELECT id, "+moment+" AS at ",
		keptAfter)
	fileStock.due(&q, tx, id, before)
	q.Add(" ORDER BY "+moment+sqldb.Limit(desk.MostCounted)+`) AS due JOIN attachments a ON a.account_id = ? AND a.request_id = due.id`+sqldb.Limit(oneMore)+") AS kept", tx.Account)
	var due, n, requests int
	var of moments
	if err := tx.Row(q.String(), q.Args()...).Scan(&due, &n, &e.Bytes, &requests, &of.first, &of.last); err != nil {
		return fmt.Errorf("count files: %w", err)
	}
	m.add(of)
	e.Files = counted(n)
	e.Files.More = e.Files.More || due > desk.MostCounted
	more := e.Requests.More || e.Files.More
	e.Requests = counted(e.Requests.Count + requests)
	e.Requests.More = e.Requests.More || more
	return nil
}
