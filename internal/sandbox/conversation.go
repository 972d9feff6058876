package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the type of a conversation.
type kind string

const (
	public  kind = "public"
	private kind = "private"
	im      kind = "im"
	mpim    kind = "mpim"
)

// family returns the start of the scope names for a kind: channels in
// channels:read.
func (k kind) family() string {
	return map[kind]string{public: "channels", private: "groups", im: "im", mpim: "mpim"}[k]
}

// channelType returns the kind's name in events.
func (k kind) channelType() string {
	return map[kind]string{public: "channel", private: "group", im: "im", mpim: "mpim"}[k]
}

func (k kind) isChannel() bool { return k == public || k == private }

// conversation is a channel or a direct message as stored.
type conversation struct {
	ID, TeamID       string
	Kind             kind
	Name             string
	People           string // for a direct message: the members' ids, sorted
	Archived         bool
	LastTS           int64 // microseconds
	Created, Updated int64 // milliseconds
	conversationBody
}

type conversationBody struct {
	Creator       string   `json:"creator"`
	Topic         note     `json:"topic"`
	Purpose       note     `json:"purpose"`
	PreviousNames []string `json:"previous_names"`
}

// note is a topic or a purpose.
type note struct {
	Value   string `json:"value"`
	Creator string `json:"creator"`
	LastSet int64  `json:"last_set"`
}

// Conversation is a channel or a direct message as Slack shows it.
type Conversation struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name,omitempty"`
	NameNormalized     string   `json:"name_normalized,omitempty"`
	IsChannel          bool     `json:"is_channel"`
	IsGroup            bool     `json:"is_group"`
	IsIM               bool     `json:"is_im"`
	IsMPIM             bool     `json:"is_mpim"`
	IsPrivate          bool     `json:"is_private"`
	IsArchived         bool     `json:"is_archived"`
	IsGeneral          bool     `json:"is_general"`
	IsShared           bool     `json:"is_shared"`
	IsExtShared        bool     `json:"is_ext_shared"`
	IsOrgShared        bool     `json:"is_org_shared"`
	IsPendingExtShared bool     `json:"is_pending_ext_shared"`
	IsMember           bool     `json:"is_member"`
	IsOpen             bool     `json:"is_open,omitempty"`
	PendingShared      []string `json:"pending_shared"`
	ContextTeamID      string   `json:"context_team_id"`
	User               string   `json:"user,omitempty"` // the other person in a direct message
	IsUserDeleted      bool     `json:"is_user_deleted,omitempty"`
	Created            int64    `json:"created"`
	Updated            int64    `json:"updated"`
	Creator            string   `json:"creator,omitempty"`
	Unlinked           int      `json:"unlinked"`
	Topic              note     `json:"topic"`
	Purpose            note     `json:"purpose"`
	PreviousNames      []string `json:"previous_names"`
	NumMembers         *int     `json:"num_members,omitempty"`
	Priority           int      `json:"priority"`
}

const conversationColumns = `SELECT c.id, c.team_id, c.kind, c.name, c.people, c.archived, c.last_ts, c.created_at, c.updated_at, c.body FROM conversations c `

func scanConversation(scan func(...any) error) (*conversation, error) {
	var c conversation
	return &c, scan(&c.ID, &c.TeamID, &c.Kind, &c.Name, &c.People, &c.Archived, &c.LastTS, &c.Created, &c.Updated, fromJSON(&c.conversationBody))
}

func (c *conversation) body() string { return string(encode(c.conversationBody)) }

// addConversation makes a conversation with its first members, without announcing
// them.
func (t *tx) addConversation(c *conversation, members []string) error {
	c.ID = newID(map[kind]string{public: "C", private: "C", im: "D", mpim: "G"}[c.Kind])
	c.Created, c.Updated = t.millis(), t.millis()
	if c.PreviousNames == nil {
		c.PreviousNames = []string{}
	}
	if err := t.runOr("name_taken", `INSERT INTO conversations (id, team_id, kind, name, people, archived, last_ts, body, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9) ON CONFLICT DO NOTHING`,
		c.ID, c.TeamID, c.Kind, c.Name, c.People, c.Archived, c.body(), c.Created, c.Updated); err != nil {
		return err
	}
	for _, id := range members {
		t.addMember(c.ID, id)
	}
	t.tell(c.TeamID, change{Kind: channelChanged, Channel: c.ID})
	return nil
}

