package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"frontdesk/internal/desk"
)

func TestRequests(t *testing.T) {
	for _, tt := range []struct {
		call                      Call
		method, body, contentType string
	}{
		{Call{Method: http.MethodGet}, "GET", "", ""},
		{Call{Body: url.Values{"a": {"b c"}}}, "POST", "a=b+c", "application/x-www-form-urlencoded"},
		{Call{Method: http.MethodPut, Authorization: "Bearer x", Body: map[string]string{"a": "b"}}, "PUT", `{"a":"b"}`, "application/json"},
	} {
		calls := 0
		s := over(func(r *http.Request) *http.Response {
			body, err := io.ReadAll(r.Body)
			check(err)
			want(t, "sent", []string{r.Method, r.URL.String(), string(body)}, []string{tt.method, "https://acme.test/x", tt.body})
			want(t, "headers", []string{r.Header.Get("Content-Type"), r.Header.Get("Accept"), r.Header.Get("Authorization")},
				[]string{tt.contentType, "application/json", tt.call.Authorization})
			calls++
			return said(200, `{}`)
		})
		tt.call.URL, tt.call.Queues = "https://acme.test/x", []Queue{{Name: "a"}}
		// The body is sent again after a pause.
		check(s.Do(t.Context(), tt.call, func(Answer) error {
			if calls == 1 {
				return &Pause{For: time.Nanosecond}
			}
			return nil
		}))
		want(t, "calls", calls, 2)
	}
}

// What cannot be sent is not sent.
func TestBadRequests(t *testing.T) {
	s := over(func(*http.Request) *http.Response { t.Error("it was sent"); return said(200, `{}`) })
	read := func(Answer) error { return nil }
	if err := s.Do(t.Context(), Call{URL: "https://acme.test/", Body: func() {}}, read); err == nil {
		t.Error("a function was sent")
	}
	err := s.Do(t.Context(), Call{URL: "https://acme.test/secret\x00"}, read)
	if wantKind(t, "an address", err, desk.Unavailable); strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

// Only a whole answer of success tells that a call was done.
func TestAnswers(t *testing.T) {
	for name, res := range map[string]*http.Response{
		"500":      said(500, `{}`),
		"404":      said(404, `{}`),
		"302":      said(302, `{}`, "Location", "https://elsewhere.test/"),
		"no JSON":  said(200, `<html>`),
		"nothing":  said(200, ``),
		"a half":   said(200, `{"a":`),
		"too long": said(200, `{"a":"`+strings.Repeat("x", MostAnswer)+`"}`),
		"broken":   {StatusCode: 200, Body: io.NopCloser(iotest.ErrReader(errors.New("connection reset")))},
		"another":  said(200, `[]`),
	} {
		calls := 0
		s := over(func(*http.Request) *http.Response { calls++; return res })
		e := wantKind(t, name, s.get(t.Context()), desk.Unavailable)
		want(t, name, []any{calls, e.Message, strings.HasPrefix(e.Err.Error(), "get: ")}, []any{1, "Acme cannot be reached at the moment.", true})
	}
	for _, status := range []int{200, 201, 204} {
		check(over(func(*http.Request) *http.Response { return said(status, ``) }).Do(t.Context(), Call{URL: "https://acme.test/"}, Answer.Err))
	}
	for name, body := range map[string]io.Reader{"too long": strings.NewReader(strings.Repeat(" ", MostAnswer+1)), "broken": iotest.ErrReader(errors.New("connection reset"))} {
		s := over(func(*http.Request) *http.Response { return &http.Response{StatusCode: 204, Body: io.NopCloser(body)} })
		wantKind(t, name, s.Do(t.Context(), Call{URL: "https://acme.test/"}, Answer.Err), desk.Unavailable)
	}
	e := wantKind(t, "503", over(func(*http.Request) *http.Response { return said(503, ``, "Retry-After", "30") }).get(t.Context()), desk.Unavailable)
	want(t, "retry after", e.RetryAfter, 30*time.Second)
}

// No error contains the address, which may be a secret.
func TestErrorsKeepAddresses(t *testing.T) {
	s := New(Config{Name: "Acme"})
	err := s.Do(t.Context(), Call{Name: "x", URL: "http://127.0.0.1:1/secret"}, Answer.Err)
	if wantKind(t, "nobody there", err, desk.Unavailable); strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A call without an answer ends on its own, and with its context.
func TestCallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct{ own, context, took time.Duration }{
			{0, time.Hour, 10 * time.Second}, {time.Minute, time.Hour, time.Minute}, {time.Minute, 5 * time.Second, 5 * time.Second},
		} {
			s := New(Config{Name: "Acme", CallTime: tt.own, Client: &http.Client{Transport: silent{}}})
			ctx, cancel := context.WithTimeout(t.Context(), tt.context)
			began := time.Now()
			e := wantKind(t, "a call", s.get(ctx), desk.Unavailable)
			cancel()
			want(t, "message and time", []any{e.Message, time.Since(began)}, []any{"Acme did not answer in time.", tt.took})
		}
	})
}

