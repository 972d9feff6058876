package sandbox

import (
	"fmt"
	"strings"
	"testing"
)

func TestPostMessage(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	o := w.bot("chat.postMessage", "channel", c, "text", "Hello <@"+w.owner+">, see https://x.test/a.",
		"metadata", `{"event_type":"reply","event_payload":{"id":"7"}}`)
	m := o["message"]
	want(t, "channel", o["channel"], c)
	want(t, "ts", o["ts"], dig(m, "ts"))
	for name, v := range map[string]any{
		"type": "message", "user": w.in.BotUserID, "bot_id": w.in.BotID, "app_id": w.app.ID, "team": w.team,
		"text": "Hello <@" + w.owner + ">, see <https://x.test/a>.", "subtype": nil,
		"metadata": map[string]any{"event_type": "reply", "event_payload": map[string]string{"id": "7"}},
	} {
		want(t, name, dig(m, name), v)
	}
	want(t, "bot_profile", dig(m, "bot_profile", "name"), "Desk")
	want(t, "rich text", dig(m, "blocks", 0, "elements", 0, "elements", 1), map[string]string{"type": "user", "user_id": w.owner})

	// By name, as Slack allows for posting.
	want(t, "by name", w.bot("chat.postMessage", "channel", "#desk", "text", "hi")["channel"], c)

	// Under another name it is a message of a bot and of no user.
	m = w.bot("chat.postMessage", "channel", c, "text", "hi", "username", "Ines D", "icon_url", "http://x.test/i.png")["message"]
	want(t, "subtype", dig(m, "subtype"), "bot_message")
	want(t, "username", dig(m, "username"), "Ines D")
	want(t, "icons", dig(m, "icons", "image_48"), "http://x.test/i.png")
	want(t, "user", dig(m, "user"), nil)

	m = w.bot("chat.postMessage", "channel", c, "attachments", `[{"text":"old"}]`)["message"]
	want(t, "attachment", dig(m, "attachments", 0, "id"), 1)
	w.bot("chat.postMessage", "channel", c, "markdown_text", "**hi**")

	many := "[" + strings.TrimSuffix(strings.Repeat(`{"text":"x"},`, 101), ",") + "]"
	for _, tt := range []struct {
		code  string
		pairs []string
	}{
		{"no_text", nil},
		{"no_text", []string{"blocks", "[]"}},
		{"msg_too_long", []string{"text", strings.Repeat("a", 40001)}},
		{"invalid_blocks_format", []string{"blocks", "{"}},
		{"invalid_blocks", []string{"blocks", `[{"type":"poem"}]`}},
		{"invalid_blocks", []string{"blocks", `[{"type":"section"}]`}},
		{"invalid_attachments", []string{"attachments", "x"}},
		{"too_many_attachments", []string{"attachments", many}},
		{"invalid_metadata_format", []string{"text", "x", "metadata", `{"event_type":"a.b","event_payload":{}}`}},
		{"invalid_metadata_format", []string{"text", "x", "metadata", `[]`}},
		{"metadata_too_large", []string{"text", "x", "metadata", `{"event_type":"a","event_payload":{"x":"` + strings.Repeat("y", 17000) + `"}}`}},
		{"invalid_thread_ts", []string{"text", "x", "thread_ts", "yesterday"}},
		{"markdown_text_conflict", []string{"text", "x", "markdown_text", "y"}},
	} {
		w.refused(tt.code, "chat.postMessage", append([]string{"channel", c}, tt.pairs...)...)
	}
	o = w.refused("invalid_blocks", "chat.postMessage", "channel", c, "blocks", `[{"type":"poem"}]`)
	want(t, "messages", dig(o, "response_metadata", "messages"), []string{"[ERROR] unsupported type: poem [json-pointer:/blocks/0/type]"})
	w.refused("invalid_arguments", "chat.postMessage", "text", "hi")
	w.refused("channel_not_found", "chat.postMessage", "channel", "C0", "text", "hi")
	w.refused("not_in_channel", "chat.postMessage", "channel", w.general, "text", "hi")
	public := w.botWith("chat:write", "chat:write.public")
	if o := w.call(public, "chat.postMessage", args("channel", w.general, "text", "hi")); o["ok"] != true {
		t.Errorf("with chat:write.public: %v", o)
	}
	w.refusedTo(w.token(w.owner), "metadata_must_be_sent_from_app", "chat.postMessage", "channel", c, "text", "x",
		"metadata", `{"event_type":"a","event_payload":{}}`)
}

