package sandbox

import (
	"fmt"
	"testing"
)

func TestPins(t *testing.T) {
	w := newWorld(t)
	w.run()
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	first := must(w.s.As(maya).Post(w.ctx, c, "first"))
	second := text(w.bot("chat.postMessage", "channel", c, "text", "second"), "ts")
	want(t, "none yet", w.bot("pins.list", "channel", c)["items"], []any{})

	w.bot("pins.add", "channel", c, "timestamp", first.TS)
	e := w.rec.event("pin_added", "")
	want(t, "pin_added", []any{e["user"], e["channel_id"], e["item_user"], dig(e, "item", "message", "text"), e["pin_count"]}, []any{w.in.BotUserID, c, maya, "first", 1})
	if o := w.call(w.token(maya), "pins.add", args("channel", c, "timestamp", second)); o["ok"] != true {
		t.Fatal(o)
	}
	items := w.bot("pins.list", "channel", c)["items"].([]any)
	want(t, "the newest first", []any{len(items), dig(items, 0, "message", "ts"), dig(items, 0, "created_by"), dig(items, 1, "message", "text"), dig(items, 1, "created_by"), dig(items, 1, "created"), dig(items, 1, "type")},
		[]any{2, second, maya, "first", w.in.BotUserID, w.clock.Now().Unix(), "message"})
	if text(items[0], "message", "permalink") == "" {
		t.Error("no permalink")
	}

	// The conversation shows it, and so does its history.
	history := w.bot("conversations.history", "channel", c)
	want(t, "history", []any{history["pin_count"], dig(history, "messages", 0, "subtype"), dig(history, "messages", 0, "item", "ts"), dig(history, "messages", 2, "pinned_to"), dig(history, "messages", 2, "pinned_info", "pinned_by")},
		[]any{2, "pinned_item", second, []string{c}, maya})
	notice := text(history, "messages", 0, "ts")

	w.refused("already_pinned", "pins.add", "channel", c, "timestamp", first.TS)
	w.refused("not_pinnable", "pins.add", "channel", c, "timestamp", notice)
	w.refused("message_not_found", "pins.add", "channel", c, "timestamp", "1.000001")
	w.refused("bad_timestamp", "pins.add", "channel", c, "timestamp", "yesterday")
	w.refused("no_item_specified", "pins.add", "channel", c)
	w.refused("channel_not_found", "pins.add", "channel", "C0", "timestamp", first.TS)
	w.refused("channel_not_found", "pins.list", "channel", "C0")
	w.refused("not_in_channel", "pins.add", "channel", w.general, "timestamp", first.TS)
	w.refused("not_in_channel", "pins.list", "channel", w.general)
	want(t, "needed", w.refusedTo(w.botWith("chat:write"), "missing_scope", "pins.add", "channel", c)["needed"], "pins:write")
	want(t, "needed", w.refusedTo(w.botWith("chat:write"), "missing_scope", "pins.list", "channel", c)["needed"], "pins:read")

	w.bot("pins.remove", "channel", c, "timestamp", first.TS)
	e = w.rec.event("pin_removed", "")
	want(t, "pin_removed", []any{e["has_pins"], dig(e, "item", "created_by"), dig(e, "item", "message", "pinned_to")}, []any{true, w.in.BotUserID, nil})
	w.refused("no_pin", "pins.remove", "channel", c, "timestamp", first.TS)
	// The pin goes with the message.
	w.bot("chat.delete", "channel", c, "ts", second)
	want(t, "deleted", w.bot("pins.list", "channel", c)["items"], []any{})
	want(t, "deleted", w.bot("conversations.history", "channel", c)["pin_count"], 0)
	if err := w.s.As(w.owner).Archive(w.ctx, c); err != nil {
		t.Fatal(err)
	}
	w.refused("restricted_action", "pins.add", "channel", c, "timestamp", first.TS)
}

func TestPinsAreLimited(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	var last Message
	for i := range maxPins + 1 {
		last = must(w.s.As(w.owner).Post(w.ctx, c, fmt.Sprint(i)))
		if i < maxPins {
			w.bot("pins.add", "channel", c, "timestamp", last.TS)
		}
	}
	w.refused("too_many_pins", "pins.add", "channel", c, "timestamp", last.TS)
	want(t, "pins", len(w.bot("pins.list", "channel", c)["items"].([]any)), maxPins)
}
