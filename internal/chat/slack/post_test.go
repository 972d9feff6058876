package slack

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	slackgo "github.com/slack-go/slack"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
)

// newest returns the last message of a channel, from the workspace.
func (w *world) newest(channel string) sandbox.Message {
	w.t.Helper()
	return must(w.s.As(w.owner).History(w.ctx, channel, 1))[0]
}

func TestPost(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	at := must(w.c.Post(w.ctx, post(ch, "<p>a &lt;b&gt;</p>", "m1")))
	h := must(w.c.History(w.ctx, chat.Span{Channel: ch}))
	if len(h.Messages) != 1 || h.More {
		t.Fatalf("history: %+v", h)
	}
	m := h.Messages[0]
	want(t, "message", []any{m.Ref, m.Own, m.Mark, m.HTML, m.Bot, m.Author, m.Thread}, []any{at, true, "m1", "<p>a &lt;b&gt;</p>", true, w.in.Bot.User, ""})
	ev := w.next(func(ev chat.Event) bool { return ev.Message != nil })
	want(t, "event", []any{ev.Workspace, ev.Message.Ref, ev.Message.Own, ev.Message.Mark, ev.Message.Link}, []any{w.in.Workspace, at, true, "m1", m.Link})

	_, err := w.c.Post(w.ctx, post(ch, "x", ""))
	wantKind(t, "without a mark", err, desk.Invalid)
	_, err = w.c.Post(w.ctx, post(ch, "", "m2"))
	wantKind(t, "without a text", err, desk.Invalid)
	_, err = w.c.Post(w.ctx, post("C0", "x", "m2"))
	wantKind(t, "to no channel", err, desk.NotFound)
	_, err = w.c.Post(w.ctx, post(w.general, "x", "m2"))
	wantKind(t, "to a channel we are not in", err, desk.Forbidden)
	_, err = w.c.Post(w.ctx, post(ch, strings.Repeat("x", 40001), "m2"))
	wantKind(t, "too long", err, desk.Invalid)
	want(t, "said", len(w.texts(ch)), 1)
}

func TestPostAsSomebody(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	p := post(ch, "hi", "m1")
	p.As = &chat.Persona{Name: "Ines", Avatar: "https://x.test/a.png"}
	must(w.c.Post(w.ctx, p))
	got := w.newest(ch)
	want(t, "persona", []string{got.Username, got.Icons.Image48}, []string{"Ines", "https://x.test/a.png"})

	p = post(ch, "hi again", "m2")
	p.By = w.in.Person
	p.As = &chat.Persona{Name: "nobody"}
	must(w.c.Post(w.ctx, p))
	want(t, "in a person's name", []string{w.newest(ch).User, w.newest(ch).Username}, []string{w.owner, ""})
	for i, m := range must(w.c.History(w.ctx, chat.Span{Channel: ch})).Messages {
		want(t, "ours", []any{m.Own, m.Bot, m.Mark}, []any{true, true, fmt.Sprint("m", i+1)})
	}
	for i := range 2 {
		ev := w.next(func(ev chat.Event) bool { return ev.Message != nil })
		want(t, "heard as ours", []any{ev.Message.Own, ev.Message.Mark}, []any{true, fmt.Sprint("m", i+1)})
	}
}

func TestPostToAPerson(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	p := chat.Post{User: maya, Content: chat.Content{HTML: "hi"}, Mark: "m1"}
	at := must(w.c.Post(w.ctx, p))
	direct := must(w.s.As(maya).Open(w.ctx, w.in.Bot.User))
	want(t, "channel", at.Channel, direct.ID)
	p.Tried = time.Now()
	want(t, "adopted", must(w.c.Post(w.ctx, p)), at)
	p.User = "U0"
	_, err := w.c.Post(w.ctx, p)
	wantKind(t, "to nobody", err, desk.NotFound)
}

func TestPostForOneToSee(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	ch := w.channel("desk", maya)
	p := post(ch, "psst", "m1")
	p.Only = maya
	at := must(w.c.Post(w.ctx, p))
	seen := must(w.s.As(maya).Ephemerals(w.ctx, ch))
	want(t, "seen", []any{len(seen), seen[0].Text, seen[0].TS}, []any{1, "psst", at.ID})
	want(t, "by others", w.texts(ch), []string(nil))
	p.Only = w.person("Jonas")
	_, err := w.c.Post(w.ctx, p)
	wantKind(t, "to somebody who is not there", err, desk.Forbidden)
	p.Only, p.Files = maya, []chat.Upload{upload("a.txt", "a")}
	_, err = w.c.Post(w.ctx, p)
	wantKind(t, "with files", err, desk.Invalid)
}

