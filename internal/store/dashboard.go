package store

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/report"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/stored"
)

const dashboardColumns = "id, member_id, name, cards, date_range, filters, is_shared, position, created_at, updated_at"

// scanDashboard reads a dashboard that a member looks at.
func scanDashboard(member desk.MemberID) func(scanner) (report.Dashboard, error) {
	return func(scan scanner) (d report.Dashboard, err error) {
		err = scan(&d.ID, &d.Member, &d.Name, stored.Cards(&d.Cards), stored.DateRange(&d.Range), stored.InsightsFilters(&d.Filters), &d.Shared, &d.Position, inMS(&d.CreatedAt), inMS(&d.UpdatedAt))
		d.Mine = d.Member == member
		return d, err
	}
}

// Dashboard returns a dashboard that a member can see: their own or a shared one.
func (tx *Tx) Dashboard(id report.DashboardID, member desk.MemberID) (report.Dashboard, error) {
	d, err := scanDashboard(member)(tx.Row("SELECT "+dashboardColumns+` FROM dashboards
		WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3) AND removed_at IS NULL`, tx.Account, id, member).Scan)
	return d, missing(err, "Dashboard")
}

// RemovedDashboard returns a dashboard that was removed and can be had back.
func (tx *Tx) RemovedDashboard(id report.DashboardID, member desk.MemberID) (report.Dashboard, error) {
	d, err := scanDashboard(member)(tx.Row("SELECT "+dashboardColumns+` FROM dashboards
		WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3) AND removed_at > $4`, tx.Account, id, member, ms(tx.Now.Add(-report.UndoRemoval))).Scan)
	return d, missing(err, "Dashboard")
}

// Dashboards returns all dashboards that a member can see, in their order.
func (tx *Tx) Dashboards(member desk.MemberID) ([]report.Dashboard, error) {
	return sqldb.Collect(tx.Tx, scanDashboard(member), `SELECT * FROM (SELECT `+dashboardColumns+` FROM dashboards WHERE account_id = $1 AND is_shared AND removed_at IS NULL
		UNION ALL SELECT `+dashboardColumns+` FROM dashboards WHERE account_id = $1 AND member_id = $2 AND NOT is_shared AND removed_at IS NULL) seen ORDER BY position, id`,
		tx.Account, member)
}

// AddDashboard inserts a new dashboard and sets its id.
func (tx *Tx) AddDashboard(d *report.Dashboard) error {
	err := tx.Row(`INSERT INTO dashboards (account_id, member_id, name, cards, date_range, filters, is_shared, position, created_at, updated_at)
		SELECT account_id, id, $3, $4, $5, $6, $7, $8, $9, $10 FROM members WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, d.Member, d.Name, stored.Cards(&d.Cards), stored.DateRange(&d.Range), stored.InsightsFilters(&d.Filters), d.Shared, d.Position, ms(d.CreatedAt), ms(d.UpdatedAt)).Scan(&d.ID)
	return wrap("add dashboard", missing(err, "Member"))
}

// SaveDashboard saves a changed dashboard.
func (tx *Tx) SaveDashboard(d report.Dashboard) error {
	return tx.Do("UPDATE dashboards SET name = $1, cards = $2, date_range = $3, filters = $4, is_shared = $5, position = $6, updated_at = $7 WHERE account_id = $8 AND id = $9",
		d.Name, stored.Cards(&d.Cards), stored.DateRange(&d.Range), stored.InsightsFilters(&d.Filters), d.Shared, d.Position, ms(d.UpdatedAt), tx.Account, d.ID)
}

// RemoveDashboard removes a dashboard so that it can be had back for a while. It
// deletes those whose while is over.
func (tx *Tx) RemoveDashboard(id report.DashboardID) error {
	if err := tx.Do("DELETE FROM dashboards WHERE account_id = $1 AND removed_at <= $2", tx.Account, ms(tx.Now.Add(-report.UndoRemoval))); err != nil {
		return err
	}
	return tx.Do("UPDATE dashboards SET removed_at = $1 WHERE account_id = $2 AND id = $3", ms(tx.Now), tx.Account, id)
}

// RestoreDashboard takes a removal back.
func (tx *Tx) RestoreDashboard(id report.DashboardID) error {
	return tx.Do("UPDATE dashboards SET removed_at = NULL WHERE account_id = $1 AND id = $2", tx.Account, id)
}
