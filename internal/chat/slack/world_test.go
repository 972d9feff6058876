package slack_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/chat/chattest"
	"frontdesk/internal/chat/slack"
)

// openWorld starts a sandbox and connects the app to it, all over the network.
func openWorld(t *testing.T) *chattest.World {
	t.Helper()
	p := startSandbox(t)
	var handler http.Handler // the manifest has to name the server before there is an app to serve
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	keys, err := p.register(slack.Manifest(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	line := &wire{process: p}
	cfg := slack.Config{
		ClientID: keys.ClientID, ClientSecret: keys.ClientSecret, SigningSecret: keys.SigningSecret,
		API: p.URL + "/sandbox/api/", Authorize: p.URL + "/sandbox/oauth/v2/authorize", PublicURL: server.URL,
		Client: &http.Client{Transport: line}, Log: slog.New(slog.DiscardHandler),
	}
	app, inbox := slack.New(cfg), &chattest.Inbox{}
	var in chat.Installation
	handler = app.Handler(inbox.Deliver, func(r *http.Request, _, code string) (err error) {
		in, err = app.Exchange(r.Context(), code)
		return err
	})
	// As a browser would: from the page with the code back to us.
	if body, err := fetch(approve(app.AuthorizeURL("a state"))); err != nil {
		t.Fatalf("install the app: %v %s", err, body)
	}
	w := &chattest.World{
		System: "slack", Workspace: p.Workspace, Bot: in.Bot.User, Inbox: inbox, By: in.Person,
		Can:       chattest.Abilities{Marks: true, Personas: true, Colours: true, Presence: true, Finds: true, Hides: true},
		Connector: app.Connector(in),
		Restart:   func() chat.Connector { return slack.New(cfg).Connector(in) },
		Link:      func(at chat.Ref, thread string) string { return app.Link(in, at, thread) },
		Linked:    func(link string) (chat.Ref, error) { return app.Linked(in, link) },
		Stranger:  func(channel, text, mark string) (chat.Ref, error) { return p.stranger(channel, text, mark) },
		Calls:     line.made,
		Misbehave: line.misbehave,
		Struck:    line.struck,
		Settle: func() error {
			_, err := fetch(operate(http.MethodGet, p.URL+"/sandbox/settled", nil))
			return err
		},
		Expire: func() { <-time.After(3100 * time.Millisecond) }, // a trigger is valid for three seconds
		Uninstall: func() error {
			return p.call(in.Bot.Token, "apps.uninstall", args{"client_id": keys.ClientID, "client_secret": keys.ClientSecret}, nil)
		},
		Revoke: func() error { return p.call(in.Person.Token, "auth.revoke", args{}, nil) },
	}
	for _, u := range p.People {
		w.People = append(w.People, person(p, u.ID, u.Profile.DisplayName))
	}
	w.Office = office{process: p, owner: p.People[0].ID}
	return w
}

// credentials are those of an app.
type credentials struct {
	ClientID      string `json:"client_id"`
	ClientSecret  string `json:"client_secret"`
	SigningSecret string `json:"signing_secret"`
}

// register makes an app from a manifest, as an operator does.
func (p *process) register(manifest []byte) (credentials, error) {
	body, err := fetch(operate(http.MethodPost, p.URL+"/sandbox/apps", manifest))
	var said struct {
		OK          bool
		Credentials credentials
	}
	if err == nil {
		err = json.Unmarshal(body, &said)
	}
	if err != nil || !said.OK {
		return said.Credentials, fmt.Errorf("register an app: %w: %s", err, body)
	}
	return said.Credentials, nil
}

// stranger installs another app and makes it post, with metadata like ours.
func (p *process) stranger(channel, text, mark string) (at chat.Ref, err error) {
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.URL.Query().Get("code"))
	}))
	defer back.Close()
	keys, err := p.register([]byte(`{"display_information":{"name":"Robot"},"oauth_config":{"redirect_urls":["` + back.URL + `"],"scopes":{"bot":["chat:write"]}}}`))
	if err != nil {
		return at, err
	}
	code, err := fetch(approve(p.URL + "/sandbox/oauth/v2/authorize?scope=chat:write&client_id=" + keys.ClientID))
	if err != nil {
		return at, err
	}
	var got struct {
		Token string `json:"access_token"`
		Bot   string `json:"bot_user_id"`
	}
	if err := p.call("", "oauth.v2.access", args{"client_id": keys.ClientID, "client_secret": keys.ClientSecret, "code": string(code)}, &got); err != nil {
		return at, err
	}
	if err := (office{p, p.People[0].ID}).Admit(channel, got.Bot); err != nil {
		return at, err
	}
	metadata, err := json.Marshal(map[string]any{"event_type": "frontdesk_post", "event_payload": args{"mark": mark}})
	if err != nil {
		return at, err
	}
	var said struct{ TS string }
	err = p.call(got.Token, "chat.postMessage", args{"channel": channel, "text": text, "metadata": string(metadata)}, &said)
	return chat.Ref{Channel: channel, ID: said.TS}, err
}

// approve presses the button of an authorize page and follows it.
func approve(address string) (*http.Response, error) {
	return http.PostForm(address, url.Values{"allow": {"1"}, "code": {doorCode}})
}

// operate calls the sandbox as its operator.
func operate(method, address string, body []byte) (*http.Response, error) {
	req, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+doorCode)
	return http.DefaultClient.Do(req)
}

// fetch reads an answer, which must be successful.
func fetch(res *http.Response, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("it answered %d", res.StatusCode)
	}
	return body, err
}

// args are the arguments of a call.
type args map[string]string

// call calls a method of the Web API.
func (p *process) call(token, method string, a args, into any) error {
	form := url.Values{}
	for name, value := range a {
		form.Set(name, value)
	}
	return p.send(token, "/sandbox/api/"+method, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()), into)
}

// act does what people do in their client and Slack has no method for.
func (p *process) act(token, what string, a any, into any) error {
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return p.send(token, "/sandbox/act/"+what, "application/json", bytes.NewReader(body), into)
}

func (p *process) send(token, path, kind string, body io.Reader, into any) error {
	req, err := http.NewRequest(http.MethodPost, p.URL+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Authorization", "Bearer "+token)
	raw, err := fetch(http.DefaultClient.Do(req))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var said struct {
		OK    bool
		Error string
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !said.OK {
		return fmt.Errorf("%s: %w", path, errors.New(said.Error))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}
