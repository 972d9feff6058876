package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/outside"
	"frontdesk/internal/store"
)

// An announcement is a row for each channel, of which one job makes copies,
// several at once. Whoever makes a copy holds its row for longer than a call can
// last, and leaves it held where nobody knows what the call has done: the next
// one to try knows that it has been done by then, and looks for it. So a crash
// holds up what was on its way, and nothing else.

const (
	// copiesAtOnce is how many copies are on their way to the chat system at a
	// time, which paces what it is asked.
	copiesAtOnce = 8
	// runTime is after how long a run makes room for other work.
	runTime = 3 * time.Minute
	// troubleTime is how long nothing is tried after much that had no answer.
	troubleTime = 5 * time.Second
)

func (w *Worker) sendAnnouncement(ctx context.Context, j *job.Job, a change.SendAnnouncement) error {
	return w.announce(ctx, j, a.Account, a.Announcement, announcing.send)
}

func (w *Worker) resyncAnnouncement(ctx context.Context, j *job.Job, a change.ResyncAnnouncement) error {
	return w.announce(ctx, j, a.Account, a.Announcement, announcing.resync)
}

func (w *Worker) announce(ctx context.Context, j *job.Job, account desk.AccountID, id desk.AnnouncementID, do func(announcing, context.Context) error) error {
	err := chatJob(w.outside.WithChat(ctx, account, func(i desk.Integration, c chat.Connector) error {
		return do(announcing{w: w, account: account, id: id, in: i, chat: c, holder: fmt.Sprintf("%s %d %d", w.process, j.ID, j.Attempt)}, ctx)
	}))
	if desk.KindOf(err) == desk.Unavailable {
		// However long the chat system is away: it is delayed, and not given up.
		w.log.Warn("an announcement waits for the chat system", "account", int64(account), "announcement", int64(id), "error", err)
		return job.Snooze(troubleTime)
	}
	return err
}

// announcing is one run of a job.
type announcing struct {
	w       *Worker
	account desk.AccountID
	id      desk.AnnouncementID
	in      desk.Integration
	chat    chat.Connector
	holder  string
}

func (n announcing) write(ctx context.Context, fn func(*store.Tx) error) error {
	return n.w.store.Write(ctx, n.account, fn)
}

// send begins to send where its time has come, reads the message, and makes the
// copies.
func (n announcing) send(ctx context.Context) error {
	var a desk.Announcement
	err := n.write(ctx, func(tx *store.Tx) (err error) {
		a, err = tx.Announcement(n.id, desk.Everything)
		switch {
		case desk.KindOf(err) == desk.NotFound:
			a.Status = desk.AnnouncementIsSent // it was cancelled
			return nil
		case err != nil || a.Status != desk.AnnouncementScheduled:
			return err
		case a.ScheduledAt.After(tx.Now):
			return job.Snooze(a.ScheduledAt.Sub(tx.Now))
		}
		a.Status = desk.AnnouncementPending // from here on nobody can cancel it
		return tx.SaveAnnouncementStatus(a)
	})
	if err != nil || a.Status == desk.AnnouncementIsSent {
		return err
	}
	if err := n.read(ctx, a, true); err != nil {
		return err
	}
	if err := n.each(ctx, func(ctx context.Context, until time.Time) (bool, error) { return n.deliver(ctx, a, until) }); err != nil {
		return err
	}
	return n.rest(ctx, true)
}

// resync reads the message again, and brings the copies up to date.
func (n announcing) resync(ctx context.Context) error {
	var a desk.Announcement
	err := n.w.store.Read(ctx, n.account, func(tx *store.Tx) (err error) {
		a, err = tx.Announcement(n.id, desk.Everything)
		return err
	})
	if err != nil {
		return desk.IgnoreMissing(err)
	}
	if err := n.read(ctx, a, false); err != nil {
		return err
	}
	if err := n.each(ctx, n.revise); err != nil {
		return err
	}
	return n.rest(ctx, false)
}

