package page_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/page"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

var ctx = context.Background()

// desktop is a service with a request to send surveys about, and a browser.
type desktop struct {
	t       *testing.T
	service *service.Service
	caller  service.Caller
	server  *httptest.Server
	client  *http.Client
	ahead   atomic.Int64 // how far the clock is ahead
}

const hostile = `</title><script>alert(1)</script> "'&{{.}} ` + "\u202e\u061c 𝒳"

func each(t *testing.T, fn func(t *testing.T, d *desktop)) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		d := &desktop{t: t}
		began := time.Now()
		st := store.New(db, seal.NewKey(), func() time.Time { return began.Add(time.Duration(d.ahead.Load())) })
		d.service = service.New(service.Config{Store: st, PublicURL: "https://desk.example", Log: slog.New(slog.DiscardHandler)})
		a, admin, err := d.service.NewAccount(ctx, "Acme", desk.NewMember{Email: "admin@acme.example"})
		d.must(err)
		d.caller = service.Caller{Account: a.ID, Actor: desk.Actor{ID: admin.ID, Name: admin.Name, Email: admin.Email, Source: desk.SourceAPI}, Role: desk.Admin, Scope: desk.ReadWrite, Reach: desk.Everything}
		d.server = httptest.NewServer(page.New(d.service, slog.New(slog.DiscardHandler)))
		t.Cleanup(d.server.Close)
		d.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		fn(t, d)
	})
}

func (d *desktop) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func ptr[T any](v T) *T { return &v }

// asks sends a survey and returns the path of its page.
func (d *desktop) asks(rules desk.SurveyRulesChange, title string) (path string, id desk.RequestID) {
	d.t.Helper()
	rules.Enabled = ptr(true)
	col, err := d.service.CreateCollection(ctx, d.caller, desk.NewCollection{Name: "API", Kind: desk.APICollection, Settings: desk.SettingsChange{Surveys: rules}})
	d.must(err)
	made, err := d.service.CreateRequest(ctx, d.caller, desk.NewRequest{Description: "Help", Title: &title, Collection: &col.ID})
	d.must(err)
	sent, err := d.service.SendSurvey(ctx, d.caller, made.ID)
	d.must(err)
	path, ok := strings.CutPrefix(sent.URL, "https://desk.example")
	if !ok || !strings.HasPrefix(path, "/survey/") || url.PathEscape(path[8:]) != path[8:] {
		d.t.Fatalf("the address is %s", sent.URL)
	}
	return path, made.ID
}

func (d *desktop) do(method, path string, form url.Values, headers ...string) (*http.Response, string) {
	d.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequest(method, d.server.URL+path, body)
	d.must(err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w, err := d.client.Do(r)
	d.must(err)
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	d.must(err)
	return w, string(text)
}

func (d *desktop) survey(id desk.RequestID) desk.Survey {
	d.t.Helper()
	r, err := d.service.Request(ctx, d.caller, id, service.RequestParts{})
	d.must(err)
	return *r.Survey
}

func (d *desktop) shows(what, text string, want ...string) {
	d.t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			d.t.Errorf("%s: there is no %q in\n%s", what, w, text)
		}
	}
}

