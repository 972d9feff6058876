package change

import (
	"crypto/rand"
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// What a request is to show in the chat system are rows, written with the change
// that wants them. One job a request brings the chat system in line with them,
// one after the other, so that a thread reads in the order in which things were
// said. Whoever does holds the request for longer than a call can last: the next
// one knows that whatever an earlier try did has been done.

// MostPosted is how long one message of ours may be; a longer one is split.
const MostPosted = 4000

// PostRequest brings what the chat system shows of a request in line.
type PostRequest struct {
	Account desk.AccountID
	Request desk.RequestID
}

func (PostRequest) Kind() string { return "request.tell" }

func requestKey(account desk.AccountID, id desk.RequestID) string {
	return fmt.Sprintf("%d %d", account, id)
}

// AddCard has a request shown in its collection's triage channel, if it has one.
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

// UsersToNotify are those who are to hear of a new request: who answers in its
// collection and has not muted it. Whether they are there, the chat system knows.
func UsersToNotify(tx *store.Tx, col desk.Collection, most int) ([]string, error) {
	users, err := tx.ResponderIDs(col)
	if err != nil {
		return nil, err
	}
	muted, err := tx.MutedUsers(col.ID)
	users = slices.DeleteFunc(users, func(u string) bool { return muted[u] })
	return users[:min(len(users), most)], err
}

func NameOf(r desk.Requester) string {
	for _, name := range []string{r.Name, r.Email, r.User} {
		if name != "" {
			return name
		}
	}
	return "somebody"
}
