package store

import (
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/report"
)

// limit is how many rows of a table there can be.
type limit struct {
	table string
	where string // which rows count, besides those of other accounts
	args  []any  // for the places in where
	most  int
	err   *desk.Error // for a caller who wants one more
}

// limitOf is the table of limits: how many things there can be besides a new one.
func limitOf(noun desk.Noun) limit {
	switch n := noun.(type) {
	case desk.CustomField:
		return accountLimit("custom_fields", desk.MostCustomFields, "custom fields")
	case desk.Schedule:
		return accountLimit("sla_schedules", desk.MostSchedules, "schedules")
	case desk.TicketForm:
		return accountLimit("ticket_forms", desk.MostTicketForms, "ticket forms")
	case desk.Webhook:
		return accountLimit("webhooks", desk.MostWebhooks, "webhooks")
	case desk.CustomerNote:
		return limit{"customer_notes", "customer_id = ?", []any{n.Customer}, desk.MostCustomerNotes,
			desk.Errorf(desk.Invalid, "There are %d notes about this customer already. Delete one first.", desk.MostCustomerNotes)}
	case desk.QuickReply:
		return keptLimit("quick_replies", desk.MostQuickReplies, "quick replies", n.Member, n.Shared)
	case desk.View:
		return keptLimit("views", desk.MostViews, "views", n.Member, n.Shared)
	case report.Exploration:
		return keptLimit("explorations", report.MostExplorations, "explorations", n.Member, n.Shared).unlessRemoved()
	case report.Report:
		return limit{"reports", "stopped = stopped", nil, report.MostReports, desk.Errorf(desk.Invalid, "An account can have at most %d reports. Delete one first.", report.MostReports)}
	case report.Dashboard:
		return keptLimit("dashboards", report.MostDashboards, "dashboards", n.Member, n.Shared).unlessRemoved()
	case desk.WaitingMessage:
		return limit{"waiting_messages", "member_id = ? AND sent_as IS NULL AND taken_at IS NULL", []any{n.By.ID}, desk.MostWaiting, desk.ErrTooManyWaiting}
	case desk.Follow:
		return limit{"request_reads", "member_id = ? AND followed_at IS NOT NULL", []any{n.Member}, desk.MostFollowed, desk.ErrTooManyFollowed}
	case desk.Snooze:
		return limit{"requests", "snooze IS NOT NULL AND merged_into IS NULL", nil, desk.MostSnoozed, desk.ErrTooManySnoozed}
	}
	panic(fmt.Sprintf("store: no limit for %T", noun))
}

// accountLimit is the limit of things that an account has until they are removed.
func accountLimit(table string, most int, things string) limit {
	return limit{table, "removed_at IS NULL", nil, most, desk.Errorf(desk.Invalid, "An account can have at most %d %s.", most, things)}
}

// keptLimit is the limit of things that members keep. The shared ones count
// together, and those of each member by themselves.
func keptLimit(table string, most int, things string, member desk.MemberID, shared bool) limit {
	l := limit{table, "is_shared", nil, most, desk.Errorf(desk.Invalid, "There can be at most %d shared %s, and %d of your own.", most, things, most)}
	if !shared {
		l.where, l.args = "member_id = ? AND NOT is_shared", []any{member}
	}
	return l
}

// unlessRemoved returns the limit without what was removed.
func (l limit) unlessRemoved() limit {
	l.where += " AND removed_at IS NULL"
	return l
}

// CheckRoom returns an error for the caller if there is no room for a new thing
// besides those that count with it.
func (tx *Tx) CheckRoom(noun desk.Noun) error {
	l := limitOf(noun)
	var q query
	q.Add("SELECT count(*) FROM (SELECT 1 FROM "+l.table+" WHERE account_id = ?", tx.Account)
	q.Add(" AND "+l.where, l.args...)
	q.Add(" LIMIT ?) held", l.most)
	var held int
	if err := tx.Row(q.String(), q.Args()...).Scan(&held); err != nil {
		return fmt.Errorf("count %s: %w", l.table, err)
	}
	if held >= l.most {
		return l.err
	}
	return nil
}
