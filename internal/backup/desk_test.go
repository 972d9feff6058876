package backup_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/backup"
	"frontdesk/internal/blob"
	"frontdesk/internal/blob/blobtest"
	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

var ctx = context.Background()

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func quiet(string, int64, int64) {}

// aDesk is a desk with one account, and a place for its backups.
type aDesk struct {
	*service.Service
	t      *testing.T
	db     *sqldb.DB
	store  *store.Store
	key    *seal.Key
	files  blob.Store
	caller service.Caller
	folder string // of the place
	place  *backup.Place
}

// eachDesk runs fn once per engine.
func eachDesk(t *testing.T, key *seal.Key, fn func(t *testing.T, d *aDesk)) {
	t.Helper()
	dbtest.EachURL(t, func(t *testing.T, url string) { fn(t, newDesk(t, url, key)) })
}

func newDesk(t *testing.T, url string, key *seal.Key) *aDesk {
	d := &aDesk{t: t, db: dbtest.Open(t, sqldb.Config{URL: url}), key: seal.NewKey(), files: blobtest.New(t, filepath.Join(t.TempDir(), "attachments")), folder: filepath.Join(t.TempDir(), "place")}
	d.store = store.New(d.db, d.key, nil)
	d.Service = service.New(service.Config{Store: d.store})
	a, m, err := d.NewAccount(ctx, "Acme", desk.NewMember{Email: "mira@acme.test"})
	must(t, err)
	d.caller = service.Caller{Account: a.ID, Role: desk.Admin, Reach: desk.Everything, Scope: desk.ReadWrite, Actor: desk.Actor{ID: m.ID, Email: m.Email, Source: desk.SourceAPI}}
	_, err = d.CreateCollection(ctx, d.caller, desk.NewCollection{Name: "API", Kind: desk.APICollection})
	must(t, err)
	d.place, err = backup.Open(ctx, d.folder, key)
	must(t, err)
	return d
}

// request creates a request with files.
func (d *aDesk) request(text string, files ...string) error {
	n := desk.NewRequest{Description: text}
	for i, content := range files {
		key := blob.NewKey(d.caller.Account)
		size, sum, err := d.files.Put(ctx, key, strings.NewReader(content), 1<<30)
		if err != nil {
			return err
		}
		n.Files = append(n.Files, desk.NewFile{Key: key.String(), Name: fmt.Sprint("file", i), Type: "text/plain", Size: size, Sum: sum[:]})
	}
	_, err := d.CreateRequest(ctx, d.caller, n)
	return err
}

func (d *aDesk) config() backup.Config {
	return backup.Config{DB: d.db, Files: d.files, Folder: d.t.TempDir()}
}

func (d *aDesk) backUp() backup.Report {
	d.t.Helper()
	r, err := d.place.Run(ctx, d.config())
	must(d.t, err)
	return r
}

// restore brings a backup back as an SQLite file, settled, and opens it.
func (d *aDesk) restore(m *backup.Manifest) (*sqldb.DB, string) {
	d.t.Helper()
	path := filepath.Join(d.t.TempDir(), "frontdesk.db")
	must(d.t, d.place.WriteDatabase(ctx, m, path, func(int64, int64) {}))
	_, err := backup.Settle(ctx, path, m.At, time.Now(), false)
	must(d.t, err)
	return dbtest.Open(d.t, sqldb.Config{URL: path}), path
}

// restoreFiles brings the files of a backup back and returns what is wrong with them.
func (d *aDesk) restoreFiles(m *backup.Manifest, to blob.Store) []string {
	d.t.Helper()
	damaged, err := d.place.WriteFiles(ctx, m, to, func(int64, int64) {})
	must(d.t, err)
	return damaged
}

// verified fails the test unless a desk is sound.
func (d *aDesk) verified(what string, db *sqldb.DB, files blob.Store) {
	d.t.Helper()
	found, err := backup.VerifyDesk(ctx, db, files, d.key, quiet)
	must(d.t, err)
	if len(found) > 0 {
		d.t.Errorf("%s: %s", what, strings.Join(found, "\n"))
	}
}

// texts returns the texts of all messages, oldest first.
func texts(t *testing.T, db *sqldb.DB) (all []string) {
	t.Helper()
	must(t, db.Read(ctx, func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.Collect(tx, func(scan func(...any) error) (text string, err error) {
			err = scan(&text)
			return text, err
		}, "SELECT text FROM messages ORDER BY id")
		return err
	}))
	return all
}

