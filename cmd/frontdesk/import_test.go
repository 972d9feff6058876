package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"frontdesk/internal/desk"
	"frontdesk/internal/movein"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// open opens the installation's database in this process.
func (i *installation) open(database string, more ...string) *resources {
	i.t.Helper()
	ctx := context.Background()
	args := append([]string{"version", "--data", i.dir, "--log-level", "error"}, more...)
	if sqldb.EngineOf(database) == sqldb.Postgres {
		args = append(args, "--database-url", database)
	}
	var c commands
	parser, err := newParser(ctx, &c)
	must(i.t, err)
	_, err = parser.Parse(args)
	must(i.t, err)
	o, err := c.settings.open(ctx)
	must(i.t, err)
	i.t.Cleanup(func() { o.Close() })
	return o
}

// receiver makes an account that requests can be imported into.
func (i *installation) receiver(database string) (*resources, service.Caller) {
	i.t.Helper()
	ctx := context.Background()
	i.account()
	o := i.open(database)
	ids, err := o.store.Accounts(ctx)
	must(i.t, err)
	by := service.ByCommand(ids[0])
	_, err = o.service.CreateCollection(ctx, by, desk.NewCollection{Name: "Imported", Kind: desk.APICollection})
	must(i.t, err)
	name := "Quay LTD"
	_, err = o.service.CreateCustomer(ctx, by, desk.NewCustomer{CustomerParts: desk.CustomerParts{Name: &name}})
	must(i.t, err)
	return o, by
}

func readReport(t *testing.T, path string) (r movein.Report) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, json.Unmarshal(text, &r))
	return r
}

// A dry run reports what the import does; a repeated import changes nothing.
func TestImport(t *testing.T) {
	samples, err := filepath.Abs(filepath.Join("..", "..", "internal", "movein", "testdata"))
	must(t, err)
	dbtest.EachURL(t, func(t *testing.T, url string) {
		in := install(t, url)
		o, by := in.receiver(url)
		report := filepath.Join(t.TempDir(), "report.json")
		args := []string{"import", "--from", "zendesk", "--report", report, filepath.Join(samples, "zendesk-tickets.jsonl"), filepath.Join(samples, "zendesk-people.json")}
		out, errs, code := in.run(append(args, "--dry-run")...)
		if code != exitFailed || !strings.Contains(out, "Nothing was imported. It would be: 3 requests of 6 that were read.") || !strings.Contains(errs, report+" says which ones") {
			t.Fatalf("dry run: %d %s%s", code, out, errs)
		}
		dry := readReport(t, report)
		if n := countRequests(t, o, by); n != 0 {
			t.Fatalf("a dry run imported %d requests", n)
		}
		if out, errs, code = in.run(args...); code != exitFailed || !strings.Contains(out, "zendesk-tickets.jsonl:5: is not valid JSON") {
			t.Fatalf("import: %d %s%s", code, out, errs)
		}
		real := readReport(t, report)
		if dry.DryRun = false; !reflect.DeepEqual(dry, real) {
			t.Errorf("a dry run reports\n%+v\nand the import\n%+v", dry, real)
		}
		if real.Created != 3 || real.Refused != 2 || real.Read != 6 || real.LeftOut["deleted"] != 1 ||
			real.Organizations["Pier & Sons"] != 1 || real.Assignees["noor@harbor.example"] != 2 || !real.Complete {
			t.Errorf("%+v", real)
		}
		if _, _, code = in.run(args...); code != exitFailed {
			t.Errorf("again: exit %d", code)
		}
		if again := readReport(t, report); again.Created != 0 || again.Existed != 3 {
			t.Errorf("again: %+v", again)
		}
		list, err := o.service.Requests(context.Background(), by, desk.RequestFilter{}, desk.Page{Ascending: true}, false)
		must(t, err)
		if len(list.Items) != 3 {
			t.Fatalf("%d requests", len(list.Items))
		}
		if r := list.Items[0]; r.ExternalID != "zendesk:101" || r.Customer == nil || *r.State != desk.Closed || r.Author.Email != "jonas@quay.example" || r.Assignee != nil {
			t.Errorf("%+v", r)
		}
	})
}

func countRequests(t *testing.T, o *resources, by service.Caller) int {
	t.Helper()
	list, err := o.service.Requests(context.Background(), by, desk.RequestFilter{}, desk.Page{}, false)
	must(t, err)
	return len(list.Items)
}

