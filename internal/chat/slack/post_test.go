package slack

import (
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sandbox"
)

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
}

// Whatever happens to the answer, trying again adopts the message.
func TestPostIsAdopted(t *testing.T) {
	for _, fault := range []sandbox.Fault{
		{Kind: sandbox.DropAnswer, Count: 1, Method: "chat.postMessage"},
		{Kind: sandbox.ErrorAnswer, Count: 1, Method: "chat.postMessage"},
		{Kind: sandbox.LateAnswer, Count: 1, Method: "chat.postMessage", Delay: sandbox.Duration(time.Minute)},
	} {
		t.Run(string(fault.Kind), func(t *testing.T) {
			w := newWorld(t)
			ch := w.channel("desk")
			w.faults(fault)
			p := post(ch, "once", "m1")
			_, err := w.c.Post(w.within(time.Second), p)
			wantKind(t, "first try", err, desk.Unavailable)
			p.Tried = time.Now()
			at := must(w.c.Post(w.ctx, p))
			want(t, "texts", w.texts(ch), []string{"once"})
			want(t, "history", must(w.c.History(w.ctx, chat.Span{Channel: ch})).Messages[0].Ref, at)
		})
	}
}
