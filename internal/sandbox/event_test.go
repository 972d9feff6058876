package sandbox

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEnvelope(t *testing.T) {
	w := newWorld(t)
	w.run()
	c := w.channel("desk")
	m := must(w.s.As(w.owner).Post(w.ctx, c, "Hello"))
	for {
		got := w.rec.next()
		if got.event()["text"] != "Hello" {
			continue
		}
		want(t, "path", got.path, "/events")
		for name, v := range map[string]any{"type": "event_callback", "team_id": w.team, "api_app_id": w.app.ID, "token": w.app.VerificationToken,
			"event_time":     w.clock.Now().Unix(),
			"authorizations": []object{{"enterprise_id": nil, "team_id": w.team, "user_id": w.in.BotUserID, "is_bot": true, "is_enterprise_install": false}}} {
			want(t, name, got.json[name], v)
		}
		if !strings.HasPrefix(text(got.json, "event_id"), "Ev") || got.header.Get("X-Slack-Retry-Num") != "" {
			t.Errorf("event id %s, retry %q", text(got.json, "event_id"), got.header.Get("X-Slack-Retry-Num"))
		}
		e := got.event()
		for name, v := range map[string]any{"type": "message", "channel": c, "channel_type": "channel", "user": w.owner, "ts": m.TS, "event_ts": m.TS, "team": w.team,
			"client_msg_id": m.ClientMsgID, "subtype": nil, "bot_id": nil} {
			want(t, name, e[name], v)
		}
		return
	}
}

func TestMessageEvents(t *testing.T) {
	w := newWorld(t)
	maya := w.s.As(w.person("Maya"))
	w.run()
	c := w.channel("desk", maya.id)
	e := w.rec.event("message", "channel_join")
	want(t, "join", []any{e["user"], e["inviter"]}, []any{w.in.BotUserID, w.owner})

	m := must(maya.Post(w.ctx, c, "first"))
	w.rec.event("message", "")
	w.settle()
	w.clock.Advance(5e9)
	must(maya.Edit(w.ctx, c, m.TS, "second"))
	e = w.rec.event("message", "message_changed")
	for _, tt := range []struct {
		path []any
		want any
	}{
		{[]any{"message", "text"}, "second"}, {[]any{"message", "ts"}, m.TS}, {[]any{"previous_message", "text"}, "first"},
		{[]any{"message", "edited", "user"}, maya.id}, {[]any{"channel"}, c}, {[]any{"hidden"}, true}, {[]any{"ts"}, e["event_ts"]},
	} {
		want(t, "change", dig(e, tt.path...), tt.want)
	}
	if text(e, "event_ts") <= m.TS {
		t.Errorf("the change at %s is not after the message at %s", text(e, "event_ts"), m.TS)
	}

	// The app receives its own posts.
	own := w.bot("chat.postMessage", "channel", c, "text", "mine", "thread_ts", m.TS, "reply_broadcast", "true",
		"metadata", `{"event_type":"n","event_payload":{"i":1}}`)
	e = w.rec.event("message", "thread_broadcast")
	want(t, "own", []any{e["ts"], e["bot_id"], e["app_id"], e["thread_ts"], e["parent_user_id"]},
		[]any{own["ts"], w.in.BotID, w.app.ID, m.TS, maya.id})
	want(t, "metadata of what the manifest does not name", e["metadata"], map[string]any{"event_type": "n", "event_payload": map[string]any{}})
	w.bot("chat.postMessage", "channel", c, "text", "as", "username", "Ines")
	e = w.rec.event("message", "bot_message")
	want(t, "as somebody", []any{e["username"], e["user"]}, []any{"Ines", nil})

	if err := maya.Delete(w.ctx, c, m.TS); err != nil {
		t.Fatal(err)
	}
	e = w.rec.event("message", "message_changed")
	want(t, "a thread's beginning leaves a mark", dig(e, "message", "subtype"), "tombstone")
	other := must(maya.Post(w.ctx, c, "alone"))
	if err := maya.Delete(w.ctx, c, other.TS); err != nil {
		t.Fatal(err)
	}
	e = w.rec.event("message", "message_deleted")
	want(t, "deleted", []any{e["deleted_ts"], dig(e, "previous_message", "text")}, []any{other.TS, "alone"})

	must(maya.Upload(w.ctx, c, Upload{Name: "a.txt", Content: []byte("x"), Comment: "see"}))
	e = w.rec.event("file_shared", "")
	want(t, "file_shared", []any{e["channel_id"], e["user_id"]}, []any{c, maya.id})
	id := e["file_id"]
	e = w.rec.event("message", "file_share")
	want(t, "file_share", []any{dig(e, "files", 0, "id"), e["text"]}, []any{id, "see"})

	must(maya.Post(w.ctx, c, "<@"+w.in.BotUserID+"> help"))
	e = w.rec.event("app_mention", "")
	want(t, "mention", e["user"], maya.id)

	dm := must(maya.Post(w.ctx, w.in.BotUserID, "hello bot"))
	e = w.rec.event("message", "")
	for e["ts"] != dm.TS {
		e = w.rec.event("message", "")
	}
	want(t, "channel_type", e["channel_type"], "im")
}

