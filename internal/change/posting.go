package change

import (
	"crypto/rand"
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Everything that a request shows in the chat system is a row, written in the
// transaction of the change that causes it. One job for each request posts the
// pending rows one after the other, so that a thread reads in the order in which
// things were said. The job holds the request for longer than a call can last. So
// whoever gets the hold next knows that the calls of an earlier attempt have ended.

// MostPosted is how many characters a message of ours may have. A longer one is
// split.
const MostPosted = 4000

// PostRequest is a job that posts what is pending for a request in the chat system.
type PostRequest struct {
	Account desk.AccountID
	Request desk.RequestID
}

func (PostRequest) Kind() string { return "request.tell" }

func requestKey(account desk.AccountID, id desk.RequestID) string {
	return fmt.Sprintf("%d %d", account, id)
}

// AddCard queues a card for a request in its collection's triage channel. It does
// nothing if the collection has no triage channel or the request has a card.
func AddCard(tx *store.Tx, col desk.Collection, id desk.RequestID) error {
	if col.TriageChannel == nil {
		return nil
	}
	if has, err := tx.HasCard(id); err != nil || has {
		return err
	}
	if err := tx.AddPosting(desk.Posting{Request: id, Kind: desk.PostedCard, Place: desk.InTriage, AsBot: true}, rand.Text()); err != nil {
		return err
	}
	return PostSoon(tx, id)
}

// UsersToNotify returns up to most users to notify of a new request: the responders
// of its collection who have not muted it. Only the chat system knows whether they
// are online.
func UsersToNotify(tx *store.Tx, col desk.Collection, most int) ([]string, error) {
	users, err := tx.ResponderIDs(col)
	if err != nil {
		return nil, err
	}
	muted, err := tx.MutedUsers(col.ID)
	users = slices.DeleteFunc(users, func(u string) bool { return muted[u] })
	return users[:min(len(users), most)], err
}

// RequesterName returns the name of a requester, or else their email or user id. It
// returns "somebody" if all are empty.
func RequesterName(r desk.Requester) string {
	for _, name := range []string{r.Name, r.Email, r.User} {
		if name != "" {
			return name
		}
	}
	return "somebody"
}

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
	if err := AddCard(tx, col, r.ID); err != nil {
		return err
	}
	if col.Notify == desk.NotifyDirect {
		users, err := UsersToNotify(tx, col, mostNotified)
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
	return PostSoon(tx, r.ID)
}
