package sandbox

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// browser follows no redirects.
var browser = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// authorize opens the page, types the code, presses the button and returns where
// that leads.
func (w *world) authorize(q url.Values) (*url.URL, string) {
	w.t.Helper()
	address := w.url + "/sandbox/oauth/v2/authorize?" + q.Encode()
	res := must(browser.Get(address))
	page := string(must(io.ReadAll(res.Body)))
	res.Body.Close()
	if res.StatusCode != 200 {
		return nil, page
	}
	if !strings.Contains(page, `<button name="allow"`) || !strings.Contains(page, "Install Desk") {
		w.t.Errorf("the page is %s", page)
	}
	res = must(browser.PostForm(address, url.Values{"allow": {"1"}, "code": {theCode}}))
	res.Body.Close()
	if res.StatusCode != http.StatusFound {
		w.t.Fatalf("the button answered %d", res.StatusCode)
	}
	return must(url.Parse(res.Header.Get("Location"))), page
}

func TestOAuth(t *testing.T) {
	w := newWorld(t)
	q := url.Values{"client_id": {w.app.ClientID}, "scope": {"chat:write,users:read"}, "user_scope": {"users:read"}, "state": {"st&te"}}
	back, _ := w.authorize(q)
	want(t, "back", []string{back.Host, back.Path, back.Query().Get("state")}, []string{"127.0.0.1", "/back", "st&te"})
	code := back.Query().Get("code")

	exchange := func(pairs ...string) map[string]any {
		return w.call("", "oauth.v2.access", args(append([]string{"client_id", w.app.ClientID, "client_secret", w.app.ClientSecret}, pairs...)...))
	}
	want(t, "wrong secret", w.call("", "oauth.v2.access", args("client_id", w.app.ClientID, "client_secret", "x", "code", code))["error"], "bad_client_secret")
	want(t, "wrong client", w.call("", "oauth.v2.access", args("client_id", "1.2", "code", code))["error"], "invalid_client_id")
	want(t, "wrong redirect", exchange("code", code, "redirect_uri", "http://127.0.0.1/other")["error"], "bad_redirect_uri")
	want(t, "wrong grant", exchange("code", code, "grant_type", "wish")["error"], "invalid_grant_type")
	want(t, "wrong code", exchange("code", "x")["error"], "invalid_code")
	o := exchange("code", code, "redirect_uri", "http://127.0.0.1/back")
	for name, v := range map[string]any{"ok": true, "token_type": "bot", "app_id": w.app.ID, "bot_user_id": w.in.BotUserID,
		"team": map[string]string{"id": w.team, "name": "Acme"}, "enterprise": nil, "is_enterprise_install": false,
		// A second installation keeps the token, and its scopes add up.
		"access_token": w.in.BotToken, "scope": strings.Join(botScopes, ",")} {
		want(t, name, o[name], v)
	}
	want(t, "authed user", dig(o, "authed_user", "id"), w.owner)
	user := text(o, "authed_user", "access_token")
	want(t, "as the user", w.call(user, "auth.test", nil)["user_id"], w.owner)
	want(t, "again", exchange("code", code)["error"], "code_already_used")

	// HTTP Basic, as Slack recommends.
	back, _ = w.authorize(q)
	req := must(http.NewRequest("POST", w.url+"/sandbox/api/oauth.v2.access", strings.NewReader("code="+back.Query().Get("code"))))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(w.app.ClientID, w.app.ClientSecret)
	if _, o := w.do(req); o["ok"] != true {
		t.Errorf("with HTTP Basic: %v", o)
	}

	back, _ = w.authorize(q)
	w.clock.Advance(11 * time.Minute)
	want(t, "too late", exchange("code", back.Query().Get("code"))["error"], "invalid_code")

	for code, change := range map[string]url.Values{
		"invalid_client_id": {"client_id": {"1.2"}}, "invalid_scope": {"scope": {"admin"}},
		"bad_redirect_uri": {"redirect_uri": {"http://evil.test/back"}},
	} {
		bad := url.Values{}
		for k, v := range q {
			bad[k] = v
		}
		for k, v := range change {
			bad[k] = v
		}
		if back, said := w.authorize(bad); back != nil || !strings.Contains(said, code) {
			t.Errorf("want %s, got %v %s", code, back, said)
		}
	}
}

// No other page may press the button for the owner.
func TestOAuthRefusesForeignForms(t *testing.T) {
	w := newWorld(t)
	w.admins = func(*http.Request) ([]string, bool, error) { return []string{w.team}, true, nil }
	req := must(http.NewRequest("POST", w.s.AuthorizeURL(w.app, ""), nil))
	req.Header.Set("Origin", "https://evil.test")
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	res := must(browser.Do(req))
	res.Body.Close()
	want(t, "status", res.StatusCode, 403)
}

