package change

import (
	"fmt"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/heard"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// SyncSettle is how long to wait after an event before reading a part of the
// directory, because changes come in bursts.
const SyncSettle = 2 * time.Second

// SyncDirectory is a job that reads a part of an account's directory from the chat
// system.
type SyncDirectory struct {
	Account desk.AccountID
	Part    chat.Part
}

func (SyncDirectory) Kind() string { return "chat.sync" }

// SyncDirectoryAt queues jobs that read parts of the directory at a time.
func SyncDirectoryAt(tx *store.Tx, at time.Time, parts ...chat.Part) error {
	for _, part := range parts {
		if err := job.Add(tx.Tx, SyncDirectory{tx.Account, part}, tx.Now, job.At(at), job.Key(fmt.Sprintf("%d %s", tx.Account, part))); err != nil {
			return err
		}
	}
	return nil
}

// SyncIfInDoubt queues a read of a part of the directory if an event left doubt
// about it. It returns err if that is not nil.
func SyncIfInDoubt(tx *store.Tx, part chat.Part, doubt bool, err error) error {
	if err != nil || !doubt {
		return err
	}
	return SyncDirectoryAt(tx, tx.Now.Add(SyncSettle), part)
}

// ChannelFromChat returns a channel of the chat system as the store keeps it.
func ChannelFromChat(c chat.Channel) store.Report[desk.Channel] {
	return store.Report[desk.Channel]{Revision: c.Revision, Is: desk.Channel{
		ID: desk.CleanText(c.ID), Name: desk.CleanText(c.Name), Private: c.Private, Archived: c.Archived, BotMember: c.Member}}
}

// JoinChannel is a job that makes our bot a member of a channel. Only members
// receive what is written there.
type JoinChannel struct {
	Account desk.AccountID `json:"account"`
	Channel string         `json:"channel"`
}

func (JoinChannel) Kind() string { return "channel.join" }

// JoinChannelSoon lets the bot join a channel after the commit. Messages from now on
// are ours to read, even those that the chat system does not report to us.
func JoinChannelSoon(tx *store.Tx, channel string) error {
	if err := heard.BeginReading(tx, channel); err != nil {
		return err
	}
	return job.Add(tx.Tx, JoinChannel{tx.Account, channel}, tx.Now, job.Key(fmt.Sprintf("%d %s", tx.Account, channel)))
}
