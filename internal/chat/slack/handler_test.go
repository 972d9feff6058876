package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
)

// told calls a handler as Slack does.
func told(h http.Handler, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/integrations/slack/"+path, strings.NewReader(body))
	for name, values := range headersOf("s3", time.Now(), body) {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func handlerOf(deliver chat.Deliver) http.Handler {
	return New(Config{SigningSecret: "s3", Log: slog.New(slog.DiscardHandler)}).Handler(deliver, nil)
}

func payload(v string) string { return url.Values{"payload": {v}}.Encode() }

const (
	anEvent  = `{"type":"app_uninstalled"}`
	aButton  = `{"type":"block_actions","team":{"id":"T1"},"user":{"id":"U1"},"trigger_id":"1.2.x","container":{"type":"message","message_ts":"1718000000.000100","channel_id":"C1"},"actions":[{"type":"button","action_id":"take","value":"7","action_ts":"1718000003.000000"}]}`
	aFilling = `{"type":"view_submission","team":{"id":"T1"},"user":{"id":"U1"},"view":{"callback_id":"edit","private_metadata":"7","state":{"values":{"title":{"title":{"type":"plain_text_input","value":"Hi"}}}}}}`
)

func TestHandlerAnswers(t *testing.T) {
	tests := []struct {
		name, path, body string
		deliver          error
		status           int
		answer           string
		delivered        int
	}{
		{"an event", "events", wrapped(anEvent), nil, 200, "", 1},
		{"an event that was not taken", "events", wrapped(anEvent), errors.New("disk full"), 500, "It was not taken. Try again.\n", 1},
		{"an event of no concern", "events", wrapped(`{"type":"app_home_opened"}`), nil, 200, "", 0},
		{"events were left out", "events", `{"type":"app_rate_limited","team_id":"T1"}`, nil, 200, "", 0},
		{"something new", "events", `{"type":"something"}`, nil, 200, "", 0},
		{"a challenge", "events", `{"type":"url_verification","challenge":"<c>","token":"x"}`, nil, 200, `{"challenge":"\u003cc\u003e"}` + "\n", 0},
		{"no JSON", "events", `{`, nil, 400, "The body cannot be read.\n", 0},
		{"too large", "events", strings.Repeat(" ", mostBody+1), nil, 413, "The body is too large.\n", 0},
		{"a button", "interactions", payload(aButton), nil, 200, "", 1},
		{"a button that was not taken", "interactions", payload(aButton), errors.New("disk full"), 500, "It was not taken. Try again.\n", 1},
		{"a rejected button", "interactions", payload(aButton), chat.Rejection{"x": "y"}, 500, "It was not taken. Try again.\n", 1},
		{"a form", "interactions", payload(aFilling), nil, 200, "", 1},
		{"a rejected form", "interactions", payload(aFilling), fmt.Errorf("edit: %w", chat.Rejection{"title": "Too <short>."}), 200,
			`{"errors":{"title":"Too \u003cshort\u003e."},"response_action":"errors"}` + "\n", 1},
		{"a form that was not taken", "interactions", payload(aFilling), errors.New("disk full"), 500, "It was not taken. Try again.\n", 1},
		{"a closed form", "interactions", payload(`{"type":"view_closed","team":{"id":"T1"},"user":{"id":"U1"}}`), nil, 200, "", 0},
		{"no payload", "interactions", "a=b", nil, 400, "The body cannot be read.\n", 0},
		{"no form", "interactions", "%zz", nil, 400, "The body cannot be read.\n", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			delivered := 0
			w := told(handlerOf(func(context.Context, chat.Event) error { delivered++; return tt.deliver }), tt.path, tt.body)
			want(t, "answer", []any{w.Code, w.Body.String(), delivered}, []any{tt.status, tt.answer, tt.delivered})
			want(t, "sniffing", w.Header().Get("X-Content-Type-Options"), "nosniff")
		})
	}
}

func TestInteractions(t *testing.T) {
	var got chat.Event
	h := handlerOf(func(_ context.Context, ev chat.Event) error { got = ev; return nil })
	told(h, "interactions", payload(aButton))
	want(t, "button", got, chat.Event{System: "slack", Workspace: "T1", At: at(1718000003000000), Action: &chat.Action{
		User: "U1", Button: "take", Value: "7", At: chat.Ref{Channel: "C1", ID: "1718000000.000100"}, Trigger: "1.2.x"}})

	told(h, "interactions", payload(`{"type":"block_actions","team":{"id":"T1"},"user":{"id":"U1"},"trigger_id":"1.2.x",
		"container":{"type":"message_attachment","message_ts":"1718000000.000100","attachment_id":1,"channel_id":"C1","thread_ts":"1717000000.000001"},
		"message":{"thread_ts":"1717000000.000001"},"actions":[{"type":"button","action_id":"take"}]}`))
	want(t, "button in an attachment", *got.Action, chat.Action{
		User: "U1", Button: "take", At: chat.Ref{Channel: "C1", ID: "1718000000.000100"}, Thread: "1717000000.000001", Trigger: "1.2.x"})

	told(h, "interactions", payload(`{"type":"view_submission","team":{"id":"T1"},"user":{"id":"U1"},"view":{"callback_id":"edit","private_metadata":"{\"id\":7}",
		"state":{"values":{"title":{"title":{"type":"plain_text_input","value":"Hi"}},"who":{"who":{"type":"users_select","selected_user":"U2"}},
		"priority":{"priority":{"type":"static_select","selected_option":{"text":{"type":"plain_text","text":"High"},"value":"high"}}},
		"none":{"none":{"type":"static_select","selected_option":null}},"empty":{"empty":{"type":"plain_text_input","value":null}}}}}}`))
	want(t, "form", *got.Submission, chat.Submission{User: "U1", Form: "edit", State: `{"id":7}`,
		Values: map[string]string{"title": "Hi", "who": "U2", "priority": "high"}})

	// Not needed: other elements, buttons in forms, and events without an actor.
	for _, other := range []string{
		strings.Replace(aButton, `"button"`, `"static_select"`, 1),
		strings.Replace(aButton, `"channel_id":"C1"`, `"view_id":"V1"`, 1),
		strings.Replace(aButton, `"U1"`, `""`, 1),
		strings.Replace(aButton, `"T1"`, `null`, 1),
		`{"type":"block_actions","team":{"id":"T1"},"user":{"id":"U1"},"container":{"message_ts":"1.000000","channel_id":"C1"},"actions":[]}`,
	} {
		got = chat.Event{}
		if w := told(h, "interactions", payload(other)); w.Code != 200 || got.System != "" {
			t.Errorf("%s: %d, %s", other, w.Code, show(got))
		}
	}
}

// A body without a valid signature is not read at all.
func TestHandlerBelievesOnlySignatures(t *testing.T) {
	h := handlerOf(func(context.Context, chat.Event) error { t.Error("it was delivered"); return nil })
	for _, path := range []string{"events", "interactions"} {
		for name, body := range map[string]string{"events": wrapped(anEvent), "a challenge": `{"type":"url_verification","challenge":"c"}`, "junk": "{"} {
			r := httptest.NewRequest(http.MethodPost, "/integrations/slack/"+path, strings.NewReader(body))
			for name, values := range headersOf("s4", time.Now(), body) {
				r.Header[name] = values
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			want(t, name, []any{w.Code, w.Body.String()}, []any{401, "The signature is not valid.\n"})
		}
	}
}

// Slack gives up after three seconds, and would send it again while the first call
// is still running.
func TestDeliverHasLessThanThreeSeconds(t *testing.T) {
	began := time.Now()
	told(handlerOf(func(ctx context.Context, _ chat.Event) error {
		end, ok := ctx.Deadline()
		if left := time.Until(end); !ok || left > 2600*time.Millisecond || end.Sub(began) < time.Second {
			t.Errorf("deliver has %v, until %v after the beginning", left, end.Sub(began))
		}
		return nil
	}), "events", wrapped(anEvent))
}

func TestHandlerRoutes(t *testing.T) {
	h := handlerOf(nil)
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/integrations/slack/manifest", 200}, {"POST", "/integrations/slack/manifest", 405}, {"GET", "/integrations/slack/events", 405},
		{"GET", "/integrations/slack/interactions", 405}, {"GET", "/integrations/slack/other", 404}, {"POST", "/integrations/slack/callback", 405},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, tt.path, nil))
		want(t, tt.method+" "+tt.path, w.Code, tt.status)
	}
}

