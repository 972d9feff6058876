package service

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// Events tell what is said at once; what they miss is read from the history of
// each channel: when the service starts, when it is connected, and at every
// tick. A message that is here already is nothing new, so reading too much costs
// time only. A thread is read when its first message tells of answers that we
// do not have.

const (
	// readEvery is how often histories are read.
	readEvery = 10 * time.Minute
	// readAgain is how far back a history is read again: a message may be told
	// to a history late, and old threads go on.
	readAgain = 10 * time.Minute
	// readBack is how far back threads are looked at that may still go on.
	readBack = 14 * 24 * time.Hour
)

// readAll has the channels of every connected account read.
type readAll struct{}

func (readAll) Kind() string { return "channel.read-all" }

func (s *Service) readAll(ctx context.Context, _ *job.Job, _ readAll) error {
	for kind := range s.chats {
		chats, err := s.store.Chats(ctx, kind)
		if err != nil {
			return err
		}
		for _, c := range chats {
			if err := s.readAllOf(ctx, c.Account); err != nil {
				return err
			}
		}
	}
	return nil
}

// readAllOf has an account's channels read, and told what is still to be told.
func (s *Service) readAllOf(ctx context.Context, account desk.AccountID) error {
	const atOnce = 200
	for after := ""; ; {
		var channels []string
		err := s.store.Write(ctx, account, func(tx *store.Tx) (err error) {
			if channels, err = tx.ReadChannels(after, atOnce); err != nil {
				return err
			}
			for _, channel := range channels {
				if err := job.Add(tx.Tx, readChannel{Account: account, Channel: channel}, tx.Now, job.Key(fmt.Sprintf("%d %s", account, channel))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(channels) < atOnce {
			return s.tellAgain(ctx, account)
		}
		after = channels[len(channels)-1]
	}
}

// readChannel reads what a channel's history has since it was last read, or with
// a thread the whole of that.
type readChannel struct {
	Account desk.AccountID
	Channel string
	Thread  string
}

func (readChannel) Kind() string { return "channel.read" }

// readThreadSoon has a thread read of which we do not know the beginning, or may
// not know all.
func readThreadSoon(tx *store.Tx, channel, thread string) error {
	return job.Add(tx.Tx, readChannel{tx.Account, channel, thread}, tx.Now, job.Key(fmt.Sprintf("%d %s %s", tx.Account, channel, thread)))
}

func (s *Service) readChannel(ctx context.Context, _ *job.Job, a readChannel) error {
	err := s.withChat(ctx, a.Account, func(i desk.Integration, c chat.Connector) error {
		r := reader{s: s, account: a.Account, workspace: i.ExternalID, chat: c}
		if a.Thread != "" {
			return r.thread(ctx, a.Channel, a.Thread)
		}
		return r.channel(ctx, a.Channel)
	})
	switch desk.KindOf(err) {
	case desk.Forbidden, desk.NotFound, desk.Invalid:
		s.log.Warn("a channel's history cannot be read", "account", int64(a.Account), "channel", a.Channel, "error", err)
		return nil // the next tick tries again
	}
	return chatJob(err)
}

// reader reads histories of one workspace.
type reader struct {
	s         *Service
	account   desk.AccountID
	workspace string
	chat      chat.Connector
}

func (r reader) channel(ctx context.Context, channel string) error {
	due, err := r.due(ctx, channel)
	if err != nil || due.from.IsZero() {
		return err
	}
	for _, thread := range due.threads {
		if err := r.thread(ctx, channel, thread); desk.KindOf(err) != desk.NotFound && err != nil {
			return err
		}
	}
	for span := (chat.Span{Channel: channel, Since: due.from}); ; {
		at := r.s.store.Now()
		h, err := r.chat.History(ctx, span)
		if err != nil {
			return fmt.Errorf("read %s: %w", channel, err)
		}
		for _, m := range h.Messages {
			if err := r.take(ctx, incoming{Message: m}, at); err != nil {
				return err
			}
			if err := r.answers(ctx, m, due.again); err != nil {
				return err
			}
		}
		if !h.More || len(h.Messages) == 0 {
			break
		}
		span.After = h.Messages[len(h.Messages)-1].ID
	}
	return r.s.store.Write(ctx, r.account, func(tx *store.Tx) error { return tx.ReadTo(channel, due.began) })
}

// due is what of a channel is to be read.
type due struct {
	began   time.Time // now
	again   time.Time // what was said since may not be here
	from    time.Time // where to begin; zero: nothing is to be read
	threads []string  // that the history since then does not show
}

// mostThreads is how many threads are looked at that a history does not show.
const mostThreads = 100

// due is what of a channel is to be read: from where it was read to, and from
// the first request there that may still go on. A channel that is new to us
// begins now.
func (r reader) due(ctx context.Context, channel string) (d due, err error) {
	err = r.s.store.Write(ctx, r.account, func(tx *store.Tx) error {
		d = due{began: tx.Now}
		read, err := tx.Reading(channel)
		if desk.KindOf(err) == desk.NotFound {
			return tx.BeginReading(channel)
		}
		if err != nil {
			return err
		}
		d.again = read.ReadTo.Add(-readAgain)
		d.from = d.again
		oldest, err := tx.OldestUnresolved(channel, tx.Now.Add(-readBack))
		if err != nil {
			return err
		}
		if !oldest.IsZero() && oldest.Before(d.from) {
			d.from = oldest
		}
		if d.from.Before(read.Since) {
			d.from = read.Since
		}
		d.threads, err = tx.InheritedThreads(channel, tx.Now.Add(-readBack), mostThreads)
		return err
	})
	return d, err
}

// take takes one message, and the reactions that were under it when it was read.
func (r reader) take(ctx context.Context, m incoming, read time.Time) error {
	m.workspace = r.workspace
	return r.s.store.Write(ctx, r.account, func(tx *store.Tx) error {
		if !m.Own {
			if err := r.s.takeMessage(tx, m); err != nil {
				return err
			}
		}
		for _, re := range reactions(m.Message, read) {
			if err := r.s.react(tx, re); err != nil {
				return err
			}
		}
		return nil
	})
}

// answers reads the thread of a message, unless its last answer is here and was
// given long ago. Where it is here and new, one before it may still be missing.
func (r reader) answers(ctx context.Context, m chat.Message, since time.Time) error {
	if m.Replies == 0 {
		return nil
	}
	var last time.Time
	err := r.s.store.Look(ctx, r.account, func(tx *store.Tx) (err error) {
		last, err = tx.SaidAt(m.Channel, m.LastReply)
		return err
	})
	if err != nil || !last.IsZero() && last.Before(since) {
		return err
	}
	return r.thread(ctx, m.Channel, m.ID)
}

// thread reads a thread from its beginning.
func (r reader) thread(ctx context.Context, channel, thread string) error {
	ours := false
	for span := (chat.Span{Channel: channel, Thread: thread}); ; {
		at := r.s.store.Now()
		h, err := r.chat.History(ctx, span)
		if err != nil {
			return fmt.Errorf("read a thread of %s: %w", channel, err)
		}
		for _, m := range h.Messages {
			ours = ours || m.ID == thread && m.Own
			if err := r.take(ctx, incoming{Message: m, read: true, ours: ours}, at); err != nil {
				return err
			}
		}
		if !h.More || len(h.Messages) == 0 {
			return nil
		}
		span.After = h.Messages[len(h.Messages)-1].ID
	}
}
