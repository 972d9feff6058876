package saved

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/report"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/stored"
)

const explorationColumns = "id, member_id, name, query, chart, target, is_shared, position, created_at, updated_at"

// scanExploration reads an exploration that a member looks at.
func scanExploration(member desk.MemberID) func(func(...any) error) (report.Exploration, error) {
	return func(scan func(...any) error) (e report.Exploration, err error) {
		var created, updated int64
		err = scan(&e.ID, &e.Member, &e.Name, stored.InsightsQuery(&e.Query), &e.Chart, stored.Target(&e.Target), &e.Shared, &e.Position, &created, &updated)
		e.Mine = e.Member == member
		e.CreatedAt, e.UpdatedAt = store.FromMS(created), store.FromMS(updated)
		return e, err
	}
}

// Exploration returns an exploration that a member can see: their own or a shared one.
func Exploration(tx *store.Tx, id report.ExplorationID, member desk.MemberID) (report.Exploration, error) {
	e, err := scanExploration(member)(tx.Row("SELECT "+explorationColumns+` FROM explorations
		WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3) AND removed_at IS NULL`, tx.Account, id, member).Scan)
	return e, store.Missing(err, "Exploration")
}

// RemovedExploration returns an exploration that was removed and can be had back.
func RemovedExploration(tx *store.Tx, id report.ExplorationID, member desk.MemberID) (report.Exploration, error) {
	e, err := scanExploration(member)(tx.Row("SELECT "+explorationColumns+` FROM explorations
		WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3) AND removed_at > $4`, tx.Account, id, member, tx.Now.Add(-report.UndoRemoval).UnixMilli()).Scan)
	return e, store.Missing(err, "Exploration")
}

// Explorations returns all explorations that a member can see, in their order.
func Explorations(tx *store.Tx, member desk.MemberID) ([]report.Exploration, error) {
	return sqldb.Collect(tx.Tx, scanExploration(member), `SELECT * FROM (SELECT `+explorationColumns+` FROM explorations WHERE account_id = $1 AND is_shared AND removed_at IS NULL
		UNION ALL SELECT `+explorationColumns+` FROM explorations WHERE account_id = $1 AND member_id = $2 AND NOT is_shared AND removed_at IS NULL) seen ORDER BY position, id`,
		tx.Account, member)
}

// atOnce is how many ids one statement looks for, because the number of its values is
// limited.
const atOnce = 512

// ExplorationsNamed returns the explorations with these ids that a member can see.
func ExplorationsNamed(tx *store.Tx, ids []report.ExplorationID, member desk.MemberID) (map[report.ExplorationID]report.Exploration, error) {
	seen := map[report.ExplorationID]report.Exploration{}
	for some := range slices.Chunk(ids, atOnce) {
		var q sqldb.Query
		q.Add("SELECT "+explorationColumns+" FROM explorations WHERE account_id = ? AND removed_at IS NULL AND id IN ", tx.Account)
		sqldb.In(&q, some)
		found, err := sqldb.Collect(tx.Tx, scanExploration(member), q.String(), q.Args()...)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if e.Shared || e.Mine {
				seen[e.ID] = e
			}
		}
	}
	return seen, nil
}

// AddExploration inserts a new exploration and sets its id.
func AddExploration(tx *store.Tx, e *report.Exploration) error {
	err := tx.Row(`INSERT INTO explorations (account_id, member_id, name, query, chart, target, is_shared, position, created_at, updated_at)
		SELECT account_id, id, $3, $4, $5, $6, $7, $8, $9, $10 FROM members WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, e.Member, e.Name, stored.InsightsQuery(&e.Query), e.Chart, stored.Target(&e.Target), e.Shared, e.Position, e.CreatedAt.UnixMilli(), e.UpdatedAt.UnixMilli()).Scan(&e.ID)
	return addError("exploration", err)
}

// SaveExploration saves a changed exploration.
func SaveExploration(tx *store.Tx, e report.Exploration) error {
	return tx.Do("UPDATE explorations SET name = $1, query = $2, chart = $3, target = $4, is_shared = $5, position = $6, updated_at = $7 WHERE account_id = $8 AND id = $9",
		e.Name, stored.InsightsQuery(&e.Query), e.Chart, stored.Target(&e.Target), e.Shared, e.Position, e.UpdatedAt.UnixMilli(), tx.Account, e.ID)
}

// RemoveExploration removes an exploration so that it can be had back for a while. It
// deletes those whose while is over.
func RemoveExploration(tx *store.Tx, id report.ExplorationID) error {
	if err := tx.Do("DELETE FROM explorations WHERE account_id = $1 AND removed_at <= $2", tx.Account, tx.Now.Add(-report.UndoRemoval).UnixMilli()); err != nil {
		return err
	}
	return tx.Do("UPDATE explorations SET removed_at = $1 WHERE account_id = $2 AND id = $3", tx.Now.UnixMilli(), tx.Account, id)
}

// RestoreExploration takes a removal back.
func RestoreExploration(tx *store.Tx, id report.ExplorationID) error {
	return tx.Do("UPDATE explorations SET removed_at = NULL WHERE account_id = $1 AND id = $2", tx.Account, id)
}
