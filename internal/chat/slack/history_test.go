package slack

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	slackgo "github.com/slack-go/slack"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
)

// walk returns a whole history in pages, as the messages' HTML.
func (w *world) walk(s chat.Span) (all []string, pages int) {
	w.t.Helper()
	for {
		h := must(w.c.History(w.ctx, s))
		for _, m := range h.Messages {
			all = append(all, m.HTML)
		}
		if pages++; !h.More {
			return all, pages
		}
		s.After = h.Messages[len(h.Messages)-1].ID
	}
}

func TestHistoryInPages(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk", w.person("Maya"), w.person("Priya"))
	maya := w.s.As(w.person("Maya"))
	var texts []string
	var root, last sandbox.Message
	for i := range 7 {
		texts = append(texts, fmt.Sprintf("<p>%d</p>", i))
		root = must(maya.Post(w.ctx, ch, fmt.Sprint(i)))
	}
	replies := []string{"<p>6</p>"}
	for i := range 5 {
		replies = append(replies, fmt.Sprintf("<p>r%d</p>", i))
		last = must(maya.Reply(w.ctx, ch, root.TS, fmt.Sprint("r", i)))
	}
	for _, limit := range []int{0, 1, 2, 3, 7, 100000} {
		all, pages := w.walk(chat.Span{Channel: ch, Limit: limit})
		want(t, fmt.Sprintf("in pages of %d", limit), all, texts)
		if limit == 3 && pages < 3 {
			t.Errorf("seven messages in %d pages of 3", pages)
		}
		all, _ = w.walk(chat.Span{Channel: ch, Thread: root.TS, Limit: limit})
		want(t, fmt.Sprintf("the thread in pages of %d", limit), all, replies)
		all, _ = w.walk(chat.Span{Channel: ch, Thread: root.TS, Limit: limit, After: root.TS})
		want(t, fmt.Sprintf("the replies in pages of %d", limit), all, replies[1:])
	}
	all, _ := w.walk(chat.Span{Channel: ch, Thread: root.TS, After: last.TS})
	want(t, "after the last", len(all), 0)

	h := must(w.c.History(w.ctx, chat.Span{Channel: ch}))
	top := h.Messages[6]
	want(t, "the thread", []any{top.Replies, top.LastReply, top.Thread, top.Own, top.Bot}, []any{5, last.TS, "", false, false})
	want(t, "of a reply", must(w.c.History(w.ctx, chat.Span{Channel: ch, Thread: root.TS})).Messages[5].Thread, root.TS)
}

// Slack's oldest is not on the page itself, but a message said at the span's moment
// is.
func TestOldest(t *testing.T) {
	at := time.Unix(1718000000, 100_000) // the same as 1718000000.000100
	for _, c := range []struct {
		span chat.Span
		want string
	}{
		{chat.Span{}, beginning},
		{chat.Span{After: "1718000000.000100"}, "1718000000.000100"},
		{chat.Span{Since: at}, "1718000000.000099"},
		{chat.Span{Since: at.Add(time.Nanosecond)}, "1718000000.000100"},
		{chat.Span{Since: at.Add(-time.Nanosecond)}, "1718000000.000099"},
		{chat.Span{Since: time.Unix(1718000000, 0)}, "1717999999.999999"},
		{chat.Span{Since: time.Unix(0, 0)}, beginning},
		{chat.Span{Since: time.Unix(-1, 0)}, beginning},
		{chat.Span{Since: at, After: "1718000000.000098"}, "1718000000.000099"},
		{chat.Span{Since: at, After: "1718000000.000100"}, "1718000000.000100"},
		{chat.Span{Since: at, After: "no such message"}, "no such message"},
	} {
		want(t, fmt.Sprintf("%+v", c.span), oldest(c.span), c.want)
	}
}

// Notices may fill whole pages, and the messages behind them must still be found.
func TestHistoryBehindNotices(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	for _, name := range []string{"Maya", "Priya", "Jonas", "Leila"} {
		w.check(w.s.As(w.person(name)).Join(w.ctx, ch))
	}
	must(w.s.As(w.owner).Post(w.ctx, ch, "hi"))
	all, _ := w.walk(chat.Span{Channel: ch, Limit: 2})
	want(t, "history", all, []string{"<p>hi</p>"})
}

