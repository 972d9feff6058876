package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
)

// Person acts as a member would with their own client. Its methods return Slack's
// refusals as *Error, account_inactive if the member has left.
type Person struct {
	s  *Sandbox
	id string
}

// As returns the member with an id, whether they exist or not.
func (s *Sandbox) As(user string) Person { return Person{s, user} }

func (p Person) do(ctx context.Context, fn func(*tx, *actor) error) error {
	return p.s.write(ctx, func(t *tx) error {
		a, err := t.person(p.id)
		if err != nil {
			return err
		}
		return fn(t, a)
	})
}

func (p Person) look(ctx context.Context, fn func(*tx, *actor) error) error {
	return p.s.read(ctx, func(t *tx) error {
		a, err := t.person(p.id)
		if err != nil {
			return err
		}
		return fn(t, a)
	})
}

// Draft is a message to post. The text is in Slack's markup.
type Draft struct {
	Text      string          `json:"text"`
	ThreadTS  string          `json:"thread_ts"`
	Broadcast bool            `json:"reply_broadcast"`
	Blocks    json.RawMessage `json:"blocks"`
}

// Send posts a draft to a channel. Given a member's id instead, it posts to the
// direct message with them.
func (p Person) Send(ctx context.Context, channel string, d Draft) (shown Message, err error) {
	err = p.do(ctx, func(t *tx, a *actor) error {
		c, err := t.target(a, channel)
		if err != nil {
			return err
		}
		m, err := t.post(a, c, posting{Text: d.Text, ThreadTS: d.ThreadTS, Broadcast: d.Broadcast, Blocks: d.Blocks})
		if err == nil {
			shown = m.Message
		}
		return err
	})
	return shown, err
}

// Post posts a text in a channel.
func (p Person) Post(ctx context.Context, channel, text string) (Message, error) {
	return p.Send(ctx, channel, Draft{Text: text})
}

// Reply replies in the thread of a message.
func (p Person) Reply(ctx context.Context, channel, threadTS, text string) (Message, error) {
	return p.Send(ctx, channel, Draft{Text: text, ThreadTS: threadTS})
}

// Edit changes the text of this person's message.
func (p Person) Edit(ctx context.Context, channel, ts, text string) (shown Message, err error) {
	err = p.in(ctx, channel, func(t *tx, a *actor, c *conversation) error {
		m, err := t.edit(a, c, ts, revision{Text: &text})
		if err == nil {
			shown = m.Message
		}
		return err
	})
	return shown, err
}

// in does something in a conversation that this person may know of.
func (p Person) in(ctx context.Context, channel string, fn func(*tx, *actor, *conversation) error) error {
	return p.do(ctx, func(t *tx, a *actor) error {
		c, _, err := t.seen(a, channel)
		if err != nil {
			return err
		}
		return fn(t, a, c)
	})
}

// Delete deletes this person's message; the owner may delete any.
func (p Person) Delete(ctx context.Context, channel, ts string) error {
	return p.in(ctx, channel, func(t *tx, a *actor, c *conversation) error { return t.remove(a, c, ts) })
}

// React adds an emoji to a message.
func (p Person) React(ctx context.Context, channel, ts, emoji string) error {
	return p.reaction(ctx, channel, ts, emoji, (*tx).addReaction)
}

// Unreact removes this person's emoji from a message.
func (p Person) Unreact(ctx context.Context, channel, ts, emoji string) error {
	return p.reaction(ctx, channel, ts, emoji, (*tx).removeReaction)
}

func (p Person) reaction(ctx context.Context, channel, ts, emoji string, change func(*tx, *actor, *conversation, *messageRow, string) error) error {
	name, err := emojiName(emoji)
	if err != nil {
		return err
	}
	return p.in(ctx, channel, func(t *tx, a *actor, c *conversation) error {
		m, err := t.message(c, ts)
		if err != nil {
			return err
		}
		return change(t, a, c, m, name)
	})
}

// Upload is a file to share.
type Upload struct {
	Name     string
	Content  []byte
	Comment  string
	ThreadTS string
}

// Upload shares a file in a channel.
func (p Person) Upload(ctx context.Context, channel string, u Upload) (shown Message, err error) {
	if int64(len(u.Content)) > p.s.cfg.MaxFile {
		return shown, refuse("file_upload_size_restricted")
	}
	err = p.do(ctx, func(t *tx, a *actor) error {
		c, err := t.target(a, channel)
		if err != nil {
			return err
		}
		k := t.addFile(a, u.Name, "", int64(len(u.Content)))
		t.run("UPDATE files SET content = $2 WHERE id = $1", k.ID, append([]byte{}, u.Content...))
		if err := t.completeFile(a, k.ID, ""); err != nil {
			return fmt.Errorf("complete the upload: %w", err)
		}
		m, err := t.post(a, c, posting{Text: u.Comment, ThreadTS: u.ThreadTS, fileIDs: []string{k.ID}})
		if err == nil {
			shown = m.Message
		}
		return err
	})
	return shown, err
}

