package service

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"frontdesk/internal/desk"
	"frontdesk/internal/schema"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// nextVersion is a migration as the next version might bring it.
const nextVersion = `ALTER TABLE requests ADD COLUMN weather TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN mood BIGINT;
UPDATE requests SET weather = 'sunny' WHERE weather = '';
CREATE INDEX requests_weather ON requests (account_id, weather, id);
UPDATE messages SET mood = id;
CREATE INDEX messages_mood ON messages (account_id, mood, id) WHERE mood IS NOT NULL;
CREATE TABLE forecasts (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    request_id BIGINT NOT NULL REFERENCES requests (id)
);
CREATE INDEX forecasts_request ON forecasts (account_id, request_id);
INSERT INTO forecasts (account_id, request_id) SELECT account_id, id FROM requests;
`

// While one node updates the schema, the others work with the version before: no call fails,
// and calls are answered in the middle of the longest step.
func TestNodesWorkDuringAMigration(t *testing.T) {
	c := companyAt(t, dbtest.URL(t, sqldb.Postgres))
	c.newCollection("API", desk.APICollection)
	old := c.another()
	running, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	all.Go(func() { old.Run(running) })
	var made atomic.Int64
	for i := range 3 {
		all.Go(func() {
			for n := 0; running.Err() == nil; n++ {
				r, err := old.CreateRequest(ctx, c.caller(), desk.NewRequest{Description: fmt.Sprintf("request %d of writer %d", n, i)})
				if err == nil {
					_, err = old.AddMessage(ctx, c.caller(), r.Request.ID, desk.NewMessage{HTML: ptr("One moment.")})
				}
				if err != nil {
					t.Errorf("writer %d: %v", i, err)
					return
				}
				made.Add(1)
			}
		})
	}
	more := func(what string) {
		t.Helper()
		before := made.Load()
		eventually(t, "requests are made "+what, func() bool { return made.Load() >= before+10 || t.Failed() })
	}
	more("before the migration")

	// An index waits for everybody who still looks at the past. This one holds it up.
	pool, err := sql.Open("pgx", c.url)
	must(t, err)
	defer pool.Close()
	reader, err := pool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	must(t, err)
	_, err = reader.Exec("SELECT 1")
	must(t, err)
	files := nextSchema(t)
	next := dbtest.Open(t, sqldb.Config{URL: c.url, Log: quiet})
	ended := make(chan error, 1)
	go func() {
		_, err := next.Migrate(ctx, files)
		ended <- err
	}()
	eventually(t, "the index waits", func() bool {
		var n int
		must(t, pool.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'CREATE INDEX CONCURRENTLY%'").Scan(&n))
		return n > 0
	})
	more("while an index is built")
	must(t, reader.Rollback())
	must(t, <-ended)
	more("after the migration")
	stop()
	all.Wait()

	if done, err := next.Migrated(ctx, files); err != nil || !done {
		t.Errorf("it is migrated: %v, %v", done, err)
	}
	if got, want := c.rows("requests"), int(made.Load()); got != want {
		t.Errorf("there are %d requests, want %d", got, want)
	}
	var sunny, later int
	must(t, pool.QueryRow("SELECT count(*) FILTER (WHERE weather = 'sunny'), count(*) FILTER (WHERE weather = '') FROM requests").Scan(&sunny, &later))
	if sunny < 10 || later < 10 {
		t.Errorf("%d requests are from before the migration, and %d from after it", sunny, later)
	}
}

// nextSchema returns the product's migrations and one more.
func nextSchema(t *testing.T) fs.FS {
	t.Helper()
	names, err := fs.Glob(schema.Files, "*.sql")
	must(t, err)
	files, newest := fstest.MapFS{}, 0
	for _, name := range names {
		text, err := fs.ReadFile(schema.Files, name)
		must(t, err)
		files[name] = &fstest.MapFile{Data: text}
		_, err = fmt.Sscanf(name, "%04d", &newest)
		must(t, err)
	}
	files[fmt.Sprintf("%04d_next.sql", newest+1)] = &fstest.MapFile{Data: []byte(nextVersion)}
	return files
}