// The ts of a conversation grow whatever the clock does.
func TestTSRises(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	last := ""
	for i := range 20 {
		ts := text(w.bot("chat.postMessage", "channel", c, "text", fmt.Sprint(i)), "ts")
		if ts <= last {
			t.Fatalf("%s after %s", ts, last)
		}
		last = ts
		w.clock.Advance(-1e9)
	}
}

func TestThreads(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk", w.person("Maya"))
	maya := w.s.As(w.person("Maya"))
	root := must(maya.Post(w.ctx, c, "It is broken"))
	first := w.bot("chat.postMessage", "channel", c, "text", "one", "thread_ts", root.TS)
	want(t, "thread_ts", dig(first, "message", "thread_ts"), root.TS)
	// A reply to a reply goes into the same thread.
	second := w.bot("chat.postMessage", "channel", c, "text", "two", "thread_ts", text(first, "ts"))
	want(t, "thread_ts", dig(second, "message", "thread_ts"), root.TS)
	third := must(maya.Send(w.ctx, c, Draft{Text: "three", ThreadTS: root.TS, Broadcast: true}))
	want(t, "subtype", third.Subtype, "thread_broadcast")

	o := w.bot("conversations.replies", "channel", c, "ts", root.TS)
	var texts []string
	for _, m := range dig(o, "messages").([]any) {
		texts = append(texts, text(m, "text"))
	}
	want(t, "thread", texts, []string{"It is broken", "one", "two", "three"})
	p := dig(o, "messages", 0)
	for name, v := range map[string]any{"reply_count": 3, "reply_users_count": 2, "latest_reply": third.TS, "thread_ts": root.TS,
		"reply_users": []string{w.in.BotUserID, maya.id}} {
		want(t, name, dig(p, name), v)
	}
	want(t, "parent_user_id", dig(o, "messages", 1, "parent_user_id"), maya.id)

	// The conversation itself has the first message and the replies that were also
	// sent there.
	history := dig(w.bot("conversations.history", "channel", c), "messages").([]any)
	want(t, "newest", dig(history, 0, "text"), "three")
	want(t, "its root", dig(history, 0, "root", "text"), "It is broken")
	want(t, "then", dig(history, 1, "reply_count"), 3)

	// Pages of a thread.
	texts = nil
	for cursor := ""; ; {
		o := w.bot("conversations.replies", "channel", c, "ts", root.TS, "limit", "2", "cursor", cursor)
		for _, m := range dig(o, "messages").([]any) {
			texts = append(texts, text(m, "text"))
		}
		want(t, "has_more", o["has_more"], text(o, "response_metadata", "next_cursor") != "")
		if cursor = text(o, "response_metadata", "next_cursor"); cursor == "" {
			break
		}
	}
	want(t, "thread in pages", texts, []string{"It is broken", "one", "two", "three"})

	w.refused("thread_not_found", "conversations.replies", "channel", c, "ts", "1.000001")
	w.refused("invalid_cursor", "conversations.replies", "channel", c, "ts", root.TS, "cursor", "x")
	w.refused("channel_not_found", "conversations.replies", "channel", w.general, "ts", root.TS)
	w.refused("invalid_ts_oldest", "conversations.replies", "channel", c, "ts", root.TS, "oldest", "x")
}

// A reply to a removed message is not a reply, and only the answer shows this.
func TestReplyToADeletedMessage(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	m := must(w.s.As(w.owner).Post(w.ctx, c, "soon gone"))
	if err := w.s.As(w.owner).Delete(w.ctx, c, m.TS); err != nil {
		t.Fatal(err)
	}
	o := w.bot("chat.postMessage", "channel", c, "text", "late", "thread_ts", m.TS)
	want(t, "thread_ts", dig(o, "message", "thread_ts"), nil)
	want(t, "in the conversation", dig(w.bot("conversations.history", "channel", c), "messages", 0, "text"), "late")
	// Nor may somebody reply to a notice of the workspace.
	joined := dig(w.bot("conversations.history", "channel", c), "messages").([]any)
	w.refused("cannot_reply_to_message", "chat.postMessage", "channel", c, "text", "hi", "thread_ts", text(joined[len(joined)-1], "ts"))
}

