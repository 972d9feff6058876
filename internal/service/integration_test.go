package service

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Somebody who was given an address connects the account, once and in time.
func TestConnect(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		by := w.caller()
		begin := func() *url.URL {
			t.Helper()
			started, err := w.CreateIntegration(ctx, by, desk.NewIntegration{Kind: desk.Slack})
			must(t, err)
			u, err := url.Parse(started.AuthorizeURL)
			must(t, err)
			return u
		}
		refused := func(what string, u *url.URL) {
			t.Helper()
			status, page := w.visit(u.String())
			if status == http.StatusOK || !strings.Contains(strings.ToLower(page), "begin the connection again") {
				t.Errorf("%s: %d %s", what, status, page)
			}
			if l, err := w.Integrations(ctx, w.caller(), desk.Page{}); err != nil || l.Items[0].Status != desk.StatusPending {
				t.Errorf("%s: %+v, %v", what, l.Items, err)
			}
		}
		first, second := begin(), begin()
		refused("an address that was replaced", first)

		forged := *second
		q := forged.Query()
		state := []byte(q.Get("state"))
		state[len(state)-2] ^= 1
		q.Set("state", string(state))
		forged.RawQuery = q.Encode()
		refused("a forged state", &forged)

		late := begin()
		w.clock.move(desk.StateKept + time.Second)
		refused("too late", late)

		// Somebody who was passed another person's address would let that person's
		// account in.
		good := begin()
		w.browses(Caller{})
		refused("nobody who is signed in", good)
		next := w.newMember("second@acme.example", desk.Admin)
		other := inBrowser(w.caller())
		other.Actor.ID = next.ID
		w.browses(other)
		refused("another admin", good)
		demoted := inBrowser(w.caller())
		demoted.Role = desk.Agent
		w.browses(demoted)
		if status, page := w.visit(good.String()); status == http.StatusOK || !strings.Contains(page, "role") {
			t.Errorf("no longer an admin: %d %s", status, page)
		}
		w.browses(w.caller())
		refused("a token", good)
		by = inBrowser(w.caller())
		good = begin()
		elsewhere := by
		elsewhere.Token++
		w.browses(elsewhere)
		refused("another session", good)
		w.browses(by)
		if status, page := w.visit(good.String()); status != http.StatusOK {
			t.Fatalf("connecting answered %d: %s", status, page)
		}
		l, err := w.Integrations(ctx, w.caller(), desk.Page{})
		must(t, err)
		if i := l.Items[0]; i.Status != desk.StatusConnected || i.ExternalID != w.workspace.ID || i.Name != "Acme" || i.BotUser == "" || i.URL == "" {
			t.Errorf("after connecting: %+v", i)
		}
		if status, _ := w.visit(good.String()); status == http.StatusOK {
			t.Error("an address worked twice")
		}
		actions := ""
		for _, a := range w.auditLog() {
			actions += a.Action + " "
		}
		if want := "integration.created " + strings.Repeat("integration.restarted ", 3) + "member.created integration.restarted " + "integration.connected "; !strings.HasSuffix(actions, want) {
			t.Errorf("audit log: %s", actions)
		}
	})
}

func TestWorkspaceBelongsToOneAccount(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		w.connect()
		other, admin, err := w.NewAccount(ctx, "Other", desk.NewMember{Email: "admin@other.example"})
		must(t, err)
		c := Caller{Account: other.ID, Role: desk.Admin, Scope: desk.ReadWrite, Actor: desk.Actor{ID: admin.ID}}
		started, err := w.CreateIntegration(ctx, c, desk.NewIntegration{Kind: desk.Slack})
		must(t, err)
		w.browses(inBrowser(c))
		if status, page := w.visit(started.AuthorizeURL); status == http.StatusOK || !strings.Contains(page, "another account") {
			t.Errorf("%d %s", status, page)
		}
		// Events of the workspace still go to the first account. Once that one
		// disconnects, the second can connect.
		w.changePeople()
		w.peopleAreSame()
		l, err := w.Integrations(ctx, w.caller(), desk.Page{})
		must(t, err)
		_, err = w.DeleteIntegration(ctx, w.caller(), l.Items[0].ID)
		must(t, err)
		started, err = w.CreateIntegration(ctx, c, desk.NewIntegration{Kind: desk.Slack})
		must(t, err)
		if status, page := w.visit(started.AuthorizeURL); status != http.StatusOK {
			t.Errorf("%d %s", status, page)
		}
	})
}

// No credential is in the database files in plain text.
func TestCredentialsAreNowhere(t *testing.T) {
	c := newCompany(t)
	in := chat.Installation{Workspace: "T1", Name: "Acme",
		Bot:    chat.Credential{User: "U_BOT", Token: "xoxb-the-bots-own-token"},
		Person: &chat.Credential{User: "U_MIRA", Token: "xoxp-a-persons-own-token"}}
	i, err := c.Install(ctx, c.account.ID, desk.Slack, in)
	must(t, err)
	must(t, c.store.Read(ctx, c.account.ID, func(tx *store.Tx) error {
		secret, err := tx.Credential(i.ID, "U_MIRA")
		if !strings.Contains(string(secret), in.Person.Token) {
			t.Errorf("the stored credential is %s", secret)
		}
		return err
	}))
	must(t, c.store.DB().Close())
	if sqldb.EngineOf(c.url) != sqldb.SQLite {
		t.Fatal("this test reads SQLite's files")
	}
	files, err := filepath.Glob(c.url + "*")
	must(t, err)
	read := 0
	for _, name := range files {
		b, err := os.ReadFile(name)
		must(t, err)
		read += len(b)
		for _, token := range []string{in.Bot.Token, in.Person.Token} {
			if bytes.Contains(b, []byte(token)) {
				t.Errorf("%s is in %s", token, name)
			}
		}
	}
	if read == 0 {
		t.Error("there was no file to read")
	}
}

// If a user revokes their own token, we lose that token and nothing else.
func TestLostPerson(t *testing.T) {
	eachWorkplace(t, func(t *testing.T, w *workplace) {
		w.connect()
		w.peopleAreSame()
		if n := w.rows("credentials"); n != 2 {
			t.Fatalf("there are %d credentials, want those of the bot and of the installer", n)
		}
		must(t, w.Receive(ctx, chat.Event{System: "slack", Workspace: w.workspace.ID, Lost: &chat.Lost{Users: []string{w.workspace.Owner}}}))
		if n := w.rows("credentials"); n != 1 {
			t.Errorf("%d credentials are left", n)
		}
		// Events of another workspace have no effect.
		must(t, w.Receive(ctx, chat.Event{System: "slack", Workspace: "T_OTHER", Lost: &chat.Lost{}}))
		must(t, w.Receive(ctx, chat.Event{System: "mattermost", Workspace: w.workspace.ID, Lost: &chat.Lost{}}))
		// Nor do late events: by then there is another connection, which works.
		must(t, w.Receive(ctx, chat.Event{System: "slack", Workspace: w.workspace.ID, Lost: &chat.Lost{}}))
		eventually(t, "the look at the connection", func() bool { return w.rows("jobs WHERE kind = 'chat.check'") == 0 })
		i, _ := w.lets()
		must(t, w.outside.MarkChatLost(ctx, w.account.ID, i, []byte("of before")))
		if i, _ := w.lets(); i.Status != desk.StatusConnected {
			t.Errorf("the connection is %s", i.Status)
		}
		w.changePeople()
		w.peopleAreSame()
	})
}
