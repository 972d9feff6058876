package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// What is stored may come from an older version or a backup that somebody has
// had in their hands.
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

// plant puts a text into the messages of a request, past every check.
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

// htmlBody is that of the only message of the only request in an answer.
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
