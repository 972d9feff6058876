package sandbox

import (
	"strings"
)

// posting reads the message to post.
func (c *call) posting() (posting, error) {
	p := posting{
		Text: c.args.text("text"), Blocks: c.args.raw("blocks"), Attachments: c.args.raw("attachments"), Metadata: c.args.raw("metadata"),
		ThreadTS: c.args.text("thread_ts"), Broadcast: c.args.flag("reply_broadcast"),
		Username: c.args.text("username"), IconURL: c.args.text("icon_url"), IconEmoji: c.args.text("icon_emoji"),
	}
	var err error
	if p.Markdown, err = c.args.markdown(); err != nil {
		return p, err
	}
	if p.Username != "" || p.IconURL != "" || p.IconEmoji != "" {
		if !c.a.IsBot {
			// A member's messages carry their own name, whatever the call asks for.
			p.Username, p.IconURL, p.IconEmoji = "", "", ""
		} else if err := c.a.need("chat:write.customize"); err != nil {
			return p, err
		}
	}
	if p.Metadata != nil && c.a.App == "" {
		return p, refuse("metadata_must_be_sent_from_app")
	}
	return p, nil
}

// addressed reads the message to post and the conversation that it goes to.
func (c *call) addressed() (posting, *conversation, error) {
	p, err := c.posting()
	if err != nil {
		return p, nil, err
	}
	conv, err := c.target(c.a, c.args.text("channel"))
	return p, conv, err
}

func chatPostMessage(c *call) (object, error) {
	p, conv, err := c.addressed()
	if err != nil {
		return nil, err
	}
	m, err := c.post(c.a, conv, p)
	if err != nil {
		return nil, err
	}
	return object{"channel": conv.ID, "ts": m.TS, "message": m.Message}, nil
}

func chatPostEphemeral(c *call) (object, error) {
	p, conv, err := c.addressed()
	if err != nil {
		return nil, err
	}
	if !c.isMember(conv.ID, c.args.text("user")) {
		return nil, refuse("user_not_in_channel")
	}
	ts, err := c.whisper(c.a, conv, c.args.text("user"), p)
	return object{"message_ts": ts}, err
}

func chatUpdate(c *call, conv *conversation, _ bool) (_ object, err error) {
	r := revision{Blocks: c.args.raw("blocks"), Attachments: c.args.raw("attachments"), Metadata: c.args.raw("metadata")}
	if c.args.has("text") {
		text := c.args.text("text")
		r.Text = &text
	}
	if r.Markdown, err = c.args.markdown(); err != nil {
		return nil, err
	}
	if r.Text == nil && r.Markdown == "" && r.Blocks == nil && r.Attachments == nil {
		return nil, refuse("no_text")
	}
	m, err := c.edit(c.a, conv, c.args.text("ts"), r)
	if err != nil {
		return nil, err
	}
	return object{"channel": conv.ID, "ts": m.TS, "text": m.Text, "message": m.Message}, nil
}

func chatDelete(c *call, conv *conversation, _ bool) (object, error) {
	return object{"channel": conv.ID, "ts": c.args.text("ts")}, c.remove(c.a, conv, c.args.text("ts"))
}

func chatGetPermalink(c *call, conv *conversation, _ bool) (object, error) {
	m, err := c.message(conv, c.args.text("message_ts"))
	if err != nil {
		return nil, err
	}
	return object{"channel": conv.ID, "permalink": c.permalink(conv, m)}, nil
}

func (t *tx) permalink(c *conversation, m *messageRow) string {
	link := t.s.url("/archives/%s/p%s", c.ID, strings.ReplaceAll(m.TS, ".", ""))
	if m.threadTS != 0 {
		link += "?thread_ts=" + m.ThreadTS + "&cid=" + c.ID
	}
	return link
}

// reactable returns the message that the arguments of a reaction name.
func (c *call) reactable() (*conversation, *messageRow, error) {
	if c.args.text("channel") == "" || c.args.text("timestamp") == "" {
		if c.args.text("file") != "" || c.args.text("file_comment") != "" {
			return nil, nil, refuse("not_reactable")
		}
		return nil, nil, refuse("no_item_specified")
	}
	if _, ok := parseTS(c.args.text("timestamp")); !ok {
		return nil, nil, refuse("bad_timestamp")
	}
	conv, member, err := c.seen(c.a, c.args.text("channel"))
	if err != nil {
		return nil, nil, err
	}
	if !member && c.a.IsBot {
		return nil, nil, refuse("not_in_channel")
	}
	m, err := c.message(conv, c.args.text("timestamp"))
	return conv, m, err
}

func reactionsAdd(c *call) (object, error) { return c.react((*tx).addReaction) }

func reactionsRemove(c *call) (object, error) { return c.react((*tx).removeReaction) }

func (c *call) react(change func(*tx, *actor, *conversation, *messageRow, string) error) (object, error) {
	name, err := emojiName(c.args.text("name"))
	if err != nil {
		return nil, err
	}
	conv, m, err := c.reactable()
	if err != nil {
		return nil, err
	}
	if conv.Archived {
		return nil, refuse("is_archived")
	}
	return object{}, change(c.tx, c.a, conv, m, name)
}

func reactionsGet(c *call) (object, error) {
	conv, m, err := c.reactable()
	if err != nil {
		return nil, err
	}
	shown := asObject(visible([]*messageRow{m}, false)[0])
	shown["permalink"] = c.permalink(conv, m)
	return object{"type": "message", "channel": conv.ID, "message": shown}, nil
}
