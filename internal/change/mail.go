package change

import (
	"crypto/rand"
	"html"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/mail"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// QueueMail is the queue of jobs that send mail. They have their own, so that nothing
// else waits for a relay.
const QueueMail = "mail"

// SendMail is a job that sends the copies of a mail.
type SendMail struct {
	Account desk.AccountID
	Mail    store.MailID
}

func (SendMail) Kind() string  { return "mail.send" }
func (SendMail) Queue() string { return QueueMail }

// recipients are the addresses that a mail goes to.
type recipients struct{ to, cc []string }

// mailOf returns to whom the mail of a message goes: nil if the message is not
// mailed. Then it also sets what the message shows of its mail, and the subject of the
// request's mails if this is the first.
func (s Setup) mailOf(tx *store.Tx, col desk.Collection, r *desk.Request, m *desk.Message) (*recipients, error) {
	if r.MailSubject == nil || !m.Responder || m.Private || !s.Mail.Sends {
		return nil, nil
	}
	sender, err := s.SenderOf(tx, col)
	if err != nil || sender == nil {
		return nil, err
	}
	to, err := recipientsOf(tx, *r, m.Author.Email)
	if err != nil || len(to.to) == 0 {
		return nil, err
	}
	if *r.MailSubject == "" {
		subject := mail.RequestSubject(r.Key, r.Title)
		r.MailSubject = &subject
	}
	email := desk.NewMessageEmail(s.Mail.From(*sender.Email).Email, *r.MailSubject, to.to, to.cc)
	m.Email = &email
	return &to, nil
}

// recipientsOf returns who gets the answers in a request, but for their author: the
// requester, unless they read elsewhere, and those who take part. Those of requests
// that were merged into it take part, too.
func recipientsOf(tx *store.Tx, r desk.Request, author string) (to recipients, err error) {
	all, err := tx.Participants(r.ID)
	if err != nil {
		return to, err
	}
	merged, err := tx.MergedParticipants(r.ID)
	if err != nil {
		return to, err
	}
	out := map[string]bool{"": true, desk.FoldEmail(author): true}
	if email := r.Author.Email; r.MailsRequester && !out[desk.FoldEmail(email)] {
		to.to = []string{email}
	}
	out[desk.FoldEmail(r.Author.Email)] = true
	for _, p := range append(all, merged...) {
		folded := desk.FoldEmail(p.Email)
		if p.Status == desk.ParticipantActive && !out[folded] {
			to.cc = append(to.cc, p.Email)
		}
		out[folded] = true // one who was removed stays out, whatever was merged
	}
	if len(to.to) == 0 && len(to.cc) > 0 {
		to.to, to.cc = to.cc, nil
	}
	return to, nil
}

// queueMail queues the mail of a message, which is stored by now. to is nil if it has
// none.
func (s Setup) queueMail(tx *store.Tx, m desk.Message, to *recipients) error {
	if to == nil {
		return nil
	}
	return s.AddMail(tx, store.Mail{Request: m.Request, Message: m.ID}, to.to, to.cc)
}

// AddMail queues a mail of a request to some addresses. Its Message-ID is decided
// here, so that every attempt to send it is the same mail.
func (s Setup) AddMail(tx *store.Tx, m store.Mail, to, cc []string) error {
	m.Direction, m.External = desk.EmailOut, mail.NewMessageID(s.Mail.Domain)
	if err := tx.AddMail(&m); err != nil {
		return err
	}
	if err := tx.AddMailCopies(m, to, cc); err != nil {
		return err
	}
	return SendMailSoon(tx, m.ID)
}

// SendMailSoon queues a job that sends the copies of a mail.
func SendMailSoon(tx *store.Tx, id store.MailID) error {
	return job.Add(tx.Tx, SendMail{tx.Account, id}, tx.Now, job.Key(desk.FormatID(tx.Account)+" "+desk.FormatID(id)))
}

// SetRecipient records what became of one copy of a message's mail: on the message,
// in the feed, and to the assignee if it did not arrive.
func SetRecipient(tx *store.Tx, id desk.MessageID, to desk.EmailRecipient) error {
	m, err := tx.Message(id)
	if err != nil || m.Email == nil {
		return desk.IgnoreMissing(err)
	}
	email := *m.Email
	email.Set(to)
	m.Email = &email
	if err := tx.SaveMessageEmail(m); err != nil {
		return err
	}
	r, err := setMailStatus(tx, m.Request)
	if err != nil {
		return err
	}
	event := desk.EmailFailedEvent
	if to.Status == desk.EmailSent {
		event = desk.EmailSentEvent
	}
	if err := tx.Record(desk.Change{By: MailActor, Event: event, After: r, Beside: []any{m, to}}); err != nil {
		return err
	}
	if event == desk.EmailSentEvent {
		return nil
	}
	return tellOfFailure(tx, r, to)
}

// MailActor is who does what mail does.
var MailActor = desk.Actor{Name: "mail", Source: desk.SourceEmail}

// tellOfFailure tells the assignee that a mail did not arrive, or may not have. If
// there is none, it tells the triage thread.
func tellOfFailure(tx *store.Tx, r desk.Request, to desk.EmailRecipient) error {
	text := "<p>The mail to " + html.EscapeString(to.Email) + " was not delivered: " + html.EscapeString(to.Error) + "</p>"
	if to.Status == desk.EmailPerhapsSent {
		text = "<p>The mail to " + html.EscapeString(to.Email) + " may not have been sent: the connection broke off before the mail server answered. " +
			"Send it again in the web app if they did not get it.</p>"
	}
	p := desk.Posting{Request: r.ID, Kind: desk.PostedAlert, Place: desk.Directly, Text: markup.Sanitize(text), AsBot: true}
	if r.Assignee == nil {
		if has, err := tx.HasCard(r.ID); err != nil || !has {
			return err
		}
		p.Place = desk.InTriage
	} else {
		p.User = *r.Assignee
	}
	if err := tx.AddPosting(p, rand.Text()); err != nil {
		return err
	}
	return PostSoon(tx, r.ID)
}

// setMailStatus brings what a request shows of its mails up to date. It returns the
// request.
func setMailStatus(tx *store.Tx, id desk.RequestID) (r desk.Request, err error) {
	if r, err = tx.Request(id, desk.Everything); err != nil {
		return r, err
	}
	before := r.Clone()
	if r.MailStatus, err = tx.MailTrouble(id); err != nil || r.MailStatus == before.MailStatus {
		return r, err
	}
	return r, tx.SaveRequest(before, &r)
}
