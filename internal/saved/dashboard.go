package saved

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/report"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/stored"
)

const dashboardColumns = "id, member_id, name, cards, date_range, filters, is_shared, position, created_at, updated_at"

// scanDashboard reads a dashboard that a member looks at.
func scanDashboard(member desk.MemberID) func(func(...any) error) (report.Dashboard, error) {
	return func(scan func(...any) error) (d report.Dashboard, err error) {
		var created, updated int64
		err = scan(&d.ID, &d.Member, &d.Name, stored.Cards(&d.Cards), stored.DateRange(&d.Range), stored.InsightsFilters(&d.Filters), &d.Shared, &d.Position, &created, &updated)
		d.Mine = d.Member == member
		d.CreatedAt, d.UpdatedAt = store.FromMS(created), store.FromMS(updated)
		return d, err
	}
}

// Dashboard returns a dashboard that a member can see: their own or a shared one.
func Dashboard(tx *store.Tx, id report.DashboardID, member desk.MemberID) (report.Dashboard, error) {
	d, err := scanDashboard(member)(tx.Row("SELECT "+dashboardColumns+` FROM dashboards
		WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3) AND removed_at IS NULL`, tx.Account, id, member).Scan)
	return d, store.Missing(err, "Dashboard")
}

// RemovedDashboard returns a dashboard that was removed and can be had back.
func RemovedDashboard(tx *store.Tx, id report.DashboardID, member desk.MemberID) (report.Dashboard, error) {
	d, err := scanDashboard(member)(tx.Row("SELECT "+dashboardColumns+` FROM dashboards
		WHERE account_id = $1 AND id = $2 AND (is_shared OR member_id = $3) AND removed_at > $4`, tx.Account, id, member, tx.Now.Add(-report.UndoRemoval).UnixMilli()).Scan)
	return d, store.Missing(err, "Dashboard")
}

// Dashboards returns all dashboards that a member can see, in their order.
func Dashboards(tx *store.Tx, member desk.MemberID) ([]report.Dashboard, error) {
	return sqldb.Collect(tx.Tx, scanDashboard(member), `SELECT * FROM (SELECT `+dashboardColumns+` FROM dashboards WHERE account_id = $1 AND is_shared AND removed_at IS NULL
		UNION ALL SELECT `+dashboardColumns+` FROM dashboards WHERE account_id = $1 AND member_id = $2 AND NOT is_shared AND removed_at IS NULL) seen ORDER BY position, id`,
		tx.Account, member)
}

// AddDashboard inserts a new dashboard and sets its id.
func AddDashboard(tx *store.Tx, d *report.Dashboard) error {
	err := tx.Row(`INSERT INTO dashboards (account_id, member_id, name, cards, date_range, filters, is_shared, position, created_at, updated_at)
		SELECT account_id, id, $3, $4, $5, $6, $7, $8, $9, $10 FROM members WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, d.Member, d.Name, stored.Cards(&d.Cards), stored.DateRange(&d.Range), stored.InsightsFilters(&d.Filters), d.Shared, d.Position, d.CreatedAt.UnixMilli(), d.UpdatedAt.UnixMilli()).Scan(&d.ID)
	return addError("dashboard", err)
}

// SaveDashboard saves a changed dashboard.
func SaveDashboard(tx *store.Tx, d report.Dashboard) error {
	return tx.Do("UPDATE dashboards SET name = $1, cards = $2, date_range = $3, filters = $4, is_shared = $5, position = $6, updated_at = $7 WHERE account_id = $8 AND id = $9",
		d.Name, stored.Cards(&d.Cards), stored.DateRange(&d.Range), stored.InsightsFilters(&d.Filters), d.Shared, d.Position, d.UpdatedAt.UnixMilli(), tx.Account, d.ID)
}

// RemoveDashboard removes a dashboard so that it can be had back for a while. It
// deletes those whose while is over.
func RemoveDashboard(tx *store.Tx, id report.DashboardID) error {
	over := tx.Now.Add(-report.UndoRemoval).UnixMilli()
	if err := tx.Do("DELETE FROM reports WHERE account_id = $1 AND dashboard_id IN (SELECT id FROM dashboards WHERE account_id = $1 AND removed_at <= $2)", tx.Account, over); err != nil {
		return err
	}
	if err := tx.Do("DELETE FROM dashboards WHERE account_id = $1 AND removed_at <= $2", tx.Account, over); err != nil {
		return err
	}
	return tx.Do("UPDATE dashboards SET removed_at = $1 WHERE account_id = $2 AND id = $3", tx.Now.UnixMilli(), tx.Account, id)
}

// RestoreDashboard takes a removal back.
func RestoreDashboard(tx *store.Tx, id report.DashboardID) error {
	return tx.Do("UPDATE dashboards SET removed_at = NULL WHERE account_id = $1 AND id = $2", tx.Account, id)
}