// read reads the message, if it has not been read since it was last asked for.
// One that cannot be read any more fails those who have not got it; for those
// who have, it stays as it was.
func (n announcing) read(ctx context.Context, a desk.Announcement, sending bool) error {
	var src store.AnnouncementSource
	if err := n.w.store.Read(ctx, n.account, func(tx *store.Tx) (err error) {
		src, err = tx.AnnouncementSource(n.id)
		return err
	}); err != nil {
		return err
	}
	// Who was left out gets what the others got.
	if src.ReadFor >= src.Wanted || sending && src.ReadFor > 0 {
		return nil
	}
	html, files, err := n.fetch(ctx, a.Source, src.ReadFor == 0)
	if err != nil && !final(err) {
		return err
	}
	return n.write(ctx, func(tx *store.Tx) error {
		switch {
		case err == nil:
			return tx.KeepSource(n.id, src.Wanted, html, files)
		case src.ReadFor > 0:
			n.w.log.Warn("a message cannot be read any more: its copies stay as they are", "account", int64(n.account), "announcement", int64(n.id), "reason", err)
			return tx.KeepSource(n.id, src.Wanted, src.HTML, nil)
		}
		if err := tx.FailRecipients(n.id, "The message cannot be sent: "+reason(err)); err != nil {
			return err
		}
		return n.settle(tx)
	})
}

// fetch reads the message and, where they are wanted, its files.
func (n announcing) fetch(ctx context.Context, from desk.ChatMessage, withFiles bool) (html string, files []desk.NewFile, err error) {
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	m, err := outside.ReadSource(call, n.chat, from)
	if err != nil {
		return "", nil, err
	}
	html = markup.Sanitize(m.HTML)
	if html == "" && len(m.Files) == 0 {
		return "", nil, desk.Errorf(desk.NotFound, "There is nothing in it.")
	}
	if !withFiles {
		return html, nil, nil
	}
	if change.TooLarge(m.Files) {
		return "", nil, desk.Errorf(desk.TooLarge, "Its files are larger than %d MiB together.", change.MostAnnouncedFiles>>20)
	}
	for _, f := range m.Files {
		stored, err := n.store(ctx, f)
		if err != nil {
			return "", nil, err
		}
		files = append(files, stored)
	}
	return html, files, nil
}

func (n announcing) store(ctx context.Context, f chat.File) (desk.NewFile, error) {
	r, err := n.chat.File(ctx, f.ID)
	if err != nil {
		return desk.NewFile{}, err
	}
	defer r.Close()
	return n.w.outside.StoreFile(ctx, n.account, desk.CleanText(f.Name), desk.CleanText(f.Type), r)
}

// final reports whether the chat system has refused something, as it would the
// next time. That we are not let in any more is no such refusal.
func final(err error) bool {
	if errors.Is(err, chat.ErrLost) {
		return false
	}
	switch desk.KindOf(err) {
	case desk.NotFound, desk.Forbidden, desk.Invalid, desk.Refused, desk.TooLarge:
		return true
	}
	return false
}

// reason is what a refusal says to people.
func reason(err error) string {
	var e *desk.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return "The chat system refused it."
}

