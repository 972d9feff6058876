package main

import (
	"context"
	"encoding/json"
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
func (i *installation) open(database string) *resources {
	i.t.Helper()
	ctx := context.Background()
	args := []string{"version", "--data", i.dir, "--log-level", "error"}
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
		if code != exitFailed || !strings.Contains(out, "Nothing was imported. It would be: 3 requests.") || !strings.Contains(errs, report+" says which ones") {
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
