package chattest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// memory is the connector of the system in memory. It differs from Slack in these
// ways: ids say nothing about time or order. A message carries no mark; instead a
// client names what it writes, and the system answers a known name with its
// message. Files come with their message. Emoji are glyphs. Text is plain.
// Revisions are not reported.
type memory struct {
	system *system
	token  string
}

var (
	_ chat.Connector = memory{}
	_ chat.Presence  = memory{}
)

// us is the system's name for the program that the connector belongs to.
const us = "frontdesk"

// glyphs are the system's emoji, by their usual names.
var glyphs = map[string]string{"eyes": "👀", "tada": "🎉", "white_check_mark": "✅", "thumbsup": "👍"}

func nameOf(glyph string) string {
	for name, g := range glyphs {
		if g == glyph {
			return name
		}
	}
	return strings.Trim(glyph, ":")
}

func glyphOf(name string) string {
	if g, ok := glyphs[name]; ok {
		return g
	}
	return ":" + name + ":"
}

// do calls the system, and pauses when asked if there is time.
func (m memory) do(ctx context.Context, fn func(by *account) error) error {
	return m.as(ctx, m.token, fn)
}

func (m memory) as(ctx context.Context, token string, fn func(by *account) error) error {
	for {
		err := m.system.call(ctx, token, fn)
		wait := pause(0)
		if !errors.As(err, &wait) {
			return m.explain(token, err)
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) < time.Duration(wait) {
			return &desk.Error{Kind: desk.Busy, Message: "The chat system wants us to wait.", RetryAfter: time.Duration(wait)}
		}
		select {
		case <-time.After(time.Duration(wait)):
		case <-ctx.Done():
			return m.explain(token, ctx.Err())
		}
	}
}

// explain turns the system's error into one that a connector may return.
func (m memory) explain(token string, err error) error {
	no, refused := errors.AsType[refusal](err)
	switch {
	case err == nil:
		return nil
	case !refused:
		return &desk.Error{Kind: desk.Unavailable, Message: "The chat system does not answer.", Err: err}
	case no == noEntry && token == m.token:
		return chat.ErrLost
	case no == noEntry:
		return desk.Errorf(desk.Refused, "This person no longer lets us act as them.")
	case no == notThere:
		return desk.Errorf(desk.NotFound, "The chat system has no such thing.")
	case no == stranger || no == notYours:
		return desk.Errorf(desk.Forbidden, "The chat system does not let us.")
	}
	return desk.Errorf(desk.Refused, "The chat system refuses: %s.", string(no))
}

func (m memory) Directory(ctx context.Context, part chat.Part, cursor string) (page chat.Directory, err error) {
	err = m.do(ctx, func(by *account) (err error) {
		page = chat.Directory{}
		switch part {
		case chat.People:
			var all []*account
			all, page.Next, err = listed(m.system, m.system.accounts, cursor)
			for _, a := range all {
				page.Users = append(page.Users, chat.User{ID: a.id, Name: a.name, Email: a.email, Deleted: a.left, IsBot: a.bot, External: a.guest})
			}
		case chat.Teams:
			var all []*group
			all, page.Next, err = listed(m.system, m.system.groups, cursor)
			for _, g := range all {
				page.Teams = append(page.Teams, *teamOf(g))
			}
		case chat.Channels:
			var all []*forum
			all, page.Next, err = listed(m.system, m.system.visible(by), cursor)
			for _, f := range all {
				page.Channels = append(page.Channels, channelOf(f, by))
			}
		}
		return err
	})
	return page, err
}

func channelOf(f *forum, by *account) chat.Channel {
	return chat.Channel{ID: f.id, Name: f.name, Private: f.private, Archived: f.closed, Member: f.members[by.id]}
}

func (m memory) Channel(ctx context.Context, id string) (c chat.Channel, err error) {
	err = m.do(ctx, func(by *account) error {
		for _, f := range m.system.visible(by) {
			if f.id == id {
				c = channelOf(f, by)
				return nil
			}
		}
		return notThere
	})
	return c, err
}

func (m memory) Join(ctx context.Context, channel string) error {
	return m.do(ctx, func(by *account) error { return m.system.join(by, channel) })
}