func TestMetadataTheManifestNames(t *testing.T) {
	w := newWorld(t, func(c *Config) {
		var m map[string]any
		json.Unmarshal(c.App.Manifest, &m)
		dig(m, "settings", "event_subscriptions").(map[string]any)["metadata_subscriptions"] = []object{{"app_id": "*", "event_type": "n"}}
		c.App.Manifest = encode(m)
	})
	w.run()
	c := w.channel("desk")
	w.bot("chat.postMessage", "channel", c, "text", "x", "metadata", `{"event_type":"n","event_payload":{"i":1}}`)
	want(t, "metadata", dig(w.rec.event("message", ""), "metadata", "event_payload", "i"), 1)
}

func TestOtherEvents(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	owner := w.s.As(w.owner)
	w.run()
	m := must(owner.Post(w.ctx, c, "x"))
	w.rec.event("message", "")
	if err := w.s.As(maya).React(w.ctx, c, m.TS, "eyes"); err != nil {
		t.Fatal(err)
	}
	e := w.rec.event("reaction_added", "")
	want(t, "reaction", []any{e["user"], e["reaction"], e["item_user"], e["item"]},
		[]any{maya, "eyes", w.owner, map[string]string{"type": "message", "channel": c, "ts": m.TS}})
	if err := w.s.As(maya).Unreact(w.ctx, c, m.TS, "eyes"); err != nil {
		t.Fatal(err)
	}
	w.rec.event("reaction_removed", "")

	new := must(w.s.InviteUser(w.ctx, w.team, NewUser{RealName: "Nils Holm", Email: "nils@fernhill.test"}))
	e = w.rec.event("team_join", "")
	want(t, "team_join", []any{dig(e, "user", "id"), dig(e, "user", "profile", "email")}, []any{new.ID, "nils@fernhill.test"})
	if err := w.s.RenameUser(w.ctx, new.ID, "Nils Holmgren"); err != nil {
		t.Fatal(err)
	}
	e = w.rec.event("user_change", "")
	want(t, "user_change", dig(e, "user", "real_name"), "Nils Holmgren")
	if err := w.s.DeactivateUser(w.ctx, new.ID); err != nil {
		t.Fatal(err)
	}
	want(t, "deleted", dig(w.rec.event("user_change", ""), "user", "deleted"), true)
	if _, err := w.s.InviteUser(w.ctx, w.team, NewUser{RealName: "Nils", Email: "NILS@fernhill.test"}); Code(err) != "already_in_team" {
		t.Errorf("the same email twice: %v", err)
	}

	room := must(owner.CreateChannel(w.ctx, "room", false))
	e = w.rec.event("channel_created", "")
	want(t, "channel_created", []any{dig(e, "channel", "id"), dig(e, "channel", "name")}, []any{room.ID, "room"})
	for _, step := range []error{owner.Rename(w.ctx, room.ID, "hall"), owner.Archive(w.ctx, room.ID), owner.Unarchive(w.ctx, room.ID)} {
		if step != nil {
			t.Fatal(step)
		}
	}
	want(t, "channel_rename", dig(w.rec.event("channel_rename", ""), "channel", "name"), "hall")
	want(t, "channel_archive", w.rec.event("channel_archive", "")["channel"], room.ID)
	want(t, "channel_unarchive", w.rec.event("channel_unarchive", "")["channel"], room.ID)
	if err := w.s.As(maya).Leave(w.ctx, c); err != nil {
		t.Fatal(err)
	}
	want(t, "member_left_channel", w.rec.event("member_left_channel", "")["user"], maya)
	if err := w.s.As(maya).Join(w.ctx, c); err != nil {
		t.Fatal(err)
	}
	e = w.rec.event("member_joined_channel", "")
	want(t, "member_joined_channel", []any{e["user"], e["channel"], e["team"]}, []any{maya, c, w.team})

	g := must(w.s.CreateUsergroup(w.ctx, w.owner, "Support", "support", []string{maya}))
	e = w.rec.event("subteam_created", "")
	want(t, "subteam_created", []any{dig(e, "subteam", "id"), dig(e, "subteam", "handle"), dig(e, "subteam", "users")}, []any{g.ID, "support", []string{maya}})
	must(w.s.SetUsergroupMembers(w.ctx, w.owner, g.ID, []string{w.owner}))
	want(t, "subteam_updated", dig(w.rec.event("subteam_updated", ""), "subteam", "users"), []string{w.owner})
	e = w.rec.event("subteam_members_changed", "")
	want(t, "subteam_members_changed", []any{e["subteam_id"], e["added_users"], e["removed_users"]}, []any{g.ID, []string{w.owner}, []string{maya}})
}

