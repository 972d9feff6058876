package sandbox

import (
	"unicode/utf8"

	"frontdesk/internal/sandbox/richtext"
)

// maxNote is the maximum length of a topic or a purpose, in characters.
const maxNote = 250

func conversationsSetTopic(c *call) (object, error) {
	conv, err := c.noted("topic")
	if err != nil {
		return nil, err
	}
	value := c.args.text("topic")
	m := Message{Subtype: "channel_topic", Topic: value}
	c.setNote(c.a, conv, &conv.Topic, "topic", value, m)
	return c.shown(conv, nil)
}

func conversationsSetPurpose(c *call) (object, error) {
	conv, err := c.noted("purpose")
	if err != nil {
		return nil, err
	}
	if !conv.Kind.isChannel() {
		return nil, refuse("method_not_supported_for_channel_type")
	}
	value := c.args.text("purpose")
	m := Message{Subtype: "channel_purpose", Purpose: value}
	c.setNote(c.a, conv, &conv.Purpose, "purpose", value, m)
	return c.shown(conv, nil)
}

// noted returns the conversation whose topic or purpose the caller may set to the
// argument's value.
func (c *call) noted(argument string) (*conversation, error) {
	conv, member, err := c.managed("write.topic")
	switch {
	case err != nil:
		return nil, err
	case !member:
		return nil, refuse("not_in_channel")
	case conv.Archived:
		return nil, refuse("is_archived")
	case utf8.RuneCountInString(c.args.text(argument)) > maxNote:
		return nil, refuse("too_long")
	}
	return conv, nil
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
