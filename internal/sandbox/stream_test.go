package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// listener is a client that reads its stream.
type listener struct {
	t    *testing.T
	told chan change // closed when the stream ends
}

// listen opens the stream of a token and waits until nothing can be missed.
func (w *world) listen(token string) *listener {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.ctx)
	req := must(http.NewRequestWithContext(ctx, "GET", w.url+"/sandbox/stream", nil))
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { cancel(); res.Body.Close() })
	if kind := res.Header.Get("Content-Type"); res.StatusCode != 200 || kind != "text/event-stream" {
		w.t.Fatalf("the stream: %s %s", res.Status, kind)
	}
	l := &listener{w.t, make(chan change, 100)}
	go func() {
		defer close(l.told)
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var c change
				if err := json.Unmarshal([]byte(data), &c); err != nil {
					w.t.Errorf("%q: %v", data, err)
				}
				l.told <- c
			}
		}
	}()
	if first := l.next(); first.Kind != "hello" {
		w.t.Fatalf("the stream begins with %+v", first)
	}
	return l
}

func (l *listener) next() change {
	l.t.Helper()
	select {
	case c, ok := <-l.told:
		if !ok {
			l.t.Fatal("the stream has ended")
		}
		return c
	case <-time.After(5 * time.Minute):
		l.t.Fatal("nothing was told")
		panic("unreachable")
	}
}

// hears skips others until the wanted change comes.
func (l *listener) hears(want change) {
	l.t.Helper()
	for {
		if got := l.next(); got == want {
			return
		}
	}
}

// ends waits for the end of the stream.
func (l *listener) ends() {
	l.t.Helper()
	deadline := time.After(5 * time.Minute)
	for {
		select {
		case _, ok := <-l.told:
			if !ok {
				return
			}
		case <-deadline:
			l.t.Fatal("the stream goes on")
		}
	}
}

func TestStreamTellsWhatToLookAt(t *testing.T) {
	w := newWorld(t)
	maya, ines := w.person("Maya"), w.person("Ines")
	c := w.channel("desk", maya, ines)
	l := w.listen(w.token(maya))

	m := must(w.s.As(ines).Post(w.ctx, c, "It's <broken>"))
	l.hears(change{Kind: "message", Channel: c, TS: m.TS})
	reply := must(w.s.As(maya).Reply(w.ctx, c, m.TS, "Let me look"))
	l.hears(change{Kind: "message", Channel: c, TS: reply.TS, ThreadTS: m.TS})
	must(w.s.As(ines).Edit(w.ctx, c, m.TS, "It is broken"))
	l.hears(change{Kind: "message", Channel: c, TS: m.TS, ThreadTS: m.TS})
	if err := w.s.As(ines).React(w.ctx, c, m.TS, "eyes"); err != nil {
		t.Fatal(err)
	}
	l.hears(change{Kind: "message", Channel: c, TS: m.TS, ThreadTS: m.TS})
	if err := w.s.As(maya).Delete(w.ctx, c, reply.TS); err != nil {
		t.Fatal(err)
	}
	l.hears(change{Kind: "message", Channel: c, TS: reply.TS, ThreadTS: m.TS})

	w.bot("chat.postEphemeral", "channel", c, "user", maya, "text", "psst")
	for {
		if got := l.next(); got.Kind == "ephemeral" {
			want(t, "the channel", got.Channel, c)
			break
		}
	}
	ts := text(w.bot("chat.postMessage", "channel", c, "text", "x", "blocks", buttons), "ts")
	if err := w.s.As(maya).Press(w.ctx, Press{Channel: c, TS: ts, ActionID: "go"}); err != nil {
		t.Fatal(err)
	}
	v := text(w.bot("views.open", "trigger_id", text(w.rec.next().json, "trigger_id"), "view", modal), "view", "id")
	l.hears(change{Kind: "view"})
	if err := w.s.As(maya).CloseView(w.ctx, v, false); err != nil {
		t.Fatal(err)
	}
	l.hears(change{Kind: "view"})

	if err := w.s.RenameUser(w.ctx, ines, "Ines D"); err != nil {
		t.Fatal(err)
	}
	l.hears(change{Kind: "user"})
	d := must(w.s.As(ines).Open(w.ctx, maya))
	l.hears(change{Kind: "channel", Channel: d.ID})
}

