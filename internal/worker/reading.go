package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/heard"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// Events report messages at once. What they miss is read from the history of each
// channel: when the service starts, when the chat system is connected, and at every
// tick. A message that we have already changes nothing, so reading too much only
// costs time. A thread is read when its first message shows that there are replies
// that we do not have.

const (
	// readEvery is how often histories are read.
	readEvery = 10 * time.Minute
	// ReadAgain is how much of a history is read again. A message may appear in a
	// history late, and old threads go on.
	ReadAgain = 10 * time.Minute
	// readBack is how old a thread may be that may still go on.
	readBack = 14 * 24 * time.Hour
)

func (w *Worker) readChannels(ctx context.Context, _ *job.Job, _ change.ReadChannels) error {
	return w.eachConnected(ctx, maps.Keys(w.outside.Chats), func(a desk.AccountID, _ desk.IntegrationKind) error { return w.ReadChannelsOf(ctx, a) })
}

// ReadChannelsOf queues jobs that read the channels of an account, and jobs for
// everything that is still to be posted.
func (w *Worker) ReadChannelsOf(ctx context.Context, account desk.AccountID) error {
	err := queueAll(ctx, w, account, heard.ReadChannels, func(tx *store.Tx, channel string) error {
		return job.Add(tx.Tx, readChannel{Account: account, Channel: channel}, tx.Now, job.Key(fmt.Sprintf("%d %s", account, channel)))
	})
	if err != nil {
		return err
	}
	return errors.Join(w.postAllPending(ctx, account), w.announceAllPending(ctx, account), w.postAllLetters(ctx, account))
}

// readChannel is a job that reads the history of a channel since it was last read,
// or the whole of a thread if one is given. Each page of a channel is a job of its
// own, and so is each thread. So a retry repeats only what failed or had to wait.
type readChannel struct {
	Account desk.AccountID
	Channel string
	Thread  string
	Page    *page `json:",omitempty"` // nil for the first
}

// page is a page of a channel's history after the first.
type page struct {
	After string    // the last message of the previous page
	From  time.Time // where the whole reading begins; Again and Began are about the whole, too
	Again time.Time
	Began time.Time
}

func (readChannel) Kind() string { return "channel.read" }

// readThreadSoon queues reading a thread whose beginning we do not have, or of
// which something may be missing.
func readThreadSoon(tx *store.Tx, channel, thread string) error {
	return readThreadAt(tx, channel, thread, tx.Now)
}

// readThreadAt queues reading a thread at a time.
func readThreadAt(tx *store.Tx, channel, thread string, at time.Time) error {
	return job.Add(tx.Tx, readChannel{Account: tx.Account, Channel: channel, Thread: thread}, tx.Now,
		job.At(at), job.Key(fmt.Sprintf("%d %s %s", tx.Account, channel, thread)))
}

func (w *Worker) readChannel(ctx context.Context, _ *job.Job, a readChannel) error {
	err := w.outside.WithChat(ctx, a.Account, func(i desk.Integration, c chat.Connector) error {
		r := reader{w: w, account: a.Account, workspace: i.ExternalID, chat: c}
		if a.Thread != "" {
			return r.readThread(ctx, a.Channel, a.Thread)
		}
		return r.readPage(ctx, a)
	})
	switch desk.KindOf(err) {
	case desk.Forbidden, desk.NotFound, desk.Invalid:
		w.log.Warn("a channel's history cannot be read", "account", int64(a.Account), "channel", a.Channel, "error", err)
		return nil // the next tick tries again
	}
	return chatJob(err)
}

// reader reads the histories of one workspace.
type reader struct {
	w         *Worker
	account   desk.AccountID
	workspace string
	chat      chat.Connector
}

