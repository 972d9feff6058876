package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// A server makes backups by itself. A restored desk, on either engine, has everything
// and is sound.
func TestFromABackupToADesk(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		in := install(t, url)
		place := filepath.Join(t.TempDir(), "backups")
		in.env = append(in.env, "FRONTDESK_BACKUP_TO="+place, "FRONTDESK_BACKUP_KEY_FILE="+newKeyFile(t))
		token := in.account()
		p := in.start("--backup-every", "1h")
		awaitLog(t, p, "made a backup")
		p.post(t, token, "/collections", map[string]string{"name": "API", "kind": "api"}, &struct{}{})
		p.post(t, token, "/requests", map[string]string{"title": "Nothing prints", "description": "since today"}, &struct{}{})
		if out := in.mustRun("backup"); !strings.Contains(out, "Backed up everything until 20") || !strings.Contains(out, "key") {
			t.Errorf("backup printed %s", out)
		}
		p.post(t, token, "/requests", map[string]string{"title": "Too late", "description": "for the backup"}, &struct{}{})
		if out := in.mustRun("backup", "list"); strings.Count(out, "\n") != 3 || !strings.Contains(out, string(sqldb.EngineOf(url))) {
			t.Errorf("backup list printed %s", out)
		}
		if out := in.mustRun("backup", "verify", "--all"); strings.Count(out, "is sound") != 2 {
			t.Errorf("backup verify printed %s", out)
		}
		if out := in.mustRun("verify"); !strings.Contains(out, "nothing is wrong") {
			t.Errorf("verify printed %s", out)
		}
		must(t, p.Process.Kill())

		for _, engine := range []sqldb.Engine{sqldb.SQLite, sqldb.Postgres} {
			to := filepath.Join(t.TempDir(), "frontdesk.db")
			if engine == sqldb.Postgres {
				to = dbtest.URL(t, engine)
			}
			restored := install(t, to)
			restored.env = append(restored.env, in.env[len(in.env)-2:]...)
			if out := restored.mustRun("restore"); !strings.Contains(out, "Restored everything until") || !strings.Contains(out, "Copy it to") {
				t.Errorf("restore printed %s", out)
			}
			copyFile(t, filepath.Join(in.dir, "key"), filepath.Join(restored.dir, "key"))
			if out := restored.mustRun("verify"); !strings.Contains(out, "nothing is wrong") {
				t.Errorf("verify of the restored desk printed %s", out)
			}
			p := restored.start("--backup-every", "0")
			var all struct{ Requests []struct{ Title string } }
			p.get(t, token, "/requests", &all)
			if len(all.Requests) != 1 || all.Requests[0].Title != "Nothing prints" {
				t.Errorf("%s: restored %+v", engine, all)
			}
			if _, errs, code := restored.run("restore"); code != exitFailed || !strings.Contains(errs, "empty") {
				t.Errorf("a restore onto a desk: exit %d, %s", code, errs)
			}
		}
	})
}

// Commands say what is wrong with a place, a key or a time.
func TestBackupRefusals(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	place := filepath.Join(t.TempDir(), "backups")
	in.mustRun("backup", "--to", place, "--backup-key-file", newKeyFile(t))
	for _, c := range []struct {
		want string
		args []string
	}{
		{"say where the backups are", []string{"backup", "list"}},
		{"is encrypted", []string{"backup", "verify", "--from", place}},
		{"is encrypted", []string{"restore", "--from", place, "--data", filepath.Join(t.TempDir(), "new")}},
		{"another key", []string{"backup", "list", "--from", place, "--backup-key-file", newKeyFile(t)}},
		{"read the backup key", []string{"backup", "list", "--from", place, "--backup-key-file", place + ".none"}},
		{"folder or to s3", []string{"backup", "--to", "ftp://host/x"}},
		{"does not say what to keep", []string{"backup", "--to", place, "--backup-keep", "forever"}},
		{"shortest pause", []string{"backup", "--backup-to", place, "--backup-every", "1s"}},
		{"no backup in this place", []string{"restore", "--from", t.TempDir(), "--data", filepath.Join(t.TempDir(), "new")}},
	} {
		if out, errs, code := in.run(c.args...); code == exitOK || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %s%s", c.args, code, out, errs)
		}
	}
}

