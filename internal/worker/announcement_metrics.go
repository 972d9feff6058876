package worker

import (
	"context"
	"fmt"
	"maps"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/heard"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// Events report replies and reactions to the copies of an announcement at once.
// What events miss is found by reading the threads of the copies: for some weeks,
// and less and less often.

// takeCopyReply counts a message in the thread of a copy, whatever else happens to
// the message.
func takeCopyReply(tx *store.Tx, m chat.Message) error {
	if m.Thread == "" {
		return nil
	}
	if announced, err := heard.IsCopy(tx, m.Channel, m.Thread); err != nil || !announced {
		return err
	}
	return heard.PutReply(tx, m.Channel, m.Thread, m.ID, m.At)
}

// removeCopyReply stops counting a reply to a copy after somebody removed the
// reply.
func removeCopyReply(tx *store.Tx, gone chat.Removed) error {
	if gone.Thread == "" {
		return nil
	}
	if announced, err := heard.IsCopy(tx, gone.Channel, gone.Thread); err != nil || !announced {
		return err
	}
	return heard.RemoveReply(tx, gone.Channel, gone.Thread, gone.ID)
}

// copyThread is what was seen in a thread that may be that of a copy.
type copyThread struct {
	channel, thread string
	asOf            time.Time
	seen            map[string]bool
	first           *chat.Message
}

func (l *copyThread) add(m chat.Message) {
	l.seen[m.ID] = true
	if m.ID == l.thread {
		l.first = &m
	}
}

// repairCopy corrects what we know about a copy after its thread was read.
func (r reader) repairCopy(ctx context.Context, l copyThread) error {
	announced := false
	err := r.w.store.Look(ctx, r.account, func(tx *store.Tx) (err error) {
		announced, err = heard.IsCopy(tx, l.channel, l.thread)
		return err
	})
	if err != nil || !announced {
		return err
	}
	return r.w.store.Write(ctx, r.account, l.repair)
}

// repair removes replies and reactions that are gone without an event. It skips
// recent ones, because our clock and that of the chat system may differ. The next
// look finds those.
func (l copyThread) repair(tx *store.Tx) error {
	sure := l.asOf.Add(-chatSkew)
	replies, err := heard.RepliesAt(tx, l.channel, l.thread, sure)
	if err != nil {
		return err
	}
	for _, id := range replies {
		if !l.seen[id] {
			if err := heard.RemoveReply(tx, l.channel, l.thread, id); err != nil {
				return err
			}
		}
	}
	if l.first == nil {
		return nil
	}
	type reaction struct{ user, emoji string }
	there, unsure := map[reaction]bool{}, map[string]bool{}
	for _, r := range l.first.Reactions {
		emoji := desk.EmojiName(desk.CleanText(r.Emoji))
		if len(r.Users) < r.Count { // if there are very many, not all users are listed
			unsure[emoji] = true
		}
		for _, user := range r.Users {
			there[reaction{desk.CleanText(user), emoji}] = true
		}
	}
	known, err := heard.ReactionsAt(tx, l.channel, l.thread)
	if err != nil {
		return err
	}
	for _, r := range known {
		if there[reaction{r.User, r.Emoji}] || unsure[r.Emoji] {
			continue
		}
		r.On, r.At = false, sure
		if _, err := heard.PutReaction(tx, r); err != nil {
			return err
		}
	}
	return nil
}

// ReadSent is a job that queues reading the copies of announcements that are due.
type ReadSent struct{}

func (ReadSent) Kind() string { return "announcement.read-all" }

func (w *Worker) readSent(ctx context.Context, _ *job.Job, _ ReadSent) error {
	return w.eachConnected(ctx, maps.Keys(w.outside.Chats), func(a desk.AccountID, _ desk.IntegrationKind) error {
		return w.store.Write(ctx, a, readDueCopies)
	})
}

func readDueCopies(tx *store.Tx) error {
	sent, err := heard.SentSince(tx, desk.CopiesReadSince(tx.Now))
	if err != nil {
		return err
	}
	for _, a := range sent {
		if !desk.CopiesDue(a.Sent, a.ReadAt, tx.Now) {
			continue
		}
		if err := heard.ReadCopies(tx, a.ID); err != nil {
			return err
		}
		if err := readCopiesAfter(tx, a.ID, 0); err != nil {
			return err
		}
	}
	return nil
}

// readCopies is a job that reads the threads of some copies of an announcement, one
// after the other, and then queues a job for the next ones.
type readCopies struct {
	Account      desk.AccountID
	Announcement desk.AnnouncementID
	After        int64
}

func (readCopies) Kind() string { return "announcement.read" }

func readCopiesAfter(tx *store.Tx, id desk.AnnouncementID, after int64) error {
	return job.Add(tx.Tx, readCopies{tx.Account, id, after}, tx.Now, job.Key(fmt.Sprintf("%d %d %d", tx.Account, id, after)))
}

func (w *Worker) readCopies(ctx context.Context, _ *job.Job, a readCopies) error {
	const atOnce = 20
	return chatJob(w.outside.WithChat(ctx, a.Account, func(i desk.Integration, c chat.Connector) error {
		var copies []store.AnnouncementCopy
		if err := w.store.Read(ctx, a.Account, func(tx *store.Tx) (err error) {
			copies, err = tx.Copies(a.Announcement, a.After, atOnce)
			return err
		}); err != nil {
			return err
		}
		r := reader{w: w, account: a.Account, workspace: i.ExternalID, chat: c}
		for _, one := range copies {
			if err := r.readThread(ctx, one.Channel, one.External); isRefusal(err) {
				w.log.Warn("a copy of an announcement cannot be read", "account", int64(a.Account), "channel", one.Channel, "error", err)
			} else if err != nil {
				return err
			}
		}
		if len(copies) < atOnce {
			return nil
		}
		return w.store.Write(ctx, a.Account, func(tx *store.Tx) error { return readCopiesAfter(tx, a.Announcement, copies[atOnce-1].ID) })
	}))
}