func TestSurveyPage(t *testing.T) {
	each(t, func(t *testing.T, d *desktop) {
		path, id := d.asks(desk.SurveyRulesChange{}, "The printer & co")
		w, text := d.do("GET", path, nil)
		d.shows("asked", text, "How did we do?", "The printer &amp; co", `value="1"`, `value="5"`, "<textarea", "Very happy")
		if w.StatusCode != 200 || strings.Contains(text, `value="6"`) || strings.Contains(text, " checked>") || strings.Contains(text, "<script") {
			t.Errorf("%d %s", w.StatusCode, text)
		}
		for name, want := range map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "same-origin", "X-Robots-Tag": "noindex, nofollow",
		} {
			if got := w.Header.Get(name); got != want {
				t.Errorf("%s is %q", name, got)
			}
		}
		policy := w.Header.Get("Content-Security-Policy")
		d.shows("the policy", policy, "default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'", "style-src 'sha256-")
		_, style, _ := strings.Cut(text, "<style>")
		style, _, _ = strings.Cut(style, "</style>")
		sum := sha256.Sum256([]byte(style))
		d.shows("the policy", policy, base64.StdEncoding.EncodeToString(sum[:]))
		// The mark is drawn without anything that the policy would refuse.
		d.shows("the mark", text, `<svg class="bell"`, `aria-hidden="true"`)
		if strings.Contains(text, " style=") || strings.Contains(text, "<img") || strings.Contains(text, "<script") {
			t.Error("the page has what its policy refuses")
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
			t.Errorf("the policy is %s", policy)
		}
		// Looking at the page is not an answer.
		if w, _ := d.do("HEAD", path, nil); w.StatusCode != 200 || d.survey(id).AnsweredAt != nil {
			t.Errorf("HEAD answered %d, the survey is %+v", w.StatusCode, d.survey(id))
		}

		w, _ = d.do("POST", path, url.Values{"value": {"4"}, "comment": {"fine\r\n" + hostile}})
		if w.StatusCode != http.StatusSeeOther || w.Header.Get("Location") != path {
			t.Fatalf("it answered %d to %s", w.StatusCode, w.Header.Get("Location"))
		}
		if s := d.survey(id); s.Value != 4 || s.Comment != "fine\n"+hostile || s.Channel != desk.AnsweredOnPage || s.AnsweredBy != "" {
			t.Errorf("the survey is %+v", s)
		}
		_, text = d.do("GET", path, nil)
		d.shows("answered", text, "Thank you!", "Happy", `value="4" required checked`, "Change it", "&lt;script&gt;alert(1)")
		if strings.Contains(text, "<script") {
			t.Errorf("a comment has become a script: %s", text)
		}

		// It can be changed for a day, and the comment can be removed.
		d.ahead.Store(int64(24*time.Hour - time.Minute))
		if w, _ := d.do("POST", path, url.Values{"value": {"2"}, "comment": {""}}); w.StatusCode != http.StatusSeeOther {
			t.Errorf("a change answered %d", w.StatusCode)
		}
		if s := d.survey(id); s.Value != 2 || s.Comment != "" {
			t.Errorf("the survey is %+v", s)
		}
		d.ahead.Store(int64(24*time.Hour + time.Minute))
		w, text = d.do("POST", path, url.Values{"value": {"5"}, "comment": {"x"}})
		d.shows("too late", text, "for a day, and that day is over")
		if s := d.survey(id); w.StatusCode != http.StatusConflict || s.Value != 2 {
			t.Errorf("too late: %d, %+v", w.StatusCode, s)
		}
		w, text = d.do("GET", path, nil)
		d.shows("over", text, "Unhappy", "for a day, and that day is over")
		if w.StatusCode != 200 || strings.Contains(text, "<form") {
			t.Errorf("over: %d %s", w.StatusCode, text)
		}
	})
}

func TestSurveyPageRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desktop) {
		path, id := d.asks(desk.SurveyRulesChange{Type: ptr(desk.TwoPointRating)}, hostile)
		_, text := d.do("GET", path, nil)
		d.shows("a hostile title", text, "&lt;script&gt;alert(1)", "<bdi>", "👎", "👍")
		if strings.Contains(text, "<script") {
			t.Errorf("a title has become a script: %s", text)
		}
		for name, c := range map[string]struct {
			form url.Values
			want string
		}{
			"nothing":           {url.Values{}, "Please choose one of the answers."},
			"no number":         {url.Values{"value": {"up"}}, "Please choose one of the answers."},
			"less than the one": {url.Values{"value": {"0"}}, "Please choose one of the answers."},
			"more than the two": {url.Values{"value": {"3"}, "comment": {"kept"}}, "kept"},
			"a long comment":    {url.Values{"value": {"2"}, "comment": {strings.Repeat("ä", 2001)}}, "The comment must have 0 to 2000 characters; it has 2001."},
			"U+0000":            {url.Values{"value": {"2"}, "comment": {"a\x00b"}}, "The comment must be valid UTF-8"},
			"too much":          {url.Values{"value": {"2"}, "comment": {strings.Repeat("x", 64<<10)}}, "too long, or was cut off"},
		} {
			w, text := d.do("POST", path, c.form)
			d.shows(name, text, c.want)
			if w.StatusCode != http.StatusBadRequest {
				t.Errorf("%s answered %d", name, w.StatusCode)
			}
		}
		// A page of another site cannot answer for anybody.
		for _, headers := range [][]string{{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "null"}} {
			w, text := d.do("POST", path, url.Values{"value": {"1"}}, headers...)
			d.shows(fmt.Sprint(headers), text, "That came from elsewhere")
			if w.StatusCode != http.StatusForbidden || w.Header.Get("Content-Security-Policy") == "" {
				t.Errorf("%v answered %d", headers, w.StatusCode)
			}
		}
		for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS"} {
			if w, _ := d.do(method, path, nil); w.StatusCode != http.StatusMethodNotAllowed || w.Header.Get("Allow") != "GET, HEAD, POST" {
				t.Errorf("%s answered %d, %s", method, w.StatusCode, w.Header.Get("Allow"))
			}
		}
		for _, wrong := range []string{path + "A", path[:len(path)-2], "/survey/x", "/survey/", "/survey/" + strings.Repeat("A", 5000), path + "/x", "/survey/%00", "/survey/' OR 1=1 --"} {
			for _, method := range []string{"GET", "POST"} {
				w, text := d.do(method, strings.ReplaceAll(wrong, " ", "%20"), url.Values{"value": {"1"}})
				if w.StatusCode != http.StatusNotFound || strings.Contains(text, "Acme") {
					t.Errorf("%s %s answered %d %s", method, wrong, w.StatusCode, text)
				}
			}
		}
		if s := d.survey(id); s.AnsweredAt != nil {
			t.Errorf("the survey is %+v", s)
		}
		if w, _ := d.do("POST", path, url.Values{"value": {"1"}}, "Origin", d.server.URL, "Sec-Fetch-Site", "same-origin"); w.StatusCode != http.StatusSeeOther || d.survey(id).Value != 1 {
			t.Errorf("its own form answered %d, %+v", w.StatusCode, d.survey(id))
		}
	})
}

func TestSurveyPageWithoutAComment(t *testing.T) {
	each(t, func(t *testing.T, d *desktop) {
		path, id := d.asks(desk.SurveyRulesChange{Comment: ptr(false)}, "Help")
		_, text := d.do("GET", path, nil)
		if strings.Contains(text, "<textarea") {
			t.Errorf("a comment is asked for: %s", text)
		}
		w, text := d.do("POST", path, url.Values{"value": {"3"}, "comment": {"x"}})
		d.shows("a comment", text, "The comment cannot be given")
		if w.StatusCode != http.StatusBadRequest || d.survey(id).AnsweredAt != nil {
			t.Errorf("it answered %d, %+v", w.StatusCode, d.survey(id))
		}
		if w, _ := d.do("POST", path, url.Values{"value": {"3"}}); w.StatusCode != http.StatusSeeOther || d.survey(id).Value != 3 {
			t.Errorf("it answered %d, %+v", w.StatusCode, d.survey(id))
		}
	})
}

// A link that is opened over and over gets an error. Other links still work.
func TestSurveyPageIsLimited(t *testing.T) {
	each(t, func(t *testing.T, d *desktop) {
		path, _ := d.asks(desk.SurveyRulesChange{}, "Help")
		other, _ := d.asks(desk.SurveyRulesChange{}, "Help")
		waits := false
		for range 100 {
			w, text := d.do("GET", path, nil)
			if waits = w.StatusCode == http.StatusTooManyRequests; waits {
				d.shows("too often", text, "in a minute")
				if w.Header.Get("Retry-After") == "" {
					t.Error("it does not say for how long")
				}
				break
			}
		}
		if !waits {
			t.Error("it was opened a hundred times")
		}
		if w, _ := d.do("POST", path, url.Values{"value": {"3"}}); w.StatusCode != http.StatusTooManyRequests {
			t.Errorf("an answer then is %d", w.StatusCode)
		}
		if w, _ := d.do("GET", other, nil); w.StatusCode != http.StatusOK {
			t.Errorf("another is %d", w.StatusCode)
		}
	})
}
