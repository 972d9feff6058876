package change

import (
	"fmt"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// SyncSettle is how long to wait after an event before reading a part of the
// directory, because changes come in bursts.
const SyncSettle = 2 * time.Second

// SyncDirectory reads a part of an account's directory.
type SyncDirectory struct {
	Account desk.AccountID
	Part    chat.Part
}

func (SyncDirectory) Kind() string { return "chat.sync" }

func SyncDirectorySoon(tx *store.Tx, at time.Time, parts ...chat.Part) error {
	for _, part := range parts {
		if err := job.Add(tx.Tx, SyncDirectory{tx.Account, part}, tx.Now, job.At(at), job.Key(fmt.Sprintf("%d %s", tx.Account, part))); err != nil {
			return err
		}
	}
	return nil
}

// SyncIfInDoubt has a part of the directory read where an event left a doubt.
func SyncIfInDoubt(tx *store.Tx, part chat.Part, doubt bool, err error) error {
	if err != nil || !doubt {
		return err
	}
	return SyncDirectorySoon(tx, tx.Now.Add(SyncSettle), part)
}

func ChannelFromChat(c chat.Channel) store.Told[desk.Channel] {
	return store.Told[desk.Channel]{Revision: c.Revision, Is: desk.Channel{
		ID: desk.CleanText(c.ID), Name: desk.CleanText(c.Name), Private: c.Private, Archived: c.Archived, BotMember: c.Member}}
}

// JoinChannel has the bot become a member of a channel: what is written there
// reaches us only then.
type JoinChannel struct {
	Account desk.AccountID `json:"account"`
	Channel string         `json:"channel"`
}

func (JoinChannel) Kind() string { return "channel.join" }
