package sandbox

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// later returns a time from now, in the form of post_at.
func (w *world) later(d time.Duration) string {
	return strconv.FormatInt(w.clock.Now().Add(d).Unix(), 10)
}

// schedule makes the bot schedule a message and returns its id.
func (w *world) schedule(channel string, d time.Duration, said string, more ...string) string {
	w.t.Helper()
	return text(w.bot("chat.scheduleMessage", append([]string{"channel", channel, "post_at", w.later(d), "text", said}, more...)...), "scheduled_message_id")
}

// texts returns the messages of a channel, newest first, without notices.
func (w *world) texts(channel string) (all []string) {
	w.t.Helper()
	all = []string{}
	for _, m := range w.bot("conversations.history", "channel", channel)["messages"].([]any) {
		if dig(m, "subtype") == nil {
			all = append(all, text(m, "text"))
		}
	}
	return all
}

func TestScheduledMessages(t *testing.T) {
	w := newWorld(t)
	w.run()
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	root := text(w.bot("chat.postMessage", "channel", c, "text", "root"), "ts")
	w.settle()
	at := w.later(time.Hour)
	o := w.bot("chat.scheduleMessage", "channel", c, "post_at", at, "markdown_text", "**later** https://x.test", "thread_ts", root, "reply_broadcast", "true",
		"metadata", `{"event_type":"e","event_payload":{"id":"7"}}`, "username", "Somebody")
	id := text(o, "scheduled_message_id")
	want(t, "answer", []any{o["channel"], fmt.Sprintf("%.0f", o["post_at"]), dig(o, "message", "type"), dig(o, "message", "text"), dig(o, "message", "bot_profile", "app_id"), dig(o, "message", "ts"), id[:1]},
		[]any{c, at, "delayed_message", "*later* <https://x.test>", w.app.ID, nil, "Q"})
	want(t, "not yet", w.texts(c), []string{"root"})
	list := w.bot("chat.scheduledMessages.list")
	want(t, "list", list["scheduled_messages"], []any{map[string]any{"id": id, "channel_id": c, "post_at": must(strconv.Atoi(at)), "date_created": w.clock.Now().Unix(), "text": "*later* <https://x.test>"}})

	// A minute before its time it is too late to delete it. At its time, by the
	// sandbox's clock, it is posted and reported.
	w.clock.Advance(time.Hour - time.Minute)
	w.refused("invalid_scheduled_message_id", "chat.deleteScheduledMessage", "channel", c, "scheduled_message_id", id)
	w.clock.Advance(59 * time.Second)
	w.clock.await(time.Second) // the dispatcher waits for that very time
	want(t, "not yet", len(w.bot("chat.scheduledMessages.list")["scheduled_messages"].([]any)), 1)
	w.clock.Advance(time.Second)
	e := w.rec.event("message", "thread_broadcast")
	want(t, "heard", []any{e["text"], e["thread_ts"], e["bot_id"], e["username"], dig(e, "metadata", "event_type"), text(e, "ts")[:10]},
		[]any{"*later* <https://x.test>", root, w.in.BotID, nil, "e", at})
	want(t, "list", w.bot("chat.scheduledMessages.list")["scheduled_messages"], []any{})
	w.refused("invalid_scheduled_message_id", "chat.deleteScheduledMessage", "channel", c, "scheduled_message_id", id)

	// A deleted message is not posted. A member schedules under their own name,
	// also to a person directly.
	gone := w.schedule(c, 2*time.Minute, "never")
	hers := w.token(maya)
	o = w.call(hers, "chat.scheduleMessage", args("channel", w.owner, "post_at", w.later(2*time.Minute), "text", "from Maya"))
	dm := text(o, "channel")
	w.refusedTo(hers, "invalid_scheduled_message_id", "chat.deleteScheduledMessage", "channel", c, "scheduled_message_id", gone)
	want(t, "hers", len(w.call(hers, "chat.scheduledMessages.list", nil)["scheduled_messages"].([]any)), 1)
	w.refused("channel_not_found", "chat.deleteScheduledMessage", "channel", "C0", "scheduled_message_id", gone)
	w.refused("invalid_scheduled_message_id", "chat.deleteScheduledMessage", "channel", c, "scheduled_message_id", "Q0")
	w.bot("chat.deleteScheduledMessage", "channel", c, "scheduled_message_id", gone)
	w.schedule(c, 3*time.Minute, "always")
	w.clock.Advance(3 * time.Minute)
	want(t, "heard", w.rec.event("message", "")["text"], "always")
	want(t, "said", w.texts(c), []string{"always", "root"})
	m := dig(w.call(hers, "conversations.history", args("channel", dm)), "messages", 0)
	want(t, "in person", []any{text(m, "user"), text(m, "text")}, []any{maya, "from Maya"})
}

