package worker

import (
	"context"
	"errors"
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

// An announcement has a row for each channel. One job posts the copies and updates
// them, several at once. Each copy is a lane of its own, so a crash delays only the
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

func (w *Worker) deliverAnnouncement(ctx context.Context, j *job.Job, a change.DeliverAnnouncement) error {
	err := chatJob(w.outside.WithChat(ctx, a.Account, func(i desk.Integration, c chat.Connector) error {
		return announcer{w: w, account: a.Account, id: a.Announcement, in: i, chat: c, holder: w.holderOf(j)}.deliver(ctx)
	}))
	if desk.KindOf(err) == desk.Unavailable {
		// An announcement is delayed for as long as the chat system is down, never given
		// up.
		w.log.Warn("an announcement is delayed because the chat system is unavailable", "account", int64(a.Account), "announcement", int64(a.Announcement), "error", err)
		return job.Snooze(troubleTime)
	}
	return err
}

// announcer composes the copies of an announcement.
type announcer struct {
	w       *Worker
	account desk.AccountID
	id      desk.AnnouncementID
	in      desk.Integration
	chat    chat.Connector
	holder  string
}

// deliver starts an announcement whose time has come, reads its message, posts the
// copies that are missing, and updates those that show an older text.
func (n announcer) deliver(ctx context.Context) error {
	var a desk.Announcement
	err := n.w.store.Write(ctx, n.account, func(tx *store.Tx) (err error) {
		if a, err = tx.Announcement(n.id, desk.Everything); err != nil || a.Status != desk.AnnouncementScheduled {
			return err
		}
		if a.ScheduledAt.After(tx.Now) {
			return job.Snooze(a.ScheduledAt.Sub(tx.Now))
		}
		a.Status = desk.AnnouncementPending // from now on nobody can cancel it
		return tx.SaveAnnouncementStatus(a)
	})
	if err != nil {
		return desk.IgnoreMissing(err) // it was cancelled
	}
	c := carrier{w: n.w, account: n.account, holder: n.holder, next: n.readSource, refused: n.logRefusal}
	if err := c.run(ctx); err != nil {
		return err
	}
	c.next = func(tx *store.Tx) (*act, error) { return n.nextCopy(tx, a) }
	if err := n.runCopies(ctx, c); err != nil {
		return err
	}
	return n.finishRun(ctx)
}

func (n announcer) logRefusal(a *act, reason error) {
	n.w.log.Warn("a copy of an announcement could not be posted", "account", int64(n.account), "announcement", int64(n.id), "channel", a.effect.Channel, "reason", reason)
}

// readSource reads the message unless it was read since somebody last asked for
// that. If the message can no longer be read, the announcement fails for the
// channels that have not received it. The copies that exist stay as they are.
func (n announcer) readSource(tx *store.Tx) (*act, error) {
	src, err := tx.AnnouncementSource(n.id)
	if err != nil || src.ReadFor >= src.Wanted {
		return nil, err
	}
	if free, err := tx.FirstFree(n.id); err != nil || free.IsZero() {
		return nil, err // nobody waits for it
	}
	a, err := tx.Announcement(n.id, desk.Everything)
	if err != nil {
		return nil, err
	}
	var html string
	var files []desk.NewFile
	var refusal error
	read := func(ctx context.Context) (err error) {
		html, files, err = n.fetchSource(ctx, a.Source, src.ReadFor == 0)
		if isRefusal(err) {
			refusal, err = err, nil
		}
		return err
	}
	return &act{lane: store.Lane{Kind: store.AnnouncementLane, ID: int64(n.id)}, time: callTime + change.MostAnnouncedFiles/uploadSpeed*time.Second, do: read, repeatable: true, settle: func(tx *store.Tx) error {
		switch {
		case refusal == nil:
			return tx.KeepSource(n.id, src.Wanted, html, files)
		case src.ReadFor > 0:
			n.w.log.Warn("the message of an announcement can no longer be read; its copies stay as they are", "account", int64(n.account), "announcement", int64(n.id), "reason", refusal)
			return tx.KeepSource(n.id, src.Wanted, src.HTML, nil)
		}
		return tx.FailRecipients(n.id, "The message cannot be sent: "+refusalText(refusal))
	}}, nil
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
		f.Name, f.Type = desk.CleanText(f.Name), desk.CleanText(f.Type)
		stored, err := n.w.fetchFile(ctx, n.account, n.chat, f)
		if err != nil {
			return "", nil, err
		}
		files = append(files, stored)
	}
	return html, files, nil
}

