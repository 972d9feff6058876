//go:build soak

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// An account of 100,000 requests moves from SQLite to PostgreSQL and back, and every
// answer of the API stays the same.
func TestSoakAccountMoves(t *testing.T) {
	const requests = 100_000
	database := dbtest.URL(t, sqldb.SQLite)
	in := install(t, database)
	token := in.account()
	p := in.start()
	p.post(t, token, "/collections", map[string]string{"name": "API", "kind": "api"}, &struct{}{})
	p.post(t, token, "/requests", map[string]string{"title": "With a file", "description": "See the next message."}, &struct{}{})
	addFile(t, p, token)
	must(t, p.Process.Signal(os.Interrupt))
	must(t, p.Wait())
	began := time.Now()
	in.mustRun("import", "--from", "frontdesk", writeRequests(t, requests))
	t.Logf("imported %d requests in %s", requests, time.Since(began).Round(time.Second))
	checkMoves(t, in, database, token)
}

// writeRequests writes a file of requests with three messages each.
func writeRequests(t *testing.T, n int) (path string) {
	path = filepath.Join(t.TempDir(), "requests.jsonl")
	f, err := os.Create(path)
	must(t, err)
	w := bufio.NewWriter(f)
	for i := range n {
		at := time.Date(2024, 1, 1, 0, 0, i*300, 0, time.UTC).Format(time.RFC3339)
		state := []string{"open", "pending", "solved", "closed"}[i%4]
		fmt.Fprintf(w, `{"external_id":"x:%d","title":"Request %d about the printer","requester":{"name":"Kim %d","email":"kim%d@lakeside.test"},"state":%q,"priority":"normal","tags":["t%d"],"created_at":%q,"messages":[`+
			`{"html_body":"<p>The printer on floor %d does not print.</p>","is_responder":false,"is_private":false,"created_at":%q},`+
			`{"html_body":"<p>Did you try another cable?</p>","author":{"name":"Jo","email":"jo@acme.test"},"is_responder":true,"is_private":false,"created_at":%q},`+
			`{"html_body":"<p>Kim calls again tomorrow.</p>","author":{"name":"Jo","email":"jo@acme.test"},"is_responder":true,"is_private":true,"created_at":%q}]}`+"\n",
			i, i, i%997, i%997, state, i%50, at, i%30, at, at, at)
	}
	must(t, w.Flush())
	must(t, f.Close())
	return path
}
