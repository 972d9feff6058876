package sandbox

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// event is something that happened, before we know which apps receive it.
type event struct {
	name    string // as apps subscribe to it: message.channels
	team    string
	channel *conversation       // only its members receive it; nil means the whole workspace
	lane    string              // defaults to the channel's id
	onlyFor string              // the only app that receives it, whatever its scopes and channels
	ts      int64               // microseconds; defaults to now
	about   *Message            // the message that is new, changed, removed, or reacted to
	says    object              // what it says to everybody; its type is the name
	body    func(*audience) any // instead, what it says to one app
}

// audience is an app that receives an event, through its bot or a member who
// authorised it.
type audience struct {
	app    *App
	user   string
	isBot  bool
	scopes []string
}

// eventScopes are the scopes for an event. Any of them is enough.
var eventScopes = map[string][]string{
	"message.channels":        {"channels:history"},
	"message.groups":          {"groups:history"},
	"message.im":              {"im:history"},
	"message.mpim":            {"mpim:history"},
	"app_mention":             {"app_mentions:read"},
	"reaction_added":          {"reactions:read"},
	"reaction_removed":        {"reactions:read"},
	"pin_added":               {"pins:read"},
	"pin_removed":             {"pins:read"},
	"emoji_changed":           {"emoji:read"},
	"team_join":               {"users:read"},
	"user_change":             {"users:read"},
	"channel_created":         {"channels:read"},
	"channel_rename":          {"channels:read"},
	"channel_archive":         {"channels:read"},
	"channel_unarchive":       {"channels:read"},
	"group_rename":            {"groups:read"},
	"group_archive":           {"groups:read"},
	"group_unarchive":         {"groups:read"},
	"member_joined_channel":   {"channels:read", "groups:read"},
	"member_left_channel":     {"channels:read", "groups:read"},
	"subteam_created":         {"usergroups:read"},
	"subteam_updated":         {"usergroups:read"},
	"subteam_members_changed": {"usergroups:read"},
	"file_shared":             {"files:read"},
	"file_deleted":            {"files:read"},
}

// record queues a callback for each app that receives an event, and notifies open
// clients. It runs in the transaction of the event, so that neither exists without
// the other.
func (t *tx) record(e event) {
	if c, ok := e.change(); ok {
		t.tell(e.team, c)
	}
	for _, in := range t.installations(e.team) {
		if in.Active && (e.onlyFor == "" || e.onlyFor == in.App) {
			t.send(e, in)
		}
	}
}

// send queues a callback for one app, if it receives the event.
func (t *tx) send(e event, in *installation) {
	app, err := t.app(in.App)
	if err != nil {
		t.note(err)
		return
	}
	if who := t.hearer(e, app, in); who != nil {
		t.queue(e, who)
	}
}

// hearer returns through whom an app receives an event: its bot first, or else a
// member who authorised it; nil if through nobody.
func (t *tx) hearer(e event, app *App, in *installation) *audience {
	subs := app.Manifest.Settings.Events
	if subs.RequestURL == "" {
		return nil
	}
	bot := &audience{app: app, user: in.BotUser, isBot: true, scopes: in.BotScopes}
	if slices.Contains(subs.BotEvents, e.name) && t.hears(e, bot) {
		return bot
	}
	if !slices.Contains(subs.UserEvents, e.name) {
		return nil
	}
	for _, k := range t.liveTokens(app.ID, e.team) {
		if k.IsBot {
			continue
		}
		a, err := t.bearer(k.Token)
		if err != nil {
			continue // they have left
		}
		if member := (&audience{app: app, user: a.User, scopes: a.Scopes}); t.hears(e, member) {
			return member
		}
	}
	return nil
}

func (t *tx) hears(e event, who *audience) bool {
	if e.onlyFor != "" {
		return true
	}
	need := eventScopes[e.name]
	if len(need) > 0 && !slices.ContainsFunc(need, func(s string) bool { return slices.Contains(who.scopes, s) }) {
		return false
	}
	return e.channel == nil || t.isMember(e.channel.ID, who.user)
}

