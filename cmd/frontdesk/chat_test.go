package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/sqldb/dbtest"
)

// Two accounts on one server have a sandbox workspace each. Each account sees its own
// people, and each message reaches the right account.
func TestAccountsOnTheSandbox(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		in := install(t, url)
		tokens := map[string]string{}
		for _, name := range []string{"acme", "globex"} {
			out := in.mustRun("account", "create", "--name", name, "--email", "owner@"+name+".test", "--chat", "sandbox")
			if !strings.Contains(out, "--sandbox") {
				t.Errorf("account create does not say how to start the server: %s", out)
			}
			tokens[name] = strings.TrimSpace(in.mustRun("token", "create", "--email", "owner@"+name+".test", "--scope", "read_write"))
		}
		p := in.start("--sandbox")
		for name, token := range tokens {
			emails := func() (all []string) {
				var got struct{ Users []struct{ Email *string } }
				p.get(t, token, "/users", &got)
				for _, u := range got.Users {
					if u.Email != nil {
						all = append(all, *u.Email)
					}
				}
				return all
			}
			await(t, "the people of "+name, func() bool { return len(emails()) == 9 })
			for owner := range tokens {
				if got := slices.Contains(emails(), "owner@"+owner+".test"); got != (owner == name) {
					t.Errorf("%s is among the people of %s: %t", owner, name, got)
				}
			}
		}
		var manifest struct {
			Settings struct {
				Events struct {
					URL string `json:"request_url"`
				} `json:"event_subscriptions"`
			} `json:"settings"`
		}
		r, err := http.Get(p.url + "/integrations/slack/manifest")
		must(t, err)
		defer r.Body.Close()
		must(t, json.NewDecoder(r.Body).Decode(&manifest))
		if want := p.url + "/integrations/slack/events"; manifest.Settings.Events.URL != want {
			t.Errorf("the manifest sends events to %s, want %s", manifest.Settings.Events.URL, want)
		}
		tryDoorsBesideOthers(t, in, p)
	})
}

// await waits until a condition holds that background work brings about.
func await(t testing.TB, what string, done func() bool) {
	t.Helper()
	awaitFor(t, 5*time.Minute, what, done)
}

func awaitFor(t testing.TB, patience time.Duration, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not come about", what)
		}
	}
}

func TestSlackManifest(t *testing.T) {
	t.Parallel()
	in := install(t, t.TempDir()+"/frontdesk.db")
	out := in.mustRun("slack", "manifest", "--url", "https://desk.example")
	if !json.Valid([]byte(out)) || !strings.Contains(out, "https://desk.example/integrations/slack/callback") {
		t.Errorf("the manifest is %s", out)
	}
}

// The link to a sandbox message leads to the message's page in the web app.
func TestMessagePage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ message, thread, want string }{
		{"p1778662800000100", "", "/sandbox?channel=C1&thread=1778662800.000100"},
		{"p1778662990000300", "1778662800.000100", "/sandbox?channel=C1&thread=1778662800.000100"},
		{"p1", "", "/sandbox?channel=C1"},
		{"p1778662800000100&as=U1", "", "/sandbox?channel=C1"},
	} {
		if got := messagePage("C1", tt.message, tt.thread); got != tt.want {
			t.Errorf("messagePage(%q, %q) = %q, not %q", tt.message, tt.thread, got, tt.want)
		}
	}
}
