package slack

import (
	"cmp"
	"slices"
	"strings"

	"frontdesk/internal/chat"
)

// postEvent is the type of the metadata that our messages carry.
const postEvent = "frontdesk_post"

// slackbot is the user that Slack itself posts as.
const slackbot = "USLACKBOT"

// message is a message as Slack reports it, in events and in history.
type message struct {
	Type        string       `json:"type"`
	Subtype     string       `json:"subtype"`
	User        string       `json:"user"`
	BotID       string       `json:"bot_id"`
	AppID       string       `json:"app_id"`
	BotProfile  botProfile   `json:"bot_profile"`
	Username    string       `json:"username"`
	Icons       icons        `json:"icons"`
	Text        string       `json:"text"`
	TS          string       `json:"ts"`
	ThreadTS    string       `json:"thread_ts"`
	Edited      edited       `json:"edited"`
	Files       []file       `json:"files"`
	Blocks      []block      `json:"blocks"`
	Attachments []attachment `json:"attachments"`
	Metadata    metadata     `json:"metadata"`
	Reactions   []reaction   `json:"reactions"`
	ReplyCount  int          `json:"reply_count"`
	LatestReply string       `json:"latest_reply"`
}

type botProfile struct {
	AppID string `json:"app_id"`
	Name  string `json:"name"`
	Icons icons  `json:"icons"`
}

// icons are the sizes of a picture. Slack does not always give all of them.
type icons struct {
	Image36 string `json:"image_36"`
	Image48 string `json:"image_48"`
	Image72 string `json:"image_72"`
}

func (i icons) best() string { return cmp.Or(i.Image72, i.Image48, i.Image36) }

type edited struct {
	TS string `json:"ts"`
}

type reaction struct {
	Name  string   `json:"name"`
	Users []string `json:"users"`
	Count int      `json:"count"`
}

// metadata is what an app hides in a message. In ours it is the post's mark.
type metadata struct {
	EventType    string      `json:"event_type"`
	EventPayload markPayload `json:"event_payload"`
}

type markPayload struct {
	Mark string `json:"mark"`
}

// identity is what we know about ourselves where a message is read: events name the
// app, history only the bot.
type identity struct {
	app  string // A…
	bot  string // B…
	user string // U…
}

// wrote reports whether a message is ours. The metadata counts only if Slack does
// not say who wrote the message, because any app may write the same.
func (me identity) wrote(m *message) bool {
	app := cmp.Or(m.AppID, m.BotProfile.AppID)
	switch {
	case me.app != "" && app != "":
		return app == me.app
	case me.bot != "" && m.BotID != "":
		return m.BotID == me.bot
	case me.user != "" && m.User == me.user:
		return true
	}
	return m.Metadata.EventType == postEvent
}

// spoken are the subtypes of what people and programs say. The others are Slack's
// own notices, for example that somebody has joined.
var spoken = []string{"", "bot_message", "file_share", "thread_broadcast", "me_message"}

// said reports whether a person or program said the message.
func (m *message) said() bool {
	_, ok := parseTS(m.TS)
	return ok && slices.Contains(spoken, m.Subtype)
}

// show returns the message as a chat.Message. base is the workspace's address,
// empty if unknown.
func (m *message) show(channel string, me identity, base string) chat.Message {
	shown := chat.Message{
		Ref:      chat.Ref{Channel: channel, ID: m.TS},
		Thread:   threadOf(m.TS, m.ThreadTS),
		Author:   m.User,
		Shown:    m.shownAs(),
		Bot:      m.BotID != "" || m.Subtype == "bot_message" || m.User == slackbot,
		Own:      me.wrote(m),
		HTML:     toHTML(m.content()),
		At:       timeOf(m.TS),
		EditedAt: timeOf(m.Edited.TS),
		Link:     link(base, channel, m.TS, m.ThreadTS),
	}
	if shown.Own && m.Metadata.EventType == postEvent {
		shown.Mark = m.Metadata.EventPayload.Mark
	}
	for _, f := range m.Files {
		if f.ID != "" && f.Mode != "tombstone" {
			shown.Files = append(shown.Files, f.show())
		}
	}
	return shown
}

// shownAs returns the name and the avatar that Slack shows instead of the user's.
// Without a user they are the program's. What a program posts with a person's token
// has its profile too, but is shown as that person's.
func (m *message) shownAs() chat.Persona {
	p := chat.Persona{Name: m.Username, Avatar: m.Icons.best()}
	if m.User == "" {
		p.Name, p.Avatar = cmp.Or(p.Name, m.BotProfile.Name), cmp.Or(p.Avatar, m.BotProfile.Icons.best())
	}
	return p
}

// kept returns the message with what only history has.
func (m *message) kept(channel string, me identity, base string) chat.Message {
	shown := m.show(channel, me, base)
	for _, r := range m.Reactions {
		shown.Reactions = append(shown.Reactions, chat.Reaction{Emoji: r.Name, Users: r.Users, Count: r.Count})
	}
	if shown.Thread == "" {
		shown.Replies, shown.LastReply = m.ReplyCount, m.LatestReply
	}
	return shown
}

// block is a part of a message. We read those with their own text.
type block struct {
	Text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"text"`
}

// attachment is the part of a message next to a coloured bar. The preview of a
// posted link is one, too.
type attachment struct {
	Pretext  string  `json:"pretext"`
	Title    string  `json:"title"`
	Text     string  `json:"text"`
	Fallback string  `json:"fallback"`
	Blocks   []block `json:"blocks"`
}

// content returns a message's text in Slack's markup. Many programs write only
// blocks and attachments, and so do we for the colour.
func (m *message) content() string {
	if m.Text != "" {
		return m.Text
	}
	parts := textsOf(m.Blocks)
	for _, a := range m.Attachments {
		parts = append(parts, a.texts()...)
	}
	return strings.Join(parts, "\n")
}

func textsOf(blocks []block) (texts []string) {
	for _, b := range blocks {
		switch {
		case b.Text.Text == "":
		case b.Text.Type == "plain_text":
			texts = append(texts, plainText(b.Text.Text))
		default:
			texts = append(texts, b.Text.Text)
		}
	}
	return texts
}

// texts returns the texts of an attachment, or its fallback if it has none.
func (a *attachment) texts() []string {
	texts := append(textsOf(a.Blocks), a.Pretext, a.Title, a.Text)
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	if len(texts) == 0 && a.Fallback != "" {
		return []string{a.Fallback}
	}
	return texts
}

// changed reports whether a message says something different than before. Slack
// also reports a change after it has fetched a preview, or when somebody has
// replied.
func (m *message) changed(before *message) bool {
	if before == nil || m.Text != before.Text || m.Edited != before.Edited || len(m.Files) != len(before.Files) {
		return true
	}
	for i, f := range m.Files {
		if f.ID != before.Files[i].ID || f.Mode != before.Files[i].Mode {
			return true
		}
	}
	return m.content() != before.content()
}