func (m memory) History(ctx context.Context, s chat.Span) (page chat.History, err error) {
	err = m.do(ctx, func(by *account) error {
		all, more, err := m.system.page(by, s.Channel, s.Thread, s.After, s.Since, s.Limit)
		if s.Newest {
			all, more, err = m.system.latest(by, s.Channel, s.Limit)
		}
		page = chat.History{More: more}
		for _, e := range all {
			msg := messageOf(m.system.id, e)
			for _, g := range e.glyphs {
				msg.Reactions = append(msg.Reactions, chat.Reaction{Emoji: nameOf(g.glyph), Users: append([]string{}, g.users...), Count: len(g.users)})
			}
			msg.Replies, msg.LastReply = m.system.replies(e)
			page.Messages = append(page.Messages, *msg)
		}
		return err
	})
	return page, err
}

func (m memory) Post(ctx context.Context, p chat.Post) (at chat.Ref, err error) {
	if p.Mark == "" {
		return at, desk.Errorf(desk.Invalid, "A post has a mark.")
	}
	d := draft{forum: p.Channel, to: p.User, thread: p.Thread, only: p.Only, body: bodyOf(&p.Content)}
	// The system remembers a client's names forever, so there is nothing to look
	// for and nothing to keep.
	d.name = clientName(p.Mark)
	for _, u := range p.Files {
		content, err := contentOf(u)
		if err != nil {
			return at, &desk.Error{Kind: desk.Unavailable, Message: "A file could not be read.", Err: err}
		}
		d.files = append(d.files, File{Name: u.Name, Content: content})
	}
	token := m.token
	if p.By != nil {
		token = p.By.Token
	}
	err = m.as(ctx, token, func(by *account) error {
		e, err := m.system.write(by, us, d)
		if err == nil {
			at = refOf(e)
		}
		return err
	})
	return at, err
}

// clientName returns our name for what is written for a mark.
func clientName(mark string) string {
	sum := sha256.Sum256([]byte(mark))
	return hex.EncodeToString(sum[:])
}

func contentOf(u chat.Upload) ([]byte, error) {
	f, err := u.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err == nil && int64(len(content)) != u.Size {
		err = fmt.Errorf("%s has %d bytes and should have %d", u.Name, len(content), u.Size)
	}
	return content, err
}

func bodyOf(c *chat.Content) body {
	b := body{text: read(c.HTML)}
	for _, f := range c.Fields {
		b.text += "\n" + f.Name + ": " + f.Value
	}
	if c.Footer != "" {
		b.text += "\n" + read(c.Footer)
	}
	for _, button := range c.Buttons {
		b.knobs = append(b.knobs, knob{button.ID, button.Label, button.Value, string(button.Style)})
	}
	return b
}

func (m memory) Edit(ctx context.Context, at chat.Ref, c *chat.Content) error {
	return m.do(ctx, func(by *account) error {
		if c != nil {
			return m.system.change(by, us, at.Channel, at.ID, bodyOf(c))
		}
		if err := m.system.remove(by, us, at.Channel, at.ID); err != notThere {
			return err
		}
		return nil
	})
}

func (m memory) React(ctx context.Context, at chat.Ref, emoji string, on bool) error {
	return m.do(ctx, func(by *account) error { return m.system.react(by, at.Channel, at.ID, glyphOf(emoji), on) })
}

func (m memory) File(ctx context.Context, id string) (io.ReadCloser, error) {
	var content string
	err := m.do(ctx, func(by *account) (err error) {
		content, err = m.system.fetch(by, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return io.NopCloser(strings.NewReader(content)), nil
}

func (m memory) Show(ctx context.Context, trigger string, f chat.Form) error {
	s := sheet{title: f.Title, send: f.Submit, about: f.ID + "\n" + f.State}
	for _, in := range f.Inputs {
		one := slot{key: in.ID, label: in.Label, value: in.Value, needed: !in.Optional}
		for _, o := range in.Options {
			one.choices = append(one.choices, choice(o))
		}
		s.slots = append(s.slots, one)
	}
	return m.do(ctx, func(by *account) error { return m.system.open(trigger, s) })
}

func (m memory) Absent(ctx context.Context, users []string) (absent map[string]bool, err error) {
	err = m.do(ctx, func(*account) error {
		absent = m.system.unattended(users)
		return nil
	})
	return absent, err
}
