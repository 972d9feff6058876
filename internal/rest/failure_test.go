package rest

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// wantUnavailable checks the response to a call that cannot be done right now.
func wantUnavailable(t testing.TB, r frameReply) {
	t.Helper()
	wantProblem(t, r, 503, "UNAVAILABLE")
	if r.header.Get("Retry-After") == "" {
		t.Errorf("%v does not say when to try again", r)
	}
	for _, inside := range []string{"sqlite", "SQLITE", "pgx", "127.0.0.1", "disk", "locked"} {
		if strings.Contains(r.body, inside) {
			t.Errorf("%v says %q", r, inside)
		}
	}
}

// count returns the number of rows in a table.
func (f *frame) count(table string) (n int) {
	f.t.Helper()
	f.must(f.store.DB().Read(context.Background(), func(tx *sqldb.Tx) error { return tx.Row("SELECT count(*) FROM " + table).Scan(&n) }))
	return n
}

// Another program holds the write lock of the SQLite file. Writers are told to try
// again, and reads continue. When the lock is released, everything works.
func TestFailureLocked(t *testing.T) {
	file := dbtest.URL(t, sqldb.SQLite)
	f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: file, LockTimeout: 20 * time.Millisecond})).serve()
	other, err := sql.Open("sqlite", file)
	f.must(err)
	defer other.Close()
	holder, err := other.Conn(context.Background())
	f.must(err)
	defer holder.Close()
	_, err = holder.ExecContext(context.Background(), "BEGIN IMMEDIATE")
	f.must(err)

	body := frameMember("jo@acme.example")
	for range 3 {
		wantUnavailable(t, f.send("POST", "/v1/rest/members", body))
		wantUnavailable(t, f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k"))
		wantUnavailable(t, f.send("DELETE", "/v1/rest/members/1", ""))
		wantStatus(t, f.send("GET", "/v1/rest/members", ""), 200)
		wantStatus(t, f.send("GET", "/v1/rest/events", ""), 200)
	}
	_, err = holder.ExecContext(context.Background(), "ROLLBACK")
	f.must(err)
	f.wantMembers()
	r := f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k")
	wantStatus(t, r, 201)
	wantReplay(t, f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k"), r)
	f.wantMembers("jo@acme.example")
}

// The disk is full. Calls that do not fit are told to try again and leave nothing
// behind, and reads continue. When there is room, everything works.
func TestFailureFullDisk(t *testing.T) {
	f := frameOnSQLite(t)
	// The limit belongs to the connection, and only one connection writes.
	room := func(pages int) {
		t.Helper()
		f.must(f.store.DB().Write(context.Background(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages))
			return err
		}))
	}
	body := func(i int) string {
		return fmt.Sprintf(`{"email":"m%d@acme.example","name":%q}`, i, strings.Repeat("é", 200))
	}
	post := func(i int) frameReply {
		return f.send("POST", "/v1/rest/members", body(i), fmt.Sprint("Idempotency-Key: k", i))
	}
	room(1) // not less than it has: free space within its pages stays usable
	added, refused := 0, 0
	var failed []int
	for i := 0; refused < 10; i++ {
		if i > 1000 {
			t.Fatal("the database takes everything")
		}
		r := post(i)
		if r.status == 201 {
			added++
			continue
		}
		refused++
		failed = append(failed, i)
		wantUnavailable(t, r)
	}
	wantStatus(t, f.send("GET", "/v1/rest/members", ""), 200)
	// Everything that was added is complete: each with its entry in the audit log
	// and its event. The account, its admin and the token have three entries and
	// one event.
	whole := func() {
		t.Helper()
		if members, entries, events := len(f.members()), f.count("audit_logs")-3, f.count("events")-1; members != added || entries != added || events != added {
			t.Errorf("%d were added: %d members, %d entries, %d events", added, members, entries, events)
		}
	}
	whole()
	room(1 << 30)
	for _, i := range failed {
		// By now the key's lease has expired, in case releasing it failed, too.
		f.clock.move(desk.KeyLease)
		r := post(i)
		wantStatus(t, r, 201)
		added++
		wantReplay(t, post(i), r)
	}
	whole()
}

