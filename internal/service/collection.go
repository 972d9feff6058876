package service

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Collections is a page of the collections that the caller has, with their
// channels where those are wanted.
func (s *Service) Collections(ctx context.Context, c Caller, p desk.Page, withChannels bool) (desk.List[desk.Collection], error) {
	if err := c.may(desk.ListCollections); err != nil {
		return desk.List[desk.Collection]{}, err
	}
	return read(ctx, s, c, func(tx *store.Tx) (desk.List[desk.Collection], error) {
		l, err := tx.Collections(c.reach(desk.ListCollections), p)
		if err == nil && withChannels {
			err = addChannels(tx, l.Items)
		}
		return l, err
	})
}

// Collection is one of the collections that the caller has. Another is as if it
// did not exist.
func (s *Service) Collection(ctx context.Context, c Caller, id desk.CollectionID, withChannels bool) (desk.Collection, error) {
	if err := c.may(desk.GetCollection); err != nil {
		return desk.Collection{}, err
	}
	if !c.reach(desk.GetCollection).Has(id) {
		return desk.Collection{}, desk.Missing("Collection")
	}
	return read(ctx, s, c, func(tx *store.Tx) (desk.Collection, error) {
		col, err := tx.Collection(id)
		if err != nil || !withChannels {
			return col, err
		}
		one := []desk.Collection{col}
		err = addChannels(tx, one)
		return one[0], err
	})
}

// addChannels reads the channels of collections, of all of them at once. The
// request channel of a collection is the one that it has.
func addChannels(tx *store.Tx, all []desk.Collection) error {
	place := make(map[desk.CollectionID]*desk.Collection, len(all))
	ids := make([]desk.CollectionID, len(all))
	var posted []string
	for i := range all {
		all[i].Channels = []desk.Channel{}
		ids[i], place[all[i].ID] = all[i].ID, &all[i]
		if all[i].RequestChannel != nil {
			posted = append(posted, *all[i].RequestChannel)
		}
	}
	channels, err := tx.ChannelsOf(ids)
	if err != nil {
		return err
	}
	for _, ch := range channels {
		col := place[*ch.Collection]
		col.Channels = append(col.Channels, ch)
	}
	known, err := tx.ChannelsNamed(posted)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].RequestChannel == nil {
			continue
		}
		ch, found := known[*all[i].RequestChannel]
		if !found {
			continue
		}
		// Its own place, where there is one, is from before it was the request channel.
		ch.Collection, ch.Active = &all[i].ID, !ch.Gone && !ch.Archived
		all[i].Channels = append(all[i].Channels, ch)
	}
	return nil
}

