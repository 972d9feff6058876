package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"html"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/markup"
	"frontdesk/internal/store"
)

// notifyAdminsSoon queues a notice to each admin whom the chat system knows.
func notifyAdminsSoon(tx *store.Tx, text string) error {
	users, err := tx.AdminUsers()
	if err != nil {
		return err
	}
	body := markup.Sanitize("<p>" + html.EscapeString(text) + "</p>")
	for _, user := range users {
		if err := job.Add(tx.Tx, change.NotifyUser{Account: tx.Account, User: user, HTML: body, Mark: rand.Text()}, tx.Now); err != nil {
			return err
		}
	}
	return nil
}

func (w *Worker) notifyUser(ctx context.Context, j *job.Job, a change.NotifyUser) error {
	const most = 10 * time.Second // less than the lease, so that nobody else tries at the same time
	return chatJob(w.outside.WithChat(ctx, a.Account, func(_ desk.Integration, c chat.Connector) error {
		ctx, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		p := chat.Post{User: a.User, Content: chat.Content{HTML: a.HTML, Footer: a.Footer}, As: a.As, Unfurl: a.Unfurl, Mark: a.Mark}
		if j.Attempt > 1 {
			p.Tried = j.CreatedAt
		}
		_, err := c.Post(ctx, p)
		switch kind := desk.KindOf(err); {
		case err == nil, errors.Is(err, chat.ErrLost), kind == desk.Unavailable, kind == desk.Busy, kind == desk.Internal:
			return err
		}
		w.log.Warn("a notice could not be posted", "account", int64(a.Account), "user", a.User, "reason", err)
		return nil
	}))
}
