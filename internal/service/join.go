package service

import (
	"context"
	"fmt"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// joinChannel has the bot become a member of a channel: what is written there
// reaches us only then.
type joinChannel struct {
	Account desk.AccountID `json:"account"`
	Channel string         `json:"channel"`
}

func (joinChannel) Kind() string { return "channel.join" }

// joinChannel asks for it, after the commit. What is said there from now on is
// ours, also what nobody tells us.
func (s *Service) joinChannel(tx *store.Tx, channel string) error {
	if err := tx.BeginReading(channel); err != nil {
		return err
	}
	args := joinChannel{Account: tx.Account, Channel: channel}
	return job.Add(tx.Tx, args, tx.Now, job.Key(fmt.Sprintf("%d %s", tx.Account, channel)))
}

func (s *Service) becomeMember(ctx context.Context, _ *job.Job, a joinChannel) error {
	err := s.withChat(ctx, a.Account, func(_ desk.Integration, c chat.Connector) error { return c.Join(ctx, a.Channel) })
	switch desk.KindOf(err) {
	case desk.Forbidden, desk.NotFound, desk.Invalid:
		// Somebody there must invite the bot. The channel says that it is no
		// member, and an event tells when it is.
		s.log.Warn("the bot cannot join a channel", "account", int64(a.Account), "channel", a.Channel, "error", err)
		return nil
	}
	if err != nil {
		return chatJob(err)
	}
	return s.store.Write(ctx, a.Account, func(tx *store.Tx) error { return addSync(tx, tx.Now, chat.Channels) })
}
