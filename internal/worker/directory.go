package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// The directory of an account's chat system is kept in sync in two ways. Events
// report a change at once (see Receive). The whole directory is read when the chat
// system is connected, when the service starts, at every tick, and when an event
// leaves doubt. That repairs whatever events have missed.

const (
	// SyncEvery is how often directories are read as a whole.
	SyncEvery = 10 * time.Minute
	// putAtOnce is how many entries one transaction saves. Transactions must be short.
	putAtOnce = 50
)

// syncAll is a job that queues reading the directory of every connected account.
type syncAll struct{}

func (syncAll) Kind() string { return "chat.sync-all" }

func (w *Worker) syncAll(ctx context.Context, _ *job.Job, _ syncAll) error {
	return w.eachConnected(ctx, maps.Keys(w.outside.Chats), func(a desk.AccountID, _ desk.IntegrationKind) error {
		return w.store.Write(ctx, a, func(tx *store.Tx) error { return change.SyncDirectoryAt(tx, tx.Now, chat.Parts...) })
	})
}

// syncAtStart queues reading all directories and histories at the start, because we
// may have missed events.
func (w *Worker) syncAtStart(ctx context.Context) error {
	if len(w.outside.Chats) == 0 {
		return nil
	}
	return errors.Join(w.jobs.Add(ctx, syncAll{}, job.Key("start")), w.jobs.Add(ctx, change.ReadChannels{}, job.Key("start")))
}

func (w *Worker) syncDirectory(ctx context.Context, _ *job.Job, a change.SyncDirectory) error {
	return chatJob(w.readDirectoryPart(ctx, a))
}

// ReadDirectory reads the whole directory of an account and returns when that is
// done. It is for callers that cannot wait for the job. It returns the errors of
// outside.Systems.WithChat.
func (w *Worker) ReadDirectory(ctx context.Context, account desk.AccountID) error {
	for _, part := range chat.Parts {
		if err := w.readDirectoryPart(ctx, change.SyncDirectory{Account: account, Part: part}); err != nil {
			return err
		}
	}
	return nil
}

func (w *Worker) readDirectoryPart(ctx context.Context, a change.SyncDirectory) error {
	return w.outside.WithChat(ctx, a.Account, func(i desk.Integration, c chat.Connector) error {
		began := w.store.Now()
		seen := map[string]bool{}
		for cursor, more := "", true; more; {
			readAt := w.store.Now()
			d, err := c.Directory(ctx, a.Part, cursor)
			if err != nil {
				return fmt.Errorf("read %s: %w", a.Part, err)
			}
			if err := w.savePage(ctx, a.Account, i.Kind, d, readAt, seen); err != nil {
				return err
			}
			cursor, more = d.Next, d.Next != ""
		}
		if err := w.retire(ctx, a, seen, began); err != nil {
			return err
		}
		return w.store.Write(ctx, a.Account, func(tx *store.Tx) error { return tx.NoteSync(i.ID) })
	})
}

// savePage saves a page of the directory and adds its ids to seen.
func (w *Worker) savePage(ctx context.Context, account desk.AccountID, kind desk.IntegrationKind, d chat.Directory, readAt time.Time, seen map[string]bool) error {
	users, teams, channels := desk.Each(d.Users, userFromChat), desk.Each(d.Teams, teamFromChat), desk.Each(d.Channels, change.ChannelFromChat)
	for _, u := range users {
		seen[u.Is.ID] = true
	}
	for _, t := range teams {
		seen[t.Is.SourceID] = true
	}
	for _, c := range channels {
		seen[c.Is.ID] = true
	}
	putTeams := func(tx *store.Tx, told []store.Report[desk.Team], readAt time.Time) (bool, error) {
		return tx.PutTeams(string(kind), told, readAt)
	}
	if err := putInPieces(ctx, w, account, users, readAt, (*store.Tx).PutUsers); err != nil {
		return err
	}
	if err := putInPieces(ctx, w, account, teams, readAt, putTeams); err != nil {
		return err
	}
	return putInPieces(ctx, w, account, channels, readAt, (*store.Tx).PutChannels)
}

// putInPieces saves what the chat system told in several transactions, each with
// some of it.
func putInPieces[T any](ctx context.Context, w *Worker, account desk.AccountID, told []store.Report[T], readAt time.Time,
	put func(*store.Tx, []store.Report[T], time.Time) (doubt bool, err error)) error {
	for piece := range slices.Chunk(told, putAtOnce) {
		err := w.store.Write(ctx, account, func(tx *store.Tx) error {
			_, err := put(tx, piece, readAt)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// retire ends the entries that the chat system no longer shows.
func (w *Worker) retire(ctx context.Context, a change.SyncDirectory, seen map[string]bool, began time.Time) error {
	switch a.Part {
	case chat.People:
		return w.store.RetireUsers(ctx, a.Account, seen, began)
	case chat.Teams:
		return w.store.RetireTeams(ctx, a.Account, seen, began)
	case chat.Channels:
		return w.store.RetireChannels(ctx, a.Account, seen, began)
	}
	return nil
}
