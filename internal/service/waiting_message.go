package service

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// DelayMessage has a message said in a moment as AddMessage would say it then,
// and gives what AddMessage would say of it now. Until then its author can take
// it back.
func (s *Service) DelayMessage(ctx context.Context, c Caller, id desk.RequestID, n desk.NewMessage, delay time.Duration) (desk.WaitingMessage, error) {
	if err := c.may(desk.AddMessage); err != nil {
		return desk.WaitingMessage{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (w desk.WaitingMessage, err error) {
		r, err := tx.Request(id, c.reach(desk.AddMessage))
		if err != nil {
			return w, err
		}
		n := n // this may run again
		if err := withTaken(tx, c.Actor, &n); err != nil {
			return w, err
		}
		m, err := newMessage(tx, c.Actor, r, n)
		if err != nil {
			return w, err
		}
		room, err := tx.HasRoomForWaiting(c.Actor.ID)
		if err != nil {
			return w, err
		}
		if !room {
			return w, desk.Errorf(desk.Refused, "You have %d messages that wait or could not be sent, which is the most. Take one back first.", desk.MostWaiting)
		}
		w = desk.WaitingMessage{Request: id, By: c.Actor, HTML: m.HTML, Thread: n.Thread, Private: n.Private, AsBot: n.AsBot, State: n.State,
			CreatedAt: tx.Now, SendAt: tx.Now.Add(delay)}
		if err := tx.AddWaitingMessage(&w, n.Files); err != nil {
			return w, err
		}
		if err := job.Add(tx.Tx, sendWaiting{tx.Account, w.ID}, tx.Now, job.At(w.SendAt)); err != nil {
			return w, err
		}
		return w, tx.Record(waitingChange(c.Actor, "waiting_message.created", nil, &w))
	})
}

// withTaken adds to a message the files of those that its author has taken back.
// What is wrong with them is said in its turn, after what is wrong with the
// request.
func withTaken(tx *store.Tx, by desk.Actor, n *desk.NewMessage) error {
	if n.Problem != nil || len(n.Taken) == 0 {
		return nil
	}
	if len(n.Files)+len(n.Taken) > desk.MostFiles {
		n.Problem = desk.TooManyFiles("attachment_ids")
		return nil
	}
	taken, err := tx.TakenFiles(by.ID, n.Taken)
	if err != nil {
		return err
	}
	n.Files = slices.Clone(n.Files)
	for _, id := range n.Taken {
		at := slices.IndexFunc(taken, func(f desk.WaitingFile) bool { return f.ID == id })
		if at < 0 {
			var p desk.Problems
			p.Add("attachment_ids", "must be files of messages that you have taken back, each once; %d is not", id)
			n.Problem = p.Err()
			return nil
		}
		n.Files = append(n.Files, taken[at].NewFile)
		taken = slices.Delete(taken, at, at+1)
	}
	return nil
}

// WaitingMessages are the caller's in a request: those that are to be said, and
// those that could not be.
func (s *Service) WaitingMessages(ctx context.Context, c Caller, id desk.RequestID) ([]desk.WaitingMessage, error) {
	if err := c.may(desk.ListWaiting); err != nil {
		return nil, err
	}
	return read(ctx, s, c, func(tx *store.Tx) ([]desk.WaitingMessage, error) {
		if err := tx.HasRequest(id, c.reach(desk.ListWaiting)); err != nil {
			return nil, err
		}
		return tx.WaitingMessages(id, c.Actor.ID)
	})
}

// TakeBackMessage takes a message of the caller's back that has not been said. It
// gives Refused for one that has.
func (s *Service) TakeBackMessage(ctx context.Context, c Caller, id desk.RequestID, message desk.WaitingMessageID) (desk.WaitingMessage, error) {
	if err := c.may(desk.TakeBackMessage); err != nil {
		return desk.WaitingMessage{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (w desk.WaitingMessage, err error) {
		// Whether they still have the request or not: what they have written is theirs.
		w, err = tx.WaitingMessage(message)
		switch {
		case err != nil:
			return w, err
		case w.By.ID != c.Actor.ID || w.Request != id || w.TakenAt != nil:
			return w, desk.Missing("Waiting message")
		case w.SentAs != nil:
			return w, desk.ErrSent
		}
		if err := tx.TakeBack(w.ID); err != nil {
			return w, err
		}
		return w, tx.Record(waitingChange(c.Actor, "waiting_message.deleted", &w, nil))
	})
}

// sendWaiting says a message whose time has come.
type sendWaiting struct {
	Account desk.AccountID
	Message desk.WaitingMessageID
}

func (sendWaiting) Kind() string { return "message.send" }

// sendWaiting says it in one transaction with the mark that it was said, so that
// it is said once; who takes it back meanwhile comes before or after that. What
// has become impossible is kept, with the reason, for its author to see.
func (s *Service) sendWaiting(ctx context.Context, _ *job.Job, a sendWaiting) error {
	err := s.store.Write(ctx, a.Account, func(tx *store.Tx) error {
		w, err := tx.WaitingMessage(a.Message)
		switch {
		case desk.KindOf(err) == desk.NotFound:
			return nil // it was taken back, long ago
		case err != nil:
			return err
		case w.SentAs != nil || w.TakenAt != nil || w.Failure != "":
			return nil
		case w.SendAt.After(tx.Now):
			return job.Snooze(w.SendAt.Sub(tx.Now))
		}
		by, reach, err := authorOf(tx, w)
		if err != nil {
			return err
		}
		m, err := s.addMessage(tx, by, reach, w.Request, w.New())
		if err != nil {
			return err
		}
		return tx.SetSent(w.ID, m.ID)
	})
	var why *desk.Error
	if errors.As(err, &why) && slices.Contains([]desk.Kind{desk.Refused, desk.NotFound, desk.Forbidden, desk.Invalid}, why.Kind) {
		return s.store.Write(ctx, a.Account, func(tx *store.Tx) error { return tx.SetFailed(a.Message, why.Message) })
	}
	return err
}

// authorOf returns the author of a waiting message and what they reach now. It gives
// Refused or Forbidden if they may no longer send it.
func authorOf(tx *store.Tx, w desk.WaitingMessage) (by desk.Actor, reach desk.Reach, err error) {
	m, err := tx.Member(w.By.ID)
	if desk.KindOf(err) == desk.NotFound {
		return by, reach, desk.Errorf(desk.Refused, "Its author is no longer a member.")
	}
	if err != nil {
		return by, reach, err
	}
	by = w.By
	by.Name, by.Email = m.Name, m.Email
	return by, desk.ReachFor(desk.AddMessage, m.Role, m.Collections), desk.May(desk.AddMessage, m.Role, desk.ReadWrite)
}

func waitingChange(by desk.Actor, action string, before, after *desk.WaitingMessage) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "WaitingMessage"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}

// sweepWaiting forgets messages that were said or taken back, and files that
// nobody has sent after all.
type sweepWaiting struct{}

func (sweepWaiting) Kind() string { return "message.sweep" }

func (s *Service) sweepWaiting(ctx context.Context, _ *job.Job, _ sweepWaiting) error {
	accounts, err := s.store.Accounts(ctx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if err := s.store.Write(ctx, a, func(tx *store.Tx) error { return tx.SweepWaiting(tx.Now.Add(-desk.KeptTaken)) }); err != nil {
			return err
		}
	}
	return nil
}
