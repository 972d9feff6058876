package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/backup"
	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
)

// benchBackup measures backups of a desk with as many requests as -requests says:
// the first, one after a thousand new requests and one after nothing, each while
// somebody writes, against the same writes alone; and what it takes to verify and to
// restore.
func benchBackup(ctx context.Context, engines map[sqldb.Engine]string) {
	fmt.Printf("Backup of %d requests to a folder, while one caller writes\n", *requests)
	for _, e := range names(engines) {
		backUp(ctx, e, engines[e])
	}
}

// backedUp is a desk and the place for its backups.
type backedUp struct {
	*base
	engine sqldb.Engine
	url    string
	caller service.Caller
	place  *backup.Place
	folder string
	files  *blob.Folder
}

func backUp(ctx context.Context, e sqldb.Engine, server string) {
	url, drop := freshURL(e, server)
	defer drop()
	d := &backedUp{base: openBase(ctx, url), engine: e, url: url, folder: must(os.MkdirTemp("", "frontdesk-backup-"))}
	defer os.RemoveAll(d.folder)
	defer d.db.Close()
	began := time.Now()
	account := d.fillRequests(ctx, *requests)
	fmt.Printf("  %-8s filled in %.0f s\n", e, time.Since(began).Seconds())
	d.caller = service.Caller{Account: account, Role: desk.Admin, Reach: desk.Everything, Scope: desk.ReadWrite, Actor: desk.Actor{ID: 1, Email: "admin@acme.test", Source: desk.SourceAPI}}
	d.files = must(blob.OpenFolder(filepath.Join(d.folder, "attachments")))
	defer d.files.Close()
	d.place = must(backup.Open(ctx, filepath.Join(d.folder, "place"), nil))

	alone := d.writing(ctx, func() { check(pause(ctx, 5*time.Second)) })
	fmt.Printf("  %-8s writes alone: %.0f/s\n", e, alone)
	d.report(ctx, "first", alone)
	for i := range 1000 {
		d.create(ctx, i)
	}
	d.report(ctx, "after 1000 new requests", alone)
	m := d.report(ctx, "at once again", alone)

	began = time.Now()
	found := must(d.place.Verify(ctx, m, d.folder, d.key, func(string, int64, int64) {}))
	fmt.Printf("  %-8s verify the backup: %.1f s, %d problems\n", e, time.Since(began).Seconds(), len(found))
	began = time.Now()
	found = must(backup.VerifyDesk(ctx, d.db, d.files, d.key, func(string, int64, int64) {}))
	fmt.Printf("  %-8s verify the desk: %.1f s, %d problems\n", e, time.Since(began).Seconds(), len(found))
	d.restore(ctx, m, server)
}

// report makes a backup while somebody writes, and shows what it took.
func (d *backedUp) report(ctx context.Context, what string, alone float64) *backup.Manifest {
	var r backup.Report
	var log atomic.Int64
	rate := d.writing(ctx, func() {
		done := make(chan struct{})
		var watching sync.WaitGroup
		watching.Go(func() {
			for {
				if info, err := os.Stat(d.url + "-wal"); err == nil {
					log.Store(max(log.Load(), info.Size()))
				}
				select {
				case <-done:
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
		r = must(d.place.Run(ctx, backup.Config{DB: d.db, Files: d.files, Folder: d.folder}))
		close(done)
		watching.Wait()
	})
	fmt.Printf("  %-8s %-24s %6.1f s, snapshot open %6.1f s   database %7.1f MB, stored %7.1f MB   writes %.0f/s, %.2f of alone   SQLite's log at most %.1f MB\n",
		d.engine, what, r.Took.Seconds(), r.Held.Seconds(), mega(r.Database.Size), mega(r.Stored), rate, rate/alone, mega(log.Load()))
	return r.Manifest
}

func mega(n int64) float64 { return float64(n) / 1e6 }

// writing returns how many requests a second one caller creates while fn runs.
func (d *backedUp) writing(ctx context.Context, fn func()) float64 {
	var n atomic.Int64
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				d.create(ctx, int(n.Add(1)))
			}
		}
	})
	began := time.Now()
	fn()
	rate := float64(n.Load()) / time.Since(began).Seconds()
	close(stop)
	writer.Wait()
	return rate
}

func (d *backedUp) create(ctx context.Context, i int) {
	must(d.service.CreateRequest(ctx, d.caller, desk.NewRequest{Description: strings.Repeat(word(i)+" ", 30)}))
}

// restore brings the backup back to both engines.
func (d *backedUp) restore(ctx context.Context, m *backup.Manifest, server string) {
	began := time.Now()
	path := filepath.Join(d.folder, "restored.db")
	check(d.place.WriteDatabase(ctx, m, path, func(int64, int64) {}))
	must(backup.Settle(ctx, path, m.At, time.Now(), false))
	fmt.Printf("  %-8s restore to SQLite: %.1f s\n", d.engine, time.Since(began).Seconds())
	if d.engine != sqldb.Postgres {
		return
	}
	url, drop := freshURL(sqldb.Postgres, server)
	defer drop()
	db := must(sqldb.Open(ctx, sqldb.Config{URL: url}))
	defer db.Close()
	check(backup.Load(ctx, db, path))
	fmt.Printf("  %-8s and on to PostgreSQL: %.1f s in all\n", d.engine, time.Since(began).Seconds())
}