// What is exported and imported elsewhere is exported there as it was, but for what is
// another thing there.
func TestExportedIsImported(t *testing.T) {
	samples, err := filepath.Abs(filepath.Join("..", "..", "internal", "movein", "testdata"))
	must(t, err)
	dbtest.EachURL(t, func(t *testing.T, url string) {
		from := install(t, url)
		from.receiver(url)
		from.run("import", "--from", "zendesk", filepath.Join(samples, "zendesk-tickets.jsonl"), filepath.Join(samples, "zendesk-people.json"))
		from.run("import", "--from", "zammad", filepath.Join(samples, "zammad.json"))
		from.run("import", "--from", "chatwoot", filepath.Join(samples, "chatwoot.json"))
		first := filepath.Join(t.TempDir(), "first")
		if out := from.mustRun("export", first); !strings.Contains(out, "Exported 7 requests with 15 messages") {
			t.Error(out)
		}

		other := dbtest.URL(t, sqldb.EngineOf(url))
		to := install(t, other)
		to.receiver(other)
		to.mustRun("import", "--from", "frontdesk", filepath.Join(first, "requests.jsonl"))
		second := filepath.Join(t.TempDir(), "second")
		to.mustRun("export", second)
		was, is := exported(t, first), exported(t, second)
		if len(was) != 7 || !reflect.DeepEqual(was, is) {
			t.Errorf("exported\n%v\nand after the import\n%v", was, is)
		}

		out := from.mustRun("export", "--format", "csv", "--after", "2024-01-01", first)
		if !strings.Contains(out, "Exported 3 requests") {
			t.Error(out)
		}
		if _, errs, code := from.run("export", first); code != exitFailed || !strings.Contains(errs, "exists already") {
			t.Errorf("a file was replaced: %d %s", code, errs)
		}
	})
}

// exported returns the requests of an export by title, without ids of the account.
func exported(t *testing.T, folder string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "requests.jsonl"))
	must(t, err)
	all := map[string]any{}
	for line := range strings.Lines(string(text)) {
		var r map[string]any
		must(t, json.Unmarshal([]byte(line), &r))
		for _, name := range []string{"id", "key", "customer_id", "collection_id"} {
			delete(r, name)
		}
		for _, m := range r["messages"].([]any) {
			delete(m.(map[string]any), "id")
		}
		all[r["external_id"].(string)] = r
	}
	return all
}

// An import that is killed in the middle and started again imports everything once.
func TestImportIsKilled(t *testing.T) {
	const n = 400
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"id":%d,"subject":"Ticket %d","requester":{"name":"Jo"},"created_at":"2024-01-01T00:00:00Z","comments":[{"author":{"name":"Jo"},"body":"Hello","created_at":"2024-01-01T00:00:00Z"}]}`+"\n", i, i)
	}
	dbtest.EachURL(t, func(t *testing.T, url string) {
		in := install(t, url)
		o, by := in.receiver(url)
		file := filepath.Join(t.TempDir(), "tickets.jsonl")
		must(t, os.WriteFile(file, []byte(lines.String()), 0o600))
		cmd := in.command("import", "--from", "zendesk", file)
		progress, err := cmd.StderrPipe()
		must(t, err)
		must(t, cmd.Start())
		var said []byte
		for b := make([]byte, 256); !strings.Contains(string(said), "100 created"); {
			got, err := progress.Read(b)
			said = append(said, b[:got]...)
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
		}
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		report := filepath.Join(t.TempDir(), "report.json")
		in.mustRun("import", "--from", "zendesk", "--report", report, file)
		if r := readReport(t, report); r.Existed < 100 || r.Existed+r.Created != n {
			t.Errorf("%+v", r)
		}
		seen, p := map[string]int{}, desk.Page{Limit: desk.MostLimit}
		for {
			page, err := o.service.Requests(context.Background(), by, desk.RequestFilter{}, p, true)
			must(t, err)
			for _, r := range page.Items {
				if seen[r.ExternalID]++; len(r.Messages) != 1 {
					t.Errorf("%s has %d messages", r.ExternalID, len(r.Messages))
				}
			}
			if p.From = page.Next; p.From == nil {
				break
			}
		}
		if len(seen) != n || seen["zendesk:0"] != 1 {
			t.Errorf("%d requests", len(seen))
		}
	})
}