// each has several workers do one thing after the other, until there is nothing
// left to do, the time of a run is over, or something is wrong. one does the
// next thing, holding what it needs until a moment, and reports whether there
// was any. A worker of whose call nobody knows what it did does no more: if that
// happens to all of them, the chat system is given time.
func (n announcing) each(ctx context.Context, one func(context.Context, time.Time) (bool, error)) error {
	began := time.Now()
	var workers sync.WaitGroup
	errs := make([]error, copiesAtOnce)
	for w := range errs {
		workers.Go(func() {
			for time.Since(began) < runTime && ctx.Err() == nil {
				more, err := one(ctx, n.w.store.Now().Add(holdTime))
				if errs[w] = err; err != nil || !more {
					return
				}
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil && desk.KindOf(err) != desk.Unavailable {
			return err
		}
	}
	return nil
}

// rest is what is left when a run is over: nothing, or a reason to come again.
func (n announcing) rest(ctx context.Context, sending bool) error {
	var again error
	err := n.write(ctx, func(tx *store.Tx) error {
		again = nil
		src, err := tx.AnnouncementSource(n.id)
		if err != nil {
			return err
		}
		asking := src.ReadFor
		if sending {
			asking = 0
		}
		free, err := tx.FirstFree(n.id, asking)
		if err != nil {
			return err
		}
		if !free.IsZero() {
			again = job.Snooze(max(free.Sub(tx.Now), troubleTime))
			return nil
		}
		return n.settle(tx)
	})
	return errors.Join(err, again)
}

// settle notes that everything is done that is to be done by now.
func (n announcing) settle(tx *store.Tx) error {
	a, err := tx.Announcement(n.id, desk.Everything)
	if err != nil {
		return err
	}
	src, err := tx.AnnouncementSource(n.id)
	if err != nil {
		return err
	}
	if a.Status == desk.AnnouncementPending && a.Delivered+a.Failed == a.Channels {
		now := tx.Now
		a.Status, a.SentAt = desk.AnnouncementIsSent, &now
		if err := tx.SaveAnnouncementStatus(a); err != nil {
			return err
		}
		told := change.AnnouncementChange(desk.Actor{Name: "delivery", Source: desk.SourceSystem}, "", a.ID, nil, &a)
		told.Event = desk.AnnouncementSent
		if err := tx.Record(told); err != nil {
			return err
		}
	}
	if a.Status != desk.AnnouncementIsSent {
		return nil
	}
	// A copy may have been posted with what was read before somebody asked for more.
	if stale, err := tx.FirstFree(n.id, src.Wanted); err != nil || stale.IsZero() {
		return errors.Join(err, tx.SyncedTo(n.id, src.Wanted))
	}
	return change.ResyncAnnouncementSoon(tx, n.id)
}

// making is a copy with what it is made of.
type making struct {
	store.AnnouncementCopy
	source  store.AnnouncementSource
	post    chat.Post // where, and as whom
	failure string    // why it cannot be made at all
}

// time is how long it may take.
func (m *making) time() time.Duration { return sizedTime(m.source.Files) }

// deliver makes the next copy, and reports whether there was one to make.
func (n announcing) deliver(ctx context.Context, a desk.Announcement, until time.Time) (bool, error) {
	var m *making
	err := n.write(ctx, func(tx *store.Tx) error {
		m = nil
		src, err := tx.AnnouncementSource(n.id)
		if err != nil || src.ReadFor == 0 {
			return err
		}
		c, ok, err := tx.NextRecipient(n.id, n.holder, until.Add(sizedTime(src.Files)-callTime))
		if err != nil || !ok {
			return err
		}
		m = &making{AnnouncementCopy: c, source: src}
		return n.compose(tx, a, m)
	})
	if err != nil || m == nil {
		return false, err
	}
	if m.failure == "" {
		call, cancel := context.WithTimeout(ctx, m.time())
		err = n.post(call, a, m)
		cancel()
		switch {
		case final(err):
			m.failure = reason(err)
		case desk.KindOf(err) == desk.Unavailable:
			return false, err // it may still be on its way: nobody is to try before the hold ends
		case err != nil:
			return false, errors.Join(err, n.release(ctx, m.AnnouncementCopy))
		}
	}
	return true, n.write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		done, err := tx.FinishRecipient(n.id, m.AnnouncementCopy, n.holder, m.source.ReadFor, m.failure)
		if err != nil || !done || m.External == "" {
			return err
		}
		if m.TriedAt.IsZero() {
			return nil
		}
		// Somebody may have answered there while we did not know that yet.
		return readThreadSoon(tx, m.Channel, m.External)
	})
}

func (n announcing) release(ctx context.Context, c store.AnnouncementCopy) error {
	return n.write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.ReleaseCopy(c, n.holder) })
}

// compose says where a copy is posted, and as whom.
func (n announcing) compose(tx *store.Tx, a desk.Announcement, m *making) error {
	m.post.Channel = m.Channel
	var candidates []string
	switch {
	case a.Sender.Kind == desk.NativeSender:
		return nil
	case a.Sender.AsUser:
		credential, err := outside.CredentialOf(tx, n.in.ID, a.Sender.User)
		if err == nil && credential == nil {
			m.failure = "The chat system does not let us act for the sender any more."
		}
		m.post.By, m.PostedBy = credential, a.Sender.User
		return err
	case a.Sender.Kind == desk.UserSender:
		candidates = []string{a.Sender.User}
	default:
		owners, err := ownersOf(tx, m.Channel)
		if err != nil {
			return err
		}
		candidates = a.Sender.Kind.Candidates(owners)
	}
	found, err := tx.UsersNamed(candidates)
	if err != nil {
		return err
	}
	for _, id := range candidates {
		if u, ok := found[id]; ok && !u.Deleted {
			m.post.As = &chat.Persona{Name: u.Name, Avatar: u.Avatar}
			return nil
		}
	}
	m.failure = map[desk.SenderKind]string{
		desk.UserSender:          "The sender is not in the chat system any more.",
		desk.TopicOwnerSender:    "Neither the channel nor its collection has an owner to send it as.",
		desk.CustomerOwnerSender: "Neither the channel's customer nor a collection has an owner to send it as.",
	}[a.Sender.Kind]
	return nil
}

