package sandbox

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"testing"
)

// With the real clock, as a separate process: an app is installed and receives
// events.
func TestServe(t *testing.T) {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ready, done := make(chan *Sandbox, 1), make(chan error, 1)
	w := &world{t: t, ctx: ctx, rec: newReceiver(t)}
	c := Config{Path: filepath.Join(t.TempDir(), "s.db"), Workspace: &WorkspaceConfig{}, Log: slog.New(slog.DiscardHandler),
		App: &AppConfig{Manifest: w.manifest(everyEvent), ClientID: "1.2", ClientSecret: "shh", SigningSecret: "known"}}
	w.rec.secret = func() string { return "known" }
	go func() { done <- Serve(ctx, l, c, func(s *Sandbox) { ready <- s }) }()
	s := <-ready
	team := must(s.Workspaces(ctx))[0]
	token := must(s.Token(ctx, team.Owner))
	res := must(http.Get("http://" + l.Addr().String() + "/sandbox/api/auth.test?token=" + token))
	res.Body.Close()
	want(t, "status", res.StatusCode, 200)
	want(t, "url", team.URL, "http://"+l.Addr().String()+"/sandbox/")

	app := must(s.Apps(ctx))[0]
	want(t, "credentials", []string{app.ClientID, app.ClientSecret}, []string{"1.2", "shh"})
	in := must(s.Install(ctx, app.ID, team.Owner, nil, nil))
	dm := must(s.As(team.Owner).Post(ctx, in.BotUserID, "hello"))
	want(t, "event", w.rec.event("message", "")["ts"], dm.TS)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
