package sandbox

import (
	"fmt"
	"strings"
	"testing"
)

func TestConversationsAreCreated(t *testing.T) {
	w := newWorld(t)
	c := w.bot("conversations.create", "name", "acme-support")["channel"]
	for name, v := range map[string]any{
		"name": "acme-support", "is_channel": true, "is_private": false, "is_im": false, "is_member": true, "is_archived": false,
		"creator": w.in.BotUserID, "created": w.clock.Now().Unix(),
	} {
		want(t, name, dig(c, name), v)
	}
	if !strings.HasPrefix(text(c, "id"), "C") {
		t.Errorf("the id is %s", text(c, "id"))
	}
	p := w.bot("conversations.create", "name", "acme-private", "is_private", "true")["channel"]
	want(t, "is_private", dig(p, "is_private"), true)
	for code, name := range map[string]string{
		"name_taken": "acme-support", "invalid_name_required": "", "invalid_name_specials": "Acme Support",
		"invalid_name_maxlength": strings.Repeat("a", 81), "invalid_name_punctuation": "--",
	} {
		w.refused(code, "conversations.create", "name", name)
	}
	w.refused("invalid_arguments", "conversations.create")
}

func TestConversationsAreSeenByWhoMay(t *testing.T) {
	w := newWorld(t)
	inside := w.channel("inside")
	outside := must(w.s.As(w.owner).CreateChannel(w.ctx, "outside", false)).ID
	hidden := must(w.s.As(w.owner).CreateChannel(w.ctx, "hidden", true)).ID

	want(t, "is_member", dig(w.bot("conversations.info", "channel", inside), "channel", "is_member"), true)
	want(t, "is_member", dig(w.bot("conversations.info", "channel", outside), "channel", "is_member"), false)
	o := w.bot("conversations.info", "channel", inside, "include_num_members", "true")
	want(t, "num_members", dig(o, "channel", "num_members"), 2)
	want(t, "num_members unasked", dig(w.bot("conversations.info", "channel", inside), "channel", "num_members"), nil)
	w.refused("channel_not_found", "conversations.info", "channel", hidden)
	w.refused("channel_not_found", "conversations.info", "channel", "C0NOWHERE")
	w.refused("channel_not_found", "conversations.members", "channel", hidden)
	w.refused("channel_not_found", "conversations.history", "channel", hidden)
	w.refused("not_in_channel", "conversations.history", "channel", outside)
	if o := w.call(w.token(w.person("Maya")), "conversations.history", args("channel", outside)); o["ok"] != true {
		t.Errorf("a member reads along in a public channel: %v", o)
	}

	names := func(pairs ...string) string {
		var all []string
		for _, c := range dig(w.bot("conversations.list", pairs...), "channels").([]any) {
			all = append(all, text(c, "name"))
		}
		return strings.Join(all, " ")
	}
	want(t, "public channels", names(), "general inside outside")
	want(t, "private channels", names("types", "private_channel"), "")
	if err := w.s.As(w.owner).Archive(w.ctx, outside); err != nil {
		t.Fatal(err)
	}
	want(t, "without archived", names("exclude_archived", "true"), "general inside")
	w.refused("invalid_types", "conversations.list", "types", "public_channel,lounge")
	w.refused("invalid_limit", "conversations.list", "limit", "1001")
	w.refused("invalid_cursor", "conversations.list", "cursor", "dGVhbTpDMA==")
}

func TestConversationsInPages(t *testing.T) {
	w := newWorld(t)
	for i := range 7 {
		must(w.s.As(w.owner).CreateChannel(w.ctx, fmt.Sprintf("room-%d", i), false))
	}
	var names []string
	for cursor := ""; ; {
		o := w.bot("conversations.list", "limit", "3", "cursor", cursor)
		for _, c := range dig(o, "channels").([]any) {
			names = append(names, text(c, "name"))
		}
		if cursor = text(o, "response_metadata", "next_cursor"); cursor == "" {
			break
		}
	}
	want(t, "names", strings.Join(names, " "), "general room-0 room-1 room-2 room-3 room-4 room-5 room-6")

	var members []string
	for cursor := ""; ; {
		o := w.bot("conversations.members", "channel", w.general, "limit", "4", "cursor", cursor)
		for _, id := range dig(o, "members").([]any) {
			members = append(members, id.(string))
		}
		if cursor = text(o, "response_metadata", "next_cursor"); cursor == "" {
			break
		}
	}
	want(t, "members", len(members), 9)
	w.refused("invalid_cursor", "conversations.members", "channel", w.general, "cursor", "x")
	w.refused("invalid_limit", "conversations.members", "channel", w.general, "limit", "x")
}

