package sandbox

// maxPins bounds the pinned messages of a conversation.
const maxPins = 100

// PinnedInfo says who pinned a message, and when.
type PinnedInfo struct {
	Channel  string `json:"channel"`
	PinnedBy string `json:"pinned_by"`
	PinnedTS int64  `json:"pinned_ts"` // seconds
}

// pinRow is a pinned message.
type pinRow struct {
	ts      int64 // of the message, in microseconds
	user    string
	created int64 // milliseconds
}

// pins returns the pins of a conversation, newest first.
func (t *tx) pins(c *conversation) []pinRow {
	return rowsOf(t, func(scan func(...any) error) (p pinRow, err error) {
		err = scan(&p.ts, &p.user, &p.created)
		return p, err
	}, "SELECT ts, user_id, created_at FROM pins WHERE conversation_id = $1 ORDER BY n DESC", c.ID)
}

func (t *tx) countPins(c *conversation) int64 {
	return t.number("SELECT count(*) FROM pins WHERE conversation_id = $1", c.ID)
}

// pin pins a message to its conversation and tells the members.
func (t *tx) pin(a *actor, c *conversation, m *messageRow) error {
	if m.PinnedInfo != nil {
		return refuse("already_pinned")
	}
	n := t.countPins(c)
	if n >= maxPins {
		return refuse("too_many_pins")
	}
	t.run("INSERT INTO pins (conversation_id, ts, user_id, created_at) VALUES ($1, $2, $3, $4)", c.ID, m.ts, a.User, t.millis())
	m.PinnedTo, m.PinnedInfo = []string{c.ID}, &PinnedInfo{Channel: c.ID, PinnedBy: a.User, PinnedTS: t.now.Unix()}
	t.saveMessage(c, m)
	t.announce(c, a.User, Message{Subtype: "pinned_item", Text: "<@" + a.User + "> pinned a message to this channel.",
		ItemType: "C", Item: &Item{Type: "message", Channel: c.ID, TS: m.TS}})
	t.record(t.pinEvent("pin_added", a, c, m, pinRow{m.ts, a.User, t.millis()}, n+1))
	return nil
}

// unpin removes a pin.
func (t *tx) unpin(a *actor, c *conversation, m *messageRow) error {
	if m.PinnedInfo == nil {
		return refuse("no_pin")
	}
	was := pinRow{m.ts, m.PinnedInfo.PinnedBy, m.PinnedInfo.PinnedTS * 1000}
	t.run("DELETE FROM pins WHERE conversation_id = $1 AND ts = $2", c.ID, m.ts)
	m.PinnedTo, m.PinnedInfo = nil, nil
	t.saveMessage(c, m)
	t.record(t.pinEvent("pin_removed", a, c, m, was, t.countPins(c)))
	return nil
}

func (t *tx) pinEvent(name string, a *actor, c *conversation, m *messageRow, p pinRow, count int64) event {
	return event{name: name, team: c.TeamID, channel: c, about: &m.Message, body: func(who *audience) any {
		o := object{"type": name, "user": a.User, "channel_id": c.ID, "item": t.pinItem(c, m, p, who.heard(m.Message)), "pin_count": count}
		if m.User != "" {
			o["item_user"] = m.User
		}
		if name == "pin_removed" {
			o["has_pins"] = count > 0
		}
		return o
	}}
}

// pinItem returns a pin as Slack shows it, with the message as its reader sees it.
func (t *tx) pinItem(c *conversation, m *messageRow, p pinRow, seen Message) object {
	shown := asObject(seen)
	shown["permalink"] = t.permalink(c, m)
	return object{"type": "message", "channel": c.ID, "message": shown, "created": p.created / 1000, "created_by": p.user}
}

// pinnable changes the pin of the message that the arguments name.
func pinnable(change func(*tx, *actor, *conversation, *messageRow) error) conversationMethod {
	return func(c *call, conv *conversation, member bool) (object, error) {
		ts := c.args.text("timestamp")
		_, ok := parseTS(ts)
		switch {
		case ts == "":
			return nil, refuse("no_item_specified")
		case !ok:
			return nil, refuse("bad_timestamp")
		case !member:
			return nil, refuse("not_in_channel")
		case conv.Archived:
			return nil, refuse("restricted_action")
		}
		m, err := c.message(conv, ts)
		switch {
		case err != nil:
			return nil, err
		case m.isNotice():
			return nil, refuse("not_pinnable")
		}
		return object{}, change(c.tx, c.a, conv, m)
	}
}

func pinsList(c *call, conv *conversation, member bool) (object, error) {
	if !member && c.a.IsBot {
		return nil, refuse("not_in_channel")
	}
	items := []object{}
	for _, p := range c.pins(conv) {
		m, err := c.message(conv, showTS(p.ts))
		if err != nil {
			return nil, err
		}
		items = append(items, c.pinItem(conv, m, p, visible([]*messageRow{m}, false)[0]))
	}
	return object{"items": items}, nil
}