// A message that became due while the sandbox did not run is posted at the next
// start, and only once.
func TestScheduledMessagesSurviveARestart(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	w.schedule(c, 2*time.Minute, "second")
	w.schedule(c, time.Minute, "first")
	w.schedule(c, time.Hour, "third")
	if err := w.s.Close(); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(10 * time.Minute)
	for range 2 {
		w.open()
		w.run()
		w.clock.await(poll) // it has looked, and posted what was due
		want(t, "after the restart", w.texts(c), []string{"second", "first"})
		w.halt()
		if err := w.s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w.open()
	w.run()
	w.clock.await(poll)
	w.clock.Advance(50 * time.Minute)
	for w.rec.event("message", "")["text"] != "third" {
	}
	want(t, "at its time", w.texts(c), []string{"third", "second", "first"})
}

// A message that can no longer be posted is dropped, and holds nothing else up.
func TestScheduledMessagesThatCannotBePosted(t *testing.T) {
	w := newWorld(t)
	w.run()
	maya := w.person("Maya")
	c, archived := w.channel("desk", maya), w.channel("old")
	w.schedule(archived, time.Minute, "into the archive")
	if o := w.call(w.token(maya), "chat.scheduleMessage", args("channel", c, "post_at", w.later(time.Minute), "text", "by who has left")); o["ok"] != true {
		t.Fatal(o)
	}
	gone := must(w.s.As(w.owner).Post(w.ctx, c, "a root"))
	w.schedule(c, time.Minute, "to a thread that is gone", "thread_ts", gone.TS)
	if err := w.s.As(w.owner).Archive(w.ctx, archived); err != nil {
		t.Fatal(err)
	}
	if err := w.s.DeactivateUser(w.ctx, maya); err != nil {
		t.Fatal(err)
	}
	if err := w.s.As(w.owner).Delete(w.ctx, c, gone.TS); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Minute)
	for w.rec.event("message", "")["text"] != "to a thread that is gone" {
	}
	want(t, "said", w.texts(c), []string{"to a thread that is gone"})
	want(t, "in the archive", w.texts(archived), []string{})
	want(t, "none waits", w.bot("chat.scheduledMessages.list")["scheduled_messages"], []any{})
}

func TestScheduledMessagesAreRefused(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	with := func(more ...string) []string {
		return append([]string{"channel", c, "post_at", w.later(time.Hour), "text", "x"}, more...)
	}
	w.refused("time_in_past", "chat.scheduleMessage", with("post_at", w.later(0))...)
	w.refused("time_in_past", "chat.scheduleMessage", with("post_at", "-1")...)
	w.bot("chat.scheduleMessage", with("post_at", w.later(time.Second))...)
	w.bot("chat.scheduleMessage", with("post_at", w.later(maxAhead))...)
	w.refused("time_too_far", "chat.scheduleMessage", with("post_at", w.later(maxAhead+time.Second))...)
	w.refused("invalid_time", "chat.scheduleMessage", with("post_at", "soon")...)
	w.refused("invalid_time", "chat.scheduleMessage", with("post_at", "")...)
	w.refused("invalid_arguments", "chat.scheduleMessage", "channel", c, "text", "x")
	w.refused("no_text", "chat.scheduleMessage", with("text", "")...)
	w.refused("invalid_blocks", "chat.scheduleMessage", with("blocks", `[{"type":"poem"}]`)...)
	w.refused("invalid_thread_ts", "chat.scheduleMessage", with("thread_ts", "x")...)
	w.refused("channel_not_found", "chat.scheduleMessage", with("channel", "C0")...)
	w.refused("not_in_channel", "chat.scheduleMessage", with("channel", w.general)...)
	want(t, "needed", w.refusedTo(w.botWith("users:read"), "missing_scope", "chat.scheduleMessage", with()...)["needed"], "chat:write")
	want(t, "only what was taken waits", len(w.bot("chat.scheduledMessages.list")["scheduled_messages"].([]any)), 2)

	// Thirty within five minutes in a channel; more if they are spread out.
	for i := range maxScheduled {
		w.schedule(c, time.Hour+time.Duration(i)*time.Second, "x")
	}
	w.refused("restricted_too_many", "chat.scheduleMessage", with("post_at", w.later(time.Hour+scheduledWindow-time.Second))...)
	w.refused("restricted_too_many", "chat.scheduleMessage", with("post_at", w.later(time.Hour-scheduledWindow+maxScheduled*time.Second))...)
	w.schedule(c, time.Hour+scheduledWindow, "x")
	w.schedule(w.channel("other"), time.Hour, "x")
}

func TestScheduledMessagesArePaged(t *testing.T) {
	w := newWorld(t)
	c, other := w.channel("desk"), w.channel("other")
	var ids []string
	for i := range 5 {
		in := c
		if i == 2 {
			in = other
		}
		ids = append(ids, w.schedule(in, time.Hour, fmt.Sprint(i))) // at the same time: in the order they came
	}
	first := w.schedule(c, time.Minute, "first")
	list := func(pairs ...string) (all []string, next string) {
		t.Helper()
		o := w.bot("chat.scheduledMessages.list", pairs...)
		all = []string{}
		for _, m := range o["scheduled_messages"].([]any) {
			all = append(all, text(m, "id"))
		}
		return all, text(o, "response_metadata", "next_cursor")
	}
	page, next := list("limit", "2")
	want(t, "first page", page, []string{first, ids[0]})
	page, next = list("limit", "2", "cursor", next)
	want(t, "second page", page, ids[1:3])
	page, next = list("limit", "2", "cursor", next)
	want(t, "last page", []any{page, next}, []any{ids[3:], ""})
	page, _ = list("channel", other)
	want(t, "of a channel", page, ids[2:3])
	page, _ = list("latest", w.later(time.Minute))
	want(t, "up to", page, []string{first})
	page, _ = list("oldest", w.later(time.Hour), "latest", w.later(2*time.Hour))
	want(t, "between", page, ids)
	w.refused("invalid_channel", "chat.scheduledMessages.list", "channel", "C0")
	w.refused("invalid_cursor", "chat.scheduledMessages.list", "cursor", "x")
	w.refused("invalid_limit", "chat.scheduledMessages.list", "limit", "many")
	w.refused("invalid_arguments", "chat.scheduledMessages.list", "oldest", "x")
	w.refused("invalid_arguments", "chat.scheduledMessages.list", "oldest", "2", "latest", "2")
}