func TestAppsAreRegistered(t *testing.T) {
	w := newWorld(t)
	post := func(body string) map[string]any {
		_, o := w.operates("POST", "/sandbox/apps", body)
		return o
	}
	o := post(`{"display_information":{"name":"Second"},"oauth_config":{"scopes":{"bot":["chat:write"]}}}`)
	if o["ok"] != true || text(o, "credentials", "signing_secret") == "" || text(o, "credentials", "client_id") == "" {
		t.Errorf("got %v", o)
	}
	// The same name means the same app. Its secrets were shown once.
	again := post(`{"manifest":"{\"display_information\":{\"name\":\"Second\"}}"}`)
	want(t, "again", []any{again["ok"], again["app_id"], again["credentials"]}, []any{true, o["app_id"], nil})
	want(t, "no name", post(`{}`)["error"], "invalid_manifest")
	want(t, "no JSON", post(`{`)["error"], "invalid_manifest")
	want(t, "no address", post(`{"display_information":{"name":"x"},"settings":{"interactivity":{"request_url":"ftp://x"}}}`)["error"], "invalid_manifest")
}

func TestWorkspacesAreApart(t *testing.T) {
	w := newWorld(t)
	other := must(w.s.AddWorkspace(w.ctx, WorkspaceConfig{Name: "Acme", OwnerName: "Zoe Zed", OwnerEmail: "zoe@zed.test"}))
	want(t, "domain", other.Domain, "acme-2")
	in := must(w.s.Install(w.ctx, w.app.ID, other.Owner, nil, nil))
	c := w.channel("desk")
	ts := text(w.bot("chat.postMessage", "channel", c, "text", "x"), "ts")
	for method, pairs := range map[string][]string{
		"conversations.info": {"channel", c}, "conversations.history": {"channel", c}, "chat.postMessage": {"channel", c, "text", "x"},
		"chat.getPermalink": {"channel", c, "message_ts", ts}, "conversations.members": {"channel", c},
	} {
		w.refusedTo(in.BotToken, "channel_not_found", method, pairs...)
	}
	w.refusedTo(in.BotToken, "user_not_found", "users.info", "user", w.owner)
	w.refusedTo(in.BotToken, "users_not_found", "users.lookupByEmail", "email", "maya@desk.test")
	// The same names are free there.
	if o := w.call(in.BotToken, "conversations.create", args("name", "desk")); o["ok"] != true {
		t.Errorf("got %v", o)
	}
}

func TestRevoke(t *testing.T) {
	w := newWorld(t)
	w.run()
	if err := w.s.RevokeToken(w.ctx, w.in.UserToken); err != nil {
		t.Fatal(err)
	}
	w.refusedTo(w.in.UserToken, "token_revoked", "auth.test")
	want(t, "tokens", w.rec.next().event()["tokens"], map[string]any{"oauth": []string{w.owner}, "bot": []string{}})
	w.bot("auth.test")
	// Revoking its last token removes the app.
	want(t, "revoked", w.bot("auth.revoke")["revoked"], true)
	want(t, "type", w.rec.next().event()["type"], "tokens_revoked")
	want(t, "type", w.rec.next().event()["type"], "app_uninstalled")
	if err := w.s.RevokeToken(w.ctx, "xoxb-no"); Code(err) != "invalid_auth" {
		t.Errorf("a token that is none: %v", err)
	}
}

func TestUninstall(t *testing.T) {
	w := newWorld(t)
	user := w.in.UserToken
	w.refused("bad_client_secret", "apps.uninstall", "client_id", w.app.ClientID, "client_secret", "x")
	w.bot("apps.uninstall", "client_id", w.app.ClientID, "client_secret", w.app.ClientSecret)
	w.refused("account_inactive", "auth.test")
	w.refusedTo(user, "token_revoked", "auth.test")
	w.run()
	e := w.rec.next().event()
	want(t, "tokens", e, map[string]any{"type": "tokens_revoked", "event_ts": e["event_ts"],
		"tokens": map[string]any{"oauth": []string{w.owner}, "bot": []string{w.in.BotUserID}}})
	want(t, "type", w.rec.next().event()["type"], "app_uninstalled")

	// Installed again, the bot is the same but its token is new.
	again := must(w.s.Install(w.ctx, w.app.ID, w.owner, []string{"chat:write"}, []string{}))
	want(t, "bot", again.BotUserID, w.in.BotUserID)
	if again.BotToken == w.in.BotToken {
		t.Error("the old token works again")
	}
	want(t, "scopes", again.BotScopes, []string{"chat:write"})
}