// PostgreSQL cannot be reached for a while. Calls are told to try again, within a
// limited time. When it is back, everything works.
func TestFailureUnreachable(t *testing.T) {
	proxy, address := dbtest.StartProxy(t, dbtest.URL(t, sqldb.Postgres))
	db := dbtest.Open(t, sqldb.Config{URL: address + "&connect_timeout=3", WriteTimeout: 5 * time.Second, Log: slog.New(slog.DiscardHandler)})
	f := newFrame(t, db).serve()
	body := func(i int) string { return frameMember(fmt.Sprintf("m%d@acme.example", i)) }
	wantStatus(t, f.send("POST", "/v1/rest/members", body(0)), 201)

	within := func(what string, call func() frameReply) frameReply {
		t.Helper()
		reply := make(chan frameReply, 1)
		go func() { reply <- call() }()
		select {
		case r := <-reply:
			return r
		case <-time.After(5 * time.Minute):
			t.Fatalf("%s: no answer", what)
			return frameReply{}
		}
	}
	// request creates the call here, because a goroutine must not end the test.
	call := func(method, path, body, key string) func() frameReply {
		r := f.request(method, path, strings.NewReader(body), "Idempotency-Key: "+key)
		return func() frameReply {
			got, err := f.try(r)
			if err != nil {
				t.Error(err)
			}
			return got
		}
	}
	for i, fault := range []struct {
		name      string
		readFirst bool // the read is the first to meet a dead connection
		set       func()
	}{
		{"connections are refused", false, func() { proxy.Set(func() { proxy.Cut = true }) }},
		{"nobody answers a write", false, func() { proxy.Set(func() { proxy.Silent = true }) }},
		{"nobody answers a read", true, func() { proxy.Set(func() { proxy.Silent = true }) }},
	} {
		t.Run(fault.name, func(t *testing.T) {
			key := fmt.Sprint("k", i)
			unseen := f.newToken(desk.NewToken{Name: "unseen", Scope: desk.ReadWrite})
			wantStatus(t, f.send("GET", "/v1/rest/members", ""), 200)
			fault.set()
			if fault.readFirst {
				wantUnavailable(t, within("read", call("GET", "/v1/rest/members", "", "")))
			}
			// One token is still cached, so that the write itself fails. The other
			// has to be looked up.
			wantUnavailable(t, within("write", call("POST", "/v1/rest/members", body(i+1), key)))
			f.secret, unseen = unseen, f.secret
			wantUnavailable(t, within("read", call("GET", "/v1/rest/members", "", "")))
			f.secret = unseen
			proxy.Set(func() { proxy.Cut, proxy.Silent = false, false })
			for end := time.Now().Add(5 * time.Minute); ; {
				r := within("write", call("POST", "/v1/rest/members", body(i+1), key))
				if r.status == 201 {
					break
				}
				wantUnavailable(t, r)
				if time.Now().After(end) || t.Failed() {
					t.Fatalf("it does not recover: %v", r)
				}
			}
			wantStatus(t, within("read", call("GET", "/v1/rest/members", "", "")), 200)
		})
	}
	f.wantMembers("m0@acme.example", "m1@acme.example", "m2@acme.example", "m3@acme.example")
}

// The connection breaks after a COMMIT was sent and before the response came, so
// nobody knows whether it was done. A retry with the same key finds out.
func TestFailureCommitWithoutAnswer(t *testing.T) {
	proxy, address := dbtest.StartProxy(t, dbtest.URL(t, sqldb.Postgres))
	f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: address, Log: slog.New(slog.DiscardHandler)})).serve()
	body := frameMember("jo@acme.example")

	// The operation's own commit: the change and its response are stored.
	proxy.Set(func() { proxy.LoseCommit = 2 }) // the first commit takes the key
	wantUnavailable(t, f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k"))
	r := f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k")
	if r.status != 201 || r.header.Get("Idempotent-Replayed") != "true" || !strings.Contains(r.body, "jo@acme.example") {
		t.Errorf("the retry gives %v", r)
	}
	f.wantMembers("jo@acme.example")

	// The commit that takes the key: nothing was done. The process knows that the call
	// that may own the key has ended.
	proxy.Set(func() { proxy.LoseCommit = 1 })
	body = frameMember("al@acme.example")
	wantUnavailable(t, f.send("POST", "/v1/rest/members", body, "Idempotency-Key: l"))
	f.wantMembers("jo@acme.example")
	wantStatus(t, f.send("POST", "/v1/rest/members", body, "Idempotency-Key: l"), 201)
	f.wantMembers("jo@acme.example", "al@acme.example")
}

