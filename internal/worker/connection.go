package worker

import (
	"context"
	"errors"
	"strconv"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// checkConnection is a job that checks whether the chat system still accepts our
// credential. An event about a lost connection may come late, after somebody
// connected again. So only the answer to a call counts.
type checkConnection struct{ Account desk.AccountID }

func (checkConnection) Kind() string { return "chat.check" }

func (w *Worker) checkConnection(ctx context.Context, _ *job.Job, a checkConnection) error {
	return chatJob(w.outside.WithChat(ctx, a.Account, func(_ desk.Integration, c chat.Connector) error {
		_, err := c.Directory(ctx, chat.Teams, "")
		return err
	}))
}

// takeLoss handles an event that says that the chat system revoked our access, or
// that of some users.
func (w *Worker) takeLoss(ctx context.Context, account desk.AccountID, workspace string, lost chat.Lost) error {
	return w.store.Write(ctx, account, func(tx *store.Tx) error {
		if len(lost.Users) == 0 {
			return job.Add(tx.Tx, checkConnection{account}, tx.Now, job.Key(strconv.FormatInt(int64(account), 10)))
		}
		i, err := tx.Chat()
		if errors.Is(err, desk.ErrNotConnected) || err == nil && i.ExternalID != workspace {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.ForgetCredentials(i.ID, lost.Users...)
	})
}

// chatJob turns the result of a job that talks to a chat system into one that the
// runner understands. A lost or missing connection ends the job without an error.
func chatJob(err error) error {
	var e *desk.Error
	switch {
	case errors.Is(err, desk.ErrNotConnected), errors.Is(err, chat.ErrLost):
		return nil // connecting again queues the work again
	case errors.As(err, &e) && e.Kind == desk.Busy:
		return job.Snooze(e.RetryAfter)
	}
	return err
}