func (t *tx) saveConversation(c *conversation) {
	c.Updated = t.millis()
	t.run("UPDATE conversations SET name = $2, archived = $3, body = $4, updated_at = $5 WHERE id = $1",
		c.ID, c.Name, c.Archived, c.body(), c.Updated)
}

// conversation returns a conversation of a team, without checking who may see it.
func (t *tx) conversation(team, id string) (*conversation, error) {
	c, err := scanConversation(t.Row(conversationColumns+"WHERE c.team_id = $1 AND c.id = $2", team, id).Scan)
	return c, missing(err, "channel_not_found")
}

func (t *tx) conversationNamed(team, name string) (*conversation, error) {
	c, err := scanConversation(t.Row(conversationColumns+
		"WHERE c.team_id = $1 AND c.name = $2 AND c.kind IN ('public', 'private')", team, name).Scan)
	return c, missing(err, "channel_not_found")
}

// seen returns a conversation that the caller may know of: a public channel, or one
// they are in. Anything else is channel_not_found, as if it did not exist.
func (t *tx) seen(a *actor, id string) (c *conversation, member bool, err error) {
	if c, err = t.conversation(a.Team, id); err != nil {
		return nil, false, err
	}
	if member = t.isMember(c.ID, a.User); !member && c.Kind != public {
		return nil, false, refuse("channel_not_found")
	}
	return c, member, nil
}

// selection says which conversations to list.
type selection struct {
	kinds        []kind
	withArchived bool
	member       string // only those that this user is in; empty for all
	from         string // the id of the first one; empty means the beginning
	limit        int
}

// conversations lists the conversations that the caller may know of.
func (t *tx) conversations(a *actor, s selection) []*conversation {
	query := conversationColumns + `WHERE c.team_id = $1 AND (c.kind = 'public' OR EXISTS (
		SELECT 1 FROM conversation_members m WHERE m.conversation_id = c.id AND m.user_id = $2)) `
	args := []any{a.Team, a.User}
	and := func(condition string, arg any) {
		args = append(args, arg)
		query += fmt.Sprintf("AND "+condition+" ", len(args))
	}
	var names []string
	for _, k := range s.kinds {
		names = append(names, "'"+string(k)+"'")
	}
	query += "AND c.kind IN (" + strings.Join(names, ", ") + ") "
	if !s.withArchived {
		query += "AND NOT c.archived "
	}
	if s.member != "" {
		and("EXISTS (SELECT 1 FROM conversation_members o WHERE o.conversation_id = c.id AND o.user_id = $%d)", s.member)
	}
	if s.from != "" {
		and("c.n >= (SELECT n FROM conversations WHERE id = $%d)", s.from)
	}
	args = append(args, s.limit)
	query += fmt.Sprintf("ORDER BY c.n LIMIT $%d", len(args))
	return rowsOf(t, scanConversation, query, args...)
}

// showConversation returns a conversation as one member sees it.
func (t *tx) showConversation(c *conversation, viewer string) Conversation {
	return t.showConversationTo(c, viewer, t.isMember(c.ID, viewer))
}

func (t *tx) showConversationTo(c *conversation, viewer string, member bool) Conversation {
	shown := Conversation{
		ID: c.ID, Name: c.Name, NameNormalized: c.Name,
		IsChannel: c.Kind == public || c.Kind == private, IsGroup: c.Kind == mpim, IsIM: c.Kind == im, IsMPIM: c.Kind == mpim,
		IsPrivate: c.Kind != public && c.Kind != im, IsArchived: c.Archived, IsGeneral: c.Name == "general" && c.Kind == public,
		IsMember: member, IsOpen: c.Kind == im || c.Kind == mpim, PendingShared: []string{}, ContextTeamID: c.TeamID,
		Created: c.Created / 1000, Updated: c.Updated, Creator: c.Creator, Topic: c.Topic, Purpose: c.Purpose, PreviousNames: c.PreviousNames,
	}
	if c.Kind == im {
		shown.User = viewer // a note to oneself has nobody else in it
		for id := range strings.SplitSeq(c.People, ",") {
			if id != viewer {
				shown.User = id
			}
		}
		other, err := t.user(c.TeamID, shown.User)
		t.note(err)
		shown.IsUserDeleted = other.Deleted
	}
	return shown
}