func TestHistoryShowsWhatAMessageHas(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk", w.person("Maya"))
	maya := w.s.As(w.person("Maya"))
	m := must(maya.Upload(w.ctx, ch, sandbox.Upload{Name: "log.txt", Content: []byte("lines"), Comment: "see"}))
	w.check(maya.React(w.ctx, ch, m.TS, "eyes"))
	w.check(w.c.React(w.ctx, chat.Ref{Channel: ch, ID: m.TS}, "eyes", true))
	must(maya.Edit(w.ctx, ch, m.TS, "see this"))
	gone := must(maya.Post(w.ctx, ch, "a mistake"))
	must(maya.Reply(w.ctx, ch, gone.TS, "indeed"))
	w.check(maya.Delete(w.ctx, ch, gone.TS))
	h := must(w.c.History(w.ctx, chat.Span{Channel: ch}))
	if len(h.Messages) != 1 {
		t.Fatalf("history: %s", show(h))
	}
	got := h.Messages[0]
	want(t, "message", []any{got.HTML, got.Author, got.Files, got.Reactions, got.EditedAt.IsZero(), got.At},
		[]any{"<p>see this</p>", w.person("Maya"), []chat.File{{ID: m.Files[0].ID, Name: "log.txt", Type: "text/plain", Size: 5}},
			[]chat.Reaction{{Emoji: "eyes", Users: []string{w.person("Maya"), w.in.Bot.User}, Count: 2}}, false, timeOf(m.TS)})

	edit := w.next(func(ev chat.Event) bool { return ev.Message != nil && !ev.Message.EditedAt.IsZero() })
	want(t, "edit", []any{edit.Message.HTML, edit.Message.EditedAt.Truncate(1e9)}, []any{"<p>see this</p>", got.EditedAt})
	removed := w.next(func(ev chat.Event) bool { return ev.Removed != nil })
	want(t, "removed", removed.Removed.Ref, chat.Ref{Channel: ch, ID: gone.TS})
}

// A link is the same as Slack would return.
func TestLinks(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	root := must(w.c.Post(w.ctx, post(ch, "first", "m1")))
	p := post(ch, "second", "m2")
	p.Thread = root.ID
	must(w.c.Post(w.ctx, p))
	api := slackgo.New(w.in.Bot.Token, slackgo.OptionAPIURL(w.app.cfg.API))
	messages := must(w.c.History(w.ctx, chat.Span{Channel: ch, Thread: root.ID})).Messages
	want(t, "messages", len(messages), 2)
	for _, m := range messages {
		want(t, "without asking", w.app.Link(w.in, m.Ref, m.Thread), m.Link)
		want(t, m.HTML, m.Link, must(api.GetPermalink(&slackgo.PermalinkParameters{Channel: ch, Ts: m.ID})))
	}
	if !strings.Contains(messages[1].Link, "?thread_ts="+root.ID+"&cid="+ch) {
		t.Errorf("the link of a reply is %s", messages[1].Link)
	}
	// The first message of a thread may also be named as part of it.
	want(t, "the first by its thread", w.app.Link(w.in, root, root.ID), messages[0].Link)
	want(t, "without an address", w.app.Link(chat.Installation{Workspace: w.in.Workspace}, root, ""), "")
}

func TestHistoryOfNothing(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	_, err := w.c.History(w.ctx, chat.Span{Channel: "C0"})
	wantKind(t, "no channel", err, desk.NotFound)
	_, err = w.c.History(w.ctx, chat.Span{Channel: w.general})
	wantKind(t, "a channel we are not in", err, desk.Forbidden)
	_, err = w.c.History(w.ctx, chat.Span{Channel: ch, Thread: "1718000000.000100"})
	wantKind(t, "no thread", err, desk.NotFound)
	h := must(w.c.History(w.ctx, chat.Span{Channel: ch}))
	want(t, "nothing said", []any{len(h.Messages), h.More}, []any{0, false})
}

// One odd message must not hide the others forever.
func TestHistoryWithAnOddMessage(t *testing.T) {
	c := faked(t, map[string]string{"auth.test": `{"ok":true,"bot_id":"B1"}`, "conversations.history": `{"ok":true,"has_more":false,"messages":[
		{"type":"message","ts":"1718000002.000000","user":"U1","text":"b"},
		{"type":"message","ts":"1718000001.000000","user":["U1"],"text":{"odd":true},"files":{},"edited":7,"attachments":"x","reactions":[null]},
		{"type":"message","ts":12},null,7,
		{"type":"message","ts":"1718000000.000000","user":"U1","text":"a"}]}`})
	h, err := c.History(t.Context(), chat.Span{Channel: "C1"})
	var texts []string
	for _, m := range h.Messages {
		texts = append(texts, m.HTML)
	}
	if err != nil || !slices.Equal(texts, []string{"<p>a</p>", "", "<p>b</p>"}) {
		t.Errorf("got %v, %v", texts, err)
	}
}

// A page that leads nowhere is an error, not the end.
func TestHistoryThatLeadsNowhere(t *testing.T) {
	c := faked(t, map[string]string{"auth.test": `{"ok":true,"bot_id":"B1"}`, "conversations.history": `{"ok":true,"has_more":true,"messages":[]}`})
	_, err := c.History(t.Context(), chat.Span{Channel: "C1"})
	wantKind(t, "history", err, desk.Unavailable)
}

// Our identity is asked for once.
func TestIdentityIsRemembered(t *testing.T) {
	asked := 0
	c := served(t, func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "auth.test") {
			asked++
		}
		fmt.Fprint(rw, `{"ok":true,"bot_id":"B1","messages":[{"type":"message","ts":"1718000000.000000","bot_id":"B1","text":"a"}]}`)
	})
	for range 3 {
		h := must(c.History(t.Context(), chat.Span{Channel: "C1"}))
		want(t, "ours", h.Messages[0].Own, true)
	}
	want(t, "asked", asked, 1)
}
