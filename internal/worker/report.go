package worker

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/insights"
	"frontdesk/internal/job"
	"frontdesk/internal/report"
	"frontdesk/internal/saved"
	"frontdesk/internal/store"
)

// A report is sent in three steps. A transaction reads what it asks and whether its owner
// may; the questions are answered outside of it, because that can take long; and another
// transaction stores the text as a letter, with its copies, and sets when the report is
// due next. That one does nothing if the report was sent or changed meanwhile, so each is
// sent once. However many were missed while no process ran, the job runs once.

// runReport sends a report that is due.
func (w *Worker) runReport(ctx context.Context, _ *job.Job, a change.RunReport) error {
	var r report.Report
	var q questions
	due := false
	err := w.store.Read(ctx, a.Account, func(tx *store.Tx) (err error) {
		if r, err = saved.Report(tx, a.Report, 0); err != nil || r.Stopped != "" {
			return err
		}
		if due = !r.NextAt.After(tx.Now); due {
			q, err = readQuestions(tx, r.Dashboard, r.Member, true)
		}
		return err
	})
	switch {
	case desk.KindOf(err) == desk.NotFound:
		return nil // it was deleted
	case err != nil || r.Stopped != "":
		return err
	case !due:
		return w.store.Write(ctx, a.Account, func(tx *store.Tx) error { return change.RunReportAt(tx, r) })
	}
	l := store.Letter{Report: r.ID, Mark: fmt.Sprintf("report %d %d", r.ID, r.NextAt.UnixMilli())}
	if q.stop == "" {
		if l.Subject, l.HTML, err = w.writeReport(ctx, q); err != nil {
			return err
		}
	}
	return w.store.Write(ctx, a.Account, func(tx *store.Tx) error {
		now, err := saved.Report(tx, r.ID, 0)
		if err != nil || !now.UpdatedAt.Equal(r.UpdatedAt) || !now.NextAt.Equal(r.NextAt) {
			return desk.IgnoreMissing(err) // who changed it queued another job
		}
		return w.finishReport(tx, now, q, l)
	})
}

// finishReport stores the letter of a report and when it is due next, or stops it.
func (w *Worker) finishReport(tx *store.Tx, r report.Report, q questions, l store.Letter) error {
	before := r
	copies, err := w.reportCopies(tx, r)
	if err != nil {
		return err
	}
	if q.stop == "" && len(copies) == 0 {
		q.stop = "Nobody is left to send it to."
	}
	if q.stop != "" {
		r.Stopped = q.stop
		if err := saved.SaveReport(tx, r); err != nil {
			return err
		}
		if err := change.Record(tx, reportActor, "report.stopped", before, r); err != nil {
			return err
		}
		return notifyAdminsSoon(tx, fmt.Sprintf("A report of the dashboard “%s” is sent no more. %s Whoever needs it can set it up again in Insights.", q.name, q.stop))
	}
	isNew, err := change.AddLetter(tx, l, copies)
	if err != nil {
		return err
	}
	if isNew {
		r.SentAt, r.Failure = &tx.Now, ""
	} else { // only a restore stores a letter and leaves its report due
		r.Failure = "It was due when the desk was restored from a backup, and may have been sent before. It was not sent again."
	}
	r.NextAt = r.Next(tx.Now, q.zone)
	if err := saved.SaveReport(tx, r); err != nil {
		return err
	}
	return change.RunReportAt(tx, r)
}

var reportActor = desk.Actor{Name: "Reports", Source: desk.SourceSystem}

// reportCopies returns the copies of a report: for the members who are left, and for its
// channel.
func (w *Worker) reportCopies(tx *store.Tx, r report.Report) (all []store.LetterCopy, err error) {
	members, err := tx.MembersNamed(r.Members)
	if err != nil {
		return nil, err
	}
	for _, id := range r.Members {
		if m, ok := members[id]; ok {
			all = append(all, w.mailCopy(m.Email))
		}
	}
	if r.Channel != nil {
		all = append(all, chatCopy(*r.Channel, ""))
	}
	return all, nil
}

