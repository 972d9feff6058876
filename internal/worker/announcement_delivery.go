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

// An announcement has a row for each channel. One job posts the copies, several at
// once. Whoever posts a copy holds its row for longer than a call can last. If
// nobody knows what the call did, the row stays held. Whoever tries next then knows
// that the call has ended, and looks for what it posted. So a crash delays only the
// copies that were on their way.

const (
	// copiesAtOnce is how many copies are on their way to the chat system at the same
	// time. It limits the rate of our calls.
	copiesAtOnce = 8
	// runTime is how long a run lasts before it makes room for other work.
	runTime = 3 * time.Minute
	// troubleTime is how long to wait after many calls without an answer.
	troubleTime = 5 * time.Second
)

func (w *Worker) sendAnnouncement(ctx context.Context, j *job.Job, a change.SendAnnouncement) error {
	return w.runAnnouncement(ctx, j, a.Account, a.Announcement, announcer.send)
}

func (w *Worker) resyncAnnouncement(ctx context.Context, j *job.Job, a change.ResyncAnnouncement) error {
	return w.runAnnouncement(ctx, j, a.Account, a.Announcement, announcer.resync)
}

func (w *Worker) runAnnouncement(ctx context.Context, j *job.Job, account desk.AccountID, id desk.AnnouncementID, do func(announcer, context.Context) error) error {
	err := chatJob(w.outside.WithChat(ctx, account, func(i desk.Integration, c chat.Connector) error {
		return do(announcer{w: w, account: account, id: id, in: i, chat: c, holder: fmt.Sprintf("%s %d %d", w.process, j.ID, j.Attempt)}, ctx)
	}))
	if desk.KindOf(err) == desk.Unavailable {
		// An announcement is delayed for as long as the chat system is down, never given
		// up.
		w.log.Warn("an announcement is delayed because the chat system is unavailable", "account", int64(account), "announcement", int64(id), "error", err)
		return job.Snooze(troubleTime)
	}
	return err
}

// announcer is one run of a job that sends or updates an announcement.
type announcer struct {
	w       *Worker
	account desk.AccountID
	id      desk.AnnouncementID
	in      desk.Integration
	chat    chat.Connector
	holder  string
}

func (n announcer) write(ctx context.Context, fn func(*store.Tx) error) error {
	return n.w.store.Write(ctx, n.account, fn)
}

// send starts an announcement whose time has come, reads its message and posts the
// copies.
func (n announcer) send(ctx context.Context) error {
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
		a.Status = desk.AnnouncementPending // from now on nobody can cancel it
		return tx.SaveAnnouncementStatus(a)
	})
	if err != nil || a.Status == desk.AnnouncementIsSent {
		return err
	}
	if err := n.readSource(ctx, a, true); err != nil {
		return err
	}
	if err := n.runCopies(ctx, func(ctx context.Context, until time.Time) (bool, error) { return n.deliverNext(ctx, a, until) }); err != nil {
		return err
	}
	return n.finishRun(ctx, true)
}

// resync reads the message again and updates the copies.
func (n announcer) resync(ctx context.Context) error {
	var a desk.Announcement
	err := n.w.store.Read(ctx, n.account, func(tx *store.Tx) (err error) {
		a, err = tx.Announcement(n.id, desk.Everything)
		return err
	})
	if err != nil {
		return desk.IgnoreMissing(err)
	}
	if err := n.readSource(ctx, a, false); err != nil {
		return err
	}
	if err := n.runCopies(ctx, n.reviseNext); err != nil {
		return err
	}
	return n.finishRun(ctx, false)
}