// CreateCollection adds a collection. The first API collection becomes the one
// that requests made through the API go to.
func (s *Service) CreateCollection(ctx context.Context, c Caller, n desk.NewCollection) (desk.Collection, error) {
	if err := c.may(desk.CreateCollection); err != nil {
		return desk.Collection{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (desk.Collection, error) {
		col, err := n.Collection(tx.Now)
		if err != nil {
			return col, err
		}
		if err := checkNamed(tx, desk.Collection{}, col); err != nil {
			return col, err
		}
		if col.CreatedBy, err = tx.UserIDByEmail(c.Actor.Email); err != nil {
			return col, err
		}
		if err := tx.AddCollection(&col); err != nil {
			return col, err
		}
		if err := s.joinNew(tx, desk.Collection{}, col); err != nil {
			return col, err
		}
		if err := tx.Record(collectionChange(c.Actor, "collection.created", nil, &col)); err != nil {
			return col, err
		}
		return col, s.settleAPICollection(tx, c.Actor)
	})
}

// UpdateCollection changes a collection.
func (s *Service) UpdateCollection(ctx context.Context, c Caller, id desk.CollectionID, ch desk.CollectionChange) (desk.Collection, error) {
	if err := c.may(desk.UpdateCollection); err != nil {
		return desk.Collection{}, err
	}
	return write(ctx, s, c, func(tx *store.Tx) (col desk.Collection, err error) {
		if col, err = tx.Collection(id); err != nil {
			return col, err
		}
		before := col // Apply replaces what it changes
		if err := col.Apply(ch, tx.Now); err != nil {
			return col, err
		}
		if err := checkNamed(tx, before, col); err != nil {
			return col, err
		}
		if err := tx.SaveCollection(col); err != nil {
			return col, err
		}
		if err := s.joinNew(tx, before, col); err != nil {
			return col, err
		}
		if !desk.Same(before.Schedule, col.Schedule) {
			if err := recomputeSoon(tx, nil); err != nil {
				return col, err
			}
		}
		return col, tx.Record(collectionChange(c.Actor, "collection.updated", &before, &col))
	})
}

// DeleteCollection removes a collection. Its channels leave it, members lose it
// from their lists, and another API collection takes its place.
func (s *Service) DeleteCollection(ctx context.Context, c Caller, id desk.CollectionID) (None, error) {
	if err := c.may(desk.DeleteCollection); err != nil {
		return None{}, err
	}
	none, err := write(ctx, s, c, func(tx *store.Tx) (None, error) {
		col, err := tx.Collection(id)
		if err != nil {
			return None{}, err
		}
		channels, err := tx.ChannelsOf([]desk.CollectionID{id})
		if err != nil {
			return None{}, err
		}
		members, err := tx.MembersWith(id)
		if err != nil {
			return None{}, err
		}
		if err := tx.RemoveCollection(id); err != nil {
			return None{}, err
		}
		if err := tx.Record(collectionChange(c.Actor, "collection.deleted", &col, nil)); err != nil {
			return None{}, err
		}
		if err := recordLeft(tx, c.Actor, channels); err != nil {
			return None{}, err
		}
		if err := takeFrom(tx, c.Actor, members, id); err != nil {
			return None{}, err
		}
		return None{}, s.settleAPICollection(tx, c.Actor)
	})
	if err == nil {
		s.bearers.forgetCollection(id)
	}
	return none, err
}

// recordLeft records that channels have left their collection.
func recordLeft(tx *store.Tx, by desk.Actor, channels []desk.Channel) error {
	for _, before := range channels {
		after := before
		after.Collection, after.Active = nil, false
		if err := tx.Record(channelChange(by, before, after)); err != nil {
			return err
		}
	}
	return nil
}

// takeFrom takes a collection from the lists of members.
func takeFrom(tx *store.Tx, by desk.Actor, members []desk.Member, id desk.CollectionID) error {
	for _, before := range members {
		after := before
		after.Collections, after.UpdatedAt = before.Collections.Without(id), tx.Now
		if err := tx.SaveMember(after); err != nil {
			return err
		}
		if err := tx.Record(memberChange(by, desk.MemberUpdated, &before, &after)); err != nil {
			return err
		}
	}
	return nil
}

// settleAPICollection gives the account an API collection when it has none, or
// none any more: the oldest there is.
func (s *Service) settleAPICollection(tx *store.Tx, by desk.Actor) error {
	a, err := tx.ThisAccount()
	if err != nil {
		return err
	}
	if a.APICollection != 0 {
		known, err := tx.KnownCollections([]desk.CollectionID{a.APICollection})
		if err != nil || known[a.APICollection] {
			return err
		}
	}
	before := s.withURL(a)
	after := before
	if after.APICollection, err = tx.OldestCollection(desk.APICollection); err != nil || after.APICollection == before.APICollection {
		return err
	}
	after.UpdatedAt = tx.Now
	if err := tx.SaveAccount(after); err != nil {
		return err
	}
	return tx.Record(accountChange(by, before, after))
}

// checkNamed says what is wrong with the users, teams and channels that a
// collection names and did not name before. What it named before may have gone
// since; that is no reason to refuse another change.
func checkNamed(tx *store.Tx, before, after desk.Collection) error {
	var p desk.Problems
	if err := checkOwner(tx, &p, "owner", before.Owner, after.Owner); err != nil {
		return err
	}
	for _, check := range []func(*store.Tx, *desk.Problems, desk.Collection, desk.Collection) error{checkChannels, checkResponders, checkAssignTeam, checkCollectionSchedule} {
		if err := check(tx, &p, before, after); err != nil {
			return err
		}
	}
	return p.Err()
}

func checkCollectionSchedule(tx *store.Tx, p *desk.Problems, before, after desk.Collection) error {
	return checkSchedule(tx, p, "config.schedule_id", before.Schedule, after.Schedule)
}

func checkOwner(tx *store.Tx, p *desk.Problems, field string, before, after *string) error {
	if after == nil || desk.Same(before, after) {
		return nil
	}
	users, err := tx.KnownUsers([]string{*after})
	if err == nil && !users[*after] {
		p.Add(field, notOwner)
	}
	return err
}

const notOwner = "must be a user of the chat system, neither deactivated nor a bot"

func checkChannels(tx *store.Tx, p *desk.Problems, before, after desk.Collection) error {
	type wanted struct {
		field string
		desk.ChannelUse
	}
	var all []wanted
	var ids []string
	want := func(field string, purpose desk.Purpose, before, now *string) {
		if now != nil && !desk.Same(before, now) {
			all = append(all, wanted{field, desk.ChannelUse{Channel: *now, Purpose: purpose, Collection: after.ID}})
			ids = append(ids, *now)
		}
	}
	want("request_channel_id", desk.ForRequests, before.RequestChannel, after.RequestChannel)
	want("triage_channel_id", desk.ForTriage, before.TriageChannel, after.TriageChannel)
	channels, err := tx.ChannelsNamed(ids)
	if err != nil {
		return err
	}
	uses, err := tx.ChannelUses(ids)
	if err != nil {
		return err
	}
	// What the collection itself used these channels for may be changing too;
	// that the two differ, it has checked.
	uses = slices.DeleteFunc(uses, func(u desk.ChannelUse) bool {
		return u.Collection == after.ID && u.Purpose != desk.ForMessages
	})
	for _, w := range all {
		checkUse(p, w.field, w.ChannelUse, channels[w.Channel], uses)
	}
	return nil
}

// checkUse says what is wrong with a channel that is to have a purpose. One that
// is not known has no id.
func checkUse(p *desk.Problems, field string, u desk.ChannelUse, ch desk.Channel, uses []desk.ChannelUse) {
	if problem := obstacle(u, ch, uses); problem != "" {
		p.Add(field, "%s", problem)
	}
}

// obstacle is why a channel cannot have a purpose, empty where it can.
func obstacle(u desk.ChannelUse, ch desk.Channel, uses []desk.ChannelUse) string {
	switch with, clash := u.Clash(uses); {
	case ch.ID == "" || ch.Gone:
		return notSeen
	case ch.Archived:
		return "is an archived channel"
	case clash:
		return fmt.Sprintf("is %s", with)
	}
	return ""
}

func checkResponders(tx *store.Tx, p *desk.Problems, before, after desk.Collection) error {
	fresh := func(r desk.Responder) bool { return !slices.Contains(before.Responders, r) }
	var userIDs []string
	var teamIDs []desk.TeamID
	for _, r := range after.Responders {
		switch {
		case !fresh(r):
		case r.UserID != "":
			userIDs = append(userIDs, r.UserID)
		case r.TeamID != 0:
			teamIDs = append(teamIDs, r.TeamID)
		}
	}
	users, err := tx.KnownUsers(userIDs)
	if err != nil {
		return err
	}
	teams, err := tx.KnownTeams(teamIDs)
	if err != nil {
		return err
	}
	for i, r := range after.Responders {
		field := fmt.Sprintf("config.responders[%d]", i)
		if _, known := users[r.UserID]; r.UserID != "" && !known && fresh(r) {
			p.Add(field+".user_id", "is no user of the chat system")
		}
		if r.TeamID != 0 && !teams[r.TeamID] && fresh(r) {
			p.Add(field+".team_id", "is no team")
		}
	}
	return nil
}

func checkAssignTeam(tx *store.Tx, p *desk.Problems, before, after desk.Collection) error {
	if after.AssignTeam == nil || desk.Same(before.AssignTeam, after.AssignTeam) {
		return nil
	}
	teams, err := tx.KnownTeams([]desk.TeamID{*after.AssignTeam})
	if err == nil && !teams[*after.AssignTeam] {
		p.Add("config.assign_team_id", "is no team")
	}
	return err
}

// joinNew has the bot join the channels that a collection has now and had not.
func (s *Service) joinNew(tx *store.Tx, before, after desk.Collection) error {
	for _, c := range [][2]*string{{before.RequestChannel, after.RequestChannel}, {before.TriageChannel, after.TriageChannel}} {
		if c[1] == nil || desk.Same(c[0], c[1]) {
			continue
		}
		if err := s.joinChannel(tx, *c[1]); err != nil {
			return err
		}
	}
	return nil
}

func collectionChange(by desk.Actor, action string, before, after *desk.Collection) desk.Change {
	ch := desk.Change{By: by, Action: action, Resource: "Collection"}
	if before != nil {
		ch.Before, ch.ID = *before, strconv.FormatInt(int64(before.ID), 10)
	}
	if after != nil {
		ch.After, ch.ID = *after, strconv.FormatInt(int64(after.ID), 10)
	}
	return ch
}
