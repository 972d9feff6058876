package service

import (
	"context"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Receive takes what a chat system tells us. When it returns nil, what follows
// from it is on disk. The same event may come several times, late or out of
// order; one of a workspace that no account is connected to is nobody's.
func (s *Service) Receive(ctx context.Context, e chat.Event) error {
	c, ok, err := s.store.ChatOf(ctx, desk.IntegrationKind(e.System), e.Workspace)
	if err != nil || !ok {
		return err
	}
	switch {
	case e.Lost != nil:
		return s.beLost(ctx, c.Account, e.Workspace, *e.Lost)
	case e.Changed != nil:
		return s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return addSync(tx, tx.Now.Add(syncSettle), e.Changed.Part) })
	case e.Message != nil:
		return s.hear(ctx, c, *e.Message)
	case e.Removed != nil:
		return s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return s.remove(tx, *e.Removed) })
	case e.Reacted != nil:
		re := desk.Reaction{Channel: e.Reacted.Channel, Message: e.Reacted.ID, User: desk.CleanText(e.Reacted.User), Emoji: desk.EmojiName(desk.CleanText(e.Reacted.Emoji)), On: e.Reacted.On, At: e.At}
		return s.store.Write(ctx, c.Account, func(tx *store.Tx) error { return s.react(tx, re) })
	case e.Action != nil:
		return s.press(ctx, c, *e.Action)
	case e.Submission != nil:
		return s.submit(ctx, c, *e.Submission)
	case e.User != nil:
		return s.store.Write(ctx, c.Account, func(tx *store.Tx) error {
			doubt, err := tx.PutUsers([]store.Told[desk.User]{toldUser(*e.User)}, time.Time{})
			return settle(tx, chat.People, doubt, err)
		})
	case e.Team != nil:
		return s.store.Write(ctx, c.Account, func(tx *store.Tx) error {
			doubt, err := tx.PutTeams(e.System, []store.Told[desk.Team]{toldTeam(*e.Team)}, time.Time{})
			return settle(tx, chat.Teams, doubt, err)
		})
	}
	return nil
}

// settle has a part of the directory read where an event left a doubt.
func settle(tx *store.Tx, part chat.Part, doubt bool, err error) error {
	if err != nil || !doubt {
		return err
	}
	return addSync(tx, tx.Now.Add(syncSettle), part)
}

func toldUser(u chat.User) store.Told[desk.User] {
	return store.Told[desk.User]{Revision: u.Revision, Is: desk.User{
		ID: desk.CleanText(u.ID), Name: desk.CleanText(u.Name), Email: desk.CleanText(u.Email), Avatar: desk.CleanText(u.Avatar), Deleted: u.Deleted, IsBot: u.IsBot, External: u.External}}
}

func toldTeam(t chat.Team) store.Told[desk.Team] {
	told := store.Told[desk.Team]{Revision: t.Revision, Is: desk.Team{Name: desk.CleanText(t.Name), SourceID: desk.CleanText(t.ID), Active: t.Active}}
	for _, user := range t.Members {
		told.Is.Members = append(told.Is.Members, desk.TeamMember{User: desk.CleanText(user)})
	}
	return told
}

func toldChannel(c chat.Channel) store.Told[desk.Channel] {
	return store.Told[desk.Channel]{Revision: c.Revision, Is: desk.Channel{
		ID: desk.CleanText(c.ID), Name: desk.CleanText(c.Name), Private: c.Private, Archived: c.Archived, BotMember: c.Member}}
}
