package service

import (
	"context"
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
	return write(ctx, s, c, desk.AddMessage, func(tx *store.Tx) (w desk.WaitingMessage, err error) {
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
		w = desk.WaitingMessage{Request: id, By: c.Actor, HTML: m.HTML, Thread: n.Thread, Private: n.Private, AsBot: n.AsBot, State: n.State,
			CreatedAt: tx.Now, SendAt: tx.Now.Add(delay)}
		if err := tx.CheckRoom(w); err != nil {
			return w, err
		}
		if err := tx.AddWaitingMessage(&w, n.Files); err != nil {
			return w, err
		}
		if err := job.Add(tx.Tx, change.SendWaitingMessage{Account: tx.Account, Message: w.ID}, tx.Now, job.At(w.SendAt)); err != nil {
			return w, err
		}
		return w, change.Record(tx, c.Actor, "waiting_message.created", nil, w)
	})
}

// WaitingMessages returns the caller's messages in a request that wait to be sent,
// and those that could not be sent.
func (s *Service) WaitingMessages(ctx context.Context, c Caller, id desk.RequestID) ([]desk.WaitingMessage, error) {
	return read(ctx, s, c, desk.ListWaiting, func(tx *store.Tx) ([]desk.WaitingMessage, error) {
		if err := tx.HasRequest(id, c.reach(desk.ListWaiting)); err != nil {
			return nil, err
		}
		return tx.WaitingMessages(id, c.Actor.ID)
	})
}

// TakeBackMessage takes back a message of the caller that has not been sent. It
// returns Refused if it has been.
func (s *Service) TakeBackMessage(ctx context.Context, c Caller, id desk.RequestID, message desk.WaitingMessageID) (desk.WaitingMessage, error) {
	return write(ctx, s, c, desk.TakeBackMessage, func(tx *store.Tx) (w desk.WaitingMessage, err error) {
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
		return w, change.Record(tx, c.Actor, "waiting_message.deleted", w, nil)
	})
}
