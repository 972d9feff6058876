package rest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// wantReplay checks that a reply repeats another.
func wantReplay(t testing.TB, got, first frameReply) {
	t.Helper()
	if got.status != first.status || got.body != first.body || got.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %v, replayed %q; want %v again", got, got.header.Get("Idempotent-Replayed"), first)
	}
	if first.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("the first answer %v says that it is a replay", first)
	}
}

// The same call with the same key is done once and gets the same response twice.
// Calls are compared by content, not by bytes.
func TestKeyReplays(t *testing.T) {
	f := frameOnSQLite(t)
	const body = `{"email":"jo@acme.example","name":"Jo & Co","x":[1,{"a":1.10,"b":9007199254740993}]}`
	first := f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k")
	wantStatus(t, first, 201)
	for name, again := range map[string]string{
		"the same bytes":   body,
		"other spaces":     " {\n\"email\" : \"jo@acme.example\",\t\"name\":\"Jo & Co\", \"x\":[ 1,{\"a\":1.10,\"b\":9007199254740993} ] }",
		"another order":    `{"x":[1,{"b":9007199254740993,"a":1.10}],"name":"Jo & Co","email":"jo@acme.example"}`,
		"other escapes":    `{"em\u0061il":"jo\u0040acme.example","name":"Jo \u0026 Co","x":[1,{"a":1.10,"b":9007199254740993}]}`,
		"said before, too": `{"name":"Al","email":"jo@acme.example","name":"Jo & Co","x":[1,{"a":1.10,"b":9007199254740993}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			wantReplay(t, f.send("POST", "/v1/rest/members", again, "Idempotency-Key: k"), first)
		})
	}
	for name, other := range map[string]string{
		"another value":         strings.Replace(body, "jo@", "al@", 1),
		"another case":          strings.Replace(body, "Jo", "jo", 1),
		"an unknown member":     strings.Replace(body, "{", `{"y":1,`, 1),
		"a large number":        strings.Replace(body, "9007199254740993", "9007199254740992", 1),
		"another order in list": `{"email":"jo@acme.example","name":"Jo & Co","x":[{"a":1.10,"b":9007199254740993},1]}`,
		"nothing":               "",
		"no JSON":               body + "x",
		"a list":                "[" + body + "]",
	} {
		t.Run(name, func(t *testing.T) {
			wantProblem(t, f.send("POST", "/v1/rest/members", other, "Idempotency-Key: k"), 422, "UNPROCESSABLE")
		})
	}
	wantProblem(t, f.send("POST", "/v1/rest/members?x=1", body, "Idempotency-Key: k"), 422, "UNPROCESSABLE")
	wantProblem(t, f.send("PATCH", "/v1/rest/account", body, "Idempotency-Key: k"), 422, "UNPROCESSABLE")
	wantProblem(t, f.send("POST", "/v1/rest/tokens", body, "Idempotency-Key: k"), 422, "UNPROCESSABLE")
	f.wantMembers("jo@acme.example")

	// Another token's key with the same name is a different key.
	f.secret = f.newToken(desk.NewToken{Name: "other", Scope: desk.ReadWrite})
	r := f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k")
	wantProblem(t, r, 409, "CONFLICT")
	if !strings.Contains(r.body, "email") {
		t.Errorf("got %v, want that the email is taken", r)
	}
}

// A refusal is also the call's final response, whatever changes afterwards. An
// error that may be gone at the next try is not.
func TestKeyKeepsRefusals(t *testing.T) {
	var outcome error
	f := frameOnSQLite(t, func(f *frame) route {
		return route{method: "POST", path: "/refuses", op: desk.CreateMember, body: jsonBody, status: 201, do: func(c *call) (any, error) {
			if outcome != nil {
				return nil, outcome
			}
			return f.createMember(c)
		}}
	})
	for i, c := range []struct {
		outcome error
		kept    bool
	}{
		{desk.Errorf(desk.Invalid, "No."), true},
		{desk.Errorf(desk.NotFound, "No."), true},
		{desk.Errorf(desk.Refused, "No."), true},
		{desk.Errorf(desk.Conflict, "No."), true},
		{desk.Errorf(desk.Mismatch, "No."), true},
		{desk.Errorf(desk.TooLarge, "No."), true},
		{desk.Errorf(desk.Unsupported, "No."), true},
		{desk.Errorf(desk.Forbidden, "No."), false},
		{desk.Errorf(desk.Busy, "No."), false},
		{desk.Errorf(desk.Unavailable, "No."), false},
		{errors.New("no"), false},
	} {
		key := fmt.Sprint("Idempotency-Key: k", i)
		body := frameMember(fmt.Sprintf("m%d@acme.example", i))
		outcome = c.outcome
		first := f.send("POST", "/v1/rest/refuses", body, key)
		outcome = nil
		second := f.send("POST", "/v1/rest/refuses", body, key)
		if c.kept {
			wantReplay(t, second, first)
			continue
		}
		wantStatus(t, second, 201)
		wantReplay(t, f.send("POST", "/v1/rest/refuses", body, key), second)
	}
	if n := len(f.members()); n != 4 {
		t.Errorf("%d members, want 4", n)
	}
}

// A call that changes nothing also stores its response.
func TestKeyOfACallThatChangesNothing(t *testing.T) {
	calls := 0
	f := frameOnSQLite(t, func(f *frame) route {
		return route{method: "POST", path: "/search", op: desk.CreateMember, body: jsonBody, do: func(*call) (any, error) {
			calls++
			return desk.Member{Name: fmt.Sprint("call ", calls)}, nil
		}}
	})
	first := f.send("POST", "/v1/rest/search", "{}", "Idempotency-Key: k")
	wantReplay(t, f.send("POST", "/v1/rest/search", "{}", "Idempotency-Key: k"), first)
	if calls != 1 {
		t.Errorf("it ran %d times", calls)
	}
}

func TestKeyNames(t *testing.T) {
	f := frameOnSQLite(t)
	n := 0
	for name, ok := range map[string]bool{
		"k":                                      true,
		strings.Repeat("x", desk.MostKeyName):    true,
		strings.Repeat("é", desk.MostKeyName):    true, // characters, not bytes
		`"8e03978e-40d5-43dd-bc93-6894a57f9324"`: true,
		"'; DROP TABLE members; --":              true,
		strings.Repeat("x", desk.MostKeyName+1):  false,
		"\xff":                                   false,
	} {
		n++
		body := frameMember(fmt.Sprintf("m%d@acme.example", n))
		r := f.send("POST", "/v1/rest/members", body, "Idempotency-Key: "+name)
		if !ok {
			wantProblem(t, r, 400, "BAD_REQUEST")
			continue
		}
		wantStatus(t, r, 201)
		wantReplay(t, f.send("POST", "/v1/rest/members", body, "Idempotency-Key: "+name), r)
	}
	r := f.request("POST", "/v1/rest/members", strings.NewReader(frameMember("two@acme.example")))
	r.Header["Idempotency-Key"] = []string{"a", "b"}
	wantProblem(t, f.do(r), 400, "BAD_REQUEST")

	// Reads and deletions do not use keys.
	wantStatus(t, f.send("GET", "/v1/rest/members", "", "Idempotency-Key: get"), 200)
	if r := f.send("GET", "/v1/rest/members", "", "Idempotency-Key: get"); r.header.Get("Idempotent-Replayed") != "" {
		t.Error("a read was replayed")
	}
	wantStatus(t, f.send("DELETE", "/v1/rest/members/99999", "", "Idempotency-Key: get"), 404)
}

// Thirty-two calls with one key at once make one change. Callers that do not get
// the response are told to try again.
func TestKeyAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		f := newFrame(t, db).serve()
		for round := range 6 {
			email, key := fmt.Sprintf("m%d@acme.example", round), fmt.Sprint("Idempotency-Key: k", round)
			replies := make([]frameReply, 32)
			start := make(chan struct{})
			var all sync.WaitGroup
			for i := range replies {
				r := f.request("POST", "/v1/rest/members", strings.NewReader(frameMember(email)), key)
				all.Go(func() {
					<-start
					var err error
					if replies[i], err = f.try(r); err != nil {
						t.Error(err)
					}
				})
			}
			close(start)
			all.Wait()
			last := f.send("POST", "/v1/rest/members", frameMember(email), key)
			if last.status != 201 || last.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("afterwards: %v", last)
			}
			done := 0
			for _, r := range replies {
				switch {
				case r.status == 409:
					wantProblem(t, r, 409, "CONFLICT")
					if r.header.Get("Retry-After") == "" {
						t.Errorf("%v does not say when to try again", r)
					}
				case r.status == 201 && r.body == last.body:
					if r.header.Get("Idempotent-Replayed") == "" {
						done++
					}
				default:
					t.Errorf("got %v", r)
				}
			}
			if done != 1 {
				t.Errorf("%d calls say that they did it", done)
			}
			if n := len(f.members()); n != round+1 {
				t.Fatalf("round %d: %d members", round, n)
			}
		}
	})
}

// A call's key is held while it works, however long that takes. When it is done,
// the response is stored.
func TestKeyIsHeldWhileACallWorks(t *testing.T) {
	url := dbtest.URL(t, sqldb.SQLite)
	synctest.Test(t, func(t *testing.T) {
		proceed := make(chan struct{})
		f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: url}), func(f *frame) route {
			return route{method: "POST", path: "/works", op: desk.CreateMember, body: jsonBody, status: 201, do: func(c *call) (any, error) {
				<-proceed
				return f.createMember(c)
			}}
		})
		call := func() frameReply {
			return f.send("POST", "/v1/rest/works", frameMember("jo@acme.example"), "Idempotency-Key: k")
		}
		first := make(chan frameReply)
		go func() { first <- call() }()
		synctest.Wait()
		for range 20 {
			wantProblem(t, call(), 409, "CONFLICT")
			time.Sleep(desk.KeyLease / 4)
		}
		writes := f.store.DB().Stats().Writes
		proceed <- struct{}{}
		done := <-first
		wantStatus(t, done, 201)
		wantReplay(t, call(), done)
		f.wantMembers("jo@acme.example")

		// A finished call no longer renews its lease.
		after := f.store.DB().Stats().Writes
		if after == writes {
			t.Error("nothing was written")
		}
		time.Sleep(10 * desk.KeyLease)
		if now := f.store.DB().Stats().Writes; now != after {
			t.Errorf("%d writes after the call was done", now-after)
		}
	})
}

// A panic ends the renewals, too.
func TestKeyIsNotRenewedAfterAPanic(t *testing.T) {
	url := dbtest.URL(t, sqldb.SQLite)
	synctest.Test(t, func(t *testing.T) {
		f := newFrame(t, dbtest.Open(t, sqldb.Config{URL: url}), func(f *frame) route {
			return route{method: "POST", path: "/panics", op: desk.CreateMember, body: jsonBody, do: func(c *call) (any, error) { panic("x") }}
		})
		wantProblem(t, f.send("POST", "/v1/rest/panics", "{}", "Idempotency-Key: k"), 500, "INTERNAL")
		before := f.store.DB().Stats().Writes
		time.Sleep(10 * desk.KeyLease)
		if after := f.store.DB().Stats().Writes; after != before {
			t.Fatalf("%d writes after the call had panicked", after-before)
		}
	})
}

// A call that seemed dead and lost its key to another call is rolled back.
func TestKeyTakenOver(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		arrived, proceed := make(chan string, 2), map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
		f := newFrame(t, db, func(f *frame) route {
			return route{method: "POST", path: "/works", op: desk.CreateMember, body: jsonBody, status: 201, do: func(c *call) (any, error) {
				who := c.req.Header.Get("X-Who")
				arrived <- who
				<-proceed[who]
				return f.createMember(c)
			}}
		}).serve()
		replies := map[string]chan frameReply{"a": make(chan frameReply, 1), "b": make(chan frameReply, 1)}
		start := func(who string) {
			r := f.request("POST", "/v1/rest/works", strings.NewReader(frameMember("jo@acme.example")), "Idempotency-Key: k", "X-Who: "+who)
			go func() {
				got, err := f.try(r)
				if err != nil {
					t.Error(err)
				}
				replies[who] <- got
			}()
			if got := <-arrived; got != who {
				t.Fatalf("%s arrived", got)
			}
		}
		start("a")
		f.clock.move(desk.KeyLease) // a is stopped, and its next renewal is not due yet
		start("b")
		// The call that seemed dead is no longer the owner.
		close(proceed["a"])
		lost := <-replies["a"]
		wantProblem(t, lost, 409, "CONFLICT")
		if lost.header.Get("Retry-After") == "" {
			t.Error("it is not said when to try again")
		}
		f.wantMembers()
		close(proceed["b"])
		won := <-replies["b"]
		wantStatus(t, won, 201)
		f.wantMembers("jo@acme.example")
		wantReplay(t, f.send("POST", "/v1/rest/works", frameMember("jo@acme.example"), "Idempotency-Key: k"), won)
	})
}

// If a key could not be released because the database was gone, it is free when its
// lease has expired.
func TestKeyOfAnInterruptedCall(t *testing.T) {
	f := frameOnSQLite(t)
	caller, err := f.service.Authenticate(context.Background(), f.secret)
	f.must(err)
	_, err = f.service.BeginKey(context.Background(), caller, "k") // and then the process ends
	f.must(err)
	body := frameMember("jo@acme.example")
	r := f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k")
	wantProblem(t, r, 409, "CONFLICT")
	f.clock.move(desk.KeyLease)
	wantStatus(t, f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k"), 201)
	f.wantMembers("jo@acme.example")
	f.clock.move(desk.AnswerKept - time.Minute)
	if r := f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k"); r.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("within a day: %v", r)
	}
	f.clock.move(time.Hour)
	wantProblem(t, f.send("POST", "/v1/rest/members", body, "Idempotency-Key: k"), 409, "CONFLICT") // the call ran again: the email is taken
}

// A stored response that contains a secret is replayed completely, from a sealed
// column.
func TestKeyReplaysASecret(t *testing.T) {
	f := frameOnSQLite(t)
	first := f.send("POST", "/v1/rest/tokens", `{"name":"CI","scope":"read_only"}`, "Idempotency-Key: k")
	wantStatus(t, first, 201)
	if !strings.Contains(first.body, `"secret":"fd_`) {
		t.Fatalf("got %v", first)
	}
	wantReplay(t, f.send("POST", "/v1/rest/tokens", `{"scope":"read_only","name":"CI"}`, "Idempotency-Key: k"), first)
}