var rich = chat.Content{
	HTML:    "New &lt;request&gt;",
	Fields:  []chat.Field{{Name: "Priority", Value: "*High*"}, {Name: "Customer & co", Value: ""}},
	Buttons: []chat.Button{{ID: "take", Label: "Take", Value: "7", Style: chat.Primary}, {ID: "close", Label: "Close"}},
}

func TestPostFieldsAndButtons(t *testing.T) {
	w := newWorld(t)
	maya := w.person("Maya")
	ch := w.channel("desk", maya)
	at := must(w.c.Post(w.ctx, chat.Post{Channel: ch, Mark: "m1", Content: rich}))
	var blocks slackgo.Blocks
	w.check(json.Unmarshal(w.newest(ch).Blocks, &blocks))
	if len(blocks.BlockSet) != 3 {
		t.Fatalf("blocks: %s", w.newest(ch).Blocks)
	}
	var cells []string
	for _, c := range blocks.BlockSet[1].(*slackgo.SectionBlock).Fields {
		cells = append(cells, c.Type+" "+c.Text)
	}
	want(t, "fields", cells, []string{"mrkdwn *Priority*", "plain_text *High*", "mrkdwn *Customer &amp; co*", "plain_text –"})

	w.check(w.s.As(maya).Press(w.ctx, sandbox.Press{Channel: ch, TS: at.ID, ActionID: "take"}))
	ev := w.next(func(ev chat.Event) bool { return ev.Action != nil })
	want(t, "pressed", []any{ev.Workspace, ev.Action.User, ev.Action.Button, ev.Action.Value, ev.Action.At, ev.Action.Thread, ev.Action.Trigger != ""},
		[]any{w.in.Workspace, maya, "take", "7", at, "", true})
}

// With a coloured bar everything is in an attachment, and is read from there.
func TestPostWithAColour(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	content := rich
	content.Colour, content.HTML = "#2eb67d", strings.Repeat(strings.Repeat("x", 99)+"<br>", 50)+"end"
	must(w.c.Post(w.ctx, chat.Post{Channel: ch, Mark: "m1", Content: content}))
	var got []struct {
		Color    string
		Fallback string
		Blocks   slackgo.Blocks
	}
	w.check(json.Unmarshal(w.newest(ch).Attachments, &got))
	if len(got) != 1 || got[0].Color != "#2eb67d" || len(got[0].Blocks.BlockSet) != 4 || w.newest(ch).Text != "" {
		t.Fatalf("attachments: %s", w.newest(ch).Attachments)
	}
	m := must(w.c.History(w.ctx, chat.Span{Channel: ch})).Messages[0]
	want(t, "read again", []any{strings.Count(m.HTML, "<br>"), strings.HasSuffix(m.HTML, "<br>end</p>"), m.Mark}, []any{50, true, "m1"})
}

func TestSections(t *testing.T) {
	for _, tt := range []struct {
		html string
		want []string
	}{
		{"", nil},
		{"<p>abc</p>", []string{"abc"}},
		{"<p>ab cd ef gh</p>", []string{"ab cd ef", "gh"}},
		{"<p>ab</p><p>cdefghi</p>", []string{"ab", "cdefghi"}},
		{"<p>&lt;&lt;&lt;</p>", []string{"&lt;&lt;", "&lt;"}},       // escapes are not cut
		{"<pre>a\nb</pre>", []string{"```\na\n```", "```\nb\n```"}}, // fences are closed
		{"<b>ab cde fg</b>", []string{"*ab cde*", "*fg*"}},          // and so is formatting
	} {
		want(t, tt.html, sections(tt.html, 10), tt.want)
	}
	want(t, "cut", []string{cut("abcdef", 5), cut("abcde", 5), cut("äöüßéx", 3)}, []string{"abcd…", "abcde", "äö…"})
	all := sections(strings.Repeat(`<p><a href="https://example.org/?a=1&amp;b=2">a &lt;link&gt;</a> and words</p>`, 200), mostSection)
	for i, s := range all {
		if n := len([]rune(s)); n > mostSection || strings.Count(s, "<https") != strings.Count(s, "&gt;> and words") {
			t.Errorf("section %d has %d characters: %s", i, n, s)
		}
	}
	long := sections(`<p>ab</p><a href="https://a.b/`+strings.Repeat("c", mostSection)+`">d e</a>`, mostSection)
	want(t, "with an address that is too long", long, []string{"ab\n\nd e"})
}

