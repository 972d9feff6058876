package worker

import (
	"context"
	"time"

	"frontdesk/internal/change"
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Receive handles an event of a chat system. When it returns nil, what follows from
// the event is on disk. The same event may come several times, late or out of
// order. An event of a workspace that no account is connected to is ignored.
func (w *Worker) Receive(ctx context.Context, e chat.Event) error {
	c, ok, err := w.store.ChatOf(ctx, desk.IntegrationKind(e.System), e.Workspace)
	if err != nil || !ok {
		return err
	}
	switch {
	case e.Lost != nil:
		return w.takeLoss(ctx, c.Account, e.Workspace, *e.Lost)
	case e.Changed != nil:
		return w.store.Write(ctx, c.Account, func(tx *store.Tx) error {
			return change.SyncDirectoryAt(tx, tx.Now.Add(change.SyncSettle), e.Changed.Part)
		})
	case e.Message != nil:
		return w.takeEventMessage(ctx, c, *e.Message)
	case e.Removed != nil:
		return w.store.Write(ctx, c.Account, func(tx *store.Tx) error { return w.removeMessage(tx, *e.Removed) })
	case e.Reacted != nil:
		re := desk.Reaction{Channel: e.Reacted.Channel, Message: e.Reacted.ID, User: desk.CleanText(e.Reacted.User), Emoji: desk.EmojiName(desk.CleanText(e.Reacted.Emoji)), On: e.Reacted.On, At: e.At}
		return w.store.Write(ctx, c.Account, func(tx *store.Tx) error { return w.takeReaction(tx, re) })
	case e.Action != nil:
		return w.pressButton(ctx, c, *e.Action)
	case e.Submission != nil:
		return w.submitForm(ctx, c, *e.Submission)
	case e.User != nil:
		return w.store.Write(ctx, c.Account, func(tx *store.Tx) error {
			doubt, err := tx.PutUsers([]store.Report[desk.User]{userFromChat(*e.User)}, time.Time{})
			return change.SyncIfInDoubt(tx, chat.People, doubt, err)
		})
	case e.Team != nil:
		return w.store.Write(ctx, c.Account, func(tx *store.Tx) error {
			doubt, err := tx.PutTeams(e.System, []store.Report[desk.Team]{teamFromChat(*e.Team)}, time.Time{})
			return change.SyncIfInDoubt(tx, chat.Teams, doubt, err)
		})
	}
	return nil
}

func userFromChat(u chat.User) store.Report[desk.User] {
	return store.Report[desk.User]{Revision: u.Revision, Is: desk.User{
		ID: desk.CleanText(u.ID), Name: desk.CleanText(u.Name), Email: desk.CleanText(u.Email), Avatar: desk.CleanText(u.Avatar), Deleted: u.Deleted, IsBot: u.IsBot, External: u.External}}
}

func teamFromChat(t chat.Team) store.Report[desk.Team] {
	told := store.Report[desk.Team]{Revision: t.Revision, Is: desk.Team{Name: desk.CleanText(t.Name), SourceID: desk.CleanText(t.ID), Active: t.Active}}
	for _, user := range t.Members {
		told.Is.Members = append(told.Is.Members, desk.TeamMember{User: desk.CleanText(user)})
	}
	return told
}
