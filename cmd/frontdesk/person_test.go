package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// What is known of Anna, and of her customer: words that nothing else in the test uses.
var annasWords = []string{"anna.quist@lakeside.test", "zanzibarprinter", "quokkalog", "zebracorp"}

// annas is an account in which Anna has asked something, while its server runs.
type annas struct {
	*installation
	p       *process
	token   string
	request int64
}

func newAnnas(t *testing.T, database string) *annas {
	a := &annas{installation: install(t, database)}
	a.token = a.account()
	a.p = a.start()
	a.p.awaitReady(t)
	a.must("POST", "/collections", map[string]any{"name": "API", "kind": "api"})
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	must(t, w.WriteField("description", "<p>My zanzibarprinter is broken.</p>"))
	must(t, w.WriteField("requester_email", "Anna.Quist@lakeside.test"))
	part, err := w.CreateFormFile("attachments", "quokkalog.txt")
	must(t, err)
	_, err = io.WriteString(part, "quokkalog: jam")
	must(t, err)
	must(t, w.Close())
	q, err := http.NewRequestWithContext(t.Context(), "POST", a.p.url+"/v1/rest/requests", &form)
	must(t, err)
	q.Header.Set("Authorization", "Bearer "+a.token)
	q.Header.Set("Idempotency-Key", "once")
	q.Header.Set("Content-Type", w.FormDataContentType())
	answer, err := http.DefaultClient.Do(q)
	must(t, err)
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s %v", answer.Status, body, err)
	}
	a.request = a.onlyRequest()
	one := fmt.Sprintf("/requests/%d", a.request)
	a.must("POST", one+"/message", map[string]any{"html_body": "<p>The address anna.quist@lakeside.test is hers. Joanna.quist@lakeside.test is not.</p>", "is_private": true})
	a.must("PATCH", one, map[string]any{"title": "The zanzibarprinter", "tags": []string{"vip"}})
	a.must("PATCH", one, map[string]any{"priority": "high"})
	a.must("POST", "/requests", map[string]any{"description": "Another one.", "requester_email": "bob@lakeside.test"})
	await(t, "what a search finds", func() bool { return a.search("zanzibarprinter") == 1 })
	return a
}

func (a *annas) must(method, path string, body any) {
	a.t.Helper()
	status, answer, _, err := call{method: method, path: path, token: a.token, body: body}.do(a.t.Context(), http.DefaultClient, a.p.url)
	if err != nil || status > 299 {
		a.t.Fatalf("%s %s: %d %s %v", method, path, status, answer, err)
	}
}

func (a *annas) onlyRequest() int64 {
	var all struct{ Requests []struct{ ID int64 } }
	a.p.get(a.t, a.token, "/requests?limit=10", &all)
	if len(all.Requests) != 1 {
		a.t.Fatalf("there are %d requests", len(all.Requests))
	}
	return all.Requests[0].ID
}

func (a *annas) search(word string) int {
	var found struct{ Requests []struct{ ID int64 } }
	a.p.get(a.t, a.token, "/requests/search?query="+url.QueryEscape(word), &found)
	return len(found.Requests)
}

// grep returns which of Anna's words are in a folder, with the files of the database
// as they are on disk. From PostgreSQL it reads every row.
func (i *installation) grep(database string) (found []string) {
	i.t.Helper()
	if sqldb.EngineOf(database) == sqldb.Postgres {
		db := dbtest.Open(i.t, sqldb.Config{URL: database})
		copied := filepath.Join(i.t.TempDir(), "rows.db")
		must(i.t, db.Backup(context.Background(), schema.Files, copied))
		found = grepFile(i.t, copied)
	}
	must(i.t, filepath.WalkDir(i.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		found = append(found, grepFile(i.t, path)...)
		return nil
	}))
	return found
}

func grepFile(t testing.TB, path string) (found []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	must(t, err)
	b = bytes.ToLower(bytes.ReplaceAll(bytes.ToLower(b), []byte("joanna.quist@lakeside.test"), nil))
	for _, w := range annasWords {
		if at := bytes.Index(b, []byte(strings.ToLower(w))); at >= 0 {
			found = append(found, fmt.Sprintf("%s in %s: %q", w, filepath.Base(path), b[max(0, at-60):min(len(b), at+60)]))
		}
	}
	return found
}

