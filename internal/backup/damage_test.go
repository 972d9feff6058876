package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/backup"
	"frontdesk/internal/blob"
	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// objects returns the files of a place, those of one kind.
func (d *aDesk) objects(kind string) (paths []string) {
	d.t.Helper()
	paths, err := filepath.Glob(filepath.Join(d.folder, "*", kind+"-*"))
	must(d.t, err)
	slices.Sort(paths)
	return paths
}

const chunkFiles, manifestFiles = "1", "2"

// problems returns everything that is wrong with the newest backup.
func (d *aDesk) problems() []string {
	d.t.Helper()
	m, err := d.place.At(ctx, time.Time{})
	if err != nil {
		return []string{err.Error()}
	}
	found, err := d.place.Verify(ctx, m, d.t.TempDir(), d.key, quiet)
	must(d.t, err)
	return found
}

// Whatever happens to an object of a backup, verify says so and names it.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	for _, key := range []*seal.Key{nil, seal.NewKey()} {
		t.Run(fmt.Sprint("encrypted ", key != nil), func(t *testing.T) {
			d := newDesk(t, dbtest.URL(t, sqldb.SQLite), key)
			must(t, d.request("a request", "its file", strings.Repeat("a long file ", 200_000)))
			d.backUp()
			if found := d.problems(); len(found) > 0 {
				t.Fatalf("a sound backup: %v", found)
			}
			damage := map[string]func(content []byte) []byte{
				"flipped": func(c []byte) []byte { c = slices.Clone(c); c[len(c)/2] ^= 1; return c },
				"cut":     func(c []byte) []byte { return c[:len(c)-1] },
				"emptied": func([]byte) []byte { return nil },
				"removed": nil,
			}
			checked := 0
			for _, path := range append(d.objects(chunkFiles), d.objects(manifestFiles)...) {
				whole, err := os.ReadFile(path)
				must(t, err)
				for what, change := range damage {
					if change == nil {
						must(t, os.Remove(path))
					} else {
						must(t, os.WriteFile(path, change(whole), 0o600))
					}
					_, random, _ := strings.Cut(filepath.Base(path), "-")
					found := strings.Join(d.problems(), "\n")
					if found == "" || !strings.Contains(found, random) && !strings.Contains(found, "no backup") {
						t.Errorf("%s %s: verify says %q", filepath.Base(path), what, found)
					}
					must(t, os.WriteFile(path, whole, 0o600))
					checked++
				}
			}
			if checked < 20 {
				t.Errorf("only %d kinds of damage were tried", checked)
			}
			// A removed chunk comes back with the next backup, because its content is
			// still there.
			for _, path := range d.objects(chunkFiles) {
				must(t, os.Remove(path))
			}
			d.backUp()
			if found := d.problems(); len(found) > 0 {
				t.Errorf("after all chunks were lost and another backup was made: %v", found)
			}
		})
	}
}

// verify finds what is wrong with a running desk.
func TestVerifyDesk(t *testing.T) {
	t.Parallel()
	eachDesk(t, nil, func(t *testing.T, d *aDesk) {
		must(t, d.request("a request", "first", "second", "third"))
		d.verified("a sound desk", d.db, d.files)
		var keys []string
		must(t, d.db.Read(ctx, func(tx *sqldb.Tx) (err error) {
			keys, err = sqldb.Collect(tx, func(scan func(...any) error) (key string, err error) {
				err = scan(&key)
				return key, err
			}, "SELECT blob_key FROM attachments ORDER BY id")
			return err
		}))
		gone, err := blob.ParseKey(keys[0])
		must(t, err)
		must(t, d.files.Remove(ctx, gone))
		other, err := blob.ParseKey(keys[1])
		must(t, err)
		_, _, err = d.files.Put(ctx, other, strings.NewReader("Second"), 100)
		must(t, err)
		short, err := blob.ParseKey(keys[2])
		must(t, err)
		_, _, err = d.files.Put(ctx, short, strings.NewReader("thir"), 100)
		must(t, err)
		must(t, d.db.Write(ctx, func(tx *sqldb.Tx) error { return tx.Do("UPDATE audit_logs SET action = 'x' WHERE seq = 2") }))
		found, err := backup.VerifyDesk(ctx, d.db, d.files, d.key, quiet)
		must(t, err)
		all := strings.Join(found, "\n")
		for _, want := range []string{keys[0] + ": it is missing", keys[1] + ": its content is not", keys[2] + ": it has 4 bytes", "entry 2 of the audit log"} {
			if !strings.Contains(all, want) {
				t.Errorf("verify does not say %q:\n%s", want, all)
			}
		}
		// A backup of it says what is missing, and has the rest.
		r := d.backUp()
		if r.Missing != 1 || r.Count != 2 {
			t.Errorf("the backup misses %d files and has %d", r.Missing, r.Count)
		}
		// A restore says which files are damaged, and does not stop there.
		damaged := strings.Join(d.restoreFiles(r.Manifest, blobtest.New(t, filepath.Join(t.TempDir(), "restored"))), "\n")
		if !strings.Contains(damaged, keys[1]) || !strings.Contains(damaged, keys[2]) || strings.Contains(damaged, keys[0]) {
			t.Errorf("the restore says %q", damaged)
		}
	})
}

