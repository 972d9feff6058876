package service

import (
	"fmt"

	"frontdesk/internal/change"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// joinChannel lets the bot join a channel after the commit. Messages from now on
// are ours to read, even those that the chat system does not report to us.
func (s *Service) joinChannel(tx *store.Tx, channel string) error {
	if err := tx.BeginReading(channel); err != nil {
		return err
	}
	args := change.JoinChannel{Account: tx.Account, Channel: channel}
	return job.Add(tx.Tx, args, tx.Now, job.Key(fmt.Sprintf("%d %s", tx.Account, channel)))
}