func TestHistory(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	var ts []string
	for i := range 10 {
		w.clock.Advance(1e9)
		ts = append(ts, text(w.bot("chat.postMessage", "channel", c, "text", fmt.Sprint(i), "metadata", `{"event_type":"n","event_payload":{"i":1}}`), "ts"))
	}
	texts := func(pairs ...string) string {
		var all []string
		for _, m := range dig(w.bot("conversations.history", append([]string{"channel", c}, pairs...)...), "messages").([]any) {
			if text(m, "subtype") == "" {
				all = append(all, text(m, "text"))
			}
		}
		return strings.Join(all, " ")
	}
	want(t, "all", texts(), "9 8 7 6 5 4 3 2 1 0")
	want(t, "limit", texts("limit", "3"), "9 8 7")
	want(t, "between", texts("oldest", ts[2], "latest", ts[5]), "4 3")
	want(t, "between, ends in", texts("oldest", ts[2], "latest", ts[5], "inclusive", "true"), "5 4 3 2")
	want(t, "closest to latest", texts("oldest", ts[2], "latest", ts[8], "limit", "2"), "7 6")
	want(t, "oldest alone is closest to oldest", texts("oldest", ts[2], "limit", "2"), "4 3")
	want(t, "one", texts("latest", ts[4], "inclusive", "true", "limit", "1"), "4")

	walk := func(pairs ...string) string {
		var all []string
		for cursor := ""; ; {
			o := w.bot("conversations.history", append([]string{"channel", c, "cursor", cursor, "limit", "4"}, pairs...)...)
			for _, m := range dig(o, "messages").([]any) {
				all = append(all, text(m, "text"))
			}
			if cursor = text(o, "response_metadata", "next_cursor"); cursor == "" {
				return strings.Join(all, " ")
			}
			want(t, "has_more", o["has_more"], true)
		}
	}
	want(t, "pages backward", walk("oldest", ts[0], "latest", ts[9], "inclusive", "true"), "9 8 7 6 5 4 3 2 1 0")
	want(t, "pages forward", walk("oldest", ts[0], "inclusive", "1"), "3 2 1 0 7 6 5 4 9 8")

	o := w.bot("conversations.history", "channel", c, "limit", "1")
	want(t, "metadata unasked", dig(o, "messages", 0, "metadata"), map[string]any{"event_type": "n", "event_payload": map[string]any{}})
	o = w.bot("conversations.history", "channel", c, "limit", "1", "include_all_metadata", "true")
	want(t, "metadata", dig(o, "messages", 0, "metadata", "event_payload", "i"), 1)

	w.refused("invalid_ts_oldest", "conversations.history", "channel", c, "oldest", "x")
	w.refused("invalid_ts_latest", "conversations.history", "channel", c, "latest", "x")
	w.refused("invalid_cursor", "conversations.history", "channel", c, "cursor", "dXNlcjpVMQ==")
	w.refused("invalid_limit", "conversations.history", "channel", c, "limit", "x")
}

