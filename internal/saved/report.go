package saved

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/hours"
	"frontdesk/internal/report"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
	"frontdesk/internal/stored"
)

const reportColumns = "id, dashboard_id, member_id, every, weekday, day, hour, member_ids, channel_id, next_at, sent_at, stopped, failure, created_at, updated_at"

// scanReport reads a report that a member looks at.
func scanReport(member desk.MemberID) func(func(...any) error) (report.Report, error) {
	return func(scan func(...any) error) (r report.Report, err error) {
		var weekday, next, created, updated int64
		var sent *int64
		err = scan(&r.ID, &r.Dashboard, &r.Member, &r.Every, &weekday, &r.Day, &r.Hour, stored.Members(&r.Members), &r.Channel, &next, &sent,
			&r.Stopped, &r.Failure, &created, &updated)
		if err != nil {
			return r, err
		}
		r.Mine, r.Weekday = r.Member == member, hours.Weekdays[weekday-1]
		r.NextAt, r.SentAt, r.CreatedAt, r.UpdatedAt = store.FromMS(next), store.FromOptionalMS(sent), store.FromMS(created), store.FromMS(updated)
		return r, nil
	}
}

// weekdayNumber is how a day of the week is kept; 1 is Monday.
func weekdayNumber(name string) int { return slices.Index(hours.Weekdays[:], name) + 1 }

// Report returns a report, as a member looks at it.
func Report(tx *store.Tx, id report.ReportID, member desk.MemberID) (report.Report, error) {
	r, err := scanReport(member)(tx.Row("SELECT "+reportColumns+" FROM reports WHERE account_id = $1 AND id = $2", tx.Account, id).Scan)
	return r, store.Missing(err, "Report")
}

// Reports returns the reports of a member, or with all those of everybody.
func Reports(tx *store.Tx, member desk.MemberID, all bool) ([]report.Report, error) {
	var q sqldb.Query
	q.Add("SELECT "+reportColumns+" FROM reports WHERE account_id = ?", tx.Account)
	if !all {
		q.Add(" AND member_id = ?", member)
	}
	q.Add(" ORDER BY id LIMIT ?", report.MostReports)
	return sqldb.Collect(tx.Tx, scanReport(member), q.String(), q.Args()...)
}

// AddReport inserts a new report and sets its id.
func AddReport(tx *store.Tx, r *report.Report) error {
	err := tx.Row(`INSERT INTO reports (account_id, dashboard_id, member_id, every, weekday, day, hour, member_ids, channel_id, next_at, sent_at, stopped, failure, created_at, updated_at)
		SELECT account_id, id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15 FROM dashboards WHERE account_id = $1 AND id = $2 RETURNING id`,
		tx.Account, r.Dashboard, r.Member, r.Every, weekdayNumber(r.Weekday), r.Day, r.Hour, stored.Members(&r.Members), r.Channel, r.NextAt.UnixMilli(), store.OptionalMS(r.SentAt), r.Stopped, r.Failure,
		r.CreatedAt.UnixMilli(), r.UpdatedAt.UnixMilli()).Scan(&r.ID)
	if err != nil {
		return fmt.Errorf("add report: %w", store.Missing(err, "Dashboard"))
	}
	return nil
}

// SaveReport saves a changed report.
func SaveReport(tx *store.Tx, r report.Report) error {
	return tx.Do(`UPDATE reports SET every = $1, weekday = $2, day = $3, hour = $4, member_ids = $5, channel_id = $6, next_at = $7, sent_at = $8, stopped = $9, failure = $10, updated_at = $11
		WHERE account_id = $12 AND id = $13`,
		r.Every, weekdayNumber(r.Weekday), r.Day, r.Hour, stored.Members(&r.Members), r.Channel, r.NextAt.UnixMilli(), store.OptionalMS(r.SentAt), r.Stopped, r.Failure, r.UpdatedAt.UnixMilli(), tx.Account, r.ID)
}

// RemoveReport deletes a report. What is on its way arrives.
func RemoveReport(tx *store.Tx, id report.ReportID) error {
	return tx.Do("DELETE FROM reports WHERE account_id = $1 AND id = $2", tx.Account, id)
}
