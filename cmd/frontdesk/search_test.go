package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/sqldb/dbtest"
)

// The server is killed with kill -9 at the moment a request is acknowledged,
// which is while it is being indexed, again and again. Every request is found.
func TestKilledIndexIsCompleted(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		in := install(t, url)
		token := in.account()
		const rounds = 6
		collection := false
		for n := range rounds {
			p := in.start()
			post := func(path string, body map[string]string) {
				t.Helper()
				one := call{method: "POST", path: path, token: token, key: body["title"] + body["name"], body: body}
				status, answer, _, err := one.do(t.Context(), http.DefaultClient, p.url)
				for err == nil && status == http.StatusServiceUnavailable { // it asks to come back: the one that was killed may still have its turn
					status, answer, _, err = one.do(t.Context(), http.DefaultClient, p.url)
				}
				if err != nil || status != http.StatusCreated {
					t.Fatalf("%s: %d %s, %v", path, status, answer, err)
				}
			}
			if !collection {
				post("/collections", map[string]string{"name": "API", "kind": "api"})
				collection = true
			}
			for i := range n + 1 {
				post("/requests", map[string]string{"title": fmt.Sprintf("round%d no%d everywhere", n, i), "description": "x"})
			}
			p.Process.Kill()
			p.Wait()
			if strings.Contains(p.logs.String(), "level=ERROR") {
				t.Errorf("something failed:\n%s", p.logs)
			}
		}
		p := in.start()
		const want = rounds * (rounds + 1) / 2
		found := func() int {
			var page struct{ Requests []struct{ ID int64 } }
			p.get(t, token, "/requests/search?limit=100&query=everywhere", &page)
			return len(page.Requests)
		}
		for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) { // another process's index has no bell here
			n := found()
			if n == want {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d of %d are found", n, want)
			}
		}
		in.mustRun("reindex")
		if n := found(); n != want {
			t.Errorf("%d of %d are found while the index is put anew", n, want)
		}
	})
}
