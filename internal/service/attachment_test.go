package service

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/worker"
)

// Files that nothing names are removed once they are old. Named files stay, and so
// do new ones, which may be about to be named.
func TestSweepFiles(t *testing.T) {
	folder := t.TempDir()
	blobs, err := blob.OpenFolder(folder)
	must(t, err)
	t.Cleanup(func() { blobs.Close() })
	c := openCompany(t, &company{url: dbtest.URL(t, sqldb.SQLite), clock: &clock{now: time.Now()}, blobs: blobs})
	_, err = c.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "API", Kind: desk.APICollection})
	must(t, err)
	store := func(text string) desk.NewFile {
		t.Helper()
		f, err := c.StoreFile(ctx, c.caller(), "a.txt", "text/plain", strings.NewReader(text))
		must(t, err)
		return f
	}
	named, unnamed := store("named"), store("unnamed")
	_, err = c.CreateRequest(ctx, c.caller(), desk.NewRequest{Description: "x", Files: []desk.NewFile{named}})
	must(t, err)
	there := func(f desk.NewFile) bool {
		t.Helper()
		key, err := blob.ParseKey(f.Key)
		must(t, err)
		r, err := blobs.Open(ctx, key)
		if err == nil {
			r.Close()
		} else if !errors.Is(err, blob.ErrNotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	sweep := func() { t.Helper(); must(t, c.Do(ctx, &job.Job{Attempt: 1}, worker.SweepFiles{})) }
	sweep()
	if !there(named) || !there(unnamed) {
		t.Error("a new file was swept")
	}
	old := time.Now().Add(-2 * worker.SweepAfter)
	must(t, filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			err = os.Chtimes(path, old, old)
		}
		return err
	}))
	fresh := store("fresh")
	sweep()
	if !there(named) || there(unnamed) || !there(fresh) {
		t.Errorf("kept: named %t, unnamed %t, fresh %t", there(named), there(unnamed), there(fresh))
	}
}