// A person is exported and erased while the server runs. Then no file of the database
// has them, the API shows that something was erased, and the audit log is sound. A
// restored backup has them again, until the list is applied.
func TestPersonIsExportedAndErased(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, database string) {
		a := newAnnas(t, database)
		before := filepath.Join(t.TempDir(), "before.db")
		a.mustRun("backup", before)
		place := filepath.Join(t.TempDir(), "backups")
		a.mustRun("backup", "--to", place)
		a.exports(t)

		if out, errs, code := a.run("person", "erase", "--email", "nobody@lakeside.test", "--yes"); code == 0 || !strings.Contains(errs, "nothing about this person") {
			t.Errorf("%s%s", out, errs)
		}
		if out, errs, code := a.run("person", "erase", "--email", "admin@acme.test", "--yes"); code == 0 || !strings.Contains(errs, "is a member") {
			t.Errorf("%s%s", out, errs)
		}
		if out, errs, code := a.run("person", "erase", "--email", "anna.quist@lakeside.test"); code == 0 || !strings.Contains(out, "Requests: 1. Messages: 1. Files: 1. Nothing was changed.") || !strings.Contains(errs, "--yes") {
			t.Errorf("%s%s", out, errs)
		}
		if len(a.grep(database)) == 0 {
			t.Error("nothing is found even before it is erased")
		}
		receipt := a.mustRun("audit", "verify")
		out := a.mustRun("person", "erase", "--email", "ANNA.quist@lakeside.test", "--yes")
		if !strings.Contains(out, "Erased. Requests: 1. Messages: 1. Files: 1.") {
			t.Error(out)
		}
		a.isErased(t)
		for _, f := range a.grep(database) {
			t.Errorf("still there: %s", f)
		}
		file := filepath.Join(t.TempDir(), "receipts")
		must(t, os.WriteFile(file, []byte(receipt), 0o600))
		if out := a.mustRun("audit", "verify", "--receipts", file); !strings.Contains(out, "Entries from which Frontdesk erased a person or customer: ") {
			t.Error(out)
		}
		if _, errs, code := a.run("person", "erase", "--email", "anna.quist@lakeside.test", "--yes"); code == 0 || !strings.Contains(errs, "nothing about this person") {
			t.Errorf("erased twice: %s", errs)
		}
		must(t, a.p.Process.Kill())
		a.p.Wait()
		a.restores(t, before)
		a.restoresByList(t, place)
	})
}

// exports checks the export of what is known about Anna.
func (a *annas) exports(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "anna.zip")
	a.mustRun("person", "export", "--email", "anna.quist@lakeside.test", file)
	if _, errs, code := a.run("person", "export", "--email", "anna.quist@lakeside.test", file); code == 0 || !strings.Contains(errs, "already exists") {
		t.Error("an export was replaced")
	}
	r, err := zip.OpenReader(file)
	must(t, err)
	defer r.Close()
	all := map[string]string{}
	for _, f := range r.File {
		open, err := f.Open()
		must(t, err)
		b, err := io.ReadAll(open)
		must(t, err)
		all[f.Name] = string(b)
	}
	for _, want := range []string{`"table":"messages","is":"own"`, `"table":"messages","is":"mentions"`, `"table":"requests","is":"own"`, "zanzibarprinter", "Anna.Quist@lakeside.test", "The zanzibarprinter"} {
		if !strings.Contains(all["data.jsonl"], want) {
			t.Errorf("the export has no %s", want)
		}
	}
	if strings.Contains(all["data.jsonl"], "bob@lakeside.test") {
		t.Error("the export has somebody else")
	}
	if len(all) != 2 {
		t.Errorf("the export has %d files", len(all))
	}
	for name, content := range all {
		if name != "data.jsonl" && (content != "quokkalog: jam" || !strings.HasSuffix(name, "-quokkalog.txt")) {
			t.Errorf("%s: %s", name, content)
		}
	}
}