// Backups that are made while others write have everything that was acknowledged
// before their moment, each once, on both engines, and come back to both.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	eachDesk(t, nil, func(t *testing.T, d *aDesk) {
		const writers, rounds = 4, 2
		type write struct {
			text string
			done time.Time
		}
		var mu sync.Mutex
		var writes []write
		more := sync.NewCond(&mu) // something was written, or failed
		failed, stopped := false, false
		var running sync.WaitGroup
		for w := range writers {
			running.Go(func() {
				for i := 0; ; i++ {
					text := fmt.Sprintf("writer %d says %d", w, i)
					err := d.request(text, text)
					done := time.Now()
					mu.Lock()
					if err != nil {
						t.Error(err)
						failed = true
					}
					writes = append(writes, write{text, done})
					more.Broadcast()
					stop := stopped || failed
					mu.Unlock()
					if stop {
						return
					}
				}
			})
		}
		var reports []backup.Report
		for range rounds {
			mu.Lock()
			for before := len(writes); !failed && len(writes) < before+5; { // others write before, and go on during the backup
				more.Wait()
			}
			mu.Unlock()
			r, err := d.place.Run(ctx, d.config())
			if err != nil {
				t.Error(err)
				break
			}
			reports = append(reports, r)
		}
		mu.Lock()
		stopped = true
		mu.Unlock()
		running.Wait()
		for i, r := range reports {
			db, path := d.restore(r.Manifest)
			has := map[string]int{}
			for _, text := range texts(t, db) {
				has[text]++
			}
			checked := 0
			for _, w := range writes {
				if n := has[w.text]; n > 1 || n == 0 && w.done.Before(r.At) {
					t.Errorf("backup %d of %v has %d times what was acknowledged at %v: %s", i, r.At, n, w.done, w.text)
				}
				if w.done.Before(r.At) {
					checked++
				}
			}
			if checked == 0 {
				t.Errorf("nothing was acknowledged before backup %d", i)
			}
			if r.Missing != 0 {
				t.Errorf("backup %d misses %d files", i, r.Missing)
			}
			files := blobtest.New(t, filepath.Join(t.TempDir(), "attachments"))
			d.restoreFiles(r.Manifest, files)
			d.verified("restored to SQLite", db, files)
			found, err := d.place.Verify(ctx, r.Manifest, t.TempDir(), d.key, quiet)
			must(t, err)
			if len(found) > 0 {
				t.Errorf("verify: %v", found)
			}
			if i == rounds-1 {
				other := emptyPostgres(t)
				must(t, db.Close())
				must(t, backup.Load(ctx, other, path))
				if n := len(texts(t, other)); n != len(has) {
					t.Errorf("PostgreSQL has %d messages of %d", n, len(has))
				}
				d.verified("restored to PostgreSQL", other, files)
			}
		}
	})
}

// emptyPostgres returns a migrated PostgreSQL database without rows.
func emptyPostgres(t *testing.T) *sqldb.DB {
	return dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.Postgres)})
}

// A second backup on SQLite stores little if little has changed.
func TestBackupIsIncremental(t *testing.T) {
	t.Parallel()
	d := newDesk(t, dbtest.URL(t, sqldb.SQLite), nil)
	for i := range 50 {
		must(t, d.request(fmt.Sprintf("request %d", i), strings.Repeat(rand.Text(), 1000)))
	}
	first := d.backUp()
	must(t, d.request("one more", "a file"))
	second, third := d.backUp(), d.backUp()
	if second.Stored > first.Stored { // a change of one request touches many small indexes
		t.Errorf("the second backup stored %d bytes, the first %d", second.Stored, first.Stored)
	}
	// The hold itself is a row, so a page or two always change.
	if third.Stored*4 > first.Stored {
		t.Errorf("a backup of what has not changed stored %d bytes, the first %d", third.Stored, first.Stored)
	}
	if second.Count != first.Count+1 || second.Files.Size != first.Files.Size+int64(len("a file")) {
		t.Errorf("files: %d of %d bytes, then %d of %d", first.Count, first.Files.Size, second.Count, second.Files.Size)
	}
}

// With a key, nothing in the place shows what the desk holds.
func TestBackupIsEncrypted(t *testing.T) {
	t.Parallel()
	eachDesk(t, seal.NewKey(), func(t *testing.T, d *aDesk) {
		const secret = "XYZZY-secret-of-acme"
		must(t, d.request(secret, secret))
		r := d.backUp()
		files := 0
		must(t, filepath.Walk(d.folder, func(path string, info os.FileInfo, err error) error {
			if err != nil || info.IsDir() {
				return err
			}
			files++
			content, err := os.ReadFile(path)
			if bytes.Contains(content, []byte("XYZZY")) || bytes.Contains(content, []byte("SQLite")) || bytes.Contains(content, []byte("acme")) {
				t.Errorf("%s shows what is in it", path)
			}
			return err
		}))
		if files < 4 {
			t.Errorf("only %d files were looked at", files)
		}
		db, _ := d.restore(r.Manifest)
		if all := texts(t, db); len(all) != 1 || all[0] != secret {
			t.Errorf("restored %q", all)
		}
		for what, key := range map[string]*seal.Key{"name the file": nil, "another key": seal.NewKey()} {
			p, err := backup.Open(ctx, d.folder, key)
			must(t, err)
			if _, err := p.At(ctx, time.Time{}); err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("with a wrong key: %v", err)
			}
		}
	})
}