// runCopies lets several goroutines carry copies until there is nothing left to do,
// the time of the run is over, or an error occurs. A goroutine stops if nobody knows
// what its last call did. If that happens to all of them, the chat system gets a
// pause.
func (n announcer) runCopies(ctx context.Context, c carrier) error {
	began := time.Now()
	var workers sync.WaitGroup
	errs := make([]error, copiesAtOnce)
	for i := range errs {
		workers.Go(func() { errs[i] = c.runWhile(ctx, func() bool { return time.Since(began) < runTime }) })
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
func (n announcer) finishRun(ctx context.Context) error {
	var again error
	err := n.w.store.Write(ctx, n.account, func(tx *store.Tx) error {
		again = nil
		free, err := tx.FirstFree(n.id)
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

// markDone marks an announcement as sent and up to date.
func (n announcer) markDone(tx *store.Tx) error {
	a, err := tx.Announcement(n.id, desk.Everything)
	if err != nil {
		return err
	}
	src, err := tx.AnnouncementSource(n.id)
	if err != nil {
		return err
	}
	if a.Status == desk.AnnouncementPending {
		now := tx.Now
		a.Status, a.SentAt = desk.AnnouncementIsSent, &now
		if err := tx.SaveAnnouncementStatus(a); err != nil {
			return err
		}
		by := desk.Actor{Name: "delivery", Source: desk.SourceSystem}
		if err := tx.Record(desk.Change{By: by, Event: desk.AnnouncementSent, After: a}); err != nil {
			return err
		}
	}
	return tx.SyncedTo(n.id, src.Wanted)
}

// copyDraft is a copy together with what is needed to post it.
type copyDraft struct {
	store.AnnouncementCopy
	source  store.AnnouncementSource
	post    chat.Post // where and as whom to post it
	html    string    // what it says in its channel
	failure string    // why it cannot be posted at all
}

// nextCopy composes the next copy to post or to update. There is none while the
// message has to be read first: another run does that.
func (n announcer) nextCopy(tx *store.Tx, a desk.Announcement) (*act, error) {
	src, err := tx.AnnouncementSource(n.id)
	if err != nil || src.ReadFor < src.Wanted {
		return nil, err
	}
	c, ok, err := tx.NextCopy(n.id)
	if err != nil || !ok {
		return nil, err
	}
	m := &copyDraft{AnnouncementCopy: c, source: src}
	if c.External != "" {
		return n.reviseCopy(tx, a, m)
	}
	if err := n.compose(tx, a, m); err != nil {
		return nil, err
	}
	do := &act{lane: c.Lane(), effect: &m.Effect, time: postTime(src.Files), failure: m.failure}
	do.do = func(ctx context.Context) error { return n.postCopy(ctx, a, m) }
	do.settle = func(tx *store.Tx) error {
		if err := tx.CountCopy(n.id, m.AnnouncementCopy, do.failure); err != nil {
			return err
		}
		if m.External == "" || m.TriedAt.IsZero() {
			return nil
		}
		// Somebody may have replied before we knew that the copy exists.
		return readThreadSoon(tx, m.Channel, m.External)
	}
	return do, nil
}

// reviseCopy updates a copy that is older than the message. A copy that the chat
// system does not let us change stays as it is.
func (n announcer) reviseCopy(tx *store.Tx, a desk.Announcement, m *copyDraft) (*act, error) {
	view, err := n.viewOf(tx, a, m)
	if err != nil {
		return nil, err
	}
	if view.Problem != "" { // since it was sent, the channel has lost its customer or its owner
		n.w.log.Warn("a copy of an announcement could not be updated", "account", int64(n.account), "announcement", int64(n.id), "channel", m.Channel, "reason", view.Problem)
		return &act{lane: m.Lane(), effect: &m.Effect}, nil
	}
	by, err := outside.UserCredential(tx, n.in.ID, m.PostedBy)
	if err != nil {
		return nil, err
	}
	revise := func(ctx context.Context) error {
		err := n.w.editAs(ctx, n.in, n.chat, by, chat.Ref{Channel: m.Channel, ID: m.External}, &chat.Content{HTML: view.HTML})
		if isRefusal(err) {
			n.w.log.Warn("a copy of an announcement could not be updated", "account", int64(n.account), "announcement", int64(n.id), "channel", m.Channel, "reason", err)
			return nil
		}
		return err
	}
	return &act{lane: m.Lane(), effect: &m.Effect, do: revise}, nil
}

// compose sets what a copy says, where it is posted and as whom.
func (n announcer) compose(tx *store.Tx, a desk.Announcement, m *copyDraft) error {
	m.post.Channel = m.Channel
	if a.Sender.AsUser {
		credential, err := outside.UserCredential(tx, n.in.ID, a.Sender.User)
		if err != nil {
			return err
		}
		if credential == nil {
			m.failure = "The chat system no longer lets us post as the sender."
			return nil
		}
		m.post.By, m.PostedBy = credential, a.Sender.User
	}
	view, err := n.viewOf(tx, a, m)
	if err != nil {
		return err
	}
	m.failure, m.html = view.Problem, view.HTML
	if a.Sender.Kind != desk.NativeSender && m.post.By == nil && view.Sender != nil {
		m.post.As = &chat.Persona{Name: view.Sender.Name, Avatar: view.Sender.Avatar}
	}
	return nil
}

// viewOf returns what a copy looks like. A message of the chat system that our bot
// posts looks the same everywhere, so nothing is read for it.
func (n announcer) viewOf(tx *store.Tx, a desk.Announcement, m *copyDraft) (desk.AnnouncementCopyView, error) {
	if !a.Written() {
		if a.Sender.Kind == desk.NativeSender || a.Sender.AsUser {
			return desk.AnnouncementCopyView{HTML: m.source.HTML}, nil
		}
		view, err := change.ViewCopy(tx, n.in, a.Sender, m.Channel, nil)
		view.HTML = m.source.HTML
		return view, err
	}
	text := desk.AnnouncementText(m.source.HTML)
	return change.ViewCopy(tx, n.in, a.Sender, m.Channel, &text)
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
	post.Content, post.Unfurl = chat.Content{HTML: m.html}, chat.Unfurl(a.Unfurl)
	n.w.prepare(ctx, n.account, &post, m.Effect, m.source.Files)
	at, err := n.chat.Post(ctx, post)
	m.External = at.ID
	return err
}

// announceAllPending queues jobs for all announcements with work left, after a time
// without a connection.
func (w *Worker) announceAllPending(ctx context.Context, account desk.AccountID) error {
	pending := func(tx *store.Tx, after desk.AnnouncementID, limit int) ([]desk.AnnouncementID, error) {
		all, err := tx.PendingAnnouncements(after, limit)
		return desk.Each(all, func(a desk.Announcement) desk.AnnouncementID { return a.ID }), err
	}
	return queueAll(ctx, w, account, pending, func(tx *store.Tx, id desk.AnnouncementID) error { return change.DeliverAnnouncementAt(tx, id, tx.Now) })
}
