package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/relay"
	"frontdesk/internal/saved"
	"frontdesk/internal/store"
)

// The copies of a letter are effects, each in a lane of its own. A post that was tried is
// looked for by its mark. A mail cannot be found again: one that was tried and not settled
// is not sent a second time, and the report says so.

// mailCopy returns a copy that goes out by mail. Its mark is its Message-ID, so that every
// attempt to send it is the same mail.
func (w *Worker) mailCopy(email string) store.LetterCopy {
	return store.LetterCopy{Effect: store.Effect{Mark: mail.NewMessageID(w.change.Mail.Domain)}, Email: email}
}

// chatCopy returns a copy that is posted in a channel, or to a user.
func chatCopy(channel, user string) store.LetterCopy {
	return store.LetterCopy{Effect: store.Effect{Mark: rand.Text(), Channel: channel}, User: user}
}

func (w *Worker) mailLetter(ctx context.Context, j *job.Job, a change.MailLetter) error {
	var due time.Time
	next := func(tx *store.Tx) (*act, error) {
		due = time.Time{}
		c, ok, err := tx.NextLetterCopy(a.Letter, true)
		if err != nil || !ok {
			return nil, err
		}
		if c.DueAt.After(tx.Now) {
			due = c.DueAt
			return nil, nil
		}
		return w.mailLetterCopy(tx, a, c)
	}
	err := carrier{w: w, account: a.Account, holder: w.holderOf(j), next: next, refused: w.logLetter}.run(ctx)
	if err == nil && !due.IsZero() {
		return job.Snooze(due.Sub(w.store.Now()))
	}
	return err
}

// mailLetterCopy composes one copy that goes out by mail.
func (w *Worker) mailLetterCopy(tx *store.Tx, of change.MailLetter, c store.LetterCopy) (*act, error) {
	l, err := tx.Letter(of.Letter)
	if err != nil {
		return nil, err
	}
	a := &act{lane: store.Lane{Kind: store.LetterLane, ID: c.ID}, effect: &c.Effect, time: mailTime, repeatable: true}
	a.settle = func(tx *store.Tx) error {
		if a.again {
			return tx.PostponeLetterCopy(c, tx.Now.Add(min(max(tx.Now.Sub(l.CreatedAt), firstRetry), lastRetry)))
		}
		return noteFailure(tx, l, c.Email, a.failure)
	}
	if !c.TriedAt.IsZero() {
		a.failure = "It may not have been sent: the connection to the mail server broke off."
		return a, nil
	}
	from := mail.Address{Name: "Frontdesk", Email: w.change.Mail.NoReply()}
	sender, err := w.change.SenderOf(tx, desk.Collection{})
	if err != nil {
		return nil, err
	}
	if sender != nil {
		from = w.change.Mail.From(*sender.Email)
	}
	d := mail.Draft{From: from, To: []mail.Address{{Email: c.Email}}, Subject: l.Subject, Date: l.CreatedAt, MessageID: c.Mark, HTML: l.HTML, Automatic: true}
	a.do = func(ctx context.Context) error {
		err := letter{draft: d, envelope: w.change.Mail.NoReply(), to: c.Email}.send(ctx, w)
		switch {
		case err == nil || isRefusal(err):
			return err
		case errors.Is(err, relay.ErrPerhaps):
			return desk.Errorf(desk.Refused, "It may not have been sent: the connection to the mail server broke off.")
		case w.store.Now().Sub(l.CreatedAt) >= mailPatience && !errors.Is(err, relay.ErrLost):
			return desk.Errorf(desk.Refused, "It could not be sent for 48 hours. %s", refusalText(err))
		}
		w.log.Warn("a report could not be mailed and is tried again", "account", int64(of.Account), "letter", int64(of.Letter), "error", err)
		a.again = true
		return nil
	}
	return a, nil
}

// noteFailure records on the report of a letter that a copy was not delivered.
func noteFailure(tx *store.Tx, l store.Letter, to, failure string) error {
	if failure == "" || l.Report == 0 {
		return nil
	}
	r, err := saved.Report(tx, l.Report, 0)
	if err != nil {
		return desk.IgnoreMissing(err)
	}
	if to != "" {
		failure = to + ": " + failure
	}
	r.Failure = desk.CleanText(failure)
	return saved.SaveReport(tx, r)
}

func (w *Worker) logLetter(a *act, reason error) {
	w.log.Warn("a report could not be delivered", "copy", a.effect.ID, "reason", reason)
}

func (w *Worker) postLetter(ctx context.Context, j *job.Job, a change.PostLetter) error {
	return chatJob(w.outside.WithChat(ctx, a.Account, func(_ desk.Integration, c chat.Connector) error {
		next := func(tx *store.Tx) (*act, error) {
			of, ok, err := tx.NextLetterCopy(a.Letter, false)
			if err != nil || !ok {
				return nil, err
			}
			l, err := tx.Letter(a.Letter)
			if err != nil {
				return nil, err
			}
			return w.postLetterCopy(a.Account, c, l, of), nil
		}
		return carrier{w: w, account: a.Account, holder: w.holderOf(j), next: next, refused: w.logLetter}.run(ctx)
	}))
}

// postLetterCopy returns how one copy is posted. It can be done several times and posts
// the copy once.
func (w *Worker) postLetterCopy(account desk.AccountID, c chat.Connector, l store.Letter, of store.LetterCopy) *act {
	a := &act{lane: store.Lane{Kind: store.LetterLane, ID: of.ID}, effect: &of.Effect}
	a.do = func(ctx context.Context) error {
		post := chat.Post{Channel: of.Channel, User: of.User, Content: chat.Content{HTML: l.HTML}}
		w.prepare(ctx, account, &post, of.Effect, nil)
		at, err := c.Post(ctx, post)
		if err == nil {
			a.effect.Channel, a.effect.External = at.Channel, at.ID
		}
		return err
	}
	a.settle = func(tx *store.Tx) error { return noteFailure(tx, l, "", a.failure) }
	return a
}

// postAllLetters queues jobs for all letters with something to post, after a time without
// a connection.
func (w *Worker) postAllLetters(ctx context.Context, account desk.AccountID) error {
	return queueAll(ctx, w, account, (*store.Tx).PendingLetters, change.PostLetterSoon)
}
