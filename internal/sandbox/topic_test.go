package sandbox

import (
	"strings"
	"testing"
	"time"
)

func TestTopicAndPurpose(t *testing.T) {
	w := newWorld(t)
	w.run()
	c := w.channel("desk", w.person("Maya"))
	longest := strings.Repeat("ä", 250)
	o := w.bot("conversations.setTopic", "channel", c, "topic", "Ships & <@"+w.in.BotUserID+">")
	want(t, "topic", dig(o, "channel", "topic"), note{Value: "Ships & <@" + w.in.BotUserID + ">", Creator: w.in.BotUserID, LastSet: w.clock.Now().Unix()})
	e := w.rec.event("message", "channel_topic")
	want(t, "said", []any{e["topic"], e["user"], e["text"]}, []any{"Ships & <@" + w.in.BotUserID + ">", w.in.BotUserID,
		"<@" + w.in.BotUserID + "> set the channel topic: Ships &amp; &lt;@" + w.in.BotUserID + "&gt;"})

	w.clock.Advance(time.Minute)
	o = w.call(w.token(w.person("Maya")), "conversations.setPurpose", args("channel", c, "purpose", longest))
	want(t, "purpose", []any{dig(o, "channel", "purpose", "value"), dig(o, "channel", "purpose", "creator")}, []any{longest, w.person("Maya")})
	want(t, "kept", dig(w.bot("conversations.info", "channel", c), "channel", "purpose", "value"), longest)
	want(t, "said", w.rec.event("message", "channel_purpose")["purpose"], longest)
	w.refused("too_long", "conversations.setPurpose", "channel", c, "purpose", longest+"ä")
	w.refused("too_long", "conversations.setTopic", "channel", c, "topic", longest+"ä")

	// The same text again announces nothing; an empty one clears it.
	w.bot("conversations.setPurpose", "channel", c, "purpose", longest)
	w.bot("conversations.setTopic", "channel", c, "topic", "")
	messages := w.bot("conversations.history", "channel", c)["messages"].([]any)
	want(t, "history", []any{dig(messages, 0, "text"), dig(messages, 1, "subtype")}, []any{"<@" + w.in.BotUserID + "> cleared the channel topic", "channel_purpose"})

	w.refused("invalid_arguments", "conversations.setTopic", "channel", c)
	w.refused("channel_not_found", "conversations.setTopic", "channel", "C0", "topic", "x")
	w.refused("not_in_channel", "conversations.setTopic", "channel", w.general, "topic", "x")
	dm := text(w.bot("conversations.open", "users", w.owner), "channel", "id")
	want(t, "of a direct message", dig(w.bot("conversations.setTopic", "channel", dm, "topic", "us"), "channel", "topic", "value"), "us")
	w.refused("method_not_supported_for_channel_type", "conversations.setPurpose", "channel", dm, "purpose", "us")
	want(t, "needed", w.refusedTo(w.botWith("chat:write"), "missing_scope", "conversations.setTopic", "channel", c, "topic", "x")["ok"], false)
	want(t, "needed", w.refusedTo(w.botWith("channels:manage"), "missing_scope", "conversations.setTopic", "channel", dm, "topic", "x")["needed"], "im:write,im:write.topic")
	if o := w.call(w.botWith("channels:write.topic"), "conversations.setTopic", args("channel", c, "topic", "by the scope for it")); o["ok"] != true {
		t.Error(o)
	}
	if err := w.s.As(w.owner).Archive(w.ctx, c); err != nil {
		t.Fatal(err)
	}
	w.refused("is_archived", "conversations.setTopic", "channel", c, "topic", "x")
}

// A notice that names the bot does not mention it, so there is no app_mention.
func TestNoticesAreNoMentions(t *testing.T) {
	w := newWorld(t)
	w.run()
	c := w.channel("desk")
	must(w.s.As(w.owner).Post(w.ctx, c, "the last one"))
	for {
		e := w.rec.next().event()
		if e["type"] == "app_mention" {
			t.Errorf("heard %v", e)
		}
		if e["text"] == "the last one" {
			return
		}
	}
}