// sendDashboard sends a dashboard to a member: by mail, or as a direct message if the
// server sends none.
func (w *Worker) sendDashboard(ctx context.Context, _ *job.Job, a change.SendDashboard) error {
	var q questions
	err := w.store.Read(ctx, a.Account, func(tx *store.Tx) (err error) {
		q, err = readQuestions(tx, a.Dashboard, a.Member, false)
		return err
	})
	if err != nil {
		return err
	}
	l := store.Letter{Mark: a.Mark, Subject: q.name, HTML: "<p>" + escaped(q.stop) + "</p>"}
	if q.stop == "" {
		if l.Subject, l.HTML, err = w.writeReport(ctx, q); err != nil {
			return err
		}
	}
	return w.store.Write(ctx, a.Account, func(tx *store.Tx) error {
		m, err := tx.Member(a.Member)
		if err != nil {
			return desk.IgnoreMissing(err)
		}
		copies := []store.LetterCopy{w.mailCopy(m.Email)}
		if !w.change.Mail.Sends {
			user, err := tx.UserIDByEmail(m.Email)
			if err != nil || user == nil {
				return err
			}
			copies[0] = chatCopy("", *user)
		}
		_, err = change.AddLetter(tx, l, copies)
		return err
	})
}

// questions are what a dashboard asks on behalf of a member.
type questions struct {
	stop    string // why it may not be asked
	name    string
	owner   desk.Member
	zone    *time.Location
	period  insights.Period
	fields  []desk.CustomField
	cards   []report.Exploration
	board   report.Dashboard
	general insights.Question // without a query
}

// readQuestions reads what a dashboard asks, and checks whether the member may still ask
// it, and send it to others if toOthers is set.
func readQuestions(tx *store.Tx, id report.DashboardID, member desk.MemberID, toOthers bool) (q questions, err error) {
	stop := func(why string) (questions, error) {
		q.stop = why
		return q, nil
	}
	q.name = "?"
	if q.owner, err = tx.Member(member); desk.KindOf(err) == desk.NotFound {
		return stop("Whoever set it up is no longer a member of the account.")
	} else if err != nil {
		return q, err
	}
	if q.board, err = saved.Dashboard(tx, id, member); desk.KindOf(err) == desk.NotFound {
		return stop("The dashboard was deleted, or is no longer shared with " + q.owner.Name + ", who set the report up.")
	} else if err != nil {
		return q, err
	}
	q.name = q.board.Name
	user, err := tx.UserIDByEmail(q.owner.Email)
	if err != nil {
		return q, err
	}
	q.general.Reach = desk.ReachFor(desk.QueryInsights, q.owner.Role, q.owner.Collections)
	switch {
	case toOthers && q.owner.Role == desk.Viewer:
		return stop(q.owner.Name + ", who set it up, is a viewer now, and viewers send no reports.")
	case user == nil:
		return stop(q.owner.Name + ", who set it up, has no profile in the chat system any more, which insights need.")
	case !q.general.Reach.All && len(q.general.Reach.IDs) == 0:
		return stop(q.owner.Name + ", who set it up, has no collection any more.")
	}
	found, err := saved.ExplorationsNamed(tx, q.board.Explorations(), member)
	if err != nil {
		return q, err
	}
	for _, c := range q.board.Cards {
		if e, ok := found[c.Exploration]; ok {
			q.cards = append(q.cards, e)
		}
	}
	if len(q.cards) == 0 {
		return stop("Nothing is on the dashboard.")
	}
	return q, q.readTerms(tx)
}

// readTerms reads what the answers depend on besides the dashboard.
func (q *questions) readTerms(tx *store.Tx) error {
	a, err := tx.ThisAccount()
	if err != nil {
		return err
	}
	if q.zone, err = time.LoadLocation(a.TimeZone); err != nil {
		return err
	}
	if q.period, err = insights.PeriodOf(q.board.Range, tx.Now, q.zone); err != nil {
		return err
	}
	if q.fields, err = tx.CustomFields(desk.EntityRequest); err != nil {
		return err
	}
	q.general.Account, q.general.Now, q.general.Zone, q.general.Fields = tx.Account, tx.Now, q.zone, map[desk.CustomFieldID]desk.CustomField{}
	for _, f := range q.fields {
		q.general.Fields[f.ID] = f
	}
	return nil
}
