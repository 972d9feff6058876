package outside

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

const (
	// MostFound is how many channels one operation looks up. Callers who name more
	// new channels must wait until the directory has them.
	MostFound = 10
	// findTime is how long the look-ups may take together.
	findTime = 5 * time.Second
)

// FindChannels looks up channels in the chat system that the directory does not
// have. The directory is seconds behind, and somebody may have just created them.
// It saves the channels that it finds in the directory and reports whether there
// were any. It may have found some although it also returns an error. An account
// without a chat system has none.
func (s *Systems) FindChannels(ctx context.Context, account desk.AccountID, ids []string) (found bool, err error) {
	asking, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	var told []store.Report[desk.Channel]
	readAt := s.Store.Now()
	err = s.WithChat(asking, account, func(_ desk.Integration, c chat.Connector) error {
		finder, ok := c.(chat.Finder)
		if !ok {
			return nil
		}
		for _, id := range ids[:min(len(ids), MostFound)] {
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
	if desk.KindOf(err) == desk.Refused { // there is no chat system
		err = nil
	}
	if len(told) == 0 {
		return false, err
	}
	saved := s.Store.Write(ctx, account, func(tx *store.Tx) error {
		doubt, err := tx.PutChannels(told, readAt)
		return change.SyncIfInDoubt(tx, chat.Channels, doubt, err)
	})
	if saved != nil {
		saved = fmt.Errorf("save channels that were looked up: %w", saved)
	}
	return saved == nil, errors.Join(err, saved)
}