func TestUpdate(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk", w.person("Maya"))
	ts := text(w.bot("chat.postMessage", "channel", c, "text", "draft", "metadata", `{"event_type":"n","event_payload":{"i":1}}`), "ts")
	w.clock.Advance(90e9)
	o := w.bot("chat.update", "channel", c, "ts", ts, "text", "final")
	want(t, "text", o["text"], "final")
	want(t, "edited", dig(o, "message", "edited"), map[string]string{"user": w.in.BotUserID, "ts": fmt.Sprintf("%d.000000", w.clock.Now().Unix())})
	want(t, "metadata stays", dig(o, "message", "metadata", "event_payload", "i"), 1)
	o = w.bot("chat.update", "channel", c, "ts", ts, "blocks", `[{"type":"divider"}]`)
	want(t, "blocks", dig(o, "message", "blocks", 0, "type"), "divider")
	o = w.bot("chat.update", "channel", c, "ts", ts, "text", "plain", "metadata", "{}")
	want(t, "blocks go with text", dig(o, "message", "blocks", 0, "type"), "rich_text")
	want(t, "metadata goes", dig(o, "message", "metadata"), nil)

	m := must(w.s.As(w.person("Maya")).Post(w.ctx, c, "mine"))
	w.refused("cant_update_message", "chat.update", "channel", c, "ts", m.TS, "text", "yours")
	w.refused("message_not_found", "chat.update", "channel", c, "ts", "1.000001", "text", "x")
	w.refused("channel_not_found", "chat.update", "channel", "C0", "ts", ts, "text", "x")
	w.refused("no_text", "chat.update", "channel", c, "ts", ts)
	w.refused("no_text", "chat.update", "channel", c, "ts", ts, "text", "")
	w.refused("msg_too_long", "chat.update", "channel", c, "ts", ts, "text", strings.Repeat("x", 40001))
	w.refused("invalid_blocks", "chat.update", "channel", c, "ts", ts, "blocks", `[{"type":"x"}]`)
	w.refused("invalid_arguments", "chat.update", "channel", c, "text", "x")
	w.refusedTo(w.token(w.person("Maya")), "cant_update_message", "chat.update", "channel", c, "ts", ts, "text", "x")
	if err := w.s.As(w.owner).Archive(w.ctx, c); err != nil {
		t.Fatal(err)
	}
	w.refused("is_inactive", "chat.update", "channel", c, "ts", ts, "text", "x")
}

func TestDelete(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk", w.person("Maya"))
	maya := w.s.As(w.person("Maya"))
	ts := text(w.bot("chat.postMessage", "channel", c, "text", "x"), "ts")
	w.refusedTo(w.token(maya.id), "cant_delete_message", "chat.delete", "channel", c, "ts", ts)
	o := w.bot("chat.delete", "channel", c, "ts", ts)
	want(t, "ts", o["ts"], ts)
	w.refused("message_not_found", "chat.delete", "channel", c, "ts", ts)
	w.refused("channel_not_found", "chat.delete", "channel", "C0", "ts", ts)

	m := must(maya.Post(w.ctx, c, "mine"))
	w.refused("cant_delete_message", "chat.delete", "channel", c, "ts", m.TS)
	must(w.s.As(w.owner).Reply(w.ctx, c, m.TS, "stays"))
	if o := w.call(w.token(w.owner), "chat.delete", args("channel", c, "ts", m.TS)); o["ok"] != true {
		t.Errorf("the owner may delete any: %v", o)
	}
	// The replies stay, so a tombstone stays in place of the first message.
	thread := w.bot("conversations.replies", "channel", c, "ts", m.TS)
	want(t, "mark", dig(thread, "messages", 0, "subtype"), "tombstone")
	want(t, "reply", dig(thread, "messages", 1, "text"), "stays")
	w.refused("message_not_found", "chat.delete", "channel", c, "ts", m.TS)
}

func TestEphemeralAndPermalink(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	ts := text(w.bot("chat.postEphemeral", "channel", c, "user", maya, "text", "psst"), "message_ts")
	shown := must(w.s.As(maya).Ephemerals(w.ctx, c))
	want(t, "ephemeral", []string{shown[0].Text, shown[0].TS}, []string{"psst", ts})
	want(t, "seen by others", len(must(w.s.As(w.owner).Ephemerals(w.ctx, c))), 0)
	for _, m := range dig(w.bot("conversations.history", "channel", c), "messages").([]any) {
		if text(m, "text") == "psst" {
			t.Error("what one person sees is in the history")
		}
	}
	w.refused("user_not_in_channel", "chat.postEphemeral", "channel", c, "user", w.person("Ines"), "text", "psst")
	w.refused("channel_not_found", "chat.postEphemeral", "channel", "C0", "user", maya, "text", "psst")
	w.refused("no_text", "chat.postEphemeral", "channel", c, "user", maya)
	w.refused("not_in_channel", "chat.postEphemeral", "channel", w.general, "user", maya, "text", "x")

	root := text(w.bot("chat.postMessage", "channel", c, "text", "x"), "ts")
	reply := text(w.bot("chat.postMessage", "channel", c, "text", "y", "thread_ts", root), "ts")
	flat := strings.ReplaceAll(root, ".", "")
	want(t, "permalink", w.bot("chat.getPermalink", "channel", c, "message_ts", root)["permalink"], w.url+"/sandbox/archives/"+c+"/p"+flat)
	want(t, "permalink of a reply", w.bot("chat.getPermalink", "channel", c, "message_ts", reply)["permalink"],
		w.url+"/sandbox/archives/"+c+"/p"+strings.ReplaceAll(reply, ".", "")+"?thread_ts="+root+"&cid="+c)
	w.refused("message_not_found", "chat.getPermalink", "channel", c, "message_ts", "1.000001")
	w.refused("channel_not_found", "chat.getPermalink", "channel", "C0", "message_ts", root)
}

