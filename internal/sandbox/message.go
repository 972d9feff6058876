package sandbox

import (
	"encoding/json"
	"strings"
)

// Message is a message as Slack shows it.
type Message struct {
	Type            string          `json:"type"`
	Subtype         string          `json:"subtype,omitempty"`
	Hidden          bool            `json:"hidden,omitempty"`
	User            string          `json:"user,omitempty"`
	BotID           string          `json:"bot_id,omitempty"`
	AppID           string          `json:"app_id,omitempty"`
	BotProfile      *BotProfile     `json:"bot_profile,omitempty"`
	Username        string          `json:"username,omitempty"`
	Icons           *Icons          `json:"icons,omitempty"`
	ClientMsgID     string          `json:"client_msg_id,omitempty"`
	Text            string          `json:"text"`
	TS              string          `json:"ts"`
	Team            string          `json:"team,omitempty"`
	ThreadTS        string          `json:"thread_ts,omitempty"`
	ParentUserID    string          `json:"parent_user_id,omitempty"`
	Root            *Message        `json:"root,omitempty"`
	ReplyCount      int             `json:"reply_count,omitempty"`
	ReplyUsersCount int             `json:"reply_users_count,omitempty"`
	LatestReply     string          `json:"latest_reply,omitempty"`
	ReplyUsers      []string        `json:"reply_users,omitempty"`
	IsLocked        *bool           `json:"is_locked,omitempty"`
	Edited          *Edited         `json:"edited,omitempty"`
	Reactions       []Reaction      `json:"reactions,omitempty"`
	Files           []File          `json:"files,omitempty"`
	Upload          *bool           `json:"upload,omitempty"`
	DisplayAsBot    *bool           `json:"display_as_bot,omitempty"`
	Blocks          json.RawMessage `json:"blocks,omitempty"`
	Attachments     json.RawMessage `json:"attachments,omitempty"`
	Metadata        *Metadata       `json:"metadata,omitempty"`
	Inviter         string          `json:"inviter,omitempty"`
	OldName         string          `json:"old_name,omitempty"`
	Name            string          `json:"name,omitempty"`
	Topic           string          `json:"topic,omitempty"`
	Purpose         string          `json:"purpose,omitempty"`
	PinnedTo        []string        `json:"pinned_to,omitempty"`
	PinnedInfo      *PinnedInfo     `json:"pinned_info,omitempty"`
	ItemType        string          `json:"item_type,omitempty"`
	Item            *Item           `json:"item,omitempty"`
}

