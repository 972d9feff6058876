package sandbox

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// boltApp is an app made with Slack's Bolt for Node, in its own process.
type boltApp struct {
	t       *testing.T
	address string
	did     chan map[string]any // what it reports it has done
}

// startBolt registers an app and starts it. It stops at the end of the test.
func startBolt(t *testing.T, w *world) *boltApp {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		missingTool(t, "node is not installed")
	}
	folder := nodeClient(t)

	// The app's addresses are in its manifest, so they must be known before it
	// runs. It gets the socket that it listens on.
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	socket := must(listener.(*net.TCPListener).File())
	b := &boltApp{t: t, address: "http://" + listener.Addr().String(), did: make(chan map[string]any, 100)}
	redirect := b.address + "/slack/oauth_redirect"
	scopes := []string{"app_mentions:read", "channels:history", "channels:read", "chat:write", "reactions:read", "reactions:write"}
	app := must(w.s.RegisterApp(w.ctx, AppConfig{ClientID: "bolt", Manifest: encode(object{
		"display_information": object{"name": "Desk made with Bolt"},
		"oauth_config":        object{"redirect_urls": []string{redirect}, "scopes": object{"bot": scopes}},
		"settings": object{
			"event_subscriptions": object{"request_url": b.address + "/slack/events", "bot_events": []string{"message.channels", "app_mention", "reaction_added"}},
			"interactivity":       object{"is_enabled": true, "request_url": b.address + "/slack/events"},
		},
	})}))

	cmd := exec.Command(node, filepath.Join(nodeFolder, "bolt.js"))
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(folder, "node_modules"), "SANDBOX="+string(encode(object{
		"url": w.url, "clientID": app.ClientID, "clientSecret": app.ClientSecret, "signingSecret": app.SigningSecret,
		"scopes": scopes, "redirect": redirect})))
	cmd.ExtraFiles = []*os.File{socket}
	cmd.Stderr = t.Output()
	stdin := must(cmd.StdinPipe())
	stdout := must(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	socket.Close()
	listener.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(b.did)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			var did map[string]any
			if json.Unmarshal(lines.Bytes(), &did) != nil {
				did = map[string]any{"did": lines.Text()}
			}
			b.did <- did
		}
	}()
	t.Cleanup(func() {
		stdin.Close()
		<-ended
		if err := cmd.Wait(); err != nil {
			t.Errorf("the app ended with %v", err)
		}
	})
	b.next("start")
	return b
}

// next returns what the app has done next, which must be this.
func (b *boltApp) next(did string) map[string]any {
	b.t.Helper()
	select {
	case got := <-b.did:
		if got["did"] != did {
			b.t.Fatalf("the app did %v, want %s", got, did)
		}
		return got
	case <-time.After(5 * time.Minute):
		b.t.Fatalf("the app did nothing, want %s", did)
		return nil
	}
}

// install does what a person does to add the app to the workspace.
func (b *boltApp) install(w *world) map[string]any {
	b.t.Helper()
	res := must(browser.Get(b.address + "/slack/install"))
	res.Body.Close()
	page := must(res.Location())
	if !strings.HasPrefix(page.String(), w.url+"/sandbox/oauth/v2/authorize?") {
		b.t.Fatalf("the app sends people to %s", page)
	}
	back, said := w.authorize(page.Query())
	if back == nil {
		b.t.Fatal(said)
	}
	req := must(http.NewRequest("GET", back.String(), nil))
	for _, c := range res.Cookies() { // by hand, because it is for https only
		req.AddCookie(c)
	}
	res = must(browser.Do(req))
	done := string(must(io.ReadAll(res.Body)))
	res.Body.Close()
	if res.StatusCode != 200 {
		b.t.Fatalf("the app answered %d: %s", res.StatusCode, done)
	}
	return b.next("install")
}

// Slack's own framework installs an app, receives messages, mentions and reactions,
// and answers buttons and modals, as it would with Slack.
func TestBolt(t *testing.T) {
	w := newWorld(t)
	w.clock.Advance(time.Since(w.clock.Now())) // Bolt accepts only signatures of the real time
	w.run()
	b := startBolt(t, w)
	maya := w.person("Maya")
	person := w.s.As(maya)
	c := w.channel("desk", maya)

	in := b.install(w)
	bot := text(in, "bot")
	auth := w.call(text(in, "token"), "auth.test", nil)
	want(t, "install", []any{in["team"], in["user"], auth["user_id"], auth["bot_id"]}, []any{w.team, w.owner, bot, in["botID"]})
	if bot == w.in.BotUserID {
		t.Fatal("the app is the one that was there")
	}
	if err := w.s.As(w.owner).Invite(w.ctx, c, bot); err != nil {
		t.Fatal(err)
	}

	said := must(person.Post(w.ctx, c, "ship ten"))
	b.next("message")
	replies := w.bot("conversations.replies", "channel", c, "ts", said.TS)["messages"].([]any)
	want(t, "message", []any{len(replies), dig(replies, 1, "text"), dig(replies, 1, "user")}, []any{2, "Shipping ten for <@" + maya + ">", bot})

	if err := person.React(w.ctx, c, said.TS, "eyes"); err != nil {
		t.Fatal(err)
	}
	did := b.next("reaction")
	want(t, "reaction", []any{did["user"], did["author"]}, []any{maya, maya})
	want(t, "reactions", dig(w.bot("reactions.get", "channel", c, "timestamp", said.TS), "message", "reactions"), []any{
		map[string]any{"name": "eyes", "users": []string{maya}, "count": 1}, map[string]any{"name": "eyes_too", "users": []string{bot}, "count": 1}})

	must(person.Post(w.ctx, c, "<@"+bot+"> I am hungry"))
	card := text(b.next("mention"), "ts")

	if err := person.Press(w.ctx, Press{Channel: c, TS: card, BlockID: "choice", ActionID: "order"}); err != nil {
		t.Fatal(err)
	}
	view := text(b.next("button"), "view")
	want(t, "button", dig(w.bot("conversations.history", "channel", c, "limit", "1"), "messages", 0, "text"), "<@"+maya+"> is choosing")
	want(t, "modal", must(person.Views(w.ctx))[0].ID, view)

	refused := must(person.Submit(w.ctx, view, map[string]string{"text": "no"}))
	b.next("refusal")
	want(t, "refused", []any{refused.Errors, refused.View.ID}, []any{map[string]string{"what": "Say a little more."}, view})
	done := must(person.Submit(w.ctx, view, map[string]string{"text": "soup"}))
	b.next("modal")
	want(t, "submitted", []any{done.Errors, done.View, len(must(person.Views(w.ctx)))}, []any{nil, nil, 0})
	want(t, "ordered", dig(w.bot("conversations.history", "channel", c, "limit", "1"), "messages", 0, "text"), "*soup* for <@"+maya+">")
}