// A member receives nothing that they may not know of, but is told when they leave.
func TestStreamKeepsPrivateThingsPrivate(t *testing.T) {
	w := newWorld(t)
	maya, ines := w.person("Maya"), w.person("Ines")
	shared := w.channel("desk", maya, ines)
	secret := must(w.s.As(maya).CreateChannel(w.ctx, "secret", true))
	other := must(w.s.AddWorkspace(w.ctx, WorkspaceConfig{Name: "Other"}))
	outsider, insider := w.listen(w.token(ines)), w.listen(w.token(maya))

	said := must(w.s.As(maya).Post(w.ctx, secret.ID, "between us"))
	must(w.s.As(maya).Send(w.ctx, w.owner, Draft{Text: "and us"}))
	w.bot("chat.postEphemeral", "channel", shared, "user", maya, "text", "psst")
	if _, err := w.s.InviteUser(w.ctx, other.ID, NewUser{RealName: "X Y", Email: "x@y.test"}); err != nil {
		t.Fatal(err)
	}
	last := must(w.s.As(maya).Post(w.ctx, shared, "to all"))
	want(t, "what an outsider is told", outsider.next(), change{Kind: "message", Channel: shared, TS: last.TS})
	insider.hears(change{Kind: "message", Channel: secret.ID, TS: said.TS})

	if err := w.s.As(maya).Invite(w.ctx, secret.ID, ines); err != nil {
		t.Fatal(err)
	}
	outsider.hears(change{Kind: "channel", Channel: secret.ID})
	if err := w.s.As(ines).Leave(w.ctx, secret.ID); err != nil {
		t.Fatal(err)
	}
	outsider.hears(change{Kind: "channel", Channel: secret.ID})
}

func TestStreamEnds(t *testing.T) {
	w := newWorld(t)
	maya, ines := w.person("Maya"), w.person("Ines")
	token := w.token(maya)
	for name, header := range map[string]string{"no token": "", "an unknown one": "Bearer xoxp-1", "the bot's": "Bearer " + w.in.BotToken} {
		req := must(http.NewRequest("GET", w.url+"/sandbox/stream?token="+token, nil))
		req.Header.Set("Authorization", header)
		res, o := w.do(req)
		if res.StatusCode != http.StatusUnauthorized || o["ok"] != false {
			t.Errorf("%s: %s %v", name, res.Status, o)
		}
	}

	revoked, left := w.listen(token), w.listen(w.token(ines))
	if err := w.s.RevokeToken(w.ctx, token); err != nil {
		t.Fatal(err)
	}
	must(w.s.As(ines).Post(w.ctx, w.general, "still here")) // wakes all
	revoked.ends()
	if err := w.s.DeactivateUser(w.ctx, ines); err != nil {
		t.Fatal(err)
	}
	left.ends()

	owner := w.token(w.owner)
	var all []*listener
	for range mostStreams {
		all = append(all, w.listen(owner))
	}
	req := must(http.NewRequest("GET", w.url+"/sandbox/stream", nil))
	req.Header.Set("Authorization", "Bearer "+owner)
	res, _ := w.do(req)
	if res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
		t.Errorf("one more than the most: %s", res.Status)
	}
	w.s.EndStreams()
	w.s.EndStreams()
	for _, l := range all {
		l.ends()
	}
}

// A reader who stops reading is dropped, and holds nobody up.
func TestStreamDropsWhoDoesNotRead(t *testing.T) {
	w := newWorld(t)
	st := &stream{s: w.s, token: w.token(w.owner)}
	broken := &brokenPipe{header: http.Header{}}
	st.w, st.control = broken, http.NewResponseController(broken)
	if err := st.run(w.ctx); err != nil {
		t.Errorf("the stream of who has gone gives %v", err)
	}
	if !broken.deadline {
		t.Error("the reader has all the time of the world")
	}
}

// brokenPipe is a connection whose other side reads nothing until the deadline.
type brokenPipe struct {
	header   http.Header
	deadline bool
}

func (b *brokenPipe) Header() http.Header { return b.header }
func (b *brokenPipe) WriteHeader(int)     {}
func (b *brokenPipe) SetWriteDeadline(at time.Time) error {
	b.deadline = time.Until(at) <= streamWrite
	return nil
}
func (b *brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (b *brokenPipe) Flush()                    {}