// ownersOf are those who may stand for a channel.
func ownersOf(tx *store.Tx, channel string) (o desk.Owners, err error) {
	channels, err := tx.ChannelsNamed([]string{channel})
	if err != nil {
		return o, err
	}
	ownerOf := func(id *desk.CollectionID) (*string, error) {
		if id == nil {
			return nil, nil
		}
		col, err := tx.Collection(*id)
		return col.Owner, desk.IgnoreMissing(err)
	}
	o.Channel = channels[channel].Owner
	if o.Collection, err = ownerOf(channels[channel].Collection); err != nil {
		return o, err
	}
	of, err := tx.CustomersOf([]string{channel})
	if err != nil || of[channel] == 0 {
		return o, err
	}
	customer, err := tx.Customer(of[channel])
	if err != nil {
		return o, err
	}
	o.Customer = customer.Owner
	o.CustomerCollection, err = ownerOf(customer.Collection)
	return o, err
}

// post posts a copy once, however often it is called with the same one.
func (n announcing) post(ctx context.Context, a desk.Announcement, m *making) error {
	if m.post.By != nil {
		// Where our bot is not, we would never learn what has become of it. What is
		// said from now on is nothing yet, and quickly read.
		if _, err := n.chat.History(ctx, chat.Span{Channel: m.Channel, Since: n.w.store.Now()}); err != nil {
			return err
		}
	}
	post := m.post
	post.Content, post.Unfurl = chat.Content{HTML: m.source.HTML}, chat.Unfurl(a.Unfurl)
	post.Mark, post.Tried, post.Kept = m.Mark, m.TriedAt, m.Kept
	post.Keep = func(kept string) error {
		return n.write(ctx, func(tx *store.Tx) error { return tx.KeepCopy(m.AnnouncementCopy, kept) })
	}
	for _, f := range m.source.Files {
		post.Files = append(post.Files, chat.Upload{Name: f.Name, Size: f.Size, Open: func() (io.ReadCloser, error) { return n.w.openFile(ctx, f) }})
	}
	at, err := n.chat.Post(ctx, post)
	m.External = at.ID
	return err
}

// revise makes the next copy that is behind what the message says, and reports
// whether there was one. What the chat system does not let us change stays.
func (n announcing) revise(ctx context.Context, until time.Time) (bool, error) {
	var m *making
	var by *chat.Credential
	err := n.write(ctx, func(tx *store.Tx) error {
		m, by = nil, nil
		src, err := tx.AnnouncementSource(n.id)
		if err != nil {
			return err
		}
		c, ok, err := tx.NextStale(n.id, src.ReadFor, n.holder, until)
		if err != nil || !ok {
			return err
		}
		m = &making{AnnouncementCopy: c, source: src}
		by, err = outside.CredentialOf(tx, n.in.ID, c.PostedBy)
		return err
	})
	if err != nil || m == nil {
		return false, err
	}
	call, cancel := context.WithTimeout(ctx, callTime)
	err = n.w.editAs(call, n.in, n.chat, by, chat.Ref{Channel: m.Channel, ID: m.External}, &chat.Content{HTML: m.source.HTML})
	cancel()
	switch {
	case final(err):
		n.w.log.Warn("a copy of an announcement stays as it is", "account", int64(n.account), "announcement", int64(n.id), "channel", m.Channel, "reason", err)
	case desk.KindOf(err) == desk.Unavailable:
		return false, err // a change that is still on its way must not come after the next
	case err != nil:
		return false, errors.Join(err, n.release(ctx, m.AnnouncementCopy))
	}
	return true, n.write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return tx.FinishResync(m.AnnouncementCopy, n.holder, m.source.ReadFor)
	})
}

// announceAgain has everything announced that is still to be, after a time
// without a connection.
func (w *Worker) announceAgain(ctx context.Context, account desk.AccountID) error {
	const atOnce = 200
	for after := desk.AnnouncementID(0); ; {
		var undone []desk.Announcement
		err := w.store.Write(ctx, account, func(tx *store.Tx) (err error) {
			if undone, err = tx.Undone(after, atOnce); err != nil {
				return err
			}
			for _, a := range undone {
				if a.Status == desk.AnnouncementIsSent {
					err = change.ResyncAnnouncementSoon(tx, a.ID)
				} else {
					err = change.SendAnnouncementSoon(tx, a.ID, tx.Now)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(undone) < atOnce {
			return err
		}
		after = undone[len(undone)-1].ID
	}
}
