package service

import (
	"context"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

const (
	// mostFound is how many channels one operation looks up. Callers who name more
	// new channels must wait until the directory has them.
	mostFound = 10
	// findTime is how long the look-ups may take together.
	findTime = 5 * time.Second
)

// findChannels looks up channels in the chat system that the directory does not
// have. The directory is seconds behind, and somebody may have just created them.
// It saves the channels that it finds in the directory and reports whether there
// were any. If it cannot ask the chat system, it finds nothing, and the operation
// is refused as it would have been.
func (s *Service) findChannels(ctx context.Context, account desk.AccountID, ids []string) bool {
	asking, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	var told []store.Report[desk.Channel]
	readAt := s.store.Now()
	err := s.outside.WithChat(asking, account, func(_ desk.Integration, c chat.Connector) error {
		finder, ok := c.(chat.Finder)
		if !ok {
			return nil
		}
		for _, id := range ids[:min(len(ids), mostFound)] {
			ch, err := finder.Channel(asking, id)
			switch {
			case desk.KindOf(err) == desk.NotFound && err != nil:
			case err != nil:
				return err
			default:
				told = append(told, change.ChannelFromChat(ch))
			}
		}
		return nil
	})
	if err != nil && desk.KindOf(err) != desk.Refused { // Refused: there is no chat system
		s.log.WarnContext(ctx, "look up channels", "account", int64(account), "error", err)
	}
	if len(told) == 0 {
		return false
	}
	err = s.store.Write(ctx, account, func(tx *store.Tx) error {
		doubt, err := tx.PutChannels(told, readAt)
		return change.SyncIfInDoubt(tx, chat.Channels, doubt, err)
	})
	if err != nil {
		s.log.WarnContext(ctx, "save channels that were looked up", "account", int64(account), "error", err)
	}
	return err == nil
}