func TestInviteAndJoin(t *testing.T) {
	w := newWorld(t)
	maya, priya := w.person("Maya"), w.person("Priya")
	c := text(w.bot("conversations.create", "name", "desk"), "channel", "id")
	w.bot("conversations.invite", "channel", c, "users", maya+","+priya)
	w.refused("already_in_channel", "conversations.invite", "channel", c, "users", maya)
	w.refused("cant_invite_self", "conversations.invite", "channel", c, "users", w.in.BotUserID)
	w.refused("user_not_found", "conversations.invite", "channel", c, "users", "U0NOBODY")
	w.refused("no_user", "conversations.invite", "channel", c)
	w.refused("channel_not_found", "conversations.invite", "channel", "C0", "users", maya)
	w.refused("not_in_channel", "conversations.invite", "channel", w.general, "users", maya)
	dm := text(w.bot("conversations.open", "users", maya), "channel", "id")
	w.refused("method_not_supported_for_channel_type", "conversations.invite", "channel", dm, "users", priya)
	leila := w.person("Leila")
	if err := w.s.DeactivateUser(w.ctx, leila); err != nil {
		t.Fatal(err)
	}
	w.refused("cant_invite", "conversations.invite", "channel", c, "users", leila)

	o := w.bot("conversations.join", "channel", c)
	want(t, "warning", o["warning"], "already_in_channel")
	want(t, "warnings", dig(o, "response_metadata", "warnings"), []string{"already_in_channel"})
	o = w.bot("conversations.join", "channel", w.general)
	want(t, "warning", o["warning"], nil)
	want(t, "is_member", dig(o, "channel", "is_member"), true)
	w.refused("channel_not_found", "conversations.join", "channel", "C0")
	w.refused("method_not_supported_for_channel_type", "conversations.join", "channel", dm)

	w.bot("conversations.archive", "channel", c)
	w.refused("already_archived", "conversations.archive", "channel", c)
	w.refused("is_archived", "conversations.join", "channel", c)
	w.refused("is_archived", "conversations.invite", "channel", c, "users", w.person("Ines"))
	w.refused("is_archived", "chat.postMessage", "channel", c, "text", "hi")
	w.bot("conversations.unarchive", "channel", c)
	w.refused("not_archived", "conversations.unarchive", "channel", c)
	w.bot("conversations.rename", "channel", c, "name", "desk-two")
	w.refused("name_taken", "conversations.rename", "channel", c, "name", "general")
	w.bot("conversations.leave", "channel", c)
	want(t, "left twice", w.bot("conversations.leave", "channel", c)["not_in_channel"], true)
}

func TestDirectMessages(t *testing.T) {
	w := newWorld(t)
	maya, priya := w.person("Maya"), w.person("Priya")
	o := w.bot("conversations.open", "users", maya)
	id := text(o, "channel", "id")
	want(t, "new", o["already_open"], nil)
	if !strings.HasPrefix(id, "D") {
		t.Errorf("the id is %s", id)
	}
	o = w.bot("conversations.open", "users", maya, "return_im", "true")
	want(t, "again", o["already_open"], true)
	want(t, "id", dig(o, "channel", "id"), id)
	want(t, "user", dig(o, "channel", "user"), maya)
	want(t, "is_im", dig(o, "channel", "is_im"), true)
	want(t, "by channel", dig(w.bot("conversations.open", "channel", id), "channel", "id"), id)

	group := w.bot("conversations.open", "users", maya+","+priya, "return_im", "true")
	want(t, "is_mpim", dig(group, "channel", "is_mpim"), true)
	want(t, "the same people", dig(w.bot("conversations.open", "users", priya+","+maya), "channel", "id"), dig(group, "channel", "id"))

	// Posting to a person means posting to the direct message with them.
	want(t, "channel", w.bot("chat.postMessage", "channel", maya, "text", "hi")["channel"], id)
	w.refused("channel_not_found", "chat.postMessage", "channel", "U0NOBODY", "text", "hi")

	w.refused("users_list_not_supplied", "conversations.open")
	w.refused("user_not_found", "conversations.open", "users", "U0NOBODY")
	w.refused("channel_not_found", "conversations.open", "channel", "D0NOTHING")
	w.refused("method_not_supported_for_channel_type", "conversations.open", "channel", w.general)
	w.refused("too_many_users", "conversations.open", "users", "U1,U2,U3,U4,U5,U6,U7,U8,U9")
	if err := w.s.DeactivateUser(w.ctx, priya); err != nil {
		t.Fatal(err)
	}
	w.refused("user_disabled", "conversations.open", "users", priya)
	want(t, "direct messages", len(dig(w.bot("conversations.list", "types", "im,mpim"), "channels").([]any)), 2)
}
