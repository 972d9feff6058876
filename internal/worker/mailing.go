package worker

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/relay"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// A mail goes out as one copy for each recipient, because each has a reply address of
// their own. Unlike a post, a mail that was sent cannot be found again: whether an
// attempt that nobody settled has sent it, nobody knows. Such a copy is perhaps sent,
// and only a person sends it again.

const (
	// mailTime is how long a relay may take for one mail.
	mailTime = 2 * time.Minute
	// mailPatience is for how long a copy is tried.
	mailPatience = 48 * time.Hour
	// firstRetry and lastRetry are the pauses between attempts. They grow with the
	// time that a copy has waited.
	firstRetry = 5 * time.Second
	lastRetry  = time.Hour
	// mailWorkers is how many mails a process sends at once.
	mailWorkers = 4
	// linksKept is how long the links to files last that are too large for a mail.
	linksKept = 30 * 24 * time.Hour
)

// newMailRunner returns the runner of jobs that send mail.
func (w *Worker) newMailRunner() *job.Runner {
	r := job.New(job.Config{DB: w.store.DB(), Queue: change.QueueMail, Workers: mailWorkers, Lease: jobLease, Clock: w.store.Now, Log: w.log})
	job.Handle(r, w.sendMail, job.MaxAttempts(neverGivenUp))
	job.Handle(r, w.mailNotice, job.MaxAttempts(neverGivenUp))
	job.Handle(r, w.mailLetter, job.MaxAttempts(neverGivenUp))
	return r
}

func (w *Worker) sendMail(ctx context.Context, j *job.Job, a change.SendMail) error {
	m := &mailer{w: w, a: a}
	err := carrier{w: w, account: a.Account, holder: w.holderOf(j), next: m.next, refused: m.logRefusal}.run(ctx)
	if err == nil && !m.due.IsZero() {
		return job.Snooze(m.due.Sub(w.store.Now()))
	}
	return err
}

// mailer composes the copies of a mail.
type mailer struct {
	w   *Worker
	a   change.SendMail
	due time.Time // when the next copy is due; zero if none is left
}

func (m *mailer) logRefusal(a *act, reason error) {
	m.w.log.Warn("a mail was refused", "account", int64(m.a.Account), "mail", int64(m.a.Mail), "copy", a.effect.ID, "reason", reason)
}

// next composes the next copy that is due.
func (m *mailer) next(tx *store.Tx) (*act, error) {
	m.due = time.Time{}
	c, ok, err := tx.NextMailCopy(m.a.Mail)
	if err != nil || !ok {
		return nil, err
	}
	if c.DueAt.After(tx.Now) {
		m.due = c.DueAt
		return nil, nil
	}
	from, err := tx.Mail(c.Mail)
	if err != nil {
		return nil, err
	}
	a := &act{lane: store.Lane{Kind: store.MailLane, ID: int64(c.Mail)}, effect: &c.Effect, time: mailTime, repeatable: true}
	result := desk.EmailRecipient{Email: c.Email, Status: desk.EmailSent}
	a.settle = func(tx *store.Tx) error { return m.settle(tx, a, from, c, result) }
	if !c.TriedAt.IsZero() {
		result.Status = desk.EmailPerhapsSent // an attempt was not settled
		return a, nil
	}
	letter, err := m.compose(tx, from, c)
	switch {
	case desk.KindOf(err) == desk.NotFound:
		a.failure = refusalText(err)
		return a, nil
	case err != nil:
		return nil, err
	}
	a.do = func(ctx context.Context) error {
		err := letter.send(ctx, m.w)
		switch {
		case err == nil || isRefusal(err):
			return err
		case errors.Is(err, relay.ErrPerhaps):
			result.Status = desk.EmailPerhapsSent
			return nil
		}
		m.w.log.Warn("a mail could not be sent and is tried again", "account", int64(m.a.Account), "mail", int64(m.a.Mail), "error", err)
		// A relay that does not let us in is no reason to give up a mail.
		if m.w.store.Now().Sub(c.CreatedAt) >= mailPatience && !errors.Is(err, relay.ErrLost) {
			return desk.Errorf(desk.Refused, "It could not be sent for 48 hours. %s", refusalText(err))
		}
		a.again = true
		return nil
	}
	return a, nil
}

// settle records what became of a copy.
func (m *mailer) settle(tx *store.Tx, a *act, of store.Mail, c store.MailCopy, result desk.EmailRecipient) error {
	if a.again {
		waited := tx.Now.Sub(c.CreatedAt)
		return tx.PostponeMailCopy(c, tx.Now.Add(min(max(waited, firstRetry), lastRetry)))
	}
	if a.failure != "" {
		result.Status, result.Error = desk.EmailFailed, a.failure
	} else if err := tx.KeepEffect(c.Effect, string(result.Status)); err != nil {
		return err
	}
	if of.Message == 0 {
		return nil
	}
	return change.SetRecipient(tx, of.Message, result)
}

// letter is a copy that is ready to be sent.
type letter struct {
	draft    mail.Draft
	files    []desk.Attachment // to be attached; those that HTML shows are images
	envelope string            // the sender, to which failures are reported
	to       string
}

// mostThread is how many mails before a mail are looked at.
const mostThread = 21

