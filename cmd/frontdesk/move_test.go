package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/index"
	"frontdesk/internal/rest"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// checkMoves moves the account of an installation into a database of the other
// engine and from there into one of its own, and compares every answer of the API.
func checkMoves(t *testing.T, in *installation, database, token string) {
	t.Helper()
	key, now := filepath.Join(in.dir, "key"), time.Now()
	engines := []sqldb.Engine{sqldb.SQLite, sqldb.Postgres}
	if sqldb.EngineOf(database) == sqldb.SQLite {
		slices.Reverse(engines)
	}
	places, urls := []*installation{in}, []string{database}
	for i, engine := range engines {
		url := dbtest.URL(t, engine)
		to := install(t, url)
		to.receive(places[i], key)
		places, urls = append(places, to), append(urls, url)
	}
	// Some reading leaves a mark in the audit log, so all of it comes last.
	was := in.answers(database, key, token, now)
	if len(was) < 200 {
		t.Errorf("only %d answers are compared", len(was))
	}
	for i := 1; i < len(places); i++ {
		compareAnswers(t, string(engines[i-1]), was, places[i].answers(urls[i], key, token, now))
	}
}

// receive moves the account of another installation into this one.
func (i *installation) receive(from *installation, key string) {
	i.t.Helper()
	file := filepath.Join(i.t.TempDir(), "account.db")
	said := from.mustRun("account", "export", file)
	if out, errs, code := i.run("account", "import", file); code == 0 || !strings.Contains(errs, "another key") {
		i.t.Errorf("imported with another key: %d %s%s", code, out, errs)
	}
	i.env = append(i.env, "FRONTDESK_KEY_FILE="+key)
	i.mustRun("account", "import", "--dry-run", file)
	counts, _, _ := strings.Cut(strings.Split(said, ": ")[1], "\n")
	if out := i.mustRun("account", "import", file); !strings.Contains(out, counts) {
		i.t.Errorf("exported: %s\nimported: %s", said, out)
	}
	if out, errs, code := i.run("account", "import", file); code == 0 || !strings.Contains(errs, "there is an account") {
		i.t.Errorf("imported twice: %d %s%s", code, out, errs)
	}
	i.mustRun("audit", "verify")
	if was, is := from.files(), i.files(); len(was) == 0 || !maps.Equal(was, is) {
		i.t.Errorf("there were %d files, and there are %d", len(was), len(is))
	}
}

// files returns the bytes of all attachments, by their keys.
func (i *installation) files() map[string]string {
	all := map[string]string{}
	root := filepath.Join(i.dir, "attachments")
	must(i.t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		bytes, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, root)] = string(bytes)
		return err
	}))
	return all
}

func compareAnswers(t *testing.T, where string, was, is map[string]string) {
	t.Helper()
	for call, answer := range was {
		if got := is[call]; got != answer {
			at := 0
			for at < min(len(got), len(answer)) && got[at] == answer[at] {
				at++
			}
			around := func(s string) string { return s[max(0, at-100):min(len(s), at+100)] }
			t.Errorf("on %s, %s was\n%s\nand is\n%s", where, call, around(answer), around(got))
		}
	}
	if len(is) != len(was) {
		t.Errorf("on %s there are %d answers, and there were %d", where, len(is), len(was))
	}
}

// answers asks the API for everything that it knows at a moment, in this process and
// without background work. It returns the answers by their calls.
func (i *installation) answers(database, key, token string, now time.Time) map[string]string {
	i.t.Helper()
	ctx := context.Background()
	o := i.open(database, "--key-file", key, "--url", "https://desk.example")
	ids, err := o.store.Accounts(ctx)
	must(i.t, err)
	for _, id := range ids {
		must(i.t, index.Update(ctx, o.store, id))
	}
	r := &answerReader{t: i.t, token: token, answers: map[string]string{}, ids: map[string][]string{},
		api: rest.New(rest.Config{Service: o.serviceAt(func() time.Time { return now }), Key: o.key, PublicURL: "https://desk.example", Log: o.log})}
	r.readAll()
	return r.answers
}

// answerReader makes every call of the API that only reads.
type answerReader struct {
	t       testing.TB
	api     http.Handler
	token   string
	answers map[string]string
	ids     map[string][]string // by the path of the list that has them
}

// mostIDs bounds how many things of a list are asked for one by one.
const mostIDs = 40

