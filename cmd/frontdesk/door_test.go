package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/chat/slack"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// doors are the endpoints of a server's sandbox that take no token.
type doors struct {
	t        *testing.T
	p        *process
	browser  *http.Client // follows no redirects
	authPage string       // the authorization page of Frontdesk's own app
	secrets  []string     // no answer may contain them
}

func openDoors(t *testing.T, in *installation, p *process) *doors {
	t.Helper()
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	d := &doors{t: t, p: p, browser: &http.Client{CheckRedirect: stay}, secrets: make([]string, 2)}
	var client string
	box := dbtest.Open(t, sqldb.Config{URL: filepath.Join(in.dir, "sandbox.db")})
	must(t, box.Read(t.Context(), func(tx *sqldb.Tx) error {
		return tx.Row("SELECT client_id, client_secret, signing_secret FROM apps ORDER BY n LIMIT 1").Scan(&client, &d.secrets[0], &d.secrets[1])
	}))
	d.authPage = "/sandbox/oauth/v2/authorize?scope=chat:write&client_id=" + client
	return d
}

// code returns the code in the log.
func (d *doors) code() (code string) {
	d.t.Helper()
	await(d.t, "the code in the log", func() bool {
		for line := range strings.Lines(d.p.logs.String()) {
			if _, rest, ok := strings.Cut(line, " code="); ok && strings.Contains(line, "sandbox") {
				code = strings.TrimSpace(rest)
			}
		}
		return code != ""
	})
	return code
}

// knock sends a request with a header in the form "Name: value". No answer may
// contain a secret of an existing app.
func (d *doors) knock(method, address, header, body string) (int, string) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, address, strings.NewReader(body))
	must(d.t, err)
	if name, value, ok := strings.Cut(header, ": "); ok {
		r.Header.Set(name, value)
	}
	w, err := d.browser.Do(r)
	must(d.t, err)
	defer w.Body.Close()
	said, err := io.ReadAll(w.Body)
	must(d.t, err)
	if slices.ContainsFunc(d.secrets, func(s string) bool { return strings.Contains(string(said), s) }) {
		d.t.Errorf("%s %s shows a secret of our app: %s", method, address, said)
	}
	return w.StatusCode, string(said)
}

// opens knocks at every door and fails the test unless exactly the expected ones open.
func (d *doors) opens(as, base, header string, faults, apps, page int) (pageSays string) {
	d.t.Helper()
	for _, k := range []struct {
		method, path, body string
		want               int
	}{
		{"GET", "/sandbox/faults", "", faults},
		{"POST", "/sandbox/faults", `{"faults":[]}`, faults},
		{"POST", "/sandbox/apps", string(slack.Manifest(d.p.url)), apps},
		{"GET", d.authPage, "", page},
	} {
		status, said := d.knock(k.method, base+k.path, header, k.body)
		if status != k.want {
			d.t.Errorf("%s: %s %s answers %d, not %d: %.200s", as, k.method, k.path, status, k.want, said)
		}
		pageSays = said
	}
	return pageSays
}

// signIn gives a member a password, signs them in, and returns the session's header.
func (d *doors) signIn(in *installation, email string) string {
	d.t.Helper()
	in.stdin = "purple-elevator-91\n"
	in.mustRun("member", "password", "--email", email)
	status, cookie := post(d.t, d.p.url+"/auth/sign-in", `{"email":"`+email+`","password":"purple-elevator-91"}`)
	if status != http.StatusNoContent {
		d.t.Fatalf("sign in as %s: %d", email, status)
	}
	return "Cookie: " + cookie
}

// letIn installs a newly registered app and returns its bot token.
func (d *doors) letIn(registered, workspace string) string {
	d.t.Helper()
	var app struct {
		Credentials struct {
			ID     string `json:"client_id"`
			Secret string `json:"client_secret"`
		}
	}
	must(d.t, json.Unmarshal([]byte(registered), &app))
	q := url.Values{"client_id": {app.Credentials.ID}, "scope": {"channels:read"}, "team": {workspace}}
	r, err := d.browser.PostForm(d.p.url+"/sandbox/oauth/v2/authorize?"+q.Encode(), url.Values{"code": {d.code()}})
	must(d.t, err)
	r.Body.Close()
	back, err := url.Parse(r.Header.Get("Location"))
	must(d.t, err)
	q = url.Values{"client_id": {app.Credentials.ID}, "client_secret": {app.Credentials.Secret}, "code": {back.Query().Get("code")}}
	if r, err = d.browser.PostForm(d.p.url+"/sandbox/api/oauth.v2.access", q); err != nil {
		d.t.Fatal(err)
	}
	defer r.Body.Close()
	var in struct {
		Token string `json:"access_token"`
	}
	must(d.t, json.NewDecoder(r.Body).Decode(&in))
	if in.Token == "" {
		d.t.Fatalf("the app was not let in: %s", r.Status)
	}
	return in.Token
}

// tryDoorsBesideOthers uses two accounts on one sandbox, acme and globex, and a
// caller behind a proxy that adds no headers.
func tryDoorsBesideOthers(t *testing.T, in *installation, p *process) {
	d := openDoors(t, in, p)
	target, err := url.Parse(p.url)
	must(t, err)
	bare := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
	defer bare.Close()
	honest := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.SetXForwarded() }})
	defer honest.Close()
	names := func(page string) string {
		var named []string
		for _, name := range []string{"acme", "globex"} {
			if strings.Contains(page, name) {
				named = append(named, name)
			}
		}
		return strings.Join(named, " ")
	}
	if page := d.opens("through a bare proxy", bare.URL, "", 401, 401, 200); names(page) != "" {
		t.Errorf("the page names %s to anybody: %s", names(page), page)
	}
	d.opens("through an honest proxy", honest.URL, "", 403, 403, 403)
	if status, _ := d.knock("GET", honest.URL+"/sandbox/api/api.test", "", ""); status != http.StatusForbidden {
		t.Errorf("the API through an honest proxy answers %d", status)
	}
	session := d.signIn(in, "owner@acme.test")
	if page := d.opens("an admin", p.url, session, 403, 403, 200); names(page) != "acme" {
		t.Errorf("the page names %q to the admin of acme: %s", names(page), page)
	}
	code := "Authorization: Bearer " + d.code()
	if page := d.opens("the operator", p.url, code, 200, 200, 200); names(page) != "acme globex" {
		t.Errorf("the page names %q to the operator: %s", names(page), page)
	}

	// The sandbox may call another app only where webhooks may lead.
	var called atomic.Int64
	near := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
	defer near.Close()
	_, said := d.knock("POST", p.url+"/sandbox/apps", code, `{"display_information":{"name":"Snoop"},"oauth_config":{"redirect_urls":["`+near.URL+`"],"scopes":{"bot":["channels:read"]}},
		"settings":{"event_subscriptions":{"request_url":"`+near.URL+`","bot_events":["app_uninstalled"]}}}`)
	bot := d.letIn(said, "acme")
	if status, said := d.knock("POST", p.url+"/sandbox/api/auth.revoke", "Authorization: Bearer "+bot, ""); !strings.Contains(said, `"revoked":true`) {
		t.Fatalf("uninstalling it: %d %s", status, said) // the app must be notified of it
	}
	await(t, "the refusal to call the app", func() bool { return strings.Contains(p.logs.String(), "events address is not verified") })
	if called.Load() != 0 {
		t.Error("an app on a private address was called")
	}
}