// An app receives only events that it subscribes to, has the scope for, and is in
// the channel of.
func TestEventsAreForWhoMayHear(t *testing.T) {
	w := newWorld(t, func(c *Config) {
		var m map[string]any
		json.Unmarshal(c.App.Manifest, &m)
		dig(m, "settings", "event_subscriptions").(map[string]any)["bot_events"] = []string{"message.channels", "message.groups", "user_change"}
		c.App.Manifest = encode(m)
	})
	owner := w.s.As(w.owner)
	must(owner.Post(w.ctx, w.general, "not in it"))
	hidden := must(owner.CreateChannel(w.ctx, "hidden", true))
	must(owner.Post(w.ctx, hidden.ID, "not in it either"))
	c := w.channel("desk")
	m := must(owner.Post(w.ctx, c, "heard"))
	if err := owner.React(w.ctx, c, m.TS, "eyes"); err != nil {
		t.Fatal(err)
	}
	types := func() (all []string) {
		for _, d := range must(w.s.Deliveries(w.ctx)) {
			var b struct{ Event struct{ Text, Type string } }
			json.Unmarshal([]byte(d.Body), &b)
			all = append(all, d.Type+" "+b.Event.Text)
		}
		return all
	}
	want(t, "heard", types(), []string{"message.channels <@" + w.in.BotUserID + "> has joined the channel", "message.channels heard"})

	// Without the scope it receives nothing.
	if err := w.s.Uninstall(w.ctx, w.app.ID, w.team); err != nil {
		t.Fatal(err)
	}
	before := len(types())
	must(owner.Post(w.ctx, c, "not installed"))
	must(w.s.Install(w.ctx, w.app.ID, w.owner, []string{"chat:write", "users:read"}, []string{}))
	must(owner.Post(w.ctx, c, "no scope"))
	want(t, "heard without the scope", len(types()), before)
	// And no email of a person without the scope for emails.
	if err := w.s.RenameUser(w.ctx, w.person("Maya"), "Maya L"); err != nil {
		t.Fatal(err)
	}
	all := must(w.s.Deliveries(w.ctx))
	if last := all[len(all)-1]; last.Type != "user_change" || strings.Contains(last.Body, "maya@desk.test") {
		t.Errorf("the last event is %s", last.Body)
	}
}

// A member who authorised the app lets it receive what they receive.
func TestUserEvents(t *testing.T) {
	w := newWorld(t, func(c *Config) {
		var m map[string]any
		json.Unmarshal(c.App.Manifest, &m)
		e := dig(m, "settings", "event_subscriptions").(map[string]any)
		e["bot_events"], e["user_events"] = []string{}, []string{"message.channels"}
		c.App.Manifest = encode(m)
	})
	w.run()
	must(w.s.As(w.person("Maya")).Post(w.ctx, w.general, "hello all"))
	got := w.rec.next()
	want(t, "text", got.event()["text"], "hello all")
	want(t, "authorization", dig(got.json, "authorizations", 0), object{"enterprise_id": nil, "team_id": w.team, "user_id": w.owner, "is_bot": false, "is_enterprise_install": false})
}

// Events of a private channel have their own names and go to its members.
func TestPrivateChannelEvents(t *testing.T) {
	w := newWorld(t)
	owner := w.s.As(w.owner)
	secret := must(owner.CreateChannel(w.ctx, "secret", true)).ID
	unheard := must(owner.CreateChannel(w.ctx, "unheard", true)).ID
	if err := owner.Invite(w.ctx, secret, w.in.BotUserID); err != nil {
		t.Fatal(err)
	}
	w.run()
	for name, id := range map[string]string{"unheard-2": unheard, "secret-2": secret} {
		must(owner.Post(w.ctx, id, "psst"))
		for _, step := range []error{owner.Rename(w.ctx, id, name), owner.Archive(w.ctx, id), owner.Unarchive(w.ctx, id)} {
			if step != nil {
				t.Fatal(step)
			}
		}
	}
	e := w.rec.event("message", "")
	want(t, "message", []any{e["channel"], e["channel_type"]}, []any{secret, "group"})
	want(t, "group_rename", dig(w.rec.event("group_rename", ""), "channel", "name"), "secret-2")
	want(t, "group_archive", w.rec.event("group_archive", "")["channel"], secret)
	want(t, "group_unarchive", w.rec.event("group_unarchive", "")["channel"], secret)
}
