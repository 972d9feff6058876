package slack

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
	"frontdesk/internal/sandbox"
)

func TestErrors(t *testing.T) {
	kinds := map[string]desk.Kind{
		"channel_not_found": desk.NotFound, "message_not_found": desk.NotFound, "thread_not_found": desk.NotFound, "file_not_found": desk.NotFound,
		"user_not_found": desk.NotFound, "users_not_found": desk.NotFound,
		"not_in_channel": desk.Forbidden, "restricted_action": desk.Forbidden, "missing_scope": desk.Forbidden, "cant_update_message": desk.Forbidden,
		"is_archived": desk.Refused, "expired_trigger_id": desk.Refused, "message_limit_exceeded": desk.Refused, "something_new": desk.Refused,
		"msg_too_long": desk.Invalid, "invalid_blocks": desk.Invalid, "no_text": desk.Invalid, "invalid_arguments": desk.Invalid,
		"file_upload_size_restricted": desk.TooLarge,
		"fatal_error":                 desk.Unavailable, "internal_error": desk.Unavailable, "service_unavailable": desk.Unavailable,
	}
	for code, kind := range kinds {
		c := faked(t, map[string]string{"users.list": `{"ok":false,"error":"` + code + `"}`})
		_, err := c.Directory(t.Context(), chat.People, "")
		wantKind(t, code, err, kind)
		want(t, "code", remote.CodeOf(err), code)
	}
	for _, code := range []string{"invalid_auth", "account_inactive", "token_revoked", "not_authed", "token_expired", "team_access_not_granted"} {
		c := faked(t, map[string]string{"users.list": `{"ok":false,"error":"` + code + `"}`, "chat.postMessage": `{"ok":false,"error":"` + code + `"}`})
		if _, err := c.Directory(t.Context(), chat.People, ""); !isLost(err) || desk.KindOf(err) != desk.Refused || !strings.Contains(err.Error(), code) {
			t.Errorf("%s: %v", code, err)
		}
		p := post("C1", "x", "m1")
		p.By = &chat.Credential{User: "U1", Token: "xoxp-1"}
		_, err := c.Post(t.Context(), p)
		if wantKind(t, code, err, desk.Forbidden); isLost(err) {
			t.Errorf("%s of a person loses the workspace", code)
		}
	}
	for code, m := range meanings {
		if m.kind != lost && (!strings.HasSuffix(m.message, ".") || m.kind == desk.Internal) {
			t.Errorf("%s: %q is no sentence for a caller", code, m.message)
		}
	}
	c := faked(t, map[string]string{"users.list": `{"ok":false,"error":"missing_scope","needed":"users:read","provided":"chat:write"}`})
	if _, err := c.Directory(t.Context(), chat.People, ""); !strings.Contains(err.Error(), "users:read") {
		t.Errorf("the log does not tell the scope: %v", err)
	}
}

func TestStatuses(t *testing.T) {
	for _, status := range []int{500, 502, 503, 504, 400, 403, 404, 302, 201} {
		c := served(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://elsewhere.test/")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"ok":true}`)
		})
		_, err := c.Directory(t.Context(), chat.People, "")
		wantKind(t, fmt.Sprint(status), err, desk.Unavailable)
	}
}

// Errors contain nothing that may be a secret.
func TestErrorsKeepSecrets(t *testing.T) {
	w := newWorld(t)
	ch := w.channel("desk")
	var kept string
	w.faults(sandbox.Fault{Kind: sandbox.DropAnswer, Method: "upload"})
	_, err := w.c.Post(w.ctx, parcel(ch, &kept))
	wantKind(t, "upload", err, desk.Unavailable)
	if strings.Contains(err.Error(), "/upload/") || strings.Contains(err.Error(), w.in.Bot.Token) {
		t.Errorf("the error says %v", err)
	}
	w.faults(sandbox.Fault{Kind: sandbox.Down, Delay: sandbox.Duration(time.Minute)})
	_, err = w.app.Exchange(w.ctx, "a secret code")
	wantKind(t, "exchange", err, desk.Unavailable)
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error says %v", err)
	}
}

// A call without an answer ends on its own.
func TestCallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New(Config{API: "https://slack.test/api/", Client: &http.Client{Transport: silent{}}})
		began := time.Now()
		_, err := a.Connector(workspaceOf("T1")).Directory(t.Context(), chat.People, "")
		wantKind(t, "a call", err, desk.Unavailable)
		want(t, "took", time.Since(began), callTime)
		_, err = a.download(t.Context(), caller{}, &file{URL: "https://slack.test/f"})
		wantKind(t, "a download", err, desk.Unavailable)
		want(t, "took", time.Since(began), 2*callTime)
	})
}

type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// With the sandbox and us both at Slack's pace, nobody is refused for long.
func TestAtThePaceOfTheSandbox(t *testing.T) {
	w := newWorld(t, func(c *sandbox.Config) { c.Pace = sandbox.Pace{On: true, PostEvery: 50 * time.Millisecond} })
	ch := w.channel("desk")
	_, err := w.c.Directory(w.ctx, chat.People, "")
	w.check(err)
	w.faults(sandbox.Fault{Kind: sandbox.RateLimit, Count: 2, Method: "chat.postMessage", Delay: sandbox.Duration(time.Second)})
	must(w.c.Post(w.ctx, post(ch, "hi", "m1")))
	want(t, "said", w.texts(ch), []string{"hi"})
	w.faults(sandbox.Fault{Kind: sandbox.RateLimit, Method: "chat.postMessage", Delay: sandbox.Duration(time.Minute)})
	_, err = w.c.Post(w.within(5*time.Second), post(ch, "hi", "m2"))
	var e *desk.Error
	if !errors.As(err, &e) || e.Kind != desk.Busy || e.RetryAfter < 50*time.Second {
		t.Errorf("got %v", err)
	}
}
