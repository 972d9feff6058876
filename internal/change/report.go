package change

import (
	"fmt"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/report"
	"frontdesk/internal/store"
)

// RunReport is a job that sends a report when it is due.
type RunReport struct {
	Account desk.AccountID
	Report  report.ReportID
}

func (RunReport) Kind() string { return "report.run" }

// SendDashboard is a job that sends a dashboard to a member who asked for it. Mark names
// what they get, so that they get it once.
type SendDashboard struct {
	Account   desk.AccountID
	Dashboard report.DashboardID
	Member    desk.MemberID
	Mark      string
}

func (SendDashboard) Kind() string { return "report.now" }

// MailLetter is a job that sends the copies of a letter that go out by mail.
type MailLetter struct {
	Account desk.AccountID
	Letter  store.LetterID
}

func (MailLetter) Kind() string  { return "report.mail" }
func (MailLetter) Queue() string { return QueueMail }

// PostLetter is a job that posts the copies of a letter in the chat system.
type PostLetter struct {
	Account desk.AccountID
	Letter  store.LetterID
}

func (PostLetter) Kind() string { return "report.post" }

// RunReportAt queues the job that sends a report when it is due. A job that comes too
// early, because the time has been moved, queues another.
func RunReportAt(tx *store.Tx, r report.Report) error {
	if r.Stopped != "" {
		return nil
	}
	a := RunReport{tx.Account, r.ID}
	return job.Add(tx.Tx, a, tx.Now, job.At(r.NextAt), job.Key(fmt.Sprintf("%d/%d", a.Account, a.Report)))
}

// AddLetter stores a letter with its copies and queues the jobs that deliver them. It
// returns false, and does nothing, if the letter was stored before.
func AddLetter(tx *store.Tx, l store.Letter, copies []store.LetterCopy) (bool, error) {
	isNew, err := tx.AddLetter(&l, copies)
	if err != nil || !isNew {
		return false, err
	}
	mail, post := false, false
	for _, c := range copies {
		mail, post = mail || c.Email != "", post || c.Email == ""
	}
	if mail {
		if err := job.Add(tx.Tx, MailLetter{tx.Account, l.ID}, tx.Now, job.Key(fmt.Sprintf("%d/%d", tx.Account, l.ID))); err != nil {
			return false, err
		}
	}
	if post {
		return true, PostLetterSoon(tx, l.ID)
	}
	return true, nil
}

// PostLetterSoon queues a job that posts a letter.
func PostLetterSoon(tx *store.Tx, id store.LetterID) error {
	return job.Add(tx.Tx, PostLetter{tx.Account, id}, tx.Now, job.Key(fmt.Sprintf("%d/%d", tx.Account, id)))
}