// A backup is killed each time it stores something, up to the last object. No half of one
// is taken for a backup. The next one works, and nothing is left in the data folder.
func TestBackupIsKilled(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		bucket := newKillingBucket(t)
		in := install(t, url)
		in.env = append(in.env, "FRONTDESK_BACKUP_TO="+bucket.address)
		in.account()
		db := dbtest.Open(t, sqldb.Config{URL: url})
		before := files(t, in.dir)
		kills := 0
		for ; ; kills++ {
			ended := make(chan error)
			p := in.command("backup")
			bucket.prepare(kills)
			must(t, p.Start())
			go func() { ended <- p.Wait() }()
			select {
			case <-bucket.reached:
				must(t, p.Process.Kill())
				<-ended
			case err := <-ended:
				must(t, err)
			}
			if p.ProcessState.Success() {
				break
			}
			if out := in.mustRun("backup", "list"); !strings.Contains(out, "There is no backup") {
				t.Fatalf("after a kill at object %d: %s", kills, out)
			}
			if _, errs, code := in.run("backup"); code != exitFailed || !strings.Contains(errs, "ended by force") {
				t.Fatalf("right after a kill: exit %d, %s", code, errs)
			}
			// A minute later.
			must(t, db.Write(t.Context(), func(tx *sqldb.Tx) error { return tx.Do("UPDATE leases SET until = 0 WHERE name = 'backup'") }))
		}
		if kills < 3 {
			t.Errorf("it was killed %d times", kills)
		}
		if out := in.mustRun("backup", "verify"); !strings.Contains(out, "is sound") {
			t.Errorf("verify printed %s", out)
		}
		if after := files(t, in.dir); !slices.Equal(after, before) {
			t.Errorf("files before: %q, after: %q", before, after)
		}
	})
}

// killingBucket is a bucket that keeps an object waiting for its end.
type killingBucket struct {
	address string
	left    atomic.Int64  // objects that it still takes
	reached chan struct{} // one more came
}

func newKillingBucket(t *testing.T) *killingBucket {
	b := &killingBucket{reached: make(chan struct{}, 10)}
	store := s3mem.New()
	must(t, store.CreateBucket("backups"))
	real := gofakes3.New(store, gofakes3.WithLogger(nil)).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isObject := strings.HasPrefix(r.URL.Path, "/backups/1/") || strings.HasPrefix(r.URL.Path, "/backups/2/")
		if r.Method == http.MethodPut && isObject && b.left.Add(-1) < 0 {
			_, _ = io.Copy(io.Discard, r.Body) // otherwise the end of the caller is not noticed
			b.reached <- struct{}{}
			<-r.Context().Done()
			return
		}
		real.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b.address = "s3://access:secret@" + strings.TrimPrefix(server.URL, "http://") + "/backups?insecure=true&path_style=true&region=us-east-1"
	return b
}

// prepare lets a number of objects through.
func (b *killingBucket) prepare(objects int) {
	for len(b.reached) > 0 {
		<-b.reached
	}
	b.left.Store(int64(objects))
}

func newKeyFile(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "backup.key")
	_, err := seal.LoadKey(path)
	must(t, err)
	return path
}

// awaitLog waits until a server has logged something.
func awaitLog(t *testing.T, p *process, text string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !strings.Contains(p.logs.String(), text); time.Sleep(2 * time.Millisecond) { // polls another process
		if time.Now().After(deadline) {
			t.Fatalf("the server has not logged %q:\n%s", text, p.logs)
		}
	}
}