// checkName returns the refusal of a channel name that Slack would not accept.
func checkName(name string) error {
	switch {
	case name == "":
		return refuse("invalid_name_required")
	case utf8.RuneCountInString(name) > 80:
		return refuse("invalid_name_maxlength")
	}
	letters := false
	for _, r := range name {
		switch {
		case r == '-' || r == '_':
		case unicode.IsLetter(r) && !unicode.IsUpper(r) || unicode.IsDigit(r):
			letters = true
		default:
			return refuse("invalid_name_specials")
		}
	}
	if !letters {
		return refuse("invalid_name_punctuation")
	}
	return nil
}

// createChannel makes a channel with its creator in it.
func (t *tx) createChannel(a *actor, name string, k kind) (*conversation, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	c := &conversation{TeamID: a.Team, Kind: k, Name: name, conversationBody: conversationBody{Creator: a.User}}
	if err := t.addConversation(c, nil); err != nil {
		return nil, err
	}
	if k == public {
		t.record(channelEvent("channel_created", c, object{"id": c.ID, "name": c.Name, "name_normalized": c.Name,
			"is_channel": true, "is_shared": false, "is_org_shared": false, "context_team_id": c.TeamID,
			"created": c.Created / 1000, "creator": c.Creator}))
	}
	t.join(c, a.User, "")
	return c, nil
}

// renameChannel renames a channel, if the caller is in it.
func (t *tx) renameChannel(a *actor, c *conversation, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if other, err := t.conversationNamed(c.TeamID, name); err == nil && other.ID != c.ID {
		return refuse("name_taken")
	} else if err != nil && Code(err) != "channel_not_found" {
		return err
	}
	old := c.Name
	if !slices.Contains(c.PreviousNames, old) {
		c.PreviousNames = append([]string{old}, c.PreviousNames...)
	}
	c.Name = name
	t.saveConversation(c)
	t.announce(c, a.User, Message{Subtype: "channel_name", OldName: old, Name: name,
		Text: "has renamed the channel from \"" + old + "\" to \"" + name + "\""})
	t.record(channelEvent(prefixed(c, "rename"), c, object{"id": c.ID, "name": c.Name, "name_normalized": c.Name,
		"is_channel": true, "is_private": c.Kind == private, "created": c.Created / 1000}))
	return nil
}

// archiveChannel archives a channel or opens it again.
func (t *tx) archiveChannel(a *actor, c *conversation, archive bool) error {
	switch {
	case !c.Kind.isChannel():
		return refuse("method_not_supported_for_channel_type")
	case archive && c.Archived:
		return refuse("already_archived")
	case !archive && !c.Archived:
		return refuse("not_archived")
	case archive && c.Name == "general" && c.Kind == public:
		return refuse("cant_archive_general")
	}
	word, text := "archive", "archived the channel"
	if !archive {
		word, text = "unarchive", "un-archived the channel"
	}
	c.Archived = archive
	t.saveConversation(c)
	t.announce(c, a.User, Message{Subtype: "channel_" + word, Text: text})
	t.record(event{name: prefixed(c, word), team: c.TeamID, channel: membersOnly(c), lane: c.ID,
		says: object{"channel": c.ID, "user": a.User, "is_moved": 0}})
	return nil
}

// prefixed returns the name of an event about a channel. Private channels have
// their own event names.
func prefixed(c *conversation, word string) string {
	if c.Kind == private {
		return "group_" + word
	}
	return "channel_" + word
}

// membersOnly returns the channel if only its members may hear of it, and nil for a
// public one.
func membersOnly(c *conversation) *conversation {
	if c.Kind == public {
		return nil
	}
	return c
}
