package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/seal"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// A server whose events get no numbers answers calls, and is not well.
func TestNotReadyWhileEventsAreNotNumbered(t *testing.T) {
	url := dbtest.URL(t, sqldb.SQLite)
	db := dbtest.Open(t, sqldb.Config{URL: url, LockTimeout: time.Millisecond})
	now := time.Now()
	o := &resources{db: db, store: store.New(db, seal.NewKey(), func() time.Time { return now })}
	must(t, o.store.AddAccount(t.Context(), "Acme", func(*store.Tx, desk.Account) error { return nil }))
	mux := http.NewServeMux()
	handleHealth(mux, o, t.Context())
	ready := func(want int, says string) {
		t.Helper()
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
		if w.Code != want || !strings.Contains(w.Body.String(), says) {
			t.Errorf("after %v: %d %s, want %d %s", o.store.Unnumbered(), w.Code, w.Body, want, says)
		}
	}
	ready(200, "ok")
	must(t, db.Write(t.Context(), func(tx *sqldb.Tx) error {
		return tx.Do("INSERT INTO events (account_id, type, source, at, subject, data) SELECT account_id, 'x', 'api', 0, '', '{}' FROM sequences")
	}))
	// Another process holds the file, so that events can be seen and not numbered.
	other := dbtest.Open(t, sqldb.Config{URL: url})
	held, done, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- other.Write(context.Background(), func(*sqldb.Tx) error {
			close(held)
			<-done
			return nil
		})
	}()
	<-held
	if _, err := o.store.Sequence(t.Context()); err == nil {
		t.Error("events were numbered")
	}
	now = now.Add(mostUnnumbered)
	ready(200, "ok")
	now = now.Add(time.Second)
	ready(503, "events are not numbered")
	close(done)
	must(t, <-ended)
	_, err := o.store.Sequence(t.Context())
	must(t, err)
	ready(200, "ok")
}

// A load balancer must hear at once that a node drains, also while the database does not
// answer. So nobody asks the database.
func TestNotReadyInADrainWhateverTheDatabaseDoes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		draining, beginDrain := context.WithCancel(t.Context())
		mux := http.NewServeMux()
		handleHealth(mux, &resources{db: db, store: store.New(db, seal.NewKey(), nil)}, draining)
		ready := func() (status int, asked uint64) {
			before := db.Stats().Transactions
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
			return w.Code, db.Stats().Transactions - before
		}
		if status, asked := ready(); status != 200 || asked == 0 {
			t.Errorf("before the drain: %d, and the database was asked %d times", status, asked)
		}
		beginDrain()
		if status, asked := ready(); status != 503 || asked != 0 {
			t.Errorf("in the drain: %d, and the database was asked %d times", status, asked)
		}
	})
}
