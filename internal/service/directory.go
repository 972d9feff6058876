package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// The directory of an account's chat system is kept in step in two ways. Events
// tell of a change at once (Receive). The whole of it is read when it is
// connected, when the service starts, at every tick, and when an event leaves a
// doubt; that mends whatever events have missed.

const (
	// syncEvery is how often the directories are read as a whole.
	syncEvery = 10 * time.Minute
	// syncSettle is how long a part of the directory is left to settle before it
	// is read because of an event: changes come in crowds.
	syncSettle = 2 * time.Second
	// putAtOnce is how many are kept in one transaction; it must be a short one.
	putAtOnce = 50
)

// syncAll has every connected account's directory read.
type syncAll struct{}

func (syncAll) Kind() string { return "chat.sync-all" }

func (s *Service) syncAll(ctx context.Context, _ *job.Job, _ syncAll) error {
	for kind := range s.chats {
		chats, err := s.store.Connected(ctx, kind)
		if err != nil {
			return err
		}
		for _, c := range chats {
			err := s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return addSync(tx, tx.Now, chat.Parts...) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// syncDirectories has the directories and histories read: we may not have been there to
// be told.
func (s *Service) syncDirectories(ctx context.Context) error {
	if len(s.chats) == 0 {
		return nil
	}
	return errors.Join(s.jobs.Add(ctx, syncAll{}, job.Key("start")), s.jobs.Add(ctx, readAll{}, job.Key("start")))
}

// syncDirectory reads a part of an account's directory.
type syncDirectory struct {
	Account desk.AccountID
	Part    chat.Part
}

func (syncDirectory) Kind() string { return "chat.sync" }

func addSync(tx *store.Tx, at time.Time, parts ...chat.Part) error {
	for _, part := range parts {
		if err := job.Add(tx.Tx, syncDirectory{tx.Account, part}, tx.Now, job.At(at), job.Key(fmt.Sprintf("%d %s", tx.Account, part))); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) syncDirectory(ctx context.Context, _ *job.Job, a syncDirectory) error {
	return chatJob(s.readPart(ctx, a))
}

// ReadDirectory reads an account's directory to its end and returns then, for
// who cannot wait until it comes about by itself.
func (s *Service) ReadDirectory(ctx context.Context, account desk.AccountID) error {
	for _, part := range chat.Parts {
		if err := s.readPart(ctx, syncDirectory{account, part}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) readPart(ctx context.Context, a syncDirectory) error {
	return s.withChat(ctx, a.Account, func(i desk.Integration, c chat.Connector) error {
		began := s.store.Now()
		seen := map[string]bool{}
		for cursor, more := "", true; more; {
			readAt := s.store.Now()
			d, err := c.Directory(ctx, a.Part, cursor)
			if err != nil {
				return fmt.Errorf("read %s: %w", a.Part, err)
			}
			if err := s.keepPage(ctx, a.Account, i.Kind, d, readAt, seen); err != nil {
				return err
			}
			cursor, more = d.Next, d.Next != ""
		}
		if err := s.retire(ctx, a, seen, began); err != nil {
			return err
		}
		return s.store.Write(ctx, a.Account, func(tx *store.Tx) error { return tx.NoteSync(i.ID) })
	})
}

// keepPage keeps a page of the directory and notes whom it has seen.
func (s *Service) keepPage(ctx context.Context, account desk.AccountID, kind desk.IntegrationKind, d chat.Directory, readAt time.Time, seen map[string]bool) error {
	if err := s.keep(ctx, account, len(d.Users), func(tx *store.Tx, from, to int) error {
		told := desk.Each(d.Users[from:to], toldUser)
		for _, u := range told {
			seen[u.Is.ID] = true
		}
		_, err := tx.PutUsers(told, readAt)
		return err
	}); err != nil {
		return err
	}
	if err := s.keep(ctx, account, len(d.Teams), func(tx *store.Tx, from, to int) error {
		told := desk.Each(d.Teams[from:to], toldTeam)
		for _, t := range told {
			seen[t.Is.SourceID] = true
		}
		_, err := tx.PutTeams(string(kind), told, readAt)
		return err
	}); err != nil {
		return err
	}
	return s.keep(ctx, account, len(d.Channels), func(tx *store.Tx, from, to int) error {
		told := desk.Each(d.Channels[from:to], toldChannel)
		for _, c := range told {
			seen[c.Is.ID] = true
		}
		_, err := tx.PutChannels(told, readAt)
		return err
	})
}

// keep puts n things, some of them in each transaction.
func (s *Service) keep(ctx context.Context, account desk.AccountID, n int, put func(tx *store.Tx, from, to int) error) error {
	for from := 0; from < n; from += putAtOnce {
		err := s.store.Write(ctx, account, func(tx *store.Tx) error { return put(tx, from, min(from+putAtOnce, n)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// retire ends what the chat system no longer shows.
func (s *Service) retire(ctx context.Context, a syncDirectory, seen map[string]bool, began time.Time) error {
	switch a.Part {
	case chat.People:
		return s.store.RetireUsers(ctx, a.Account, seen, began)
	case chat.Teams:
		return s.store.RetireTeams(ctx, a.Account, seen, began)
	case chat.Channels:
		return s.store.RetireChannels(ctx, a.Account, seen, began)
	}
	return nil
}
