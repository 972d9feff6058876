package store

import (
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

const historyColumns = "id, request_id, at, actor, source, action, before, after, links, moved, undoes, undone_at"

// AddHistory inserts an entry of a request's history and sets its id.
func (tx *Tx) AddHistory(e *desk.HistoryEntry) error {
	err := tx.Row(`INSERT INTO request_changes (account_id, request_id, at, actor, source, action, before, after, links, moved, undoes)
		SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM requests WHERE account_id = $1 AND id = $2
		RETURNING id`,
		tx.Account, e.Request, ms(e.At), stored.Actor(&e.By), e.By.Source, e.Action, stored.Past(&e.Before), stored.Past(&e.After), stored.Links(&e.Links),
		stored.Moved(&e.Moved), unlessZero(e.Undoes)).Scan(&e.ID)
	return wrap("add history", Missing(err, "Request"))
}

func scanHistory(scan scanner) (e desk.HistoryEntry, err error) {
	err = scan(&e.ID, &e.Request, inMS(&e.At), stored.Actor(&e.By), &e.By.Source, &e.Action, stored.Past(&e.Before), stored.Past(&e.After),
		stored.Links(&e.Links), stored.Moved(&e.Moved), orZero(&e.Undoes), inMSOrNil(&e.UndoneAt))
	return e, err
}

// History returns a page of what was done to a request, without its creation.
func (tx *Tx) History(id desk.RequestID, p desk.Page) (desk.List[desk.HistoryEntry], error) {
	var q query
	q.Add("SELECT "+historyColumns+" FROM request_changes WHERE account_id = ? AND request_id = ?", tx.Account, id)
	return page(tx, &q, "at", p, scanHistory, func(e desk.HistoryEntry) desk.Position { return positionAt(e.At, e.ID) })
}

// LatestHistory returns the end of a request's history, newest first, without
// entries that only undo others.
func (tx *Tx) LatestHistory(id desk.RequestID, most int) ([]desk.HistoryEntry, error) {
	return sqldb.Collect(tx.Tx, scanHistory, "SELECT "+historyColumns+
		" FROM request_changes WHERE account_id = $1 AND request_id = $2 AND undoes IS NULL ORDER BY at DESC, id DESC LIMIT $3", tx.Account, id, most)
}

// SetUndone marks entries as undone.
func (tx *Tx) SetUndone(ids []desk.HistoryEntryID) error {
	var q query
	q.Add("UPDATE request_changes SET undone_at = ? WHERE account_id = ? AND id IN ", ms(tx.Now), tx.Account)
	sqldb.In(&q, ids)
	return tx.Do(q.String(), q.Args()...)
}

// Making returns the first entry of a request's history, its creation, from the
// audit log. It returns nil if the log does not have it.
func (tx *Tx) Making(id desk.RequestID) (*desk.HistoryEntry, error) {
	found, err := sqldb.Collect(tx.Tx, scanAuditLog, "SELECT "+auditColumns+` FROM audit_logs
		WHERE account_id = $1 AND resource_type = 'Request' AND resource_id = $2 AND action = $3 ORDER BY at, id LIMIT 1`,
		tx.Account, fmt.Sprint(int64(id)), desk.RequestCreated)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	by := found[0].Actor
	by.IP = "" // only admins may see it
	return &desk.HistoryEntry{Request: id, At: found[0].At, By: by, Action: found[0].Action}, nil
}
