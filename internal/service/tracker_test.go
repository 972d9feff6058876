package service

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
	"frontdesk/internal/tracker"
	"frontdesk/internal/tracker/zendesk/zendesktest"
	"frontdesk/internal/worker"
)

// A ticket system is connected only with a credential that works. Its settings
// apply to links that are made from then on.
func TestTrackerIntegration(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		h := &hooks{}
		there := newZendesk(t, h).(*zendeskElsewhere)
		w := newWorkplace(t, url, func(c *company) { c.trackers = []tracker.System{there.system()} })
		h.w = w
		create := func(change func(*desk.NewIntegration)) (desk.Integration, error) {
			c := there.credential()
			n := desk.NewIntegration{Kind: "zendesk", Credential: &c}
			change(&n)
			made, err := w.CreateIntegration(ctx, w.caller(), n)
			return made.Integration, err
		}
		for field, change := range map[string]func(*desk.NewIntegration){
			"credentials":        func(n *desk.NewIntegration) { n.Credential.Token = "anotherToken" },
			"credentials.token":  func(n *desk.NewIntegration) { n.Credential.Token = "" },
			"credentials.email":  func(n *desk.NewIntegration) { n.Credential.Email = "jo" },
			"credentials.domain": func(n *desk.NewIntegration) { n.Credential.Domain = "acme.evil.example/" },
		} {
			_, err := create(change)
			var e *desk.Error
			if !errors.As(err, &e) || e.Kind != desk.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != field {
				t.Errorf("wrong %s: %v", field, err)
			}
		}
		if n := w.rows("integrations"); n != 0 {
			t.Errorf("%d integrations were saved although all were refused", n)
		}
		i, err := create(func(n *desk.NewIntegration) { n.Settings.Backward = ptr(false) })
		must(t, err)
		if i.Status != desk.StatusConnected || i.URL == "" || i.Settings.Backward || !i.Settings.Forward || !i.Settings.Status {
			t.Errorf("integration: %+v", i)
		}
		w.rests()
		if got := there.Endpoints(); len(got) != 1 || !strings.HasPrefix(got[0], "https://desk.example/integrations/zendesk/") {
			t.Errorf("endpoints: %q", got)
		}
		if _, err := create(func(*desk.NewIntegration) {}); desk.KindOf(err) != desk.Conflict {
			t.Errorf("connected once more: %v", err)
		}
		i, err = w.UpdateIntegration(ctx, w.caller(), i.ID, desk.IntegrationChange{Settings: desk.TrackerChange{ScreenBackward: ptr(true), Notifiable: &[]desk.NotifiableField{}}})
		must(t, err)
		if !i.Settings.ScreenBackward || len(i.Settings.Notifiable) != 0 || i.Settings.Backward {
			t.Errorf("settings: %+v", i.Settings)
		}
		_, err = w.UpdateIntegration(ctx, w.caller(), i.ID, desk.IntegrationChange{Credential: &desk.TrackerCredential{Domain: "acme", Email: zendesktest.Email, Token: "wrong"}})
		if desk.KindOf(err) != desk.Invalid {
			t.Errorf("a wrong credential: %v", err)
		}
		_, err = w.UpdateIntegration(ctx, w.caller(), i.ID, desk.IntegrationChange{})
		if desk.KindOf(err) != desk.Invalid {
			t.Errorf("nothing to change: %v", err)
		}

		w.sealed(zendesktest.Token)
		w.unrecorded(zendesktest.Token, w.hookSecret(i.ID))
		agent := w.caller()
		agent.Role = desk.Agent
		if _, err = w.DeleteIntegration(ctx, agent, i.ID); desk.KindOf(err) != desk.Forbidden || len(there.Endpoints()) != 1 {
			t.Errorf("an agent deleted it: %v, endpoints: %q", err, there.Endpoints())
		}
		_, err = w.DeleteIntegration(ctx, w.caller(), i.ID)
		must(t, err)
		if got := there.Endpoints(); len(got) != 0 {
			t.Errorf("endpoints after the removal: %q", got)
		}
		if n := w.rows("credentials"); n != 0 {
			t.Errorf("%d credentials are left", n)
		}
	})
}

// sealed checks that a secret is nowhere in the database in plain text.
func (w *workplace) sealed(secret string) {
	w.t.Helper()
	if w.store.DB().Engine() == sqldb.Postgres {
		var found int
		must(w.t, w.store.DB().Read(ctx, func(tx *sqldb.Tx) error {
			return tx.Row("SELECT count(*) FROM credentials WHERE position($1 in encode(secret, 'escape')) > 0", secret).Scan(&found)
		}))
		if found > 0 {
			w.t.Error("the token is in the database")
		}
		return
	}
	for _, name := range []string{w.url, w.url + "-wal"} {
		if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, []byte(secret)) {
			w.t.Errorf("the token is in %s", name)
		}
	}
}

// hookSecret returns the secret with which a ticket system signs.
func (w *workplace) hookSecret(id desk.IntegrationID) (secret string) {
	w.t.Helper()
	must(w.t, w.store.Read(ctx, w.account.ID, func(tx *store.Tx) error {
		b, err := tx.Credential(id, worker.HookUser)
		secret = string(b)
		return err
	}))
	return secret
}

// unrecorded checks that secrets are neither in the audit log nor in the feed.
func (w *workplace) unrecorded(secrets ...string) {
	w.t.Helper()
	for _, column := range []string{"coalesce(CAST(before AS TEXT), '') || coalesce(CAST(after AS TEXT), '') FROM audit_logs", "data FROM events"} {
		must(w.t, w.store.DB().Read(ctx, func(tx *sqldb.Tx) error {
			rows, err := sqldb.Collect(tx, func(scan func(...any) error) (text string, err error) {
				err = scan(&text)
				return text, err
			}, "SELECT "+column)
			for _, secret := range secrets {
				if secret == "" || strings.Contains(strings.Join(rows, "\n"), secret) {
					w.t.Errorf("%q is missing, or in %s", secret, column)
				}
			}
			return err
		}))
	}
}

// Calls of a ticket system are accepted only with its signature.
func TestTrackerCallsAreSigned(t *testing.T) {
	h := &hooks{}
	there := newZendesk(t, h).(*zendeskElsewhere)
	w := newWorkplace(t, dbtest.URL(t, sqldb.SQLite), func(c *company) { c.trackers = []tracker.System{there.system()} })
	h.w = w
	c := there.credential()
	i, err := w.CreateIntegration(ctx, w.caller(), desk.NewIntegration{Kind: "zendesk", Credential: &c})
	must(t, err)
	w.rests()
	for name, call := range map[string]struct {
		path string
		want int
	}{
		"unsigned":       {w.change.TrackerHookURL(i.Integration), http.StatusUnauthorized},
		"to nobody":      {"https://desk.example/integrations/zendesk/99/events", http.StatusNotFound},
		"to another":     {"https://desk.example/integrations/linear/" + strings.Split(w.change.TrackerHookURL(i.Integration), "/")[5] + "/events", http.StatusNotFound},
		"to no number":   {"https://desk.example/integrations/zendesk/x/events", http.StatusNotFound},
		"of a chat kind": {"https://desk.example/integrations/slack/1/events", http.StatusNotFound},
	} {
		r, err := http.NewRequest("POST", call.path, strings.NewReader(`{"type":"zen:event-type:ticket.comment_added","detail":{"id":"1"}}`))
		must(t, err)
		answer, err := h.RoundTrip(r)
		must(t, err)
		if answer.StatusCode != call.want {
			t.Errorf("%s: %d, want %d", name, answer.StatusCode, call.want)
		}
	}
}
