package service

import (
	"fmt"

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

// joinChannel asks for it, after the commit.
func (s *Service) joinChannel(tx *store.Tx, channel string) error {
	args := joinChannel{Account: tx.Account, Channel: channel}
	return job.Add(tx.Tx, args, tx.Now, job.Key(fmt.Sprintf("%d %s", tx.Account, channel)))
}
