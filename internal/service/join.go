package service

import (
	"fmt"

	"frontdesk/internal/change"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// joinChannel asks for it, after the commit. What is said there from now on is
// ours, also what nobody tells us.
func (s *Service) joinChannel(tx *store.Tx, channel string) error {
	if err := tx.BeginReading(channel); err != nil {
		return err
	}
	args := change.JoinChannel{Account: tx.Account, Channel: channel}
	return job.Add(tx.Tx, args, tx.Now, job.Key(fmt.Sprintf("%d %s", tx.Account, channel)))
}