// readPage reads a page of a channel.
func (r reader) readPage(ctx context.Context, a readChannel) error {
	p := a.Page
	if p == nil {
		var err error
		if p, err = r.firstPage(ctx, a.Channel); err != nil || p == nil {
			return err
		}
	}
	asOf := r.w.store.Now()
	h, err := r.chat.History(ctx, chat.Span{Channel: a.Channel, Since: p.From, After: p.After})
	if err != nil {
		return fmt.Errorf("read %s: %w", a.Channel, err)
	}
	for _, m := range h.Messages {
		if err := r.takeMessage(ctx, Incoming{Message: m, AsOf: asOf}, p.Again); err != nil {
			return err
		}
	}
	return r.w.store.Write(ctx, r.account, func(tx *store.Tx) error {
		if !h.More || len(h.Messages) == 0 {
			return heard.ReadTo(tx, a.Channel, p.Began)
		}
		next := *p
		next.After = h.Messages[len(h.Messages)-1].ID
		return job.Add(tx.Tx, readChannel{Account: r.account, Channel: a.Channel, Page: &next}, tx.Now,
			job.Key(fmt.Sprintf("%d %s after %s", r.account, a.Channel, next.After)))
	})
}

// mostThreads is how many threads are read that the history of a channel does not
// show.
const mostThreads = 100

// firstPage returns the first page of a channel to read. It begins where reading
// ended last time, or earlier, at the first request that may still go on. For a
// channel that is new to us it returns nil, because we read it from now on. It also
// queues reading threads that the history does not show.
func (r reader) firstPage(ctx context.Context, channel string) (p *page, err error) {
	err = r.w.store.Write(ctx, r.account, func(tx *store.Tx) error {
		p = nil
		read, err := heard.ReadingOf(tx, channel)
		if desk.KindOf(err) == desk.NotFound {
			return heard.BeginReading(tx, channel)
		}
		if err != nil {
			return err
		}
		again := read.ReadTo.Add(-ReadAgain)
		p = &page{From: again, Again: again, Began: tx.Now}
		oldest, err := heard.OldestUnresolved(tx, channel, tx.Now.Add(-readBack))
		if err != nil {
			return err
		}
		if !oldest.IsZero() && oldest.Before(p.From) {
			p.From = oldest
		}
		if p.From.Before(read.Since) {
			p.From = read.Since
		}
		threads, err := heard.InheritedThreads(tx, channel, tx.Now.Add(-readBack), mostThreads)
		if err != nil {
			return err
		}
		for _, thread := range threads {
			if err := readThreadSoon(tx, channel, thread); err != nil {
				return err
			}
		}
		return nil
	})
	return p, err
}

// takeMessage takes in one message, the reactions to it, and what the history of a
// channel says about its thread.
func (r reader) takeMessage(ctx context.Context, m Incoming, again time.Time) error {
	m.Workspace = r.workspace
	return r.w.store.Write(ctx, r.account, func(tx *store.Tx) error {
		if !m.Own {
			if err := r.w.TakeMessage(tx, m); err != nil {
				return err
			}
		}
		for _, re := range reactions(m.Message, m.AsOf) {
			if err := r.w.takeReaction(tx, re); err != nil {
				return err
			}
		}
		if m.Replies == 0 || m.read {
			return nil
		}
		return readRepliesIfNew(tx, m.Message, again)
	})
}

// readRepliesIfNew queues reading the thread of a message, unless we have its last
// reply and that is older than again; we have all replies before then. If we have
// the last reply but it is newer, an earlier one may still be missing or edited.
func readRepliesIfNew(tx *store.Tx, m chat.Message, again time.Time) error {
	last, err := tx.SaidAt(m.Channel, m.LastReply)
	if err != nil || !last.IsZero() && last.Before(again) {
		return err
	}
	return readThreadSoon(tx, m.Channel, m.ID)
}

// readThread reads a thread from its beginning.
func (r reader) readThread(ctx context.Context, channel, thread string) error {
	ours := false
	look := copyThread{channel: channel, thread: thread, asOf: r.w.store.Now(), seen: map[string]bool{}}
	for span := (chat.Span{Channel: channel, Thread: thread}); ; {
		asOf := r.w.store.Now()
		h, err := r.chat.History(ctx, span)
		if err != nil {
			return fmt.Errorf("read a thread of %s: %w", channel, err)
		}
		for _, m := range h.Messages {
			look.add(m)
			ours = ours || m.ID == thread && m.Own
			if err := r.takeMessage(ctx, Incoming{Message: m, AsOf: asOf, read: true, ours: ours}, time.Time{}); err != nil {
				return err
			}
		}
		if !h.More || len(h.Messages) == 0 {
			return r.repairCopy(ctx, look)
		}
		span.After = h.Messages[len(h.Messages)-1].ID
	}
}
