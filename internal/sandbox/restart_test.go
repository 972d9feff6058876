package sandbox

import (
	"testing"
)

func TestRestartKeepsEverything(t *testing.T) {
	w := newWorld(t)
	c := w.channel("desk")
	m := must(w.s.As(w.owner).Post(w.ctx, c, "kept"))
	if err := w.s.As(w.owner).React(w.ctx, c, m.TS, "eyes"); err != nil {
		t.Fatal(err)
	}
	must(w.s.As(w.owner).Upload(w.ctx, c, Upload{Name: "a.txt", Content: []byte("x")}))
	token := w.token(w.owner)
	before := []any{w.bot("users.list"), w.bot("conversations.list"), w.bot("conversations.history", "channel", c), w.app}
	if err := w.s.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	want(t, "everything", []any{w.bot("users.list"), w.bot("conversations.list"), w.bot("conversations.history", "channel", c), w.app}, before)
	want(t, "token", w.token(w.owner), token)
	want(t, "workspaces", len(must(w.s.Workspaces(w.ctx))), 1)
	next := text(w.bot("chat.postMessage", "channel", c, "text", "after"), "ts")
	if next <= m.TS {
		t.Errorf("%s after %s", next, m.TS)
	}
}
