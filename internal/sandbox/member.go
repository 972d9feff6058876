package sandbox

import (
	"slices"
	"strings"

	"frontdesk/internal/sqldb"
)

func (t *tx) addMember(conversation, user string) {
	t.run("INSERT INTO conversation_members (conversation_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", conversation, user)
}

func (t *tx) isMember(conversation, user string) bool {
	return t.number("SELECT count(*) FROM conversation_members WHERE conversation_id = $1 AND user_id = $2", conversation, user) > 0
}

func (t *tx) countMembers(conversation string) int {
	return int(t.number("SELECT count(*) FROM conversation_members WHERE conversation_id = $1", conversation))
}

// members lists the members of a conversation, starting at from.
func (t *tx) members(conversation, from string, limit int) []string {
	return rowsOf(t, scanText, `SELECT user_id FROM conversation_members WHERE conversation_id = $1
		AND n >= coalesce((SELECT n FROM conversation_members WHERE conversation_id = $1 AND user_id = $2), 0)
		ORDER BY n LIMIT $3`, conversation, from, limit)
}

// join adds a user to a channel and tells its members.
func (t *tx) join(c *conversation, user, inviter string) {
	t.addMember(c.ID, user)
	t.announce(c, user, Message{Subtype: "channel_join", Inviter: inviter, Text: "<@" + user + "> has joined the channel"})
	e := t.memberEvent("member_joined_channel", c, user)
	if inviter != "" {
		e.says["inviter"] = inviter
	}
	t.record(e)
}

func (t *tx) memberEvent(name string, c *conversation, user string) event {
	return event{name: name, team: c.TeamID, channel: c,
		says: object{"user": user, "channel": c.ID, "channel_type": c.ID[:1], "team": c.TeamID}}
}

// leave removes a user from a channel.
func (t *tx) leave(c *conversation, user string) error {
	if !c.Kind.isChannel() {
		return refuse("method_not_supported_for_channel_type")
	}
	if c.Name == "general" && c.Kind == public {
		return refuse("cant_leave_general")
	}
	// Before the row is deleted, because the user who leaves is told too.
	t.record(t.memberEvent("member_left_channel", c, user))
	if err := t.runOr("not_in_channel", "DELETE FROM conversation_members WHERE conversation_id = $1 AND user_id = $2", c.ID, user); err != nil {
		return err
	}
	// A user who has left a private channel may no longer know of it, except for
	// this.
	t.tell(c.TeamID, change{Kind: channelChanged, Channel: c.ID, user: user})
	t.announce(c, user, Message{Subtype: "channel_leave", Text: "<@" + user + "> has left the channel"})
	return nil
}

// invite adds others to a channel that the caller is in. Slack accepts all or none
// unless told otherwise, and names the first refusal.
func (t *tx) invite(a *actor, c *conversation, users []string) error {
	switch {
	case !c.Kind.isChannel():
		return refuse("method_not_supported_for_channel_type")
	case !t.isMember(c.ID, a.User):
		return refuse("not_in_channel")
	case c.Archived:
		return refuse("is_archived")
	}
	for _, id := range users {
		if id == a.User {
			return refuse("cant_invite_self")
		}
		u, err := t.user(c.TeamID, id)
		if err != nil {
			return err
		}
		if u.Deleted {
			return refuse("cant_invite")
		}
		if t.isMember(c.ID, id) {
			return refuse("already_in_channel")
		}
	}
	for _, id := range users {
		t.join(c, id, a.User)
	}
	return nil
}

// directMessage returns the caller's conversation with others, and makes it if it
// does not exist.
func (t *tx) directMessage(a *actor, others []string) (c *conversation, existed bool, err error) {
	people := append([]string{a.User}, others...)
	slices.Sort(people)
	people = slices.Compact(people)
	var names []string
	for _, id := range people {
		u, err := t.user(a.Team, id)
		if err != nil {
			return nil, false, err
		}
		if u.Deleted {
			return nil, false, refuse("user_disabled")
		}
		names = append(names, u.Name)
	}
	key := strings.Join(people, ",")
	c, err = scanConversation(t.Row(conversationColumns+"WHERE c.team_id = $1 AND c.people = $2", a.Team, key).Scan)
	if err == nil {
		return c, true, nil
	}
	if err != sqldb.ErrNoRows {
		return nil, false, err
	}
	c = &conversation{TeamID: a.Team, Kind: im, People: key, conversationBody: conversationBody{Creator: a.User}}
	if len(people) > 2 {
		c.Kind = mpim
		c.Name = "mpdm-" + strings.Join(names, "--") + "-1"
		c.Purpose.Value = "Group messaging with: @" + strings.Join(names, " @")
	}
	return c, false, t.addConversation(c, people)
}