// CreateChannel makes a channel with this person in it.
func (p Person) CreateChannel(ctx context.Context, name string, isPrivate bool) (shown Conversation, err error) {
	k := public
	if isPrivate {
		k = private
	}
	err = p.do(ctx, func(t *tx, a *actor) error {
		c, err := t.createChannel(a, name, k)
		if err != nil {
			return err
		}
		shown, err = t.showConversation(c, a.User)
		return err
	})
	return shown, err
}

// Join adds this person to a public channel.
func (p Person) Join(ctx context.Context, channel string) error {
	return p.in(ctx, channel, func(t *tx, a *actor, c *conversation) error {
		in, err := t.isMember(c.ID, a.User)
		switch {
		case err != nil || in:
			return err
		case c.Archived:
			return refuse("is_archived")
		}
		t.join(c, a.User, "")
		return nil
	})
}

// Leave removes this person from a channel.
func (p Person) Leave(ctx context.Context, channel string) error {
	return p.in(ctx, channel, func(t *tx, a *actor, c *conversation) error { return t.leave(c, a.User) })
}

// Invite adds others, including bots, to a channel that this person is in.
func (p Person) Invite(ctx context.Context, channel string, users ...string) error {
	return p.in(ctx, channel, func(t *tx, a *actor, c *conversation) error { return t.invite(a, c, users) })
}

// Rename renames a channel.
func (p Person) Rename(ctx context.Context, channel, name string) error {
	return p.in(ctx, channel, func(t *tx, a *actor, c *conversation) error { return t.renameChannel(a, c, name) })
}

// Archive archives a channel.
func (p Person) Archive(ctx context.Context, channel string) error {
	return p.in(ctx, channel, func(t *tx, a *actor, c *conversation) error { return t.archiveChannel(a, c, true) })
}

// Unarchive opens an archived channel.
func (p Person) Unarchive(ctx context.Context, channel string) error {
	return p.in(ctx, channel, func(t *tx, a *actor, c *conversation) error { return t.archiveChannel(a, c, false) })
}

// Open returns the direct message with others.
func (p Person) Open(ctx context.Context, users ...string) (shown Conversation, err error) {
	err = p.do(ctx, func(t *tx, a *actor) error {
		c, _, err := t.directMessage(a, users)
		if err != nil {
			return err
		}
		shown, err = t.showConversation(c, a.User)
		return err
	})
	return shown, err
}

// Conversations lists the conversations that this person may know of.
func (p Person) Conversations(ctx context.Context) (all []Conversation, err error) {
	err = p.look(ctx, func(t *tx, a *actor) error {
		rows, err := t.conversations(a, selection{kinds: []kind{public, private, im, mpim}, withArchived: true, limit: everything.limit})
		all = nil
		for _, c := range rows {
			shown, err := t.showConversation(c, a.User)
			if err != nil {
				return err
			}
			all = append(all, shown)
		}
		return err
	})
	return all, err
}

// History returns the messages of a conversation, newest first, with metadata.
func (p Person) History(ctx context.Context, channel string, limit int) (all []Message, err error) {
	err = p.look(ctx, func(t *tx, a *actor) error {
		c, _, err := t.seen(a, channel)
		if err != nil {
			return err
		}
		s := everything
		s.limit = limit
		page, err := t.history(c, s)
		all = visible(page[:min(len(page), limit)], true)
		return err
	})
	return all, err
}

// Thread returns a message and its replies, oldest first, with metadata.
func (p Person) Thread(ctx context.Context, channel, ts string) (all []Message, err error) {
	err = p.look(ctx, func(t *tx, a *actor) error {
		c, _, err := t.seen(a, channel)
		if err != nil {
			return err
		}
		root, err := t.message(c, ts)
		if err != nil {
			return err
		}
		rest, err := t.replies(c, root.ts, everything)
		all = visible(append([]*messageRow{root}, rest...), true)
		return err
	})
	return all, err
}

// Ephemerals lists the messages in a conversation that only this person sees.
func (p Person) Ephemerals(ctx context.Context, channel string) (all []Message, err error) {
	err = p.look(ctx, func(t *tx, a *actor) error {
		c, _, err := t.seen(a, channel)
		if err != nil {
			return err
		}
		rows, err := t.ephemerals(c, a.User)
		all = visible(rows, true)
		return err
	})
	return all, err
}

// Views lists this person's open modals, the topmost last.
func (p Person) Views(ctx context.Context) (all []View, err error) {
	err = p.look(ctx, func(t *tx, a *actor) error {
		rows, err := t.views(a.User)
		all = nil
		for _, v := range rows {
			shown, err := t.showView(v)
			if err != nil {
				return err
			}
			all = append(all, shown)
		}
		return err
	})
	return all, err
}
