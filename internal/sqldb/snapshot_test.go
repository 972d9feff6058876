package sqldb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// snapshots returns the names of the files in a folder that may not exist.
func snapshots(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSnapshotBeforeAMigration(t *testing.T) {
	ctx := context.Background()
	url := filepath.Join(t.TempDir(), "frontdesk.db")
	folder := filepath.Join(filepath.Dir(url), "backups [here]")
	db := dbtest.Open(t, sqldb.Config{URL: url, Snapshots: folder})
	steps := []string{"0001_notes.sql", notes + ";\n"}
	migrate := func(name, text string) {
		t.Helper()
		steps = append(steps, name, text)
		_, err := db.Migrate(ctx, files(steps...))
		must(t, err)
	}
	_, err := db.Migrate(ctx, files(steps...))
	must(t, err)
	_, err = db.Migrate(ctx, files(steps...))
	must(t, err)
	if got := snapshots(t, folder); len(got) > 0 {
		t.Errorf("before there was anything to copy, there is %v", got)
	}
	must(t, db.Write(ctx, noting("a")))

	// Two migrations in one go are one snapshot.
	steps = append(steps, "0002_a.sql", "DELETE FROM notes;\n")
	migrate("0003_b.sql", "CREATE TABLE b (id @id);\n")
	got := snapshots(t, folder)
	if len(got) != 1 || !strings.HasPrefix(got[0], "frontdesk-before-2-") || !strings.HasSuffix(got[0], ".db") {
		t.Fatalf("the snapshots are %v, want one before 2", got)
	}
	path := filepath.Join(folder, got[0])
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v; want 0600", info.Mode(), err)
	}
	back := dbtest.Open(t, sqldb.Config{URL: path})
	wantNotes(t, back, map[string]int{"a": 1})
	if done, err := back.Migrated(ctx, files(steps[:2]...)); err != nil || !done {
		t.Errorf("it is at version 1: %v, %v", done, err)
	}
	must(t, back.Close())

	// What a killed process has left goes, and so do all but the last three.
	must(t, os.WriteFile(filepath.Join(folder, "frontdesk-before-2-x.db.unfinished"), nil, 0o600))
	must(t, os.WriteFile(filepath.Join(folder, "mine.db"), nil, 0o600))
	for _, name := range []string{"0004_c", "0005_d", "0006_e"} {
		migrate(name+".sql", "SELECT 1;\n")
	}
	got = snapshots(t, folder)
	for i, want := range []string{"frontdesk-before-4-", "frontdesk-before-5-", "frontdesk-before-6-", "mine.db"} {
		if len(got) != 4 || !strings.HasPrefix(got[i], want) {
			t.Fatalf("there is %v, want %s", got, want)
		}
	}
}

// Without a folder there is no copy.
func TestNoSnapshotIsWanted(t *testing.T) {
	url := filepath.Join(t.TempDir(), "frontdesk.db")
	db := dbtest.Open(t, sqldb.Config{URL: url})
	for _, steps := range [][]string{{"0001_notes.sql", notes + ";\n"}, {"0001_notes.sql", notes + ";\n", "0002_a.sql", "SELECT 1;\n"}} {
		_, err := db.Migrate(context.Background(), files(steps...))
		must(t, err)
	}
	must(t, db.Close())
	if got := snapshots(t, filepath.Dir(url)); !slices.Equal(got, []string{"frontdesk.db"}) {
		t.Errorf("there is %v", got)
	}
}

// If the copy does not fit, the database stays as it is.
func TestSnapshotDoesNotFit(t *testing.T) {
	ctx := context.Background()
	url := filepath.Join(t.TempDir(), "frontdesk.db")
	folder := filepath.Join(t.TempDir(), "backups")
	db := dbtest.Open(t, sqldb.Config{URL: url, Snapshots: folder})
	_, err := db.Migrate(ctx, files("0001_notes.sql", notes+";\n"))
	must(t, err)
	must(t, os.Truncate(url, 1<<43)) // SQLite ignores what comes after its last page
	more := files("0001_notes.sql", notes+";\n", "0002_a.sql", "CREATE TABLE a (id @id);\n")
	_, err = db.Migrate(ctx, more)
	if !errors.Is(err, sqldb.ErrSnapshot) || !strings.Contains(err.Error(), "MB are free") {
		t.Errorf("it gave %v, want ErrSnapshot", err)
	}
	if done, err := db.Migrated(ctx, more); err != nil || done {
		t.Errorf("it is migrated: %v, %v", done, err)
	}
	if got := snapshots(t, folder); len(got) > 0 {
		t.Errorf("there is %v", got)
	}
}