// readSource reads the message unless it was read since somebody last asked for
// that. If the message can no longer be read, the announcement fails for the
// channels that have not received it. The copies that exist stay as they are.
func (n announcer) readSource(ctx context.Context, a desk.Announcement, sending bool) error {
	var src store.AnnouncementSource
	if err := n.w.store.Read(ctx, n.account, func(tx *store.Tx) (err error) {
		src, err = tx.AnnouncementSource(n.id)
		return err
	}); err != nil {
		return err
	}
	// A channel that gets its copy later gets the same text as the others.
	if src.ReadFor >= src.Wanted || sending && src.ReadFor > 0 {
		return nil
	}
	html, files, err := n.fetchSource(ctx, a.Source, src.ReadFor == 0)
	if err != nil && !isRefusal(err) {
		return err
	}
	return n.write(ctx, func(tx *store.Tx) error {
		switch {
		case err == nil:
			return tx.KeepSource(n.id, src.Wanted, html, files)
		case src.ReadFor > 0:
			n.w.log.Warn("the message of an announcement can no longer be read; its copies stay as they are", "account", int64(n.account), "announcement", int64(n.id), "reason", err)
			return tx.KeepSource(n.id, src.Wanted, src.HTML, nil)
		}
		if err := tx.FailRecipients(n.id, "The message cannot be sent: "+refusalText(err)); err != nil {
			return err
		}
		return n.markDone(tx)
	})
}

// fetchSource reads the message from the chat system, and its files if withFiles is
// set.
func (n announcer) fetchSource(ctx context.Context, from desk.ChatMessage, withFiles bool) (html string, files []desk.NewFile, err error) {
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	m, err := outside.ReadSource(call, n.chat, from)
	if err != nil {
		return "", nil, err
	}
	html = markup.Sanitize(m.HTML)
	if html == "" && len(m.Files) == 0 {
		return "", nil, desk.Errorf(desk.NotFound, "It is empty.")
	}
	if !withFiles {
		return html, nil, nil
	}
	if change.FilesTooLarge(m.Files) {
		return "", nil, desk.Errorf(desk.TooLarge, "Its files together are larger than %d MiB.", change.MostAnnouncedFiles>>20)
	}
	for _, f := range m.Files {
		stored, err := n.storeFile(ctx, f)
		if err != nil {
			return "", nil, err
		}
		files = append(files, stored)
	}
	return html, files, nil
}

func (n announcer) storeFile(ctx context.Context, f chat.File) (desk.NewFile, error) {
	r, err := n.chat.File(ctx, f.ID)
	if err != nil {
		return desk.NewFile{}, err
	}
	defer r.Close()
	return n.w.outside.StoreFile(ctx, n.account, desk.CleanText(f.Name), desk.CleanText(f.Type), r)
}

// isRefusal reports whether the chat system refused something that it would refuse
// again. A lost connection is not such a refusal.
func isRefusal(err error) bool {
	if errors.Is(err, chat.ErrLost) {
		return false
	}
	switch desk.KindOf(err) {
	case desk.NotFound, desk.Forbidden, desk.Invalid, desk.Refused, desk.TooLarge:
		return true
	}
	return false
}

// refusalText returns what a refusal says to people.
func refusalText(err error) string {
	var e *desk.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return "The chat system refused it."
}

// runCopies lets several goroutines call one until there is nothing left to do, the
// time of the run is over, or an error occurs. one handles the next row, holds what
// it needs until the given time, and reports whether there was a row. A goroutine
// stops if nobody knows what its last call did. If that happens to all of them, the
// chat system gets a pause.
func (n announcer) runCopies(ctx context.Context, one func(context.Context, time.Time) (bool, error)) error {
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

// finishRun ends a run. It returns a Snooze if there is something left to do.
func (n announcer) finishRun(ctx context.Context, sending bool) error {
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
		return n.markDone(tx)
	})
	return errors.Join(err, again)
}

// markDone marks an announcement as sent, or as up to date, once everything is
// done.
func (n announcer) markDone(tx *store.Tx) error {
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
	// A copy may have been posted with an older text than somebody has asked for
	// since.
	if stale, err := tx.FirstFree(n.id, src.Wanted); err != nil || stale.IsZero() {
		return errors.Join(err, tx.SyncedTo(n.id, src.Wanted))
	}
	return change.ResyncAnnouncementSoon(tx, n.id)
}

// copyDraft is a copy together with what is needed to post it.
type copyDraft struct {
	store.AnnouncementCopy
	source  store.AnnouncementSource
	post    chat.Post // where and as whom to post it
	failure string    // why it cannot be posted at all
}

// time returns how long posting may take.
func (m *copyDraft) time() time.Duration { return postTime(m.source.Files) }

