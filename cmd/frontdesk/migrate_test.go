package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
)

// oldInstallation returns an installation whose database is at version 5.
func oldInstallation(t *testing.T) *installation {
	t.Helper()
	names, err := fs.Glob(schema.Files, "000[1-5]_*.sql")
	must(t, err)
	old := fstest.MapFS{}
	for _, name := range names {
		text, err := fs.ReadFile(schema.Files, name)
		must(t, err)
		old[name] = &fstest.MapFile{Data: text}
	}
	url := filepath.Join(t.TempDir(), "frontdesk.db")
	db, err := sqldb.Open(context.Background(), sqldb.Config{URL: url})
	must(t, err)
	_, err = db.Migrate(context.Background(), old)
	must(t, err)
	must(t, db.Close())
	return install(t, url)
}

// A new version copies the database before it updates its schema, unless a setting says that it
// should not.
func TestCopyBeforeAMigration(t *testing.T) {
	in := oldInstallation(t)
	_, log, code := in.run("token", "create", "--email", "nobody@acme.test", "--scope", "read_only")
	if code != 1 || !strings.Contains(log, "backups/frontdesk-before-6-") {
		t.Errorf("it ended with %d and said %s", code, log)
	}
	copies, err := filepath.Glob(in.dir + "/backups/frontdesk-before-6-*.db")
	if err != nil || len(copies) != 1 {
		t.Fatalf("there is %v, %v", copies, err)
	}
	// The way back, as operating.md describes it.
	must(t, os.Rename(copies[0], in.dir+"/frontdesk.db"))
	in.env = append(in.env, "FRONTDESK_SNAPSHOT=false")
	if out := in.mustRun("migrate"); strings.Contains(out, "Migrations run: 0.") {
		t.Errorf("the copy was not of the version before: %s", out)
	}
	if left, err := os.ReadDir(in.dir + "/backups"); err != nil || len(left) > 0 {
		t.Errorf("without copies there is %v, %v", left, err)
	}
}

func TestCopyBeforeAMigrationFails(t *testing.T) {
	in := oldInstallation(t)
	must(t, os.WriteFile(in.dir+"/backups", nil, 0o600)) // where the folder should be
	if _, log, code := in.run("migrate"); code != 1 || !strings.Contains(log, "to go without a copy, set FRONTDESK_SNAPSHOT=false") {
		t.Errorf("it ended with %d and said %s", code, log)
	}
	in.env = append(in.env, "FRONTDESK_SNAPSHOT=false")
	in.mustRun("migrate")
}