// Item is the message that another message is about.
type Item struct {
	Type    string `json:"type"`
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

// isNotice reports whether the message comes from the workspace itself and not from
// a person.
func (m *Message) isNotice() bool {
	return strings.HasPrefix(m.Subtype, "channel_") || m.Subtype == "pinned_item" || m.Subtype == "tombstone"
}

// Edited says who last changed a message, and when: to the second, as in Slack.
type Edited struct {
	User string `json:"user"`
	TS   string `json:"ts"`
}

// Icons are the picture that a post asked for.
type Icons struct {
	Emoji   string `json:"emoji,omitempty"`
	Image36 string `json:"image_36,omitempty"`
	Image48 string `json:"image_48,omitempty"`
	Image72 string `json:"image_72,omitempty"`
}

// Metadata is what an app hides in a message for other apps.
type Metadata struct {
	EventType    string          `json:"event_type"`
	EventPayload json.RawMessage `json:"event_payload"`
}

// brief returns the metadata without its payload. Slack returns no more unless
// asked.
func (m *Metadata) brief() *Metadata {
	if m == nil {
		return nil
	}
	return &Metadata{m.EventType, json.RawMessage("{}")}
}

// messageRow is a message and its place.
type messageRow struct {
	ts, threadTS int64 // microseconds; threadTS is 0 unless it is a reply
	broadcast    bool
	fileIDs      []string
	Message
}

// rootTS returns the ts of the thread that the message is in or would begin.
func (m *messageRow) rootTS() int64 {
	if m.threadTS != 0 {
		return m.threadTS
	}
	return m.ts
}

// addMessage gives m the next ts of the conversation and stores it.
func (t *tx) addMessage(c *conversation, m *messageRow) {
	t.stamp(c, m)
	if m.fileIDs == nil {
		m.fileIDs = []string{}
	}
	t.run(`INSERT INTO messages (conversation_id, ts, thread_ts, broadcast, user_id, app_id, file_ids, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		c.ID, m.ts, m.threadTS, m.broadcast, m.User, m.AppID, string(encode(m.fileIDs)), m.body())
}

// stamp gives m the next ts of the conversation.
func (t *tx) stamp(c *conversation, m *messageRow) {
	m.ts = t.nextTS(c)
	m.Type, m.TS, m.ThreadTS, m.Team = "message", showTS(m.ts), showTS(m.threadTS), c.TeamID
}

// nextTS returns a ts that is unique in the conversation and later than all before
// it, whatever the clock does.
func (t *tx) nextTS(c *conversation) int64 {
	t.run("UPDATE conversations SET last_ts = max(last_ts + 1, $2) WHERE id = $1", c.ID, t.now.UnixMicro())
	return t.number("SELECT last_ts FROM conversations WHERE id = $1", c.ID)
}

// body returns the message without what other tables store.
func (m *messageRow) body() string {
	kept := m.Message
	kept.Reactions, kept.Files, kept.BotProfile, kept.Root = nil, nil, nil, nil
	kept.ReplyCount, kept.ReplyUsersCount, kept.ReplyUsers, kept.LatestReply, kept.IsLocked = 0, 0, nil, "", nil
	return string(encode(kept))
}

func (t *tx) saveMessage(c *conversation, m *messageRow) {
	t.run("UPDATE messages SET user_id = $3, broadcast = $4, file_ids = $5, body = $6 WHERE conversation_id = $1 AND ts = $2",
		c.ID, m.ts, m.User, m.broadcast, string(encode(m.fileIDs)), m.body())
}

const messageColumns = "SELECT ts, thread_ts, broadcast, file_ids, body FROM messages WHERE conversation_id = $1 "

func scanMessage(scan func(...any) error) (*messageRow, error) {
	var m messageRow
	return &m, scan(&m.ts, &m.threadTS, &m.broadcast, fromJSON(&m.fileIDs), fromJSON(&m.Message))
}

// message returns one message with everything that belongs to it.
func (t *tx) message(c *conversation, ts string) (*messageRow, error) {
	micros, ok := parseTS(ts)
	if !ok {
		return nil, refuse("message_not_found")
	}
	m, err := scanMessage(t.Row(messageColumns+"AND ts = $2", c.ID, micros).Scan)
	if err != nil {
		return nil, missing(err, "message_not_found")
	}
	t.complete(c, []*messageRow{m})
	return m, nil
}

// span is a part of a conversation.
type span struct {
	oldest, latest int64 // microseconds, both included
	forward        bool  // the page is at the oldest end
	first          bool  // it is the first page that is asked for
	limit          int
}

// history returns a page of the conversation's top level, newest first. It has one
// message more than the limit if there is more.
func (t *tx) history(c *conversation, s span) []*messageRow {
	order := "DESC"
	if s.forward {
		order = "ASC"
	}
	return t.messages(c, "AND (thread_ts = 0 OR broadcast) AND ts BETWEEN $2 AND $3 ORDER BY ts "+order+" LIMIT $4", s.oldest, s.latest, s.limit+1)
}

// replies returns a page of a thread, oldest first.
func (t *tx) replies(c *conversation, root int64, s span) []*messageRow {
	return t.messages(c, "AND thread_ts = $2 AND ts BETWEEN $3 AND $4 ORDER BY ts LIMIT $5", root, s.oldest, s.latest, s.limit+1)
}

// messages returns the messages of a conversation that meet a condition, with
// everything that belongs to them.
func (t *tx) messages(c *conversation, condition string, args ...any) []*messageRow {
	page := rowsOf(t, scanMessage, messageColumns+condition, append([]any{c.ID}, args...)...)
	t.complete(c, page)
	return page
}

// complete adds what other tables store: threads, reactions, files, bots. The
// messages of a page are adjacent, so each table needs one query for their range.
func (t *tx) complete(c *conversation, page []*messageRow) {
	if len(page) == 0 {
		return
	}
	at := map[int64]*messageRow{}
	low, high := page[0].ts, page[0].ts
	for _, m := range page {
		at[m.ts] = m
		low, high = min(low, m.ts), max(high, m.ts)
	}
	t.completeThreads(c, at, low, high)
	t.completeReactions(c, at, low, high)
	for _, m := range page {
		for _, id := range m.fileIDs {
			f, err := t.file(c.TeamID, id)
			t.note(err)
			m.Files = append(m.Files, t.showFile(f))
		}
		if m.threadTS != 0 {
			t.completeReply(c, m)
		}
		if m.AppID != "" && m.BotID != "" && m.Subtype != "bot_message" {
			m.BotProfile = t.botProfile(c.TeamID, m.AppID)
		}
	}
}

// maxReplyUsers is how many of the users who replied are named.
const maxReplyUsers = 5

// completeThreads counts the replies to messages.
func (t *tx) completeThreads(c *conversation, at map[int64]*messageRow, low, high int64) {
	type row struct {
		root, ts int64
		user     string
	}
	type replier struct {
		root int64
		user string
	}
	known := map[replier]bool{}
	for _, r := range rowsOf(t, func(scan func(...any) error) (r row, err error) {
		err = scan(&r.root, &r.ts, &r.user)
		return r, err
	}, `SELECT thread_ts, ts, user_id FROM messages
		WHERE conversation_id = $1 AND thread_ts BETWEEN $2 AND $3 AND thread_ts <> 0 ORDER BY thread_ts, ts`, c.ID, low, high) {
		m := at[r.root]
		if m == nil {
			continue
		}
		m.ThreadTS = m.TS
		m.ReplyCount++
		m.LatestReply = showTS(r.ts)
		m.IsLocked = new(bool)
		who := replier{r.root, r.user}
		if r.user == "" || known[who] {
			continue
		}
		known[who] = true
		if m.ReplyUsersCount++; len(m.ReplyUsers) < maxReplyUsers {
			m.ReplyUsers = append(m.ReplyUsers, r.user)
		}
	}
}

// completeReply adds the author of the thread, and the first message of the thread
// if the reply also shows in the conversation.
func (t *tx) completeReply(c *conversation, m *messageRow) {
	for _, root := range rowsOf(t, scanMessage, messageColumns+"AND ts = $2", c.ID, m.threadTS) {
		m.ParentUserID = root.User
		if m.Subtype == "thread_broadcast" {
			root.ThreadTS = root.TS
			m.Root = &root.Message
			m.Root.Metadata = root.Metadata.brief()
		}
	}
}

// visible returns the messages as a caller sees them.
func visible(page []*messageRow, withMetadata bool) []Message {
	shown := make([]Message, 0, len(page))
	for _, m := range page {
		v := m.Message
		if !withMetadata {
			v.Metadata = v.Metadata.brief()
		}
		shown = append(shown, v)
	}
	return shown
}