// queue makes the envelope and stores it until it is delivered.
func (t *tx) queue(e event, who *audience) {
	if e.ts == 0 {
		e.ts = t.now.UnixMicro()
	}
	if e.lane == "" && e.channel != nil {
		e.lane = e.channel.ID
	}
	inner := maps.Clone(e.says)
	if e.body != nil {
		inner = asObject(e.body(who))
	} else {
		inner["type"] = e.name
	}
	inner["event_ts"] = showTS(e.ts)
	id := newID("Ev")
	envelope := object{
		"token": who.app.VerificationToken, "team_id": e.team, "context_team_id": e.team, "context_enterprise_id": nil,
		"api_app_id": who.app.ID, "event": inner, "type": "event_callback", "event_id": id, "event_time": t.now.Unix(),
		"authorizations":        []object{{"enterprise_id": nil, "team_id": e.team, "user_id": who.user, "is_bot": who.isBot, "is_enterprise_install": false}},
		"is_ext_shared_channel": false, "event_context": "4-" + id,
	}
	t.run(`INSERT INTO deliveries (event_id, app_id, team_id, type, lane, body, state, retries, reason, due_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, 'new', 0, '', $7, $8)`,
		id, who.app.ID, e.team, e.name, e.lane, string(encode(envelope)), t.millis(), t.millis())
	t.Ring(deliveriesTopic)
}

// asObject converts a struct to its JSON object.
func asObject(v any) object {
	if o, ok := v.(object); ok {
		return o
	}
	o := object{}
	d := json.NewDecoder(strings.NewReader(string(encode(v))))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		panic(err) // only for a value that is not an object
	}
	return o
}

// heard returns a message as an app receives it. The payload of metadata is
// included only if its manifest asks for it.
func (who *audience) heard(m Message) Message {
	if m.Metadata != nil && !who.app.wantsMetadata(m.AppID, m.Metadata.EventType) {
		m.Metadata = m.Metadata.brief()
	}
	return m
}

func messageEventName(c *conversation) string {
	return map[kind]string{public: "message.channels", private: "message.groups", im: "message.im", mpim: "message.mpim"}[c.Kind]
}

// recordMessage records a new message, and a mention of each bot in it.
func (t *tx) recordMessage(c *conversation, m *messageRow) {
	body := func(who *audience, name string) object {
		heard := who.heard(m.Message)
		// History shows a file share without a subtype, events with one.
		if len(heard.Files) > 0 && heard.Subtype == "" {
			heard.Subtype = "file_share"
		}
		o := asObject(heard)
		o["type"], o["channel"] = name, c.ID
		if name == "message" {
			o["channel_type"] = c.Kind.channelType()
		}
		return o
	}
	t.record(event{name: messageEventName(c), team: c.TeamID, channel: c, ts: m.ts, about: &m.Message, body: func(who *audience) any {
		return body(who, "message")
	}})
	// A notice names people but does not mention them.
	if !c.Kind.isChannel() || m.isNotice() || !strings.Contains(m.Text, "<@") {
		return
	}
	mention := event{name: "app_mention", team: c.TeamID, channel: c, ts: m.ts, body: func(who *audience) any { return body(who, "app_mention") }}
	for _, in := range t.installations(c.TeamID) {
		if strings.Contains(m.Text, "<@"+in.BotUser+">") && m.AppID != in.App {
			t.send(mention, in)
		}
	}
}

// recordChange records that a message has changed.
func (t *tx) recordChange(c *conversation, before Message, m *messageRow) {
	t.recordEdit(c, &m.Message, func(who *audience) object {
		return object{"subtype": "message_changed", "message": who.heard(m.Message), "previous_message": who.heard(before)}
	})
}

// recordDeletion records that a message was removed.
func (t *tx) recordDeletion(c *conversation, before Message) {
	t.recordEdit(c, &before, func(who *audience) object {
		return object{"subtype": "message_deleted", "deleted_ts": before.TS, "previous_message": who.heard(before)}
	})
}

// recordEdit records what happened to a message, as a message of its own.
func (t *tx) recordEdit(c *conversation, about *Message, body func(*audience) object) {
	ts := t.nextTS(c)
	t.record(event{name: messageEventName(c), team: c.TeamID, channel: c, ts: ts, about: about, body: func(who *audience) any {
		o := body(who)
		o["type"], o["hidden"], o["channel"], o["channel_type"], o["ts"] = "message", true, c.ID, c.Kind.channelType(), showTS(ts)
		return o
	}})
}

func reactionEvent(name string, c *conversation, m *messageRow, user, emoji string) event {
	says := object{"user": user, "reaction": emoji, "item": object{"type": "message", "channel": c.ID, "ts": m.TS}}
	if m.User != "" {
		says["item_user"] = m.User
	}
	return event{name: name, team: c.TeamID, channel: c, about: &m.Message, says: says}
}

func (t *tx) userEvent(name string, u userRow) event {
	return event{name: name, team: u.TeamID, body: func(who *audience) any {
		return object{"type": name, "user": t.showUser(u, slices.Contains(who.scopes, "users:read.email")), "cache_ts": u.Updated / 1000}
	}}
}

func channelEvent(name string, c *conversation, channel object) event {
	return event{name: name, team: c.TeamID, channel: membersOnly(c), lane: c.ID, says: object{"channel": channel}}
}
