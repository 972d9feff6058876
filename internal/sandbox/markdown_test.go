package sandbox

import (
	"encoding/json"
	"strings"
	"testing"
)

// markdown_text is accepted where Slack accepts it.
func TestMarkdownText(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	blocks := func(m any) (kinds []string) {
		for _, b := range dig(m, "blocks").([]any) {
			kinds = append(kinds, text(b, "type"))
		}
		return kinds
	}
	o := w.bot("chat.postMessage", "channel", c, "markdown_text", "# Ship\n\n**at** [ten](https://x.test)")
	want(t, "posted", []any{dig(o, "message", "text"), blocks(o["message"])}, []any{"*Ship*\n\n*at* <https://x.test|ten>", []string{"header", "rich_text"}})
	ts := text(o, "ts")
	o = w.bot("chat.update", "channel", c, "ts", ts, "markdown_text", "- `https://x.test`")
	want(t, "changed", []any{dig(o, "message", "text"), blocks(o["message"])}, []any{"• `https://x.test`", []string{"rich_text"}})
	want(t, "kept", dig(w.bot("conversations.history", "channel", c, "limit", "1"), "messages", 0, "blocks", 0, "elements", 0, "type"), "rich_text_list")
	w.bot("chat.postEphemeral", "channel", c, "user", maya, "markdown_text", "~~no~~")
	want(t, "whispered", must(w.s.As(maya).Ephemerals(w.ctx, c))[0].Text, "~no~")
	o = w.bot("chat.postMessage", "channel", c, "text", "fallback", "blocks", `[{"type":"markdown","text":"# a\n\nb","block_id":"x"},{"type":"divider"}]`)
	want(t, "as a block", []any{dig(o, "message", "text"), blocks(o["message"])}, []any{"fallback", []string{"header", "rich_text", "divider"}})

	most := strings.Repeat("ä", maxMarkdown)
	w.bot("chat.postMessage", "channel", c, "markdown_text", most)
	asBlock := func(s string) string {
		return string(must(json.Marshal([]object{{"type": "markdown", "text": s}, {"type": "markdown", "text": "a"}})))
	}
	w.bot("chat.postMessage", "channel", c, "blocks", asBlock(most[2:]))
	w.refused("invalid_blocks", "chat.postMessage", "channel", c, "blocks", asBlock(most))
	for _, method := range []string{"chat.postMessage", "chat.postEphemeral", "chat.update", "chat.scheduleMessage"} {
		with := func(pairs ...string) []string {
			return append([]string{"channel", c, "user", maya, "ts", ts, "post_at", "1718003600"}, pairs...)
		}
		w.refused("msg_too_long", method, with("markdown_text", most+"ä")...)
		w.refused("markdown_text_conflict", method, with("markdown_text", "a", "text", "b")...)
		w.refused("markdown_text_conflict", method, with("markdown_text", "a", "blocks", "[]")...)
		w.refused("msg_blocks_too_long", method, with("markdown_text", strings.Repeat("# a\n", maxMessageBlocks+1))...)
	}
	w.bot("chat.postMessage", "channel", c, "markdown_text", strings.Repeat("# a\n", maxMessageBlocks))
	w.refused("no_text", "chat.postMessage", "channel", c, "markdown_text", " \n")
}