// A clock jumps by hours, forward and back.
func TestFailureClock(t *testing.T) {
	f := frameOnSQLite(t)
	ends := f.clock.now().Add(time.Hour).Truncate(time.Millisecond)
	forever, short := f.secret, f.newToken(desk.NewToken{Name: "short", Scope: desk.ReadWrite, ExpiresAt: desk.Just(ends)})
	body := func(i int) string { return frameMember(fmt.Sprintf("m%d@acme.example", i)) }
	var want []string
	for i := range 4 {
		wantStatus(t, f.send("POST", "/v1/rest/members", body(i), fmt.Sprint("Idempotency-Key: k", i)), 201)
		want = append(want, fmt.Sprintf("m%d@acme.example", i))
	}
	// A walk through the list, two at a time, with a jump and a new member between
	// the pages. Each of the original members comes once.
	var seen []string
	walk := func(path string) (next string) {
		t.Helper()
		r := f.send("GET", path, "")
		wantStatus(t, r, 200)
		var page struct {
			Members []struct{ Email string }
			Meta    struct {
				Next *string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		f.must(json.Unmarshal([]byte(r.body), &page))
		for _, m := range page.Members {
			seen = append(seen, m.Email)
		}
		if page.Meta.Next == nil {
			return ""
		}
		return *page.Meta.Next
	}
	next := walk("/v1/rest/members?limit=2&sort_order=asc")
	for i, step := range []struct {
		jump    time.Duration
		short   bool // whether the token with an expiry is valid by this clock
		replays bool // whether responses from the beginning are replayed
	}{
		{5 * time.Hour, false, true},
		{-10 * time.Hour, true, true},
		{35 * time.Hour, false, false}, // thirty hours later
		{-30 * time.Hour, true, true},
	} {
		f.clock.move(step.jump)
		f.secret = short
		if r := f.send("GET", "/v1/rest/account", ""); (r.status == 200) != step.short {
			t.Errorf("step %d: with the token that ends: %v", i, r)
		}
		f.secret = forever
		r := f.send("POST", "/v1/rest/members", body(i%2), fmt.Sprint("Idempotency-Key: k", i%2))
		if replayed := r.header.Get("Idempotent-Replayed") == "true" && r.status == 201; replayed != step.replays {
			t.Errorf("step %d: with an old key: %v, replayed %v", i, r, r.header.Get("Idempotent-Replayed"))
		}
		wantStatus(t, f.send("POST", "/v1/rest/members", body(100+i), fmt.Sprint("Idempotency-Key: new", i)), 201)
		if next != "" {
			next = walk("/v1/rest/members?limit=2&sort_order=asc&next_cursor=" + next)
		}
	}
	for next != "" {
		next = walk("/v1/rest/members?limit=2&sort_order=asc&next_cursor=" + next)
	}
	for _, email := range want {
		n := 0
		for _, s := range seen {
			if s == email {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s was seen %d times in %v", email, n, seen)
		}
	}
	// The feed is not affected: it has them in the order of their numbers.
	_, err := f.store.Sequence(context.Background())
	f.must(err)
	r := f.send("GET", "/v1/rest/events?limit=100", "")
	var order []int
	for _, email := range append(want, "m100@", "m101@", "m102@", "m103@") {
		order = append(order, strings.Index(r.body, email))
	}
	if !slices.IsSorted(order) || order[0] < 0 {
		t.Errorf("the feed has them at %v: %s", order, r.body)
	}
}
