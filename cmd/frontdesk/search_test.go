package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"frontdesk/internal/sqldb/dbtest"
)

// The test kills the server with kill -9 again and again, at the moment when it
// acknowledges a request and is still indexing it. Search finds every request.
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
				for err == nil && status == http.StatusServiceUnavailable { // it asks to retry: the killed server's turn may not be over yet
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
			if problems := loggedProblems(p.logs.String()); problems != "" {
				t.Errorf("something failed:\n%s", problems)
			}
		}
		p := in.start()
		const want = rounds * (rounds + 1) / 2
		found := func() int {
			var page struct{ Requests []struct{ ID int64 } }
			p.get(t, token, "/requests/search?limit=100&query=everywhere", &page)
			return len(page.Requests)
		}
		for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) { // polls the index of another process
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
			t.Errorf("%d of %d are found during the rebuild", n, want)
		}
	})
}
