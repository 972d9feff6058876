package sandbox

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/outbound"
)

// Doors without a token open to the code, and to admins if nobody else is affected.
func TestDoorsThatTakeNoToken(t *testing.T) {
	w := newWorld(t)
	other := must(w.s.AddWorkspace(w.ctx, WorkspaceConfig{Name: "Globex", OwnerName: "Zoe Zed", OwnerEmail: "zoe@zed.test"}))
	doors := []struct{ method, path, body string }{
		{"GET", "/sandbox/faults", ""}, {"DELETE", "/sandbox/faults", ""}, {"GET", "/sandbox/settled", ""},
		{"POST", "/sandbox/faults", `{"faults":[{"kind":"lose_event"}]}`},
		{"POST", "/sandbox/apps", `{"display_information":{"name":"Another"}}`},
		{"POST", "/sandbox/apps", `{"display_information":{"name":"Desk"}}`},
	}
	knock := func(as string, status int, code string) {
		t.Helper()
		for _, d := range doors {
			req := must(http.NewRequest(d.method, w.url+d.path, strings.NewReader(d.body)))
			if code != "" {
				req.Header.Set("Authorization", "Bearer "+code)
			}
			res, o := w.do(req)
			want(t, as+" "+d.method+" "+d.path, res.StatusCode, status)
			if said := string(encode(o)); strings.Contains(said, w.app.SigningSecret) || strings.Contains(said, w.app.ClientSecret) {
				t.Errorf("%s: %s %s shows a secret of an app that was there: %s", as, d.method, d.path, said)
			}
		}
		if status != 200 {
			want(t, as+" faults", len(w.s.Faults().Faults), 0)
			want(t, as+" apps", len(must(w.s.Apps(w.ctx))), 1)
		}
	}
	knock("nobody", 401, "")
	knock("a wrong code", 401, theCode+"x")
	knock("a member", 401, w.token(w.owner))
	w.admins = func(*http.Request) ([]string, bool, error) { return []string{w.team}, false, nil }
	knock("somebody who is no admin", 401, "")

	w.admins = func(*http.Request) ([]string, bool, error) { return []string{w.team}, true, nil }
	must(w.s.Install(w.ctx, w.app.ID, other.Owner, nil, nil))
	knock("an admin beside others", 403, "")
	if err := w.s.Uninstall(w.ctx, w.app.ID, other.ID); err != nil {
		t.Fatal(err)
	}
	manifest := must(w.s.Apps(w.ctx))[0].raw
	knock("an admin who is alone", 200, "")
	want(t, "an app that was there, to an admin", must(w.s.Apps(w.ctx))[0].raw, manifest)
	w.admins = nil
	if err := w.s.SetFaults(FaultPlan{}); err != nil {
		t.Fatal(err)
	}
	knock("the operator", 200, theCode)
	want(t, "an app that was there, to the operator", must(w.s.Apps(w.ctx))[0].raw, `{"display_information":{"name":"Desk"}}`)
}

// The authorize page names a workspace only to people who may authorise an app for
// it.
func TestAuthorizePageNamesNoWorkspaceToStrangers(t *testing.T) {
	w := newWorld(t)
	must(w.s.AddWorkspace(w.ctx, WorkspaceConfig{Name: "Globex", OwnerName: "Zoe Zed", OwnerEmail: "zoe@zed.test"}))
	send := func(method string, form url.Values) (status int, location, page string) {
		req := must(http.NewRequest(method, w.s.AuthorizeURL(w.app, "s"), strings.NewReader(form.Encode())))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res := must(browser.Do(req))
		defer res.Body.Close()
		return res.StatusCode, res.Header.Get("Location"), string(must(io.ReadAll(res.Body)))
	}
	names := func(page string) (n int) {
		for _, w := range must(w.s.Workspaces(w.ctx)) {
			if strings.Contains(page, w.Name) || strings.Contains(page, w.ID) {
				n++
			}
		}
		return n
	}
	check := func(as, method string, form url.Values, status, named int, asks bool) string {
		t.Helper()
		got, location, page := send(method, form)
		want(t, as, []any{got, names(page), strings.Contains(page, `name="code" type="password"`)}, []any{status, named, asks})
		return location
	}
	check("a stranger", "GET", nil, 200, 0, true)
	check("who does not know the code", "POST", url.Values{"team": {w.team}, "code": {"x"}}, 401, 0, true)
	check("who has none", "POST", url.Values{"team": {w.team}}, 401, 0, true)
	check("the operator, to choose", "POST", url.Values{"code": {theCode}}, 200, 2, false)
	if to := check("the operator", "POST", url.Values{"code": {theCode}, "team": {w.team}}, 302, 0, false); !strings.Contains(to, "code=") {
		t.Errorf("it leads to %q", to)
	}
	w.admins = func(*http.Request) ([]string, bool, error) { return []string{w.team}, true, nil }
	check("an admin", "GET", nil, 200, 1, false)
	check("an admin, in another's workspace", "POST", url.Values{"team": {must(w.s.Workspaces(w.ctx))[1].ID}}, 401, 0, true)
	if to := check("an admin, in their own", "POST", nil, 302, 0, false); !strings.Contains(to, "code=") {
		t.Errorf("it leads to %q", to)
	}
}

// Callbacks go where outbound calls may go: those of apps registered over HTTP only
// to public addresses, unless the operator allows others. None go to the addresses
// where clouds keep their secrets.
func TestCallbacksGoOut(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Outbound = outbound.New(outbound.Config{}) })
	app := func(name, address string) string {
		_, o := w.operates("POST", "/sandbox/apps", string(encode(object{"display_information": object{"name": name},
			"settings": object{"event_subscriptions": object{"request_url": address}}})))
		return text(o, "app_id")
	}
	verify := func(id string) error { return w.s.VerifyURL(w.ctx, id) }
	if err := verify(w.app.ID); err != nil {
		t.Errorf("the process's own app: %v", err)
	}
	near, metadata := app("Near", w.rec.server.URL+"/events"), app("Metadata", "http://169.254.169.254/latest")
	for _, id := range []string{near, metadata} {
		if err := verify(id); !errors.Is(err, outbound.ErrRefused) {
			t.Errorf("%s: %v", id, err)
		}
	}
	w.s.cfg.Outbound = outbound.New(outbound.Config{AllowPrivate: true})
	secret := must(w.s.Apps(w.ctx))[1].SigningSecret
	w.rec.mu.Lock()
	w.rec.secret = func() string { return secret }
	w.rec.mu.Unlock()
	if err := verify(near); err != nil {
		t.Errorf("where private addresses are allowed: %v", err)
	}
	if err := verify(metadata); !errors.Is(err, outbound.ErrRefused) {
		t.Errorf("a cloud's secrets: %v", err)
	}
	// Not through a redirect either.
	detour := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/latest", http.StatusTemporaryRedirect))
	defer detour.Close()
	if err := verify(app("Detour", detour.URL)); !errors.Is(err, outbound.ErrRefused) {
		t.Errorf("a redirect there: %v", err)
	}
}
