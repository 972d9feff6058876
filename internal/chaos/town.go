package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"frontdesk/internal/chat/slack"
	"frontdesk/internal/sandbox"
	"frontdesk/internal/sqldb"
)

// town is the chat workspace. Now and then it loses an answer.
type town struct {
	box      *sandbox.Sandbox
	db       *sqldb.DB // its tables, to compare with
	api      string
	owner    string
	source   string // the channel in which announcements are written
	rooms    []string
	stop     context.CancelFunc
	finished chan error
}

// townApp is Frontdesk's app in the workspace.
var townApp = sandbox.AppConfig{ClientID: "1.2", ClientSecret: "client secret", SigningSecret: "signing secret"}

// startTown starts a workspace with some channels. publicURL is where it finds Frontdesk.
func startTown(ctx context.Context, folder, publicURL string, seed uint64) (_ *town, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	app := townApp
	app.Manifest = slack.Manifest(publicURL)
	path := filepath.Join(folder, "sandbox.db")
	t := &town{api: "http://" + l.Addr().String() + "/sandbox/", finished: make(chan error, 1)}
	config := sandbox.Config{Path: path, App: &app, Log: slog.New(slog.DiscardHandler), Workspace: &sandbox.WorkspaceConfig{Name: "Acme", OwnerEmail: "admin@acme.test"},
		RetryAfter: []time.Duration{0, time.Second, 5 * time.Second},
		Faults:     sandbox.FaultPlan{Seed: seed, Faults: []sandbox.Fault{{Kind: sandbox.DropAnswer, Method: "chat.postMessage", Probability: 0.01}}}}
	ctx, t.stop = context.WithCancel(context.WithoutCancel(ctx)) // the start has a deadline, the workspace has none
	ready := make(chan *sandbox.Sandbox, 1)
	go func() { t.finished <- sandbox.Serve(ctx, l, config, func(b *sandbox.Sandbox) { ready <- b }) }()
	select {
	case t.box = <-ready:
	case err := <-t.finished:
		return nil, err
	}
	if t.db, err = sqldb.Open(ctx, sqldb.Config{URL: path, Log: slog.New(slog.DiscardHandler)}); err != nil {
		return nil, err
	}
	return t, t.furnish(ctx)
}

const rooms = 4

func (t *town) furnish(ctx context.Context) error {
	workspaces, err := t.box.Workspaces(ctx)
	if err != nil {
		return err
	}
	users, err := t.box.Users(ctx, workspaces[0].ID)
	if err != nil {
		return err
	}
	t.owner = users[0].ID
	for n := range rooms + 1 {
		c, err := t.box.As(t.owner).CreateChannel(ctx, fmt.Sprintf("room-%d", n), false)
		if err != nil {
			return err
		}
		t.rooms = append(t.rooms, c.ID)
	}
	t.source, t.rooms = t.rooms[0], t.rooms[1:]
	return nil
}

// say posts a message that can be announced, and returns its time.
func (t *town) say(ctx context.Context, text string) (ts string, err error) {
	m, err := t.box.As(t.owner).Send(ctx, t.source, sandbox.Draft{Text: text})
	return m.TS, err
}

func (t *town) close() {
	t.db.Close()
	t.stop()
	<-t.finished
}

// settings are those of a node that uses the workspace as it would use Slack.
func (t *town) settings() []string {
	return []string{"FRONTDESK_SLACK_CLIENT_ID=" + townApp.ClientID, "FRONTDESK_SLACK_CLIENT_SECRET=" + townApp.ClientSecret, "FRONTDESK_SLACK_SIGNING_SECRET=" + townApp.SigningSecret,
		"FRONTDESK_SLACK_API=" + t.api + "api/", "FRONTDESK_SLACK_AUTHORIZE=" + t.api + "oauth/v2/authorize", "FRONTDESK_SLACK_UNLIMITED=true"}
}

// connectTown connects the account to the workspace, as its owner would on the authorization page.
func (w *world) connectTown(ctx context.Context) error {
	browser := &http.Client{Timeout: time.Minute}
	browser.Jar, _ = cookiejar.New(nil) // it never fails
	r, err := browser.Post(w.url()+"/auth/sign-in", "application/json", strings.NewReader(fmt.Sprintf(`{"email": "admin@acme.test", "password": %q}`, password)))
	if err != nil {
		return err
	}
	r.Body.Close()
	var started struct {
		Integration struct {
			AuthorizeURL string `json:"authorize_url"`
		}
	}
	if err := w.ask(ctx, "POST", "/integrations", map[string]string{"kind": "slack"}, &started); err != nil {
		return err
	}
	if r, err = browser.PostForm(started.Integration.AuthorizeURL, url.Values{"allow": {"1"}, "code": {w.town.box.Code()}}); err != nil {
		return err
	}
	page, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("connecting the workspace answered %s: %s", r.Status, page)
	}
	return w.inviteBot(ctx)
}

// inviteBot brings Frontdesk's bot into the channels, and waits until Frontdesk knows.
func (w *world) inviteBot(ctx context.Context) error {
	workspaces, err := w.town.box.Workspaces(ctx)
	if err != nil {
		return err
	}
	users, err := w.town.box.Users(ctx, workspaces[0].ID)
	if err != nil {
		return err
	}
	for _, u := range users {
		if !u.IsBot {
			continue
		}
		for _, room := range append([]string{w.town.source}, w.town.rooms...) {
			if err := w.town.box.As(w.town.owner).Invite(ctx, room, u.ID); err != nil {
				return err
			}
		}
	}
	for ctx.Err() == nil {
		var got struct {
			Channels []struct {
				Member bool `json:"is_member"`
			}
		}
		if err := w.ask(ctx, "GET", "/channels?limit=100", nil, &got); err != nil {
			return err
		}
		member := 0
		for _, c := range got.Channels {
			if c.Member {
				member++
			}
		}
		if member == rooms+1 {
			return nil
		}
		pause(ctx, 100*time.Millisecond)
	}
	return fmt.Errorf("the bot is not in every channel: %w", ctx.Err())
}
