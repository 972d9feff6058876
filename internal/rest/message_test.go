package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// Stored HTML may come from an older version, or from a backup that somebody has
// tampered with.
func TestHTMLLeavesSanitised(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		s := newStage(t, db, scriptRate{})
		admin := s.callers["admin"].Caller
		ctx := context.Background()
		if _, err := s.service.CreateCollection(ctx, admin, desk.NewCollection{Name: "API", Kind: desk.APICollection}); err != nil {
			t.Fatal(err)
		}
		made, err := s.service.CreateRequest(ctx, admin, desk.NewRequest{Description: "<p>Hello <b>you</b></p>"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ stored, leaves string }{
			{"<p>Hello <strong>you</strong></p>", "<p>Hello <strong>you</strong></p>"},
			{"<p>a</p><script>alert(1)</script>", "<p>a</p>"},
			{`<img src=x onerror=alert(1)><a href="javascript:alert(1)">b</a>`, "<p>b</p>"},
			{"</p></div><b>c", "<p><strong>c</strong></p>"},
		} {
			s.plant(t, made.ID, c.stored)
			for _, path := range []string{fmt.Sprintf("/v1/rest/requests/%d?include=messages", made.ID), "/v1/rest/requests?include=messages"} {
				if got := s.htmlBody(t, path); got != c.leaves {
					t.Errorf("%s: %s leaves as %s, want %s", path, c.stored, got, c.leaves)
				}
			}
		}
	})
}

// plant stores a text in the messages of a request without any check.
func (s *stage) plant(t *testing.T, id desk.RequestID, html string) {
	t.Helper()
	err := s.store.Write(context.Background(), s.callers["admin"].Account, func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE messages SET html = $3 WHERE account_id = $1 AND request_id = $2", tx.Account, id, html)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// htmlBody returns the HTML of the only message of the only request in a response.
func (s *stage) htmlBody(t *testing.T, path string) string {
	t.Helper()
	r, err := http.NewRequest("GET", s.server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.callers["admin"].secret)
	w, body, err := s.do(r)
	if err != nil {
		t.Fatal(err)
	}
	type request struct {
		Messages []struct {
			HTML string `json:"html_body"`
		}
	}
	var got struct {
		Request  *request
		Requests []request
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || w.StatusCode != 200 {
		t.Fatalf("%s: %s %s: %v", path, w.Status, body, err)
	}
	if got.Request == nil && len(got.Requests) == 1 {
		got.Request = &got.Requests[0]
	}
	if got.Request == nil || len(got.Request.Messages) != 1 {
		t.Fatalf("%s: %s", path, body)
	}
	return got.Request.Messages[0].HTML
}

// A form does the same as JSON, and takes files.
func TestMessageByForm(t *testing.T) {
	u := newUploads(t)
	made, err := u.service.CreateRequest(context.Background(), u.callers["admin"].Caller, desk.NewRequest{Description: "x"})
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/v1/rest/requests/%d/message", made.ID)
	files := func(n int) (all []filed) {
		for i := range n {
			all = append(all, filed{"attachments", fmt.Sprintf("%d.txt", i), "text/plain", strings.NewReader("content")})
		}
		return all
	}
	for _, c := range []struct {
		name   string
		texts  map[string]string
		files  int
		status int
		body   string // a part of it
	}{
		{"a text", map[string]string{"html_body": "<p>Hello</p>", "is_private": "true", "post_as_bot": "true", "state": "pending"}, 0, 201, `"is_private":true`},
		{"files alone", nil, 5, 201, `"name":"4.txt"`},
		{"files and a text of nothing", map[string]string{"html_body": "<p></p>"}, 1, 201, `"text":""`},
		{"six files", nil, 6, 400, "attachments"},
		{"nothing", map[string]string{"is_private": "true"}, 0, 400, "html_body is required unless there is an attachment"},
		{"an empty text", map[string]string{"html_body": ""}, 1, 400, "html_body must have at least 1 character"},
		{"no boolean", map[string]string{"html_body": "x", "is_private": "perhaps"}, 0, 400, "is_private"},
		{"a thread of another", map[string]string{"html_body": "x", "thread_ts": "1.1"}, 0, 400, "thread_ts"},
		{"the last word", map[string]string{"html_body": "x", "state": "closed"}, 0, 201, ""},
		{"one more", nil, 6, 406, "closed"},
	} {
		stored := u.stored()
		res, body := u.sendTo(path, "admin", "", c.texts, files(c.files)...)
		if res.StatusCode != c.status || !strings.Contains(body, c.body) {
			t.Errorf("%s: %d %s", c.name, res.StatusCode, body)
		}
		if c.status == 201 {
			stored += c.files
		}
		if n := u.stored(); n != stored {
			t.Errorf("%s: %d files are stored, want %d", c.name, n, stored)
		}
	}
	if res, body := u.sendTo("/v1/rest/requests/x/message", "admin", "", nil, files(1)...); res.StatusCode != 400 {
		t.Errorf("an id that is none: %d %s", res.StatusCode, body)
	}
}

// Imported messages are not in the chat system. They may be in any order, and
// several may have the same time.
func TestEveryMessageHasATS(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := withAPI(newFrame(t, db).serve())
		var said []string
		for _, at := range []string{"1999-12-31T23:59:59.999Z", "2025-11-03T10:00:01Z", "2025-11-03T10:00:00.000001Z", "2025-11-03T10:00:00Z", "2025-11-03T10:00:00.000001Z", "2025-11-03T10:00:00Z"} {
			said = append(said, fmt.Sprintf(`{"text":"x","is_responder":false,"created_at":%q}`, at))
		}
		wantStatus(t, f.send("POST", batchPath, batchOf(`{"title":"T","requester":{"name":"O"},"created_at":"1999-12-31","messages":[`+strings.Join(said, ",")+`]}`)), 201)
		var l struct {
			Requests []struct {
				ID       int64
				Messages []struct{ TS string }
			}
		}
		f.must(json.Unmarshal([]byte(f.send("GET", "/v1/rest/requests?include=messages", "").body), &l))
		wantStatus(t, f.send("POST", fmt.Sprintf("/v1/rest/requests/%d/message", l.Requests[0].ID), `{"html_body":"y"}`), 201)
		f.must(json.Unmarshal([]byte(f.send("GET", "/v1/rest/requests?include=messages", "").body), &l))
		messages := l.Requests[0].Messages
		if len(messages) != len(said)+1 {
			t.Fatalf("%d messages", len(messages))
		}
		for i, m := range messages {
			if i > 0 && m.TS <= messages[i-1].TS || m.TS == "" {
				t.Errorf("the ts of message %d is %q in %v", i, m.TS, messages)
			}
		}
	})
}