func (r *answerReader) readAll() {
	var document struct {
		Paths map[string]struct {
			Get  json.RawMessage
			Post struct {
				RequestBody struct {
					Content map[string]struct{ Example json.RawMessage }
				}
			}
		}
	}
	_, text, _ := strings.Cut(r.call("GET", "/v1/openapi.json", nil), " ")
	must(r.t, json.Unmarshal([]byte(text), &document))
	var templates []string
	for template, operations := range document.Paths {
		if operations.Get != nil && !strings.Contains(template, "stream") && !strings.Contains(template, "/sandbox") && !strings.Contains(template, "/attachments/") {
			templates = append(templates, template)
		}
		if strings.Contains(template, "/insights/query") {
			r.ask("POST", template, operations.Post.RequestBody.Content["application/json"].Example)
		}
	}
	slices.SortFunc(templates, func(a, b string) int {
		if n := strings.Count(a, "{") - strings.Count(b, "{"); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for _, template := range templates {
		r.read("", strings.Split(template, "/")[1:])
	}
	r.ask("GET", "/v1/rest/requests/search?query=printer", nil)
	r.ask("GET", "/v1/rest/requests?limit=100&include=messages&state=none,open,in_progress,pending,on_hold,solved,closed", nil)
}

// read fills in the parameters of a path with the ids that its lists had.
func (r *answerReader) read(done string, left []string) {
	for i, segment := range left {
		if !strings.HasPrefix(segment, "{") {
			done += "/" + segment
			continue
		}
		for _, id := range r.ids[done] {
			r.read(done+"/"+id, left[i+1:])
		}
		return
	}
	r.ask("GET", done, nil)
}

// ask makes a call and follows its cursor.
func (r *answerReader) ask(method, path string, body []byte) {
	for next := path; next != ""; {
		answer := r.call(method, next, body)
		r.answers[method+" "+next] = answer
		cursor := r.remember(path, answer)
		if next = ""; cursor != "" && method == "GET" {
			mark := "?"
			if strings.Contains(path, "?") {
				mark = "&"
			}
			next = path + mark + "next_cursor=" + cursor
		}
	}
}

func (r *answerReader) call(method, path string, body []byte) string {
	q := httptest.NewRequest(method, path, bytes.NewReader(body))
	q.Header.Set("Authorization", "Bearer "+r.token)
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	r.api.ServeHTTP(w, q)
	if w.Code >= http.StatusInternalServerError {
		r.t.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return fmt.Sprintf("%d %s", w.Code, w.Body)
}

// remember keeps the ids of a list, and returns its cursor.
func (r *answerReader) remember(path, answer string) (cursor string) {
	var fields map[string]json.RawMessage
	_, body, _ := strings.Cut(answer, " ")
	if json.Unmarshal([]byte(body), &fields) != nil {
		return ""
	}
	for _, field := range fields {
		var items []struct{ ID json.RawMessage }
		if json.Unmarshal(field, &items) != nil {
			continue
		}
		for _, item := range items {
			r.keep(path, item.ID)
		}
	}
	var meta struct {
		Cursor string `json:"next_cursor"`
	}
	_ = json.Unmarshal(fields["response_metadata"], &meta)
	return meta.Cursor
}

func (r *answerReader) keep(path string, id json.RawMessage) {
	path, _, _ = strings.Cut(path, "?")
	text := strings.Trim(string(id), `"`)
	if text != "" && text != "null" && len(r.ids[path]) < mostIDs && !slices.Contains(r.ids[path], text) {
		r.ids[path] = append(r.ids[path], text)
	}
}

// addFile adds a note with a file of several pieces to an open request.
func addFile(t *testing.T, p *process, token string) {
	t.Helper()
	var open struct{ Requests []struct{ ID int64 } }
	p.get(t, token, "/requests?state=open&limit=1", &open)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	must(t, w.WriteField("html_body", "See the file."))
	must(t, w.WriteField("is_private", "true"))
	part, err := w.CreateFormFile("attachments", "log.txt")
	must(t, err)
	_, err = io.WriteString(part, strings.Repeat("a line of the log\n", 150_000))
	must(t, err)
	must(t, w.Close())
	q, err := http.NewRequestWithContext(t.Context(), "POST", fmt.Sprintf("%s/v1/rest/requests/%d/message", p.url, open.Requests[0].ID), &form)
	must(t, err)
	q.Header.Set("Authorization", "Bearer "+token)
	q.Header.Set("Content-Type", w.FormDataContentType())
	answer, err := http.DefaultClient.Do(q)
	must(t, err)
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s %v", answer.StatusCode, body, err)
	}
}