// isErased checks what the running server shows of Anna's request.
func (a *annas) isErased(t *testing.T) {
	t.Helper()
	var shown struct {
		Request struct {
			Title    string
			Author   struct{ Name, Email *string }
			Messages []struct {
				Text        string
				HTMLBody    string `json:"html_body"`
				Attachments []any
			}
		}
	}
	a.p.get(t, a.token, fmt.Sprintf("/requests/%d?include=messages", a.request), &shown)
	r := shown.Request
	if r.Title != "Erased request" || r.Author.Name == nil || *r.Author.Name != "Erased person" || r.Author.Email != nil || len(r.Messages) != 2 ||
		r.Messages[0].Text != "This text was erased." || r.Messages[0].HTMLBody != "<p>This text was erased.</p>" || len(r.Messages[0].Attachments) != 0 ||
		!strings.Contains(r.Messages[1].Text, "The address erased@erased.invalid is hers. Joanna.quist@lakeside.test is not.") {
		t.Errorf("it shows %+v", r)
	}
	await(t, "the search index", func() bool { return a.search("zanzibarprinter") == 0 && a.search("erased") == 1 })
	for _, path := range []string{"/events?limit=100", "/audit-logs?limit=100", fmt.Sprintf("/requests/%d/history", a.request), "/requests?limit=10", "/requests?author_emails=anna.quist@lakeside.test"} {
		status, body, _, err := call{method: "GET", path: path, token: a.token}.do(t.Context(), http.DefaultClient, a.p.url)
		if err != nil || status != 200 {
			t.Errorf("GET %s: %d %s %v", path, status, body, err)
		}
		text := strings.ReplaceAll(strings.ToLower(string(body)), "joanna.quist@lakeside.test", "")
		for _, w := range annasWords {
			if strings.Contains(text, strings.ToLower(w)) {
				t.Errorf("GET %s still has %s: %s", path, w, text)
			}
		}
	}
}

// restores checks that a backup from before is rid of Anna by the list, which names
// nobody.
func (a *annas) restores(t *testing.T, before string) {
	t.Helper()
	list := filepath.Join(a.dir, "erasures.jsonl")
	if found := grepFile(t, list); len(found) > 0 {
		t.Errorf("the list names somebody: %v", found)
	}
	database := filepath.Join(t.TempDir(), "frontdesk.db")
	copyFile(t, before, database)
	in := install(t, database)
	in.env = append(in.env, "FRONTDESK_KEY_FILE="+filepath.Join(a.dir, "key"))
	if len(in.grep(database)) == 0 {
		t.Error("the backup has nothing of her")
	}
	if out := in.mustRun("person", "erase-again", list); !strings.Contains(out, "People erased again: 1.") {
		t.Error(out)
	}
	for _, f := range in.grep(database) {
		t.Errorf("after a restore: %s", f)
	}
	if out := in.mustRun("person", "erase-again", list); !strings.Contains(out, "People erased again: 0.") {
		t.Error(out)
	}
	in.mustRun("audit", "verify")
}

// restoresByList checks that restore itself applies the list.
func (a *annas) restoresByList(t *testing.T, place string) {
	t.Helper()
	database := filepath.Join(t.TempDir(), "frontdesk.db")
	in := install(t, database)
	list := filepath.Join(a.dir, "erasures.jsonl")
	if out := in.mustRun("restore", "--from", place, "--erasures", list); !strings.Contains(out, "When the key is there, run: frontdesk person erase-again") {
		t.Errorf("without the key, restore printed %s", out)
	}
	must(t, os.Remove(database))
	in.env = append(in.env, "FRONTDESK_KEY_FILE="+filepath.Join(a.dir, "key"))
	if out := in.mustRun("restore", "--from", place, "--erasures", list); !strings.Contains(out, "People erased again: 1.") {
		t.Errorf("restore printed %s", out)
	}
	for _, f := range in.grep(database) {
		t.Errorf("after a restore with the list: %s", f)
	}
}
