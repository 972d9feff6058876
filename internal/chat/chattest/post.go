package chattest

import (
	"context"
	"fmt"
	"strings"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// draft returns a post to the channel with the mark as its text.
func (r *room) draft(mark string) chat.Post {
	return chat.Post{Channel: r.channel, Content: chat.Content{HTML: written(mark)}, Mark: mark}
}

// post posts and returns where.
func (r *room) post(p chat.Post) chat.Ref {
	r.t.Helper()
	at, err := r.Connector.Post(r.ctx, p)
	r.must(err)
	return at
}

// echo waits for the event of our post and fails the test if it cannot be
// recognised as ours.
func (r *room) echo(at chat.Ref, p chat.Post) *chat.Message {
	r.t.Helper()
	m := r.heard(at)
	if !m.Own || !m.Bot {
		r.t.Errorf("a post of ours is told as %+v, want it our own and a program's", m)
	}
	carried := r.Can.Marks && len(p.Files) == 0 || r.Can.FileMarks && len(p.Files) > 0
	if want := map[bool]string{true: p.Mark}[carried]; m.Mark != want {
		r.t.Errorf("the mark of a post of ours is told as %q, want %q", m.Mark, want)
	}
	return m
}

func postChannel(r *room) {
	p := r.draft("Hello, how can we help?")
	at := r.post(p)
	if at.Channel != r.channel || at.ID == "" {
		r.t.Fatalf("a post is at %v, want it in %s", at, r.channel)
	}
	if m := r.echo(at, p); m.Author != r.Bot || m.Thread != "" || read(m.HTML) != p.Mark {
		r.t.Errorf("a post of ours is told as %+v", m)
	}
	if got := r.sees(r.customer, at); got.Text != p.Mark || got.Thread != "" || got.Only {
		r.t.Errorf("people see %+v", got)
	}
	if n := r.count(r.customer, r.channel, p.Mark); n != 1 {
		r.t.Errorf("the post is there %d times", n)
	}
	r.sameSender(at)
	r.sameSender(r.say(r.customer, "Thank you"))
}

func postThread(r *room) {
	root := r.say(r.customer, "Help")
	p := r.draft("What is the matter?")
	p.Thread = root.ID
	at := r.post(p)
	if m := r.echo(at, p); m.Thread != root.ID {
		r.t.Errorf("a reply of ours is told as %+v, want it in the thread %s", m, root.ID)
	}
	if got := r.sees(r.customer, at); got.Text != p.Mark || got.Thread != root.ID {
		r.t.Errorf("people see %+v, want it in the thread %s", got, root.ID)
	}
	r.runs("the top level", r.history(chat.Span{Channel: r.channel}), []chat.Ref{root})
}

func postDirect(r *room) {
	p := r.draft("Between us")
	toPerson(r, &p)
	at := r.post(p)
	r.echo(at, p)
	if got := r.sees(r.customer, at); got.Text != p.Mark {
		r.t.Errorf("they see %+v", got)
	}
	if n := r.count(r.customer, r.channel, p.Mark); n != 0 || at.Channel == r.channel {
		r.t.Errorf("a direct message is in the channel")
	}
	if others, err := r.agent.Read(at.Channel); err == nil && len(others) > 0 {
		r.t.Errorf("somebody else sees a direct message: %+v", others)
	}
	answer, err := r.customer.Say(at.Channel, "", "And between us")
	r.must(err)
	if m := r.heard(answer); m.Author != r.customer.ID || m.Own {
		r.t.Errorf("the answer is told as %+v", m)
	}
	r.runs("the direct messages", r.history(chat.Span{Channel: at.Channel}), []chat.Ref{at, answer})
	second := r.draft("Once more")
	toPerson(r, &second)
	if next, err := r.Connector.Post(r.ctx, second); err != nil || next.Channel != at.Channel {
		r.t.Errorf("the next direct message is at %v (%v), the first was in %s", next, err, at.Channel)
	}
}

func postOnly(r *room) {
	p := r.draft("Only you can see this")
	p.Only = r.customer.ID
	p.Buttons = []chat.Button{{ID: "ok", Label: "All right", Value: "7"}}
	r.post(p)
	if n := r.count(r.agent, r.channel, p.Mark); n != 0 {
		r.t.Errorf("somebody else sees what is for one person only")
	}
	all := r.reads(r.customer, r.channel)
	if len(all) != 1 || !all[0].Only || all[0].Text != p.Mark {
		r.t.Fatalf("the person it is for sees %+v", all)
	}
	r.runs("the history", r.history(chat.Span{Channel: r.channel}), nil)
	r.must(r.customer.Press(all[0].Ref, "All right"))
	got := r.Inbox.event(r.t, "a button in it", func(e chat.Event) bool { return e.Action != nil }).Action
	if got.User != r.customer.ID || got.Button != "ok" || got.Value != "7" || got.Trigger == "" || got.At.Channel != r.channel {
		r.t.Errorf("the button in it is told as %+v", got)
	}
}

func postPersona(r *room) {
	p := r.draft("In somebody's name")
	p.As = &chat.Persona{Name: "Maya of Acme", Avatar: "https://example.test/maya.png"}
	at := r.post(p)
	r.echo(at, p)
	if got := r.sees(r.customer, at); got.Text != p.Mark || r.Can.Personas && got.Author != p.As.Name {
		r.t.Errorf("people see %+v", got)
	}
	all := r.history(chat.Span{Channel: r.channel})
	if len(all) != 1 || !all[0].Own || !all[0].Bot || r.Can.Personas && all[0].Shown.Name != p.As.Name {
		r.t.Errorf("the history of a persona is %+v", all)
	}
	r.sameSender(at)
}

func postBy(r *room) {
	p := r.draft("as myself")
	p.By = r.By
	at := r.post(p)
	if m := r.echo(at, p); m.Author != r.owner.ID {
		r.t.Errorf("a post in a person's name is told as %+v", m)
	}
	if got := r.sees(r.customer, at); got.Text != p.Mark || got.Author != r.owner.Name {
		r.t.Errorf("people see %+v, want it by %s", got, r.owner.Name)
	}
	r.sameSender(at)
	typed := r.say(r.owner, "typed by hand")
	if m := r.heard(typed); m.Own || m.Bot || m.Author != r.owner.ID {
		r.t.Errorf("what the same person typed is told as %+v", m)
	}
}

func postContent(r *room) {
	p := r.draft("content")
	p.Content = chat.Content{
		HTML: `<p>A <b>bold</b> word, <i>another</i>, <code>x := 1</code> and <a href="https://example.test/kb?a=1&amp;b=2">a link</a>.</p>` +
			`<ul><li>apples</li><li>pears</li></ul><pre>if a &lt; b {}</pre><blockquote>quoted</blockquote>`,
		Fields:  []chat.Field{{Name: "Priority", Value: "High <&> *low*"}, {Name: "Owner", Value: `Zoë "Zed"`}},
		Colour:  "#e01e5a",
		Buttons: []chat.Button{{ID: "take", Label: "Take it", Value: "r/1", Style: chat.Primary}, {ID: "close", Label: "Close", Style: chat.Danger}, {ID: "more", Label: "More"}},
		Footer:  `<p>Small <a href="https://example.test/more">print</a></p>`,
	}
	at := r.post(p)
	got := r.sees(r.customer, at)
	rest := got.Text
	for _, word := range []string{"bold", "another", "x := 1", "a link", "apples", "pears", "if a < b {}", "quoted", "Priority", "High <&> *low*", "Owner", `Zoë "Zed"`, "Small", "print"} {
		_, after, found := strings.Cut(rest, word)
		if !found {
			r.t.Errorf("people see no %q after what comes before it in %q", word, got.Text)
			continue
		}
		rest = after
	}
	if r.Can.Colours && !strings.EqualFold(got.Colour, p.Colour) {
		r.t.Errorf("people see the colour %q, want %q", got.Colour, p.Colour)
	}
	want := []ShownButton{{"Take it", chat.Primary}, {"Close", chat.Danger}, {"More", ""}}
	if fmt.Sprint(got.Buttons) != fmt.Sprint(want) {
		r.t.Errorf("people see the buttons %v, want %v", got.Buttons, want)
	}
}

func postHostile(r *room) {
	for i, text := range append([]string{"*stars* _lines_ ~waves~ `ticks` > # - 1. [x](y) :smile:"}, hostile...) {
		p := r.draft(fmt.Sprintf("hostile %d", i))
		p.HTML = written(text)
		at, err := r.Restart().Post(r.ctx, p)
		r.must(err)
		if got := r.sees(r.customer, at); !looksLike(got.Text, text) {
			r.t.Errorf("posted %q, and people see %q", text, got.Text)
		}
		if m := r.heard(at); !looksLike(read(m.HTML), text) {
			r.t.Errorf("posted %q, and told was %q, which reads %q", text, m.HTML, read(m.HTML))
		}
	}
}

// A refusal must not look as if trying again would help.
func postRefused(r *room) {
	closed := r.open("closed")
	r.must(r.Office.Archive(closed))
	unmarked, archived := r.draft(""), r.draft("too late")
	unmarked.HTML = "<p>no mark</p>"
	archived.Channel = closed
	for what, p := range map[string]chat.Post{"a post without a mark": unmarked, "a post to an archived channel": archived} {
		_, err := r.Connector.Post(r.ctx, p)
		switch desk.KindOf(err) {
		case desk.Invalid, desk.Forbidden, desk.NotFound, desk.Refused:
		default:
			r.t.Errorf("%s gives %v", what, err)
		}
	}
	if all := r.reads(r.customer, r.channel); len(all) != 0 {
		r.t.Errorf("what was refused is there: %+v", all)
	}
}

// The event of a post may come while its call is still waiting for the answer.
func postEchoFirst(r *room) {
	r.misbehave(Fault{Kind: LateAnswer, Delay: patience})
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	p := r.draft("Echo")
	answered := make(chan error, 1)
	go func() {
		_, err := r.Connector.Post(ctx, p)
		answered <- err
	}()
	m := r.Inbox.event(r.t, "the post", func(e chat.Event) bool { return e.Message != nil && read(e.Message.HTML) == p.Mark }).Message
	select {
	case err := <-answered:
		r.t.Fatalf("the world answered (%v) though it is late", err)
	default:
	}
	r.echo(m.Ref, p)
	cancel()
	r.wants(desk.Unavailable, "a post that was given up", <-answered)
	r.misbehave(Fault{})
	again := &attempt{room: r, post: p}
	again.begin()
	if at := again.finish(); at != m.Ref {
		r.t.Errorf("the post was adopted as %v, and told as %v", at, m.Ref)
	}
	if n := r.count(r.customer, r.channel, p.Mark); n != 1 {
		r.t.Errorf("the post is there %d times", n)
	}
}
