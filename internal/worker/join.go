package worker

import (
	"context"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

func (w *Worker) joinChannel(ctx context.Context, _ *job.Job, a change.JoinChannel) error {
	err := w.outside.WithChat(ctx, a.Account, func(_ desk.Integration, c chat.Connector) error { return c.Join(ctx, a.Channel) })
	switch desk.KindOf(err) {
	case desk.Forbidden, desk.NotFound, desk.Invalid:
		// Somebody in the channel must invite the bot. Until then the channel shows that
		// the bot is not a member. An event reports when it is.
		w.log.Warn("the bot cannot join a channel", "account", int64(a.Account), "channel", a.Channel, "error", err)
		return nil
	}
	if err != nil {
		return chatJob(err)
	}
	return w.store.Write(ctx, a.Account, func(tx *store.Tx) error { return change.SyncDirectoryAt(tx, tx.Now, chat.Channels) })
}
