package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/report"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

const explorationColumns = "id, member_id, name, query, chart, target, is_shared, position, created_at, updated_at"

// scanExploration reads an exploration that a member looks at.
func scanExploration(member desk.MemberID) func(scanner) (report.Exploration, error) {
	return func(scan scanner) (e report.Exploration, err error) {
		err = scan(&e.ID, &e.Member, &e.Name, stored.InsightsQuery(&e.Query), &e.Chart, stored.Target(&e.Target), &e.Shared, &e.Position, inMS(&e.CreatedAt), inMS(&e.UpdatedAt))
		e.Mine = e.Member == member
		return e, err
	}
}

// Exploration returns an exploration that a member can see: their own or a shared one.
func (tx *Tx) Exploration(id report.ExplorationID, member desk.MemberID) (report.Exploration, error) {
	e, err := scanExploration(member)(tx.Row("SELECT "+explorationColumns+` FROM explorations
		WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3) AND removed_at IS NULL`, tx.Account, id, member).Scan)
	return e, missing(err, "Exploration")
}

// RemovedExploration returns an exploration that was removed and can be had back.
func (tx *Tx) RemovedExploration(id report.ExplorationID, member desk.MemberID) (report.Exploration, error) {
	e, err := scanExploration(member)(tx.Row("SELECT "+explorationColumns+` FROM explorations
		WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3) AND removed_at > $4`, tx.Account, id, member, ms(tx.Now.Add(-report.UndoRemoval))).Scan)
	return e, missing(err, "Exploration")
}

// Explorations returns all explorations that a member can see, in their order.
func (tx *Tx) Explorations(member desk.MemberID) ([]report.Exploration, error) {
	return sqldb.Collect(tx.Tx, scanExploration(member), `SELECT * FROM (SELECT `+explorationColumns+` FROM explorations WHERE account_id = $1 AND is_shared AND removed_at IS NULL
		UNION ALL SELECT `+explorationColumns+` FROM explorations WHERE account_id = $1 AND member_id = $2 AND NOT is_shared AND removed_at IS NULL) seen ORDER BY position, id`,
		tx.Account, member)
}

// ExplorationsNamed returns the explorations with these ids that a member can see.
func (tx *Tx) ExplorationsNamed(ids []report.ExplorationID, member desk.MemberID) (map[report.ExplorationID]report.Exploration, error) {
	found, err := lookUp(tx, ids, scanExploration(member), "SELECT "+explorationColumns+" FROM explorations WHERE account_id = ? AND removed_at IS NULL AND id IN ")
	seen := map[report.ExplorationID]report.Exploration{}
	for _, e := range found {
		if e.Shared || e.Mine {
			seen[e.ID] = e
		}
	}
	return seen, err
}

// AddExploration inserts a new exploration and sets its id.
func (tx *Tx) AddExploration(e *report.Exploration) error {
	err := tx.Row(`INSERT INTO explorations (account_id, member_id, name, query, chart, target, is_shared, position, created_at, updated_at)
		SELECT account_id, id, $3, $4, $5, $6, $7, $8, $9, $10 FROM members WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, e.Member, e.Name, stored.InsightsQuery(&e.Query), e.Chart, stored.Target(&e.Target), e.Shared, e.Position, ms(e.CreatedAt), ms(e.UpdatedAt)).Scan(&e.ID)
	return wrap("add exploration", missing(err, "Member"))
}

// SaveExploration saves a changed exploration.
func (tx *Tx) SaveExploration(e report.Exploration) error {
	return tx.Do("UPDATE explorations SET name = $1, query = $2, chart = $3, target = $4, is_shared = $5, position = $6, updated_at = $7 WHERE account_id = $8 AND id = $9",
		e.Name, stored.InsightsQuery(&e.Query), e.Chart, stored.Target(&e.Target), e.Shared, e.Position, ms(e.UpdatedAt), tx.Account, e.ID)
}

// RemoveExploration removes an exploration so that it can be had back for a while. It
// deletes those whose while is over.
func (tx *Tx) RemoveExploration(id report.ExplorationID) error {
	if err := tx.Do("DELETE FROM explorations WHERE account_id = $1 AND removed_at <= $2", tx.Account, ms(tx.Now.Add(-report.UndoRemoval))); err != nil {
		return err
	}
	return tx.Do("UPDATE explorations SET removed_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id)
}

// RestoreExploration takes a removal back.
func (tx *Tx) RestoreExploration(id report.ExplorationID) error {
	return tx.Do("UPDATE explorations SET removed_at = NULL WHERE account_id = $1 AND id = $2", tx.Account, id)
}
