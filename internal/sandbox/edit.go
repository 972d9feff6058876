package sandbox

import (
	"encoding/json"
	"unicode/utf8"

	"frontdesk/internal/sandbox/richtext"
)

// revision is a change to a message. A nil part stays as it is. Text without blocks
// removes the old blocks, and an empty list or object removes a part.
type revision struct {
	Text        *string
	Markdown    string // instead of text and blocks
	Blocks      json.RawMessage
	Attachments json.RawMessage
	Metadata    json.RawMessage
}

// mine reports whether the caller wrote the message: as the member, or as the app's
// bot. What the app wrote with a member's token belongs to the member.
func (a *actor) mine(m *messageRow) bool {
	if a.IsBot {
		return m.AppID == a.App && (m.User == "" || m.User == a.User)
	}
	return m.User == a.User && (m.AppID == "" || m.AppID == a.App)
}

// edit changes one of the caller's messages.
func (t *tx) edit(a *actor, c *conversation, ts string, r revision) (*messageRow, error) {
	m, err := t.message(c, ts)
	switch {
	case err != nil:
		return nil, err
	case c.Archived:
		return nil, refuse("is_inactive")
	case !a.mine(m) || m.isNotice():
		return nil, refuse("cant_update_message")
	}
	return m, t.revise(c, m, a.User, r)
}

func (t *tx) revise(c *conversation, m *messageRow, by string, r revision) (err error) {
	before := m.Message
	if r.Markdown != "" {
		r.Text = new(string)
		if *r.Text, r.Blocks, err = fromMarkdown(r.Markdown); err != nil {
			return err
		}
	}
	if r.Blocks != nil {
		if m.Blocks, err = messageBlocks(r.Blocks); err != nil {
			return err
		}
	}
	if r.Attachments != nil {
		if m.Attachments, err = checkAttachments(r.Attachments); err != nil {
			return err
		}
	}
	if r.Metadata != nil {
		if m.Metadata, err = checkMetadata(r.Metadata); err != nil {
			return err
		}
	}
	if r.Text != nil {
		if utf8.RuneCountInString(*r.Text) > maxText {
			return refuse("msg_too_long")
		}
		if m.Text = *r.Text; r.Markdown == "" {
			m.Text = richtext.LinkAddresses(*r.Text)
		}
		if isEmptyList(r.Blocks) {
			m.Blocks = nil
			if m.Text != "" {
				m.Blocks = richText(m.Text)
			}
		}
	}
	if m.Text == "" && m.Blocks == nil && m.Attachments == nil && len(m.fileIDs) == 0 {
		return refuse("no_text")
	}
	m.Edited = &Edited{User: by, TS: showTS(t.now.Unix() * 1e6)}
	t.saveMessage(c, m)
	t.recordChange(c, before, m)
	return nil
}

// remove deletes one of the caller's messages, or any message for the workspace's
// owner.
func (t *tx) remove(a *actor, c *conversation, ts string) error {
	m, err := t.message(c, ts)
	if err != nil {
		return err
	}
	if m.Subtype == "tombstone" {
		return refuse("message_not_found")
	}
	if !a.mine(m) {
		if err := t.needOwner(a, "cant_delete_message"); err != nil {
			return err
		}
	}
	t.erase(c, m)
	return nil
}

// needOwner refuses a caller who does not own the workspace.
func (t *tx) needOwner(a *actor, code string) error {
	u, err := t.user(a.Team, a.User)
	if err == nil && !u.Owner {
		err = refuse(code)
	}
	return err
}

// erase removes a message. The first message of a thread leaves a tombstone,
// because its replies stay.
func (t *tx) erase(c *conversation, m *messageRow) {
	t.run("DELETE FROM reactions WHERE conversation_id = $1 AND ts = $2", c.ID, m.ts)
	t.run("DELETE FROM file_shares WHERE conversation_id = $1 AND ts = $2", c.ID, m.ts)
	t.run("DELETE FROM pins WHERE conversation_id = $1 AND ts = $2", c.ID, m.ts)
	if m.ReplyCount > 0 {
		before := m.Message
		m.fileIDs = []string{}
		m.Message = Message{Type: "message", Subtype: "tombstone", Hidden: true, User: "USLACKBOT", Text: "This message was deleted.",
			TS: m.TS, Team: m.Team, ThreadTS: m.TS,
			ReplyCount: m.ReplyCount, ReplyUsersCount: m.ReplyUsersCount, ReplyUsers: m.ReplyUsers, LatestReply: m.LatestReply}
		t.saveMessage(c, m)
		t.recordChange(c, before, m)
		return
	}
	t.run("DELETE FROM messages WHERE conversation_id = $1 AND ts = $2", c.ID, m.ts)
	t.recordDeletion(c, m.Message)
	if m.threadTS == 0 {
		return
	}
	// The tombstone goes with the last reply.
	root, err := t.message(c, m.ThreadTS)
	if err == nil && root.Subtype == "tombstone" && root.ReplyCount == 0 {
		t.erase(c, root)
	}
}
