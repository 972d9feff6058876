package service

import (
	"context"
	"strconv"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// DelayMessage adds a message after a delay, as AddMessage would add it then. It
// returns the errors that AddMessage would return now. Until then the author can
// take the message back.
func (s *Service) DelayMessage(ctx context.Context, c Caller, id desk.RequestID, n desk.NewMessage, delay time.Duration) (desk.WaitingMessage, error) {
	if err := c.may(desk.AddMessage); err != nil {
		return desk.WaitingMessage{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (w desk.WaitingMessage, err error) {
		r, err := tx.Request(id, c.reach(desk.AddMessage))
		if err != nil {
			return w, err
		}
		n := n // the transaction may run again
		if err := change.AddTakenFiles(tx, c.Actor, &n); err != nil {
			return w, err
		}
		m, err := change.NewMessage(tx, c.Actor, r, n)
		if err != nil {
			return w, err
		}
		room, err := tx.HasRoomForWaiting(c.Actor.ID)
		if err != nil {
			return w, err
		}
		if !room {
			return w, desk.Errorf(desk.Refused, "You have %d messages that are waiting or could not be sent, which is the limit. Take one back first.", desk.MostWaiting)
		}
		w = desk.WaitingMessage{Request: id, By: c.Actor, HTML: m.HTML, Thread: n.Thread, Private: n.Private, AsBot: n.AsBot, State: n.State,
			CreatedAt: tx.Now, SendAt: tx.Now.Add(delay)}
		if err := tx.AddWaitingMessage(&w, n.Files); err != nil {
			return w, err
		}
		if err := job.Add(tx.Tx, change.SendWaitingMessage{Account: tx.Account, Message: w.ID}, tx.Now, job.At(w.SendAt)); err != nil {
			return w, err
		}
		return w, tx.Record(waitingChange(c.Actor, "waiting_message.created", nil, &w))
	})
}

// WaitingMessages returns the caller's messages in a request that wait to be sent,
// and those that could not be sent.
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

// TakeBackMessage takes back a message of the caller that has not been sent. It
// returns Refused if it has been.
func (s *Service) TakeBackMessage(ctx context.Context, c Caller, id desk.RequestID, message desk.WaitingMessageID) (desk.WaitingMessage, error) {
	if err := c.may(desk.TakeBackMessage); err != nil {
		return desk.WaitingMessage{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (w desk.WaitingMessage, err error) {
		// The author may do this even if they can no longer see the request: what
		// they wrote is theirs.
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
