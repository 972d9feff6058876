package slack

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

func TestInstall(t *testing.T) {
	w := newWorld(t)
	teams := must(w.s.Workspaces(w.ctx))
	want(t, "workspace", []string{w.in.Workspace, w.in.Name, w.in.URL}, []string{teams[0].ID, "Acme", w.url + "/sandbox/"})
	want(t, "bot", []any{strings.HasPrefix(w.in.Bot.Token, "xoxb-"), w.in.Bot.Scopes}, []any{true, botScopes})
	want(t, "person", []any{w.in.Person.User, strings.HasPrefix(w.in.Person.Token, "xoxp-"), w.in.Person.Scopes}, []any{w.owner, true, userScopes})
	u := must(w.s.User(w.ctx, w.in.Bot.User))
	want(t, "bot user", []any{u.IsBot, u.RealName}, []any{true, "Frontdesk"})
	if _, ok := any(w.app).(chat.System); !ok || w.app.Name() != "slack" {
		t.Error("the app is no chat system of that name")
	}
}

func TestExchangeOfABadCode(t *testing.T) {
	w := newWorld(t)
	_, err := w.app.Exchange(w.ctx, "nonsense")
	wantKind(t, "a code that is none", err, desk.Refused)

	// A code works once.
	var used string
	install := w.connect
	w.connect = func(ctx context.Context, state, code string) error { used = code; return install(ctx, state, code) }
	status, _ := w.visit(w.app.AuthorizeURL("a state"))
	want(t, "connected again", status, http.StatusOK)
	_, err = w.app.Exchange(w.ctx, used)
	wantKind(t, "a code that was used", err, desk.Refused)
	w.connect = func(ctx context.Context, _, _ string) error { _, err := w.app.Exchange(ctx, used); return err }
	status, page := w.visit(w.app.AuthorizeURL("a state"))
	if status != http.StatusBadGateway || !strings.Contains(page, "Connect Slack again.") {
		t.Errorf("the page says %d %s", status, page)
	}

	wrong := New(Config{ClientID: "1.2", ClientSecret: "another", API: w.app.cfg.API, PublicURL: w.server.URL})
	_, err = wrong.Exchange(w.ctx, used)
	wantKind(t, "a wrong secret", err, desk.Refused)
}

// Removing the app loses everything, and we are told.
func TestUninstall(t *testing.T) {
	w := newWorld(t)
	apps := must(w.s.Apps(w.ctx))
	w.check(w.s.Uninstall(w.ctx, apps[0].ID, w.in.Workspace))
	ev := w.next(func(ev chat.Event) bool { return ev.Lost != nil })
	want(t, "lost", []any{ev.Workspace, ev.Lost.Users}, []any{w.in.Workspace, []string(nil)})
	_, err := w.c.Directory(w.ctx, chat.People, "")
	if !isLost(err) {
		t.Errorf("a call: %v", err)
	}
}

// A person who revokes their permission loses only what is done in their name.
func TestPersonRevokes(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	w.check(w.s.RevokeToken(w.ctx, w.in.Person.Token))
	ev := w.next(func(ev chat.Event) bool { return ev.Lost != nil })
	want(t, "lost", ev.Lost.Users, []string{w.owner})
	p := post(ch, "hi", "m1")
	p.By = w.in.Person
	_, err := w.c.Post(w.ctx, p)
	wantKind(t, "in their name", err, desk.Forbidden)
	if isLost(err) {
		t.Error("the workspace is taken for lost")
	}
	p.By = nil
	must(w.c.Post(w.ctx, p))
}