// deliverNext posts the next copy and reports whether there was one.
func (n announcer) deliverNext(ctx context.Context, a desk.Announcement, until time.Time) (bool, error) {
	var m *copyDraft
	err := n.write(ctx, func(tx *store.Tx) error {
		m = nil
		src, err := tx.AnnouncementSource(n.id)
		if err != nil || src.ReadFor == 0 {
			return err
		}
		c, ok, err := tx.NextRecipient(n.id, n.holder, until.Add(postTime(src.Files)-callTime))
		if err != nil || !ok {
			return err
		}
		m = &copyDraft{AnnouncementCopy: c, source: src}
		return n.compose(tx, a, m)
	})
	if err != nil || m == nil {
		return false, err
	}
	if m.failure == "" {
		call, cancel := context.WithTimeout(ctx, m.time())
		err = n.postCopy(call, a, m)
		cancel()
		switch {
		case isRefusal(err):
			m.failure = refusalText(err)
		case desk.KindOf(err) == desk.Unavailable:
			return false, err // the call may still take effect, so nobody may try before the hold ends
		case err != nil:
			return false, errors.Join(err, n.releaseCopy(ctx, m.AnnouncementCopy))
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
		// Somebody may have replied before we knew that the copy exists.
		return readThreadSoon(tx, m.Channel, m.External)
	})
}

func (n announcer) releaseCopy(ctx context.Context, c store.AnnouncementCopy) error {
	return n.write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.ReleaseCopy(c, n.holder) })
}

// compose sets where a copy is posted and as whom.
func (n announcer) compose(tx *store.Tx, a desk.Announcement, m *copyDraft) error {
	m.post.Channel = m.Channel
	var candidates []string
	switch {
	case a.Sender.Kind == desk.NativeSender:
		return nil
	case a.Sender.AsUser:
		credential, err := outside.UserCredential(tx, n.in.ID, a.Sender.User)
		if err == nil && credential == nil {
			m.failure = "The chat system no longer lets us post as the sender."
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
		desk.UserSender:          "The sender is no longer in the chat system.",
		desk.TopicOwnerSender:    "Neither the channel nor its collection has an owner to send it as.",
		desk.CustomerOwnerSender: "Neither the channel's customer nor a collection has an owner to send it as.",
	}[a.Sender.Kind]
	return nil
}

// ownersOf returns the owners of a channel, of its customer and of their
// collections.
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

// postCopy posts a copy. It can be called several times with the same copy and
// posts it once.
func (n announcer) postCopy(ctx context.Context, a desk.Announcement, m *copyDraft) error {
	if m.post.By != nil {
		// If our bot is not in the channel, we would never learn what became of the copy.
		// Reading the history from now on checks that: it is still empty, so this is
		// fast.
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

// reviseNext updates the next copy that is older than the message, and reports
// whether there was one. A copy that the chat system does not let us change stays
// as it is.
func (n announcer) reviseNext(ctx context.Context, until time.Time) (bool, error) {
	var m *copyDraft
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
		m = &copyDraft{AnnouncementCopy: c, source: src}
		by, err = outside.UserCredential(tx, n.in.ID, c.PostedBy)
		return err
	})
	if err != nil || m == nil {
		return false, err
	}
	call, cancel := context.WithTimeout(ctx, callTime)
	err = n.w.editAs(call, n.in, n.chat, by, chat.Ref{Channel: m.Channel, ID: m.External}, &chat.Content{HTML: m.source.HTML})
	cancel()
	switch {
	case isRefusal(err):
		n.w.log.Warn("a copy of an announcement could not be updated", "account", int64(n.account), "announcement", int64(n.id), "channel", m.Channel, "reason", err)
	case desk.KindOf(err) == desk.Unavailable:
		return false, err // the edit may still take effect, and must not overwrite the next one
	case err != nil:
		return false, errors.Join(err, n.releaseCopy(ctx, m.AnnouncementCopy))
	}
	return true, n.write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return tx.FinishResync(m.AnnouncementCopy, n.holder, m.source.ReadFor)
	})
}

// announceAllPending queues jobs for all announcements with work left, after a time
// without a connection.
func (w *Worker) announceAllPending(ctx context.Context, account desk.AccountID) error {
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
					err = change.SendAnnouncementAt(tx, a.ID, tx.Now)
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
