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

// doing returns what a member gets for doing something.
func doing[T any](ctx context.Context, p Person, fn func(*tx, *actor) (T, error)) (T, error) {
	return writing(ctx, p.s, acting(p, fn))
}

// looking returns what a member sees.
func looking[T any](ctx context.Context, p Person, fn func(*tx, *actor) (T, error)) (T, error) {
	return reading(ctx, p.s, acting(p, fn))
}

func acting[T any](p Person, fn func(*tx, *actor) (T, error)) func(*tx) (T, error) {
	return func(t *tx) (none T, err error) {
		a, err := t.person(p.id)
		if err != nil {
			return none, err
		}
		return fn(t, a)
	}
}

func (p Person) do(ctx context.Context, fn func(*tx, *actor) error) error {
	_, err := doing(ctx, p, func(t *tx, a *actor) (none struct{}, err error) { return none, fn(t, a) })
	return err
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
func (p Person) Send(ctx context.Context, channel string, d Draft) (Message, error) {
	return doing(ctx, p, func(t *tx, a *actor) (Message, error) {
		c, err := t.target(a, channel)
		if err != nil {
			return Message{}, err
		}
		return messageOf(t.post(a, c, posting{Text: d.Text, ThreadTS: d.ThreadTS, Broadcast: d.Broadcast, Blocks: d.Blocks}))
	})
}

func messageOf(m *messageRow, err error) (Message, error) {
	if err != nil {
		return Message{}, err
	}
	return m.Message, nil
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
func (p Person) Edit(ctx context.Context, channel, ts, text string) (Message, error) {
	return doing(ctx, p, func(t *tx, a *actor) (Message, error) {
		c, _, err := t.seen(a, channel)
		if err != nil {
			return Message{}, err
		}
		return messageOf(t.edit(a, c, ts, revision{Text: &text}))
	})
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
func (p Person) Upload(ctx context.Context, channel string, u Upload) (Message, error) {
	if int64(len(u.Content)) > p.s.cfg.MaxFile {
		return Message{}, refuse("file_upload_size_restricted")
	}
	return doing(ctx, p, func(t *tx, a *actor) (Message, error) {
		c, err := t.target(a, channel)
		if err != nil {
			return Message{}, err
		}
		k := t.addFile(a, u.Name, "", int64(len(u.Content)))
		t.run("UPDATE files SET content = $2 WHERE id = $1", k.ID, append([]byte{}, u.Content...))
		if err := t.completeFile(a, k.ID, ""); err != nil {
			return Message{}, fmt.Errorf("complete the upload: %w", err)
		}
		return messageOf(t.post(a, c, posting{Text: u.Comment, ThreadTS: u.ThreadTS, fileIDs: []string{k.ID}}))
	})
}

// CreateChannel makes a channel with this person in it.
func (p Person) CreateChannel(ctx context.Context, name string, isPrivate bool) (Conversation, error) {
	k := public
	if isPrivate {
		k = private
	}
	return doing(ctx, p, func(t *tx, a *actor) (Conversation, error) {
		c, err := t.createChannel(a, name, k)
		if err != nil {
			return Conversation{}, err
		}
		return t.showConversation(c, a.User), nil
	})
}

// Join adds this person to a public channel.
func (p Person) Join(ctx context.Context, channel string) error {
	return p.in(ctx, channel, func(t *tx, a *actor, c *conversation) error {
		switch {
		case t.isMember(c.ID, a.User):
			return nil
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
func (p Person) Open(ctx context.Context, users ...string) (Conversation, error) {
	return doing(ctx, p, func(t *tx, a *actor) (Conversation, error) {
		c, _, err := t.directMessage(a, users)
		if err != nil {
			return Conversation{}, err
		}
		return t.showConversation(c, a.User), nil
	})
}

// Conversations lists the conversations that this person may know of.
func (p Person) Conversations(ctx context.Context) ([]Conversation, error) {
	return looking(ctx, p, func(t *tx, a *actor) ([]Conversation, error) {
		rows := t.conversations(a, selection{kinds: []kind{public, private, im, mpim}, withArchived: true, limit: everything.limit})
		return each(rows, func(c *conversation) Conversation { return t.showConversation(c, a.User) }), nil
	})
}

// readIn returns the messages that fn finds in a conversation, with metadata.
func (p Person) readIn(ctx context.Context, channel string, fn func(*tx, *conversation) ([]*messageRow, error)) ([]Message, error) {
	return looking(ctx, p, func(t *tx, a *actor) ([]Message, error) {
		c, _, err := t.seen(a, channel)
		if err != nil {
			return nil, err
		}
		rows, err := fn(t, c)
		return visible(rows, true), err
	})
}

// History returns the messages of a conversation, newest first, with metadata.
func (p Person) History(ctx context.Context, channel string, limit int) ([]Message, error) {
	return p.readIn(ctx, channel, func(t *tx, c *conversation) ([]*messageRow, error) {
		page := t.history(c, span{latest: everything.latest, limit: limit})
		return page[:min(len(page), limit)], nil
	})
}

// Thread returns a message and its replies, oldest first, with metadata.
func (p Person) Thread(ctx context.Context, channel, ts string) ([]Message, error) {
	return p.readIn(ctx, channel, func(t *tx, c *conversation) ([]*messageRow, error) {
		root, err := t.message(c, ts)
		if err != nil {
			return nil, err
		}
		return append([]*messageRow{root}, t.replies(c, root.ts, everything)...), nil
	})
}

// Ephemerals lists the messages in a conversation that only this person sees.
func (p Person) Ephemerals(ctx context.Context, channel string) ([]Message, error) {
	return p.readIn(ctx, channel, func(t *tx, c *conversation) ([]*messageRow, error) { return t.ephemerals(c, p.id), nil })
}

// Views lists this person's open modals, the topmost last.
func (p Person) Views(ctx context.Context) ([]View, error) {
	return looking(ctx, p, func(t *tx, a *actor) ([]View, error) {
		return each(t.views(a.User), t.showView), nil
	})
}
