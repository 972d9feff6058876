package main

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/sqldb/dbtest"
)

// A customer is exported and erased while the server runs, with what its request says
// and the person who asked it. A restored backup has it again, until the list is applied.
func TestCustomerIsExportedAndErased(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, database string) {
		a := newAnnas(t, database)
		for _, name := range []string{"Zebracorp", "Twin", "Twin"} {
			a.must("POST", "/customers", map[string]any{"name": name})
		}
		var all struct{ Customers []struct{ ID, Version int64 } }
		a.p.get(t, a.token, "/customers?limit=10", &all)
		if len(all.Customers) != 3 {
			t.Fatalf("%+v", all)
		}
		first := all.Customers[0].ID
		for _, c := range all.Customers {
			first = min(first, c.ID)
		}
		a.must("PATCH", fmt.Sprintf("/requests/%d", a.request), map[string]any{"customer_id": first})
		a.must("POST", fmt.Sprintf("/requests/%d/message", a.request), map[string]any{"html_body": "<p>The zebracorp quokkalog.</p>"})
		place := filepath.Join(t.TempDir(), "backups")
		a.mustRun("backup", "--to", place)
		a.exportsCustomer(t)

		for _, bad := range []struct{ customer, want string }{
			{"Nobody", "no customer with the id or name"}, {"Twin", fmt.Sprintf("say which one by its id, %d, %d", first+1, first+2)}, {"Zebracorp", "add --yes"},
		} {
			if out, errs, code := a.run("customer", "erase", bad.customer); code == 0 || !strings.Contains(errs, bad.want) {
				t.Errorf("%s: %s%s", bad.customer, out, errs)
			}
		}
		if out := a.mustRun("customer", "erase", "Zebracorp", "--dry-run"); !strings.Contains(out, "Requests: 1. Messages: 3. Files: 1. People: 1. Nothing was changed.") {
			t.Error(out)
		}
		if len(a.grep(database)) == 0 {
			t.Error("nothing is found even before it is erased")
		}
		if out := a.mustRun("customer", "erase", "Zebracorp", "--yes"); !strings.Contains(out, "Erased. Requests: 1. Messages: 3. Files: 1. People: 1.") {
			t.Error(out)
		}
		for _, f := range a.grep(database) {
			t.Errorf("still there: %s", f)
		}
		await(t, "the search index", func() bool { return a.search("zanzibarprinter") == 0 && a.search("erased") == 1 })
		for _, path := range []string{"/events?limit=100", "/audit-logs?limit=100", fmt.Sprintf("/requests/%d?include=messages", a.request), fmt.Sprintf("/requests/%d/history", a.request), "/customers?limit=10"} {
			status, body, _, err := call{method: "GET", path: path, token: a.token}.do(t.Context(), http.DefaultClient, a.p.url)
			if err != nil || status != 200 {
				t.Errorf("GET %s: %d %s %v", path, status, body, err)
			}
			for _, w := range annasWords {
				if strings.Contains(strings.ReplaceAll(strings.ToLower(string(body)), "joanna.quist@lakeside.test", ""), w) {
					t.Errorf("GET %s still has %s: %s", path, w, body)
				}
			}
		}
		a.mustRun("audit", "verify")
		if _, errs, code := a.run("customer", "erase", fmt.Sprint(first), "--yes"); code == 0 || !strings.Contains(errs, "was erased already") {
			t.Errorf("erased twice: %s", errs)
		}
		must(t, a.p.Process.Kill())
		a.p.Wait()
		restored := filepath.Join(t.TempDir(), "frontdesk.db")
		in := install(t, restored)
		in.env = append(in.env, "FRONTDESK_KEY_FILE="+filepath.Join(a.dir, "key"))
		if out := in.mustRun("restore", "--from", place, "--erasures", filepath.Join(a.dir, "erasures.jsonl")); !strings.Contains(out, "People erased again: 0. Customers: 1.") {
			t.Error(out)
		}
		for _, f := range in.grep(restored) {
			t.Errorf("after a restore with the list: %s", f)
		}
	})
}

// exportsCustomer checks the export of what is known about the customer.
func (a *annas) exportsCustomer(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "customer.zip")
	a.mustRun("customer", "export", "Zebracorp", file)
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	r, err := zip.OpenReader(file)
	must(t, err)
	defer r.Close()
	if len(r.File) != 2 {
		t.Errorf("the export has %d files", len(r.File))
	}
	open, err := r.File[0].Open()
	must(t, err)
	b, err := io.ReadAll(open)
	must(t, err)
	for _, want := range []string{`"table":"customers","is":"own"`, `"table":"requests","is":"own"`, "The zebracorp quokkalog", "My zanzibarprinter is broken"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the export has no %s", want)
		}
	}
	if strings.Contains(string(b), "bob@lakeside.test") {
		t.Error("the export has somebody else")
	}
}
