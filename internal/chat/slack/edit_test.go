package slack

import (
	"testing"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

func TestEdit(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	at := must(w.c.Post(w.ctx, chat.Post{Channel: ch, Mark: "m1", Content: rich}))
	coloured := rich
	coloured.Colour = "#e01e5a"
	read := func() chat.Message { return must(w.c.History(w.ctx, chat.Span{Channel: ch})).Messages[0] }
	for _, c := range []chat.Content{{HTML: "plain"}, coloured, rich, {HTML: "plain again"}} {
		w.check(w.c.Edit(w.ctx, at, &c))
		got := w.newest(ch)
		m := read()
		want(t, c.HTML, []any{m.HTML, m.Mark, m.Own, !m.EditedAt.IsZero(), len(got.Attachments) > 0},
			[]any{toHTML(toMrkdwn(c.HTML)), "m1", true, true, c.Colour != ""})
	}
	ev := w.next(func(ev chat.Event) bool { return ev.Message != nil && !ev.Message.EditedAt.IsZero() })
	want(t, "event", []any{ev.Message.HTML, ev.Message.Mark, ev.Message.Own}, []any{"<p>plain</p>", "m1", true})

	theirs := must(w.s.As(w.owner).Post(w.ctx, ch, "theirs"))
	wantKind(t, "somebody else's", w.c.Edit(w.ctx, chat.Ref{Channel: ch, ID: theirs.TS}, &rich), desk.Forbidden)
	wantKind(t, "to remove somebody else's", w.c.Edit(w.ctx, chat.Ref{Channel: ch, ID: theirs.TS}, nil), desk.Forbidden)
	wantKind(t, "to nothing", w.c.Edit(w.ctx, at, &chat.Content{}), desk.Invalid)
	for range 2 {
		w.check(w.c.Edit(w.ctx, at, nil))
	}
	want(t, "left", w.texts(ch), []string{"theirs"})
	wantKind(t, "what is gone", w.c.Edit(w.ctx, at, &rich), desk.NotFound)
	removed := w.next(func(ev chat.Event) bool { return ev.Removed != nil })
	want(t, "removed", removed.Removed.Ref, at)
}

func TestReact(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	at := must(w.c.Post(w.ctx, post(ch, "hi", "m1")))
	for range 2 {
		w.check(w.c.React(w.ctx, at, "eyes", true))
	}
	want(t, "reactions", must(w.c.History(w.ctx, chat.Span{Channel: ch})).Messages[0].Reactions,
		[]chat.Reaction{{Emoji: "eyes", Users: []string{w.in.Bot.User}, Count: 1}})
	for range 2 {
		w.check(w.c.React(w.ctx, at, "eyes", false))
	}
	want(t, "none", len(must(w.c.History(w.ctx, chat.Span{Channel: ch})).Messages[0].Reactions), 0)
	for _, on := range []bool{true, false} {
		ev := w.next(func(ev chat.Event) bool { return ev.Reacted != nil })
		want(t, "event", *ev.Reacted, chat.Reacted{Ref: at, User: w.in.Bot.User, Emoji: "eyes", On: on})
	}
	wantKind(t, "to nothing", w.c.React(w.ctx, chat.Ref{Channel: ch, ID: "1.000001"}, "eyes", true), desk.NotFound)
	wantKind(t, "no emoji", w.c.React(w.ctx, at, "No Such", true), desk.Invalid)
	w.check(w.s.As(w.owner).Archive(w.ctx, ch))
	wantKind(t, "archived", w.c.React(w.ctx, at, "eyes", true), desk.Refused)
}
