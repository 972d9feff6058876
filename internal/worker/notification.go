package worker

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/relay"
	"frontdesk/internal/notify"
	"frontdesk/internal/store"
)

// Bells knows who is at a request now, and rings for members whose notifications have
// changed. Package service has one.
type Bells interface {
	// At returns the members who are at a request.
	At(account desk.AccountID, request desk.RequestID) []desk.MemberID
	// Ring tells the streams of members to look.
	Ring(account desk.AccountID, members []desk.MemberID)
}

// noBells is for a process without streams.
type noBells struct{}

func (noBells) At(desk.AccountID, desk.RequestID) []desk.MemberID { return nil }
func (noBells) Ring(desk.AccountID, []desk.MemberID)              {}

func (w *Worker) notifyMembers(ctx context.Context, _ *job.Job, a change.NotifyMembers) error {
	present := w.bells.At(a.Account, a.Request)
	var told []desk.MemberID
	err := w.store.Write(ctx, a.Account, func(tx *store.Tx) (err error) {
		told, err = change.AddNotifications(tx, a, present)
		return err
	})
	if err == nil && len(told) > 0 {
		w.bells.Ring(a.Account, told)
	}
	return err
}

func (w *Worker) sendNotices(ctx context.Context, _ *job.Job, a change.SendNotices) error {
	return w.store.Write(ctx, a.Account, func(tx *store.Tx) error { return w.change.GatherNotices(tx, a.Member) })
}

func (w *Worker) postNotice(ctx context.Context, j *job.Job, a change.SendNotice) error {
	return chatJob(w.outside.WithChat(ctx, a.Account, func(_ desk.Integration, c chat.Connector) error {
		n := noticer{w: w, account: a.Account, notice: a.Notice, chat: c}
		return n.carry(ctx, j)
	}))
}

func (w *Worker) mailNotice(ctx context.Context, j *job.Job, a change.MailNotice) error {
	n := noticer{w: w, account: a.Account, notice: a.Notice}
	err := n.carry(ctx, j)
	if err == nil && n.again {
		return job.Snooze(min(max(w.store.Now().Sub(j.CreatedAt), firstRetry), lastRetry))
	}
	return err
}

// noticer sends one notice.
type noticer struct {
	w       *Worker
	account desk.AccountID
	notice  store.NoticeID
	chat    chat.Connector // nil: by mail
	again   bool           // it could not be sent, and is to be tried later
}

func (n *noticer) carry(ctx context.Context, j *job.Job) error {
	return carrier{w: n.w, account: n.account, holder: n.w.holderOf(j), next: n.next, refused: n.logRefusal}.run(ctx)
}

func (n *noticer) logRefusal(a *act, reason error) {
	n.w.log.Warn("a member could not be notified", "account", int64(n.account), "notice", a.effect.ID, "reason", reason)
}

// next composes the notice from what its member can see now.
func (n *noticer) next(tx *store.Tx) (*act, error) {
	notice, ok, err := tx.PendingNotice(n.notice)
	if err != nil || !ok || n.again {
		return nil, err
	}
	a := &act{lane: store.Lane{Kind: store.NoticeLane, ID: notice.ID}, effect: &notice.Effect}
	m, err := tx.Member(notice.Member)
	if desk.KindOf(err) == desk.NotFound {
		a.failure = "The member was removed."
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	about, err := notify.Of(tx, notice, desk.ReachFor(desk.ListNotifications, m.Role, m.Collections))
	if err != nil {
		return nil, err
	}
	if len(about) == 0 && !notice.Test {
		a.failure = "Nothing is left to tell."
		return a, nil
	}
	if n.chat != nil {
		return a, n.byChat(tx, a, notice, m, about)
	}
	return a, n.byMail(tx, a, notice, m, about)
}

// byChat makes the act of a direct message. One that was tried is found by its mark.
func (n *noticer) byChat(tx *store.Tx, a *act, notice store.Notice, m desk.Member, about []desk.Notification) error {
	user, err := tx.UserIDByEmail(m.Email)
	if err != nil {
		return err
	}
	if user == nil {
		a.failure = "The member has no user in the chat system."
		return nil
	}
	post := chat.Post{User: *user, Content: chat.Content{HTML: n.w.change.NoticeHTML(about)}, Mark: notice.Mark, Tried: notice.TriedAt}
	a.do = func(ctx context.Context) error {
		at, err := n.chat.Post(ctx, post)
		if err == nil {
			a.effect.Channel, a.effect.External = at.Channel, at.ID
		}
		return err
	}
	return nil
}

// byMail makes the act of a mail. One whose attempt was not settled is not sent again.
func (n *noticer) byMail(tx *store.Tx, a *act, notice store.Notice, m desk.Member, about []desk.Notification) error {
	if !notice.TriedAt.IsZero() {
		return nil
	}
	account, err := tx.ThisAccount()
	if err != nil {
		return err
	}
	a.time, a.repeatable = mailTime, true
	s, created := n.w.change.Mail, tx.Now
	draft := mail.Draft{
		From: mail.Address{Name: account.Name, Email: s.NoReply()}, To: []mail.Address{{Name: m.Name, Email: m.Email}}, Date: created, MessageID: mail.NewMessageID(s.Domain),
		Subject: change.NoticeSubject(about), HTML: n.w.change.NoticeHTML(about), Automatic: true,
	}
	a.do = func(ctx context.Context) error {
		raw, err := draft.Bytes()
		if err != nil {
			return &desk.Error{Kind: desk.Refused, Message: "The mail cannot be written: " + err.Error() + ".", Err: err}
		}
		err = n.w.outside.Mail.Send(ctx, s.NoReply(), m.Email, raw)
		switch {
		case err == nil || isRefusal(err), errors.Is(err, relay.ErrPerhaps):
			if errors.Is(err, relay.ErrPerhaps) {
				return nil // a second one would be worse than none
			}
			return err
		}
		n.w.log.Warn("a notice could not be mailed and is tried again", "account", int64(n.account), "notice", notice.ID, "error", err)
		if ctx.Err() == nil && n.tooOld(about) {
			return desk.Errorf(desk.Refused, "It could not be sent for 48 hours. %s", refusalText(err))
		}
		a.again, n.again = true, true
		return nil
	}
	return nil
}

// tooOld reports whether what a notice tells has waited for too long to be sent.
func (n *noticer) tooOld(about []desk.Notification) bool {
	return len(about) > 0 && n.w.store.Now().Sub(about[0].CreatedAt) >= mailPatience
}

// SweepNotifications is a job that removes old notifications.
type SweepNotifications struct{}

func (SweepNotifications) Kind() string { return "notification.sweep" }

const (
	// notificationSweepEvery is how often to look for old notifications.
	notificationSweepEvery = time.Hour
	// notificationPiece is how many one transaction removes.
	notificationPiece = 500
)

func (w *Worker) sweepNotifications(ctx context.Context, _ *job.Job, _ SweepNotifications) error {
	return w.eachAccount(ctx, func(a desk.AccountID) error {
		for more := true; more; {
			if err := w.store.Write(ctx, a, func(tx *store.Tx) (err error) {
				more, err = notify.Sweep(tx, tx.Now.Add(-desk.NotificationsKept), notificationPiece)
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