func TestCallbackPages(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		err         error
		status      int
		says        string
	}{
		{"connected", "code=c&state=s", nil, 200, "Slack is connected, and you can close this page."},
		{"declined", "error=access_denied&state=s", nil, 403, "access was declined"},
		{"another error", "error=%3Cscript%3Ex&state=s", nil, 400, "“&lt;script&gt;x”"},
		{"no code", "state=s", nil, 400, "only reached from Slack"},
		{"no state", "code=c", nil, 400, "only reached from Slack"},
		{"a failure of ours", "code=c&state=s", errors.New("password is hunter2"), 502, "something went wrong here"},
		{"an internal one", "code=c&state=s", desk.Errorf(desk.Internal, "hunter2"), 502, "something went wrong here"},
		{"a failure to tell", "code=c&state=s", desk.Errorf(desk.Refused, "<b>Ask</b> the owner."), 502, "&lt;b&gt;Ask&lt;/b&gt; the owner."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := New(Config{Log: slog.New(slog.DiscardHandler)})
			w := httptest.NewRecorder()
			a.Handler(nil, func(_ *http.Request, state, code string) error {
				want(t, "state and code", []string{state, code}, []string{"s", "c"})
				return tt.err
			}).ServeHTTP(w, httptest.NewRequest("GET", "/integrations/slack/callback?"+tt.query, nil))
			want(t, "status", w.Code, tt.status)
			if !strings.Contains(w.Body.String(), tt.says) || strings.Contains(w.Body.String(), "hunter2") {
				t.Errorf("the page says %s", w.Body)
			}
			for name, value := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
				"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Content-Type": "text/html; charset=utf-8"} {
				want(t, name, w.Header().Get(name), value)
			}
		})
	}
}