// A pause has a bound, and lasts a while if the system does not say how long.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for header, pause := range map[string]time.Duration{"": SomePause, "0": SomePause, "-5": SomePause, "soon": SomePause, "3": 3 * time.Second, "86400": LongestPause} {
			calls := 0
			s := over(func(*http.Request) *http.Response {
				if calls++; calls == 1 {
					return said(429, ``, "Retry-After", header)
				}
				return said(200, `{}`)
			})
			began := time.Now()
			check(s.get(t.Context(), slow("a")))
			want(t, header, []any{calls, time.Since(began)}, []any{2, pause})
		}
		began := time.Now()
		asked := false
		check(over(nil).InTurn(t.Context(), Call{Queues: []Queue{{Name: "a"}}}, func(context.Context) error {
			if asked = !asked; asked {
				return fmt.Errorf("mail: %w", &Pause{For: 48 * time.Hour})
			}
			return nil
		}))
		want(t, "in turn", time.Since(began), LongestPause)
	})
	e := wantKind(t, "busy", Busy("Acme", 0), desk.Busy)
	want(t, "retry after", e.RetryAfter, SomePause)
}

func TestRefusals(t *testing.T) {
	r := &Refusal{Call: "chat.post", Code: "not_in_channel"}
	err := fmt.Errorf("post: %w", r.Means(desk.Forbidden, "It is not in the channel."))
	wantKind(t, "refused", err, desk.Forbidden)
	want(t, "code and text", []string{CodeOf(err), r.Error()}, []string{"not_in_channel", "chat.post: not_in_channel"})
	r.Detail = "needs chat:write"
	want(t, "with details", r.Error(), "chat.post: not_in_channel (needs chat:write)")
	lost := desk.Errorf(desk.Refused, "Connect it again.")
	if err := r.Lost(lost); !errors.Is(err, lost) || CodeOf(err) != r.Code {
		t.Errorf("lost is %v", err)
	}
	want(t, "code of another", CodeOf(errors.New("not_in_channel")), "")
}

func TestJSON(t *testing.T) {
	type thing struct {
		A string
		B []string
	}
	for _, tt := range []struct {
		json      string
		want      thing
		ok, still bool // for ReadJSON, for ReadPatiently
	}{
		{`{"a":"x","b":["y"]}`, thing{"x", []string{"y"}}, true, true},
		{`{"a":"x\u0000y\\u0000","b":["\\\u0000"]}`, thing{`xy\u0000`, []string{`\`}}, true, true},
		{`{"a":7,"b":["y"]}`, thing{"", []string{"y"}}, false, true},
		{`{"a":"x","b":"y"}`, thing{"x", nil}, false, true},
		{`{"a":"x"`, thing{}, false, false},
		{``, thing{}, false, false},
	} {
		var strict, patient thing
		want(t, tt.json, []bool{ReadJSON([]byte(tt.json), &strict) == nil, ReadPatiently([]byte(tt.json), &patient) == nil}, []bool{tt.ok, tt.still})
		want(t, tt.json, patient, tt.want)
	}
}