// A word that looks like a mention must notify nobody, whichever way it is sent.
func TestWordsAreNoMentions(t *testing.T) {
	const html = "<p>@channel &lt;!channel&gt; &lt;@U1&gt;</p>"
	const text = "@channel &lt;!channel&gt; &lt;@U1&gt;"
	for _, content := range []chat.Content{{HTML: html}, {HTML: html, Buttons: rich.Buttons}, {HTML: html, Colour: "#2eb67d"}} {
		args := url.Values{}
		setContent(args, content)
		want(t, "parse", args.Get("parse"), "none")
		want(t, "link_names", args.Has("link_names"), false)
		for _, b := range blocksOf(content) {
			if s, ok := b.(*slackgo.SectionBlock); ok {
				want(t, "section", []any{s.Text.Text, s.Text.Verbatim}, []any{text, true})
			}
		}
		for _, part := range []string{"text", "blocks", "attachments"} {
			if strings.Contains(strings.ReplaceAll(args.Get(part), `\u003c`, "<"), "<!") {
				t.Errorf("%s: %s", part, args.Get(part))
			}
		}
	}
}

// Whatever happens to the answer, trying again adopts the message.
func TestPostIsAdopted(t *testing.T) {
	for _, fault := range []sandbox.Fault{
		{Kind: sandbox.DropAnswer, Count: 1, Method: "chat.postMessage"},
		{Kind: sandbox.ErrorAnswer, Count: 1, Method: "chat.postMessage"},
		{Kind: sandbox.LateAnswer, Count: 1, Method: "chat.postMessage", Delay: sandbox.Duration(time.Minute)},
	} {
		t.Run(string(fault.Kind), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ch := w.channel("desk")
			root := must(w.c.Post(w.ctx, post(ch, "root", "m0")))
			top, reply, named := post(ch, "top", "m1"), post(ch, "reply", "m2"), post(ch, "named", "m3")
			reply.Thread, named.By = root.ID, w.in.Person
			for _, p := range []chat.Post{top, reply, named} {
				_, err := w.c.Post(w.struck(fault), p)
				wantKind(t, "first try", err, desk.Unavailable)
				// Others continue to talk, so that the message is not the last one.
				for i := range 3 {
					must(w.s.As(w.owner).Send(w.ctx, ch, sandbox.Draft{Text: fmt.Sprint("talk", i), ThreadTS: p.Thread}))
				}
				p.Tried = time.Now()
				adopted := must(w.c.Post(w.ctx, p))
				want(t, "and again", must(w.c.Post(w.ctx, p)), adopted)
			}
			all := strings.Join(w.texts(ch), " ")
			for _, m := range must(w.s.As(w.owner).Thread(w.ctx, ch, root.ID))[1:] {
				all += " " + m.Text
			}
			want(t, "said", all, "root top talk0 talk1 talk2 named talk0 talk1 talk2 reply talk0 talk1 talk2")
		})
	}
}

// A try that did nothing is repeated.
func TestPostThatWasNotDone(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	must(w.c.Post(w.ctx, post(ch, "another", "m0")))
	p := post(ch, "hi", "m1")
	p.Tried = time.Now()
	at := must(w.c.Post(w.ctx, p))
	want(t, "said", w.texts(ch), []string{"another", "hi"})
	want(t, "again", must(w.c.Post(w.ctx, p)), at)

	// A mark of another app is not ours.
	c := faked(t, map[string]string{"auth.test": `{"ok":true,"bot_id":"B1"}`, "chat.postMessage": `{"ok":true,"ts":"1718000009.000000"}`,
		"conversations.history": `{"ok":true,"messages":[{"type":"message","ts":"1718000000.000000","bot_id":"B9","text":"hi",
			"metadata":{"event_type":"frontdesk_post","event_payload":{"mark":"m1"}}}]}`})
	want(t, "not adopted", must(c.Post(t.Context(), p)).ID, "1718000009.000000")
}

// A reply to a removed message lands at the top level, and is found there.
func TestReplyToWhatIsGone(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	root := must(w.c.Post(w.ctx, post(ch, "root", "m0")))
	w.check(w.c.Edit(w.ctx, root, nil))
	p := post(ch, "reply", "m1")
	p.Thread = root.ID
	w.faults(sandbox.Fault{Kind: sandbox.DropAnswer, Count: 1, Method: "chat.postMessage"})
	_, err := w.c.Post(w.ctx, p)
	wantKind(t, "first try", err, desk.Unavailable)
	p.Tried = time.Now()
	must(w.c.Post(w.ctx, p))
	want(t, "said", w.texts(ch), []string{"reply"})
}

// An answer that does not name the message leaves the outcome unknown.
func TestPostWithoutAName(t *testing.T) {
	for _, answer := range []string{`{"ok":true}`, `{"ok":true,"ts":7}`, `{"ok":true,"ts":"soon"}`, `<html>`, ``, `[]`} {
		c := faked(t, map[string]string{"chat.postMessage": answer})
		_, err := c.Post(t.Context(), post("C1", "hi", "m1"))
		wantKind(t, answer, err, desk.Unavailable)
	}
}