func TestManifest(t *testing.T) {
	w := httptest.NewRecorder()
	New(Config{PublicURL: "https://desk.example"}).Handler(nil, nil).ServeHTTP(w, httptest.NewRequest("GET", "/integrations/slack/manifest", nil))
	var m struct {
		OAuth struct {
			RedirectURLs []string `json:"redirect_urls"`
			Scopes       struct{ Bot, User []string }
		} `json:"oauth_config"`
		Settings struct {
			Events struct {
				RequestURL string   `json:"request_url"`
				BotEvents  []string `json:"bot_events"`
				Metadata   []struct {
					EventType string `json:"event_type"`
				} `json:"metadata_subscriptions"`
			} `json:"event_subscriptions"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	want(t, "redirect", m.OAuth.RedirectURLs, []string{"https://desk.example/integrations/slack/callback"})
	want(t, "events", m.Settings.Events.RequestURL, "https://desk.example/integrations/slack/events")
	want(t, "metadata", m.Settings.Events.Metadata[0].EventType, postEvent)
	// Every event that the manifest subscribes to is read. Otherwise a missing one
	// would go unnoticed.
	for _, name := range m.Settings.Events.BotEvents {
		kind, _, _ := strings.Cut(name, ".")
		if kind == "message" || strings.HasPrefix(kind, "reaction_") || kind == "team_join" || kind == "user_change" || strings.HasPrefix(kind, "subteam_") || kind == "tokens_revoked" {
			continue // these need a body and have their own tests
		}
		if _, ok := read(wrapped(`{"type":"` + kind + `","user":"UBOT"}`)); !ok {
			t.Errorf("%s is subscribed to and not read", name)
		}
	}
	asked := must(url.Parse(New(Config{ClientID: "1.2", PublicURL: "https://desk.example"}).AuthorizeURL("a&b"))).Query()
	want(t, "asked for", []string{asked.Get("scope"), asked.Get("user_scope"), asked.Get("state"), asked.Get("client_id"), asked.Get("redirect_uri")},
		[]string{strings.Join(m.OAuth.Scopes.Bot, ","), strings.Join(m.OAuth.Scopes.User, ","), "a&b", "1.2", m.OAuth.RedirectURLs[0]})
}