// verify removes the copies of processes that were killed, and leaves those of others.
func TestVerifyRemovesWhatWasLeft(t *testing.T) {
	t.Parallel()
	d := newDesk(t, dbtest.URL(t, sqldb.SQLite), nil)
	m := d.backUp().Manifest
	folder := t.TempDir()
	for _, name := range []string{".verify-new", ".verify-old", "other-old"} {
		must(t, os.Mkdir(filepath.Join(folder, name), 0o700))
		if at := time.Now().AddDate(0, 0, -2); strings.HasSuffix(name, "old") {
			must(t, os.Chtimes(filepath.Join(folder, name), at, at))
		}
	}
	_, err := d.place.Verify(ctx, m, folder, d.key, quiet)
	must(t, err)
	left, err := os.ReadDir(folder)
	must(t, err)
	if len(left) != 2 || left[0].Name() != ".verify-new" || left[1].Name() != "other-old" {
		t.Errorf("left: %v", left)
	}
}

// breaking is a store that fails after some objects.
type breaking struct {
	blob.Store
	left int
}

var errBroken = errors.New("the store is broken")

func (b *breaking) Put(ctx context.Context, key blob.Key, r io.Reader, most int64) (int64, [32]byte, error) {
	if b.left--; b.left < 0 {
		return 0, [32]byte{}, errBroken
	}
	return b.Store.Put(ctx, key, r, most)
}

// A backup that ends in the middle, anywhere, leaves the ones before it as they are,
// and the next one uses what it stored.
func TestBackupEndsInTheMiddle(t *testing.T) {
	t.Parallel()
	d := newDesk(t, dbtest.URL(t, sqldb.SQLite), nil)
	must(t, d.request("a request", "its file"))
	folder := blobtest.New(t, d.folder)
	broken := 0
	for n := 0; ; n++ {
		store := &breaking{folder, n}
		_, err := backup.NewPlace(store, nil).Run(ctx, d.config())
		if err == nil {
			break
		}
		broken++
		if !errors.Is(err, errBroken) {
			t.Fatal(err)
		}
		if all, problems, err := d.place.Backups(ctx); err != nil || len(problems) > 0 || len(all) > 0 {
			t.Fatalf("after %d objects: %d backups, %v, %v", n, len(all), problems, err)
		}
		if n > 100 {
			t.Fatal("what was stored is not used")
		}
	}
	if broken == 0 {
		t.Error("nothing was broken")
	}
	if found := d.problems(); len(found) > 0 {
		t.Errorf("the whole backup: %v", found)
	}
}

// Only one process makes backups of a desk. The hold of one that died ends.
func TestOneBackupAtATime(t *testing.T) {
	t.Parallel()
	eachDesk(t, nil, func(t *testing.T, d *aDesk) {
		hold := func(until time.Time) {
			must(t, d.db.Write(ctx, func(tx *sqldb.Tx) error {
				return tx.Do("INSERT INTO leases (name, owner, until) VALUES ('backup', 'another', $1) ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until", until.UnixMilli())
			}))
		}
		hold(time.Now().Add(time.Hour))
		if _, err := d.place.Run(ctx, d.config()); !errors.Is(err, backup.ErrBusy) {
			t.Errorf("while another backup runs: %v", err)
		}
		hold(time.Now().Add(-time.Millisecond))
		d.backUp()
		d.backUp()
	})
}