func TestReactions(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	ts := text(w.bot("chat.postMessage", "channel", c, "text", "x"), "ts")
	at := []string{"channel", c, "timestamp", ts}
	with := func(name string) []string { return append([]string{"name", name}, at...) }
	w.bot("reactions.add", with("eyes")...)
	if err := w.s.As(maya).React(w.ctx, c, ts, ":eyes:"); err != nil {
		t.Fatal(err)
	}
	w.bot("reactions.add", with("thumbsup::skin-tone-3")...)
	w.refused("already_reacted", "reactions.add", with("eyes")...)
	o := w.bot("reactions.get", at...)
	want(t, "reactions", dig(o, "message", "reactions"), []Reaction{
		{"eyes", []string{w.in.BotUserID, maya}, 2}, {"thumbsup::skin-tone-3", []string{w.in.BotUserID}, 1}})
	want(t, "type", o["type"], "message")
	w.bot("reactions.remove", with("eyes")...)
	w.refused("no_reaction", "reactions.remove", with("eyes")...)
	want(t, "in history", dig(w.bot("conversations.history", "channel", c, "limit", "1"), "messages", 0, "reactions", 0, "count"), 1)

	w.refused("invalid_name", "reactions.add", with("no such emoji")...)
	w.refused("invalid_name", "reactions.add", at...)
	w.refused("no_item_specified", "reactions.add", "name", "eyes")
	w.refused("not_reactable", "reactions.add", "name", "eyes", "file", "F1")
	w.refused("bad_timestamp", "reactions.add", "name", "eyes", "channel", c, "timestamp", "x")
	w.refused("message_not_found", "reactions.add", "name", "eyes", "channel", c, "timestamp", "1.000001")
	w.refused("channel_not_found", "reactions.add", "name", "eyes", "channel", "C0", "timestamp", ts)
	w.refused("no_item_specified", "reactions.get")
	elsewhere := must(w.s.As(w.owner).Post(w.ctx, w.general, "x"))
	w.refused("not_in_channel", "reactions.add", "name", "eyes", "channel", w.general, "timestamp", elsewhere.TS)
	for i := range maxReactions - 2 {
		w.bot("reactions.add", with(fmt.Sprintf("e%d", i))...)
	}
	w.refused("too_many_emoji", "reactions.add", with("one_more")...)
	if err := w.s.As(w.owner).Archive(w.ctx, c); err != nil {
		t.Fatal(err)
	}
	w.refused("is_archived", "reactions.add", with("late")...)
}

func TestThreadsOfMany(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	root := must(w.s.As(w.owner).Post(w.ctx, c, "all hands"))
	var last string
	for _, u := range w.people {
		if u.IsBot || u.ID == w.owner {
			continue
		}
		if err := w.s.As(u.ID).Join(w.ctx, c); err != nil {
			t.Fatal(err)
		}
		last = must(w.s.As(u.ID).Reply(w.ctx, c, root.TS, "me")).TS
	}
	m := must(w.s.As(w.owner).Thread(w.ctx, c, root.TS))[0]
	want(t, "replies", []any{m.ReplyCount, m.ReplyUsersCount, len(m.ReplyUsers), m.LatestReply}, []any{8, 8, 5, last})

	// The tombstone goes with the last reply.
	other := must(w.s.As(w.owner).Post(w.ctx, c, "soon gone"))
	reply := must(w.s.As(w.owner).Reply(w.ctx, c, other.TS, "so too"))
	for _, ts := range []string{other.TS, reply.TS} {
		if err := w.s.As(w.owner).Delete(w.ctx, c, ts); err != nil {
			t.Fatal(err)
		}
	}
	w.refused("thread_not_found", "conversations.replies", "channel", c, "ts", other.TS)
}
