package sandbox

import (
	"unicode/utf8"

	"frontdesk/internal/sandbox/richtext"
)

// maxNote is the maximum length of a topic or a purpose, in characters.
const maxNote = 250

func conversationsSetTopic(c *call, conv *conversation, member bool) (object, error) {
	value := c.args.text("topic")
	if err := notable(conv, member, value); err != nil {
		return nil, err
	}
	c.setNote(c.a, conv, &conv.Topic, "topic", value, Message{Subtype: "channel_topic", Topic: value})
	return c.shown(conv, nil)
}

func conversationsSetPurpose(c *call, conv *conversation, member bool) (object, error) {
	value := c.args.text("purpose")
	if err := notable(conv, member, value); err != nil {
		return nil, err
	}
	if !conv.Kind.isChannel() {
		return nil, refuse("method_not_supported_for_channel_type")
	}
	c.setNote(c.a, conv, &conv.Purpose, "purpose", value, Message{Subtype: "channel_purpose", Purpose: value})
	return c.shown(conv, nil)
}

// notable refuses a topic or a purpose that the caller may not set.
func notable(conv *conversation, member bool, value string) error {
	switch {
	case !member:
		return refuse("not_in_channel")
	case conv.Archived:
		return refuse("is_archived")
	case utf8.RuneCountInString(value) > maxNote:
		return refuse("too_long")
	}
	return nil
}

// setNote changes a topic or a purpose, n, and announces it with m. An unchanged
// one is not announced.
func (t *tx) setNote(a *actor, c *conversation, n *note, name, value string, m Message) {
	if n.Value == value {
		return
	}
	*n = note{Value: value, Creator: a.User, LastSet: t.now.Unix()}
	t.saveConversation(c)
	m.Text = "<@" + a.User + "> set the channel " + name + ": " + richtext.Escape(value)
	if value == "" {
		m.Text = "<@" + a.User + "> cleared the channel " + name
	}
	t.announce(c, a.User, m)
	t.tell(c.TeamID, change{Kind: channelChanged, Channel: c.ID})
}
