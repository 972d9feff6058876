package change

import (
	"fmt"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// AddChannels fills in the channels of collections, reading those of all
// collections at once. The request channel of a collection counts as one of its
// channels.
func AddChannels(tx *store.Tx, all []desk.Collection) error {
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
		// If the channel has a collection of its own, that dates from before it became
		// the request channel.
		ch.Collection, ch.Active = &all[i].ID, !ch.Gone && !ch.Archived
		all[i].Channels = append(all[i].Channels, ch)
	}
	return nil
}

// RecordChannelsLeft records that channels have left their collection.
func RecordChannelsLeft(tx *store.Tx, by desk.Actor, channels []desk.Channel) error {
	for _, before := range channels {
		after := before
		after.Collection, after.Active = nil, false
		if err := Record(tx, by, "channel.updated", before, after); err != nil {
			return err
		}
	}
	return nil
}

// RemoveCollectionFromMembers removes a collection from the list of each given
// member, and records each change.
func RemoveCollectionFromMembers(tx *store.Tx, by desk.Actor, members []desk.Member, id desk.CollectionID) error {
	for _, before := range members {
		after := before
		after.Collections, after.UpdatedAt = before.Collections.Without(id), tx.Now
		if err := tx.SaveMember(after); err != nil {
			return err
		}
		if err := Record(tx, by, desk.MemberUpdated, before, after); err != nil {
			return err
		}
	}
	return nil
}

// CheckCollection returns an Invalid error if a collection names users, teams,
// channels or a schedule that it must not name. It checks only those that it did
// not name before. The others may have gone since, and that is no reason to refuse
// another change.
func CheckCollection(tx *store.Tx, before, after desk.Collection) error {
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
		p.Add(field, MustBeActiveUser)
	}
	return err
}

// MustBeActiveUser is the problem with a field that must name a user.
const MustBeActiveUser = "must be a user of the chat system, neither deactivated nor a bot"

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
	// The collection's own uses do not count, because they may be changing too. It has
	// checked itself that its two channels differ.
	uses = slices.DeleteFunc(uses, func(u desk.ChannelUse) bool {
		return u.Collection == after.ID && u.Purpose != desk.ForMessages
	})
	for _, w := range all {
		checkUse(p, w.field, w.ChannelUse, channels[w.Channel], uses)
	}
	return nil
}

// checkUse adds to p what prevents a channel from being used as u says. An unknown
// channel has no id.
func checkUse(p *desk.Problems, field string, u desk.ChannelUse, ch desk.Channel, uses []desk.ChannelUse) {
	if problem := obstacle(u, ch, uses); problem != "" {
		p.Add(field, "%s", problem)
	}
}

// obstacle returns why a channel cannot be used as u says, or an empty string if it
// can.
func obstacle(u desk.ChannelUse, ch desk.Channel, uses []desk.ChannelUse) string {
	switch with, clash := u.Clash(uses); {
	case ch.ID == "" || ch.Gone:
		return UnknownChannel
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
			p.Add(field+".user_id", "is not a user of the chat system")
		}
		if r.TeamID != 0 && !teams[r.TeamID] && fresh(r) {
			p.Add(field+".team_id", "is not a team")
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
		p.Add("config.assign_team_id", "is not a team")
	}
	return err
}

// JoinNewChannels lets the bot join the channels that a collection newly names.
func JoinNewChannels(tx *store.Tx, before, after desk.Collection) error {
	for _, c := range [][2]*string{{before.RequestChannel, after.RequestChannel}, {before.TriageChannel, after.TriageChannel}} {
		if c[1] == nil || desk.Same(c[0], c[1]) {
			continue
		}
		if err := JoinChannelSoon(tx, *c[1]); err != nil {
			return err
		}
	}
	return nil
}
