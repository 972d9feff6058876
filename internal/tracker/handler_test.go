package tracker

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/desk"
)

// acme is a ticket system of which only the name matters.
type acme struct{ System }

func (acme) Name() string { return "acme" }

// What a ticket system is told about its call. What was not taken must be sent again.
func TestHandlerAnswers(t *testing.T) {
	const good = "/integrations/acme/7/events"
	for name, c := range map[string]struct {
		method, path, body string
		err                error
		want               int
		again              bool
	}{
		"taken":             {"POST", good, "{}", nil, 200, false},
		"no integration":    {"POST", good, "{}", desk.Missing("Integration"), 404, false},
		"not signed":        {"POST", good, "{}", desk.Errorf(desk.Forbidden, "No."), 401, false},
		"not understood":    {"POST", good, "{}", desk.Errorf(desk.Invalid, "No."), 400, false},
		"a failure of ours": {"POST", good, "{}", errors.New("the database is gone"), 503, true},
		"too slow":          {"POST", good, "{}", context.DeadlineExceeded, 503, true},
		"no number":         {"POST", "/integrations/acme/seven/events", "{}", nil, 404, false},
		"another system":    {"POST", "/integrations/other/7/events", "{}", nil, 404, false},
		"only a look":       {"GET", good, "", nil, 405, false},
		"the largest":       {"POST", good, strings.Repeat("x", mostBody), nil, 200, false},
		"too large":         {"POST", good, strings.Repeat("x", mostBody+1), nil, 413, false},
	} {
		t.Run(name, func(t *testing.T) {
			deliver := func(ctx context.Context, kind desk.IntegrationKind, id desk.IntegrationID, h Header, body []byte) error {
				if _, limited := ctx.Deadline(); !limited || kind != "acme" || id != 7 || string(body) != c.body || h.Get("X-Mark") != "here" {
					t.Errorf("told of %s %d, %d bytes, limited: %v", kind, id, len(body), limited)
				}
				return c.err
			}
			rec, req := httptest.NewRecorder(), httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
			req.Header.Set("X-Mark", "here")
			Handler([]System{acme{}}, deliver, slog.New(slog.DiscardHandler)).ServeHTTP(rec, req)
			if rec.Code != c.want || (rec.Header().Get("Retry-After") != "") != c.again {
				t.Errorf("answered %d, Retry-After %q, want %d", rec.Code, rec.Header().Get("Retry-After"), c.want)
			}
			if strings.Contains(rec.Body.String(), "database") || c.want != http.StatusOK && rec.Body.Len() == 0 {
				t.Errorf("told %q", rec.Body)
			}
		})
	}
}
