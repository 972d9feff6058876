package sandbox

import (
	"regexp"
	"slices"
	"strings"
)

// Reaction is an emoji on a message and the users who added it.
type Reaction struct {
	Name  string   `json:"name"`
	Users []string `json:"users"`
	Count int      `json:"count"`
}

// maxReactions bounds the different emoji on a message.
const maxReactions = 50

var emojiPattern = regexp.MustCompile(`^[a-z0-9_+'-]{1,100}(::skin-tone-[2-6])?$`)

// emojiName reads the name of an emoji, with or without colons.
func emojiName(s string) (string, error) {
	if len(s) > 2 && strings.HasPrefix(s, ":") && strings.HasSuffix(s, ":") {
		s = s[1 : len(s)-1]
	}
	if !emojiPattern.MatchString(s) {
		return "", refuse("invalid_name")
	}
	return s, nil
}

func (t *tx) addReaction(a *actor, c *conversation, m *messageRow, name string) error {
	known := slices.ContainsFunc(m.Reactions, func(r Reaction) bool { return r.Name == name })
	if !known && len(m.Reactions) >= maxReactions {
		return refuse("too_many_emoji")
	}
	err := t.runOr("already_reacted", "INSERT INTO reactions (conversation_id, ts, name, user_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
		c.ID, m.ts, name, a.User)
	if err == nil {
		t.record(reactionEvent("reaction_added", c, m, a.User, name))
	}
	return err
}

func (t *tx) removeReaction(a *actor, c *conversation, m *messageRow, name string) error {
	err := t.runOr("no_reaction", "DELETE FROM reactions WHERE conversation_id = $1 AND ts = $2 AND name = $3 AND user_id = $4",
		c.ID, m.ts, name, a.User)
	if err == nil {
		t.record(reactionEvent("reaction_removed", c, m, a.User, name))
	}
	return err
}

// completeReactions adds the reactions to messages in a range.
func (t *tx) completeReactions(c *conversation, at map[int64]*messageRow, low, high int64) {
	type row struct {
		ts         int64
		name, user string
	}
	for _, m := range at {
		m.Reactions = nil
	}
	for _, r := range rowsOf(t, func(scan func(...any) error) (r row, err error) {
		err = scan(&r.ts, &r.name, &r.user)
		return r, err
	}, "SELECT ts, name, user_id FROM reactions WHERE conversation_id = $1 AND ts BETWEEN $2 AND $3 ORDER BY n", c.ID, low, high) {
		if m := at[r.ts]; m != nil {
			m.Reactions = addToReactions(m.Reactions, r.name, r.user)
		}
	}
}

func addToReactions(all []Reaction, name, user string) []Reaction {
	for i := range all {
		if all[i].Name == name {
			all[i].Users = append(all[i].Users, user)
			all[i].Count++
			return all
		}
	}
	return append(all, Reaction{Name: name, Users: []string{user}, Count: 1})
}
