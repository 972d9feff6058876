package service

import (
	"crypto/rand"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// mostNotified is how many people are notified one by one at most.
const mostNotified = 50

// postNew shows a request that did not come from the chat system there: at the
// start of its thread, in triage, and to the people to notify.
func postNew(tx *store.Tx, col desk.Collection, r desk.Request) error {
	shown := false
	show := func(p desk.Posting) error {
		p.Request, p.AsBot, shown = r.ID, true, true
		return tx.AddPosting(p, rand.Text())
	}
	if r.Channel != nil {
		if err := show(desk.Posting{Kind: desk.PostedRoot, Place: desk.InThread}); err != nil {
			return err
		}
	}
	if err := change.AddCard(tx, col, r.ID); err != nil {
		return err
	}
	if col.Notify == desk.NotifyDirect {
		users, err := change.UsersToNotify(tx, col, mostNotified)
		if err != nil {
			return err
		}
		for _, user := range users {
			if err := show(desk.Posting{Kind: desk.PostedNotice, Place: desk.Directly, User: user}); err != nil {
				return err
			}
		}
	}
	if !shown {
		return nil
	}
	return change.PostSoon(tx, r.ID)
}