// compose composes one copy of a mail.
func (m *mailer) compose(tx *store.Tx, of store.Mail, c store.MailCopy) (l letter, err error) {
	s := m.w.change.Mail
	r, col, err := requestOf(tx, of.Request)
	if err != nil {
		return l, err
	}
	sender, err := m.w.change.SenderOf(tx, col)
	if err == nil && sender == nil {
		err = errNoSender
	}
	if err != nil {
		return l, err
	}
	thread, err := tx.MailsBefore(of.Request, of.ID, mostThread)
	if err != nil {
		return l, err
	}
	root := mail.Root.Address(s.Tokens.Make(mail.Root, tx.Account, of.Request, ""), s.Domain)
	token := s.Tokens.Make(mail.Reply, tx.Account, of.Request, c.Email)
	d := &l.draft
	d.From, d.ReplyTo = s.From(*sender.Email), mail.Address{Name: sender.Email.FromName, Email: s.ReplyAddress(*sender.Email, token)}
	d.Date, d.MessageID, d.Signature = of.CreatedAt, of.External, sender.Email.Signature
	ids := desk.Each(thread, func(m store.Mail) string { return m.External })
	if len(ids) > 0 {
		d.InReplyTo = ids[len(ids)-1]
	}
	d.References = mail.References(root, ids, d.InReplyTo)
	l.to, l.envelope = c.Email, mail.Bounce.Address(s.Tokens.Make(mail.Bounce, tx.Account, of.Request, c.Email), s.Domain)
	if of.Message == 0 {
		d.To, d.HTML, d.Automatic, d.Subject = []mail.Address{{Email: c.Email}}, of.Body, true, subjectOf(r)
		return l, nil
	}
	msg, err := tx.Message(of.Message)
	if desk.KindOf(err) == desk.NotFound {
		err = errRemoved
	}
	if err != nil {
		return l, err
	}
	d.HTML, d.Subject, d.Automatic = msg.HTML, msg.Email.Subject, msg.Bot
	named := func(email string) mail.Address { return namedAddress(r, email) }
	d.To, d.Cc = desk.Each(msg.Email.To, named), desk.Each(msg.Email.Cc, named)
	if !slices.ContainsFunc(thread, func(m store.Mail) bool { return m.Direction == desk.EmailOut && m.Message != 0 }) {
		if d.Quote, err = quoteAsked(tx, r); err != nil {
			return l, err
		}
	}
	fits := mail.Attachable(desk.Each(msg.Attachments, func(f desk.Attachment) int64 { return f.Size }))
	for i, f := range msg.Attachments {
		if fits[i] {
			l.files = append(l.files, f)
			continue
		}
		d.Links = append(d.Links, mail.Link{Name: f.Name, Bytes: f.Size, Address: m.w.change.FileURL(tx.Account, f.ID, of.CreatedAt.Add(linksKept))})
	}
	return l, nil
}

// What has become of a mail since it was queued, so that it cannot be sent.
var (
	errNoSender = desk.Errorf(desk.NotFound, "The account has no email collection any more, so nobody could send it.")
	errRemoved  = desk.Errorf(desk.NotFound, "The message was removed before it was sent.")
)

// namedAddress returns an address with the requester's name, if it is theirs.
func namedAddress(r desk.Request, email string) mail.Address {
	if desk.FoldEmail(email) == desk.FoldEmail(r.Author.Email) {
		return mail.Address{Name: r.Author.Name, Email: email}
	}
	return mail.Address{Email: email}
}

// subjectOf returns the subject of a request's mails.
func subjectOf(r desk.Request) string {
	if r.MailSubject != nil && *r.MailSubject != "" {
		return *r.MailSubject
	}
	return r.Title
}

// quoteAsked returns what the requester asked, to stand below the first answer.
func quoteAsked(tx *store.Tx, r desk.Request) (*mail.Quote, error) {
	asked, err := tx.Asked(r.ID)
	if err != nil || asked.Responder {
		return nil, desk.IgnoreMissing(err)
	}
	return &mail.Quote{Author: change.RequesterName(asked.Author), Date: asked.CreatedAt, HTML: asked.HTML}, nil
}

// send hands a copy to the relay.
func (l letter) send(ctx context.Context, w *Worker) error {
	d := l.draft
	d.Images = map[string]mail.File{}
	for _, f := range l.files {
		content, err := w.readFile(ctx, f)
		if err != nil {
			return desk.Errorf(desk.Busy, "A file of the message could not be read.")
		}
		file := mail.File{Name: f.Name, Type: f.Type, Content: content}
		if shown := markup.Attachments + desk.FormatID(f.ID); strings.Contains(d.HTML, `<img src="`+shown+`"`) {
			file.ContentID = desk.FormatID(f.ID) + "." + d.MessageID
			d.Images[shown] = file
			continue
		}
		d.Files = append(d.Files, file)
	}
	raw, err := d.Bytes()
	if err != nil {
		return &desk.Error{Kind: desk.Refused, Message: "The mail cannot be written: " + err.Error() + ".", Err: err}
	}
	return w.outside.Mail.Send(ctx, l.envelope, l.to, raw)
}

// readFile reads a file into memory.
func (w *Worker) readFile(ctx context.Context, f desk.Attachment) ([]byte, error) {
	r, err := w.openFile(ctx, f)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, mail.MostAttached+1))
}
