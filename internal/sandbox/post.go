package sandbox

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/sandbox/richtext"
)

const (
	maxText        = 40000 // characters
	maxAttachments = 100
	maxMetadata    = 16 << 10 // bytes
)

// posting is a message to post.
type posting struct {
	Text        string          `json:"text,omitempty"`
	Markdown    string          `json:"markdown_text,omitempty"` // instead of text and blocks
	Blocks      json.RawMessage `json:"blocks,omitempty"`
	Attachments json.RawMessage `json:"attachments,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
	ThreadTS    string          `json:"thread_ts,omitempty"`
	Broadcast   bool            `json:"reply_broadcast,omitempty"` // whether a reply also shows in the conversation
	Username    string          `json:"username,omitempty"`
	IconURL     string          `json:"icon_url,omitempty"`
	IconEmoji   string          `json:"icon_emoji,omitempty"`
	fileIDs     []string
}

// mrkdwn returns the text that the message will have.
func (p posting) mrkdwn() string {
	if p.Markdown != "" {
		text, _ := richtext.FromMarkdown(p.Markdown)
		return text
	}
	return richtext.LinkAddresses(p.Text)
}

// target returns the conversation that a caller may post to. It may be given by
// name, and a person's id means the direct message with them.
func (t *tx) target(a *actor, channel string) (*conversation, error) {
	if strings.HasPrefix(channel, "U") || strings.HasPrefix(channel, "W") {
		c, _, err := t.directMessage(a, []string{channel})
		if code := Code(err); code == "user_not_found" || code == "user_disabled" {
			err = refuse("channel_not_found")
		}
		return c, err
	}
	c, member, err := t.seen(a, channel)
	if Code(err) == "channel_not_found" {
		named, e := t.conversationNamed(a.Team, strings.TrimPrefix(channel, "#"))
		if e != nil {
			return nil, e
		}
		c, member, err = t.seen(a, named.ID)
	}
	switch {
	case err != nil:
		return nil, err
	case !member && !(a.IsBot && a.may("chat:write.public")):
		return nil, refuse("not_in_channel")
	case c.Archived:
		return nil, refuse("is_archived")
	}
	return c, nil
}

// compose checks a posting and makes the message for a conversation.
func (t *tx) compose(a *actor, c *conversation, p posting) (*messageRow, error) {
	m := &messageRow{fileIDs: p.fileIDs}
	m.Text = richtext.LinkAddresses(p.Text)
	var err error
	if p.Markdown != "" {
		if m.Text, p.Blocks, err = fromMarkdown(p.Markdown); err != nil {
			return nil, err
		}
	}
	if m.Text == "" && isEmptyList(p.Blocks) && isEmptyList(p.Attachments) && len(p.fileIDs) == 0 {
		return nil, refuse("no_text")
	}
	if utf8.RuneCountInString(p.Text) > maxText {
		return nil, refuse("msg_too_long")
	}
	if m.Blocks, err = messageBlocks(p.Blocks); err != nil {
		return nil, err
	}
	if m.Blocks == nil && m.Text != "" {
		m.Blocks = richText(m.Text)
	}
	if m.Attachments, err = checkAttachments(p.Attachments); err != nil {
		return nil, err
	}
	if m.Metadata, err = checkMetadata(p.Metadata); err != nil {
		return nil, err
	}
	m.User, m.AppID, m.BotID = a.User, a.App, a.Bot
	if a.App == "" {
		m.ClientMsgID = newUUID()
	}
	if p.Username != "" || p.IconURL != "" || p.IconEmoji != "" {
		m.Subtype, m.User, m.Username = "bot_message", "", p.Username
		if p.IconEmoji != "" {
			m.Icons = &Icons{Emoji: p.IconEmoji}
		} else if p.IconURL != "" {
			m.Icons = &Icons{Image36: p.IconURL, Image48: p.IconURL, Image72: p.IconURL}
		}
	}
	if p.ThreadTS != "" {
		m.threadTS, err = t.threadOf(c, p.ThreadTS)
	}
	return m, err
}

// post posts in a conversation that the caller may post to.
func (t *tx) post(a *actor, c *conversation, p posting) (*messageRow, error) {
	m, err := t.compose(a, c, p)
	if err != nil {
		return nil, err
	}
	if m.broadcast = p.Broadcast && m.threadTS != 0; m.broadcast {
		m.Subtype = "thread_broadcast"
	}
	if len(m.fileIDs) > 0 {
		m.Upload, m.DisplayAsBot = new(bool), new(bool)
	}
	t.addMessage(c, m)
	t.shareFiles(c, m)
	t.complete(c, []*messageRow{m})
	t.recordMessage(c, m)
	return m, nil
}

// threadOf returns the thread that a reply to ts goes into. Slack does not refuse a
// reply to a removed message: it lands in the conversation without a thread. The
// sandbox does the same.
func (t *tx) threadOf(c *conversation, ts string) (int64, error) {
	if _, ok := parseTS(ts); !ok {
		return 0, refuse("invalid_thread_ts")
	}
	root, err := t.message(c, ts)
	if Code(err) == "message_not_found" {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	if root.isNotice() && root.Subtype != "tombstone" {
		return 0, refuse("cannot_reply_to_message")
	}
	return root.rootTS(), nil
}

// announce posts a notice of the workspace about a user.
func (t *tx) announce(c *conversation, user string, m Message) {
	m.User = user
	row := &messageRow{Message: m}
	t.addMessage(c, row)
	t.recordMessage(c, row)
}

// whisper shows something to one member only.
func (t *tx) whisper(a *actor, c *conversation, user string, p posting) (ts string, err error) {
	m, err := t.compose(a, c, p)
	if err != nil {
		return "", err
	}
	t.stamp(c, m)
	t.run(`INSERT INTO ephemerals (conversation_id, ts, thread_ts, user_id, app_id, body) VALUES ($1, $2, $3, $4, $5, $6)`,
		c.ID, m.ts, m.threadTS, user, a.App, m.body())
	t.tell(c.TeamID, change{Kind: ephemeralChanged, Channel: c.ID, TS: m.TS, ThreadTS: m.ThreadTS, user: user})
	return m.TS, nil
}

func isEmptyList(raw json.RawMessage) bool {
	var list []json.RawMessage
	return len(raw) == 0 || json.Unmarshal(raw, &list) == nil && len(list) == 0
}

func checkAttachments(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, refuse("invalid_attachments")
	}
	if len(list) > maxAttachments {
		return nil, refuse("too_many_attachments")
	}
	if len(list) == 0 {
		return nil, nil
	}
	for i, a := range list {
		a["id"] = encode(i + 1)
		if a["fallback"] == nil {
			a["fallback"] = encode("[no preview available]")
		}
		blocks, err := checkBlocks(a["blocks"], "attachments", maxMessageBlocks)
		if err != nil {
			return nil, refuse("invalid_attachments")
		}
		if blocks != nil {
			a["blocks"] = blocks
		}
	}
	return encode(list), nil
}

var eventTypePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,255}$`)

// checkMetadata reads metadata. An empty object means none.
func checkMetadata(raw json.RawMessage) (*Metadata, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if len(raw) > maxMetadata {
		return nil, refuse("metadata_too_large")
	}
	var m Metadata
	if json.Unmarshal(raw, &m) != nil {
		return nil, refuse("invalid_metadata_format")
	}
	if m.EventType == "" && len(m.EventPayload) == 0 {
		return nil, nil
	}
	var payload map[string]json.RawMessage
	if !eventTypePattern.MatchString(m.EventType) || json.Unmarshal(m.EventPayload, &payload) != nil || payload == nil {
		return nil, refuse("invalid_metadata_format")
	}
	return &m, nil
}
