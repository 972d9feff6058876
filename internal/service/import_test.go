package service

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// old returns a request of another system with three messages.
func old(external string) desk.ImportedRequest {
	at := time.Date(2025, 11, 3, 8, 0, 0, 0, time.UTC)
	n := desk.ImportedRequest{Title: ptr("Old"), Requester: desk.Requester{Email: "oskar@else.example"}, Tags: []string{"a", "b"}, CreatedAt: &at, State: ptr(desk.Solved)}
	if external != "" {
		n.ExternalID = &external
	}
	for i := range 3 {
		n.Messages = append(n.Messages, desk.ImportedMessage{HTML: ptr(fmt.Sprintf("<p>Message %d of %s</p>", i, external)), Author: desk.Requester{Name: "X"}, Responder: ptr(i == 1), CreatedAt: ptr(at.Add(time.Hour))})
	}
	return n
}

// oneByOne returns requests one by one, as they come from a body.
func oneByOne(all ...desk.ImportedRequest) func() (desk.ImportedRequest, error) {
	return func() (n desk.ImportedRequest, err error) {
		if len(all) == 0 {
			return n, io.EOF
		}
		n, all = all[0], all[1:]
		return n, nil
	}
}

// If several import the same at the same time, each request exists once, and
// everyone is told the same id.
func TestImportsAtOnce(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		processes := []*Service{c.Service, c.another().Service, c.Service, c.another().Service}
		c.newCollection("API", desk.APICollection)
		const n = 20
		made := 0
		for round := range 5 {
			batch := func(from int) (all []desk.ImportedRequest) {
				for i := range n { // each starts elsewhere, and in a different order
					all = append(all, old(fmt.Sprintf("%d-%d", round, (i*3+from*7)%n)))
				}
				return all
			}
			results, errs := make([][]desk.Imported, len(processes)), make([]error, len(processes))
			start := make(chan struct{})
			var all sync.WaitGroup
			for i, s := range processes {
				all.Go(func() {
					<-start
					for range 10 { // the database may ask to try again
						results[i], errs[i] = s.ImportRequests(ctx, c.caller(), oneByOne(batch(i)...))
						if desk.KindOf(errs[i]) != desk.Unavailable {
							break
						}
					}
				})
			}
			close(start)
			all.Wait()
			ids, created := map[string]desk.RequestID{}, 0
			for i, list := range results {
				must(t, errs[i])
				for _, r := range list {
					if id, told := ids[r.ExternalID]; told && id != r.Request {
						t.Errorf("%s is %d and %d", r.ExternalID, id, r.Request)
					}
					ids[r.ExternalID] = r.Request
					if !r.Exists {
						created++
					}
				}
			}
			made += n
			if len(ids) != n || created != n {
				t.Errorf("%d ids, %d created; want %d of both", len(ids), created, n)
			}
			for table, want := range map[string]int{"requests": made, "messages": 3 * made, "tickets": made} {
				if got := c.rows(table); got != want {
					t.Errorf("%d %s, want %d", got, table, want)
				}
			}
		}
	})
}

// Whatever is wrong with the last of fifty, and wherever it is found: nothing of
// the others is saved.
func TestImportIsAllOrNothing(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		c := companyAt(t, url)
		c.newCollection("API", desk.APICollection)
		tables := []string{"requests", "request_tags", "messages", "tickets", "custom_field_values", "events", "audit_logs"}
		count := func() map[string]int {
			rows := map[string]int{}
			for _, table := range tables {
				rows[table] = c.rows(table)
			}
			return rows
		}
		before := count()
		fifty := func(spoil func(*desk.ImportedRequest)) []desk.ImportedRequest {
			all := make([]desk.ImportedRequest, desk.MostImported)
			for i := range all {
				all[i] = old(fmt.Sprint("id", i))
			}
			spoil(&all[len(all)-1])
			return all
		}
		for name, spoil := range map[string]func(*desk.ImportedRequest){
			"a body that was not read": func(n *desk.ImportedRequest) { n.Problem = wrongField("title") },
			"an empty title":           func(n *desk.ImportedRequest) { n.Title = ptr("") },
			"a bad last message":       func(n *desk.ImportedRequest) { n.Messages[2].CreatedAt = nil },
			"an unknown assignee":      func(n *desk.ImportedRequest) { n.Assignee = ptr("U_NONE") },
			"an unknown author":        func(n *desk.ImportedRequest) { n.Messages[2].Author.User = "U_NONE" },
			"an unknown customer":      func(n *desk.ImportedRequest) { n.Customer = ptr(desk.CustomerID(99999999)) },
			"an unknown field":         func(n *desk.ImportedRequest) { n.Values = desk.FieldInput{"7": "x"} },
		} {
			_, err := c.ImportRequests(ctx, c.caller(), oneByOne(fifty(spoil)...))
			wantKind(t, err, desk.Invalid)
			var e *desk.Error
			if !errors.As(err, &e) || len(e.Items) != 1 || e.Items[0].Index != desk.MostImported-1 || !strings.HasPrefix(e.Message, "1 of 50 ") {
				t.Errorf("%s: got %v", name, err)
			}
			if after := count(); !maps.Equal(after, before) {
				t.Errorf("%s: %v rows, want %v", name, after, before)
			}
		}

		// A body that breaks off, and an answer that cannot be saved.
		broken := errors.New("broken off")
		some := oneByOne(fifty(func(*desk.ImportedRequest) {})[:10]...)
		_, err := c.ImportRequests(ctx, c.caller(), func() (desk.ImportedRequest, error) {
			n, err := some()
			if err == io.EOF {
				err = broken
			}
			return n, err
		})
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		caller := c.caller()
		caller.Key = &desk.IdempotencyKey{}
		caller.Answer = func(any) (desk.Answer, error) { return desk.Answer{}, broken }
		if _, err := c.ImportRequests(ctx, caller, oneByOne(fifty(func(*desk.ImportedRequest) {})...)); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if after := count(); !maps.Equal(after, before) {
			t.Errorf("%v rows, want %v", after, before)
		}

		// Without the fault all are imported.
		_, err = c.ImportRequests(ctx, c.caller(), oneByOne(fifty(func(*desk.ImportedRequest) {})...))
		must(t, err)
		if n := c.rows("requests"); n != desk.MostImported {
			t.Errorf("%d requests", n)
		}
	})
}

func wrongField(name string) error {
	var p desk.Problems
	p.Add(name, "must be a string")
	return p.Err()
}

// Up to a thousand problems are reported, the first ones first.
func TestImportTellsSoManyProblems(t *testing.T) {
	c := newCompany(t)
	c.newCollection("API", desk.APICollection)
	all := make([]desk.ImportedRequest, desk.MostImported)
	for i := range all {
		all[i] = old("")
		for range 30 {
			all[i].Messages = append(all[i].Messages, desk.ImportedMessage{})
		}
	}
	_, err := c.ImportRequests(ctx, c.caller(), oneByOne(all...))
	var e *desk.Error
	if !errors.As(err, &e) || len(e.Items) != 1000 || e.Items[0].Index != 0 || e.Items[0].Field != "messages[3].html_body" || !strings.HasPrefix(e.Message, "50 of 50 ") {
		t.Errorf("got %.200v", err)
	}
}

// An import leaves requests and their records but no jobs: nothing that would post,
// send or ask. The requests are in no channel.
func TestImportTellsNobody(t *testing.T) {
	c := newCompany(t)
	c.addChannels("C_TICKETS")
	_, err := c.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "API", Kind: desk.APICollection, RequestChannel: ptr("C_TICKETS")})
	must(t, err)
	jobs, events := c.rows("jobs"), len(c.events())
	made, err := c.ImportRequests(ctx, c.caller(), oneByOne(old("a"), old("b")))
	must(t, err)
	if n := c.rows("jobs"); n != jobs {
		t.Errorf("%d jobs were added", n-jobs)
	}
	all := c.events()[events:]
	if len(all) != 2 {
		t.Errorf("%d events", len(all))
	}
	for i, e := range all {
		if e.Type != desk.RequestCreated || e.Source != desk.SourceImport || !strings.Contains(string(e.Data), `"id":`+strconv.FormatInt(int64(made[i].Request), 10)+",") {
			t.Errorf("event %d is %s from %s: %s", i, e.Type, e.Source, e.Data)
		}
	}
	r, err := c.Request(ctx, c.caller(), made[0].Request, RequestParts{Messages: true})
	must(t, err)
	if r.Channel != nil || r.Thread != nil || r.Source != desk.FromImport || r.Messages[0].Source != desk.SourceImport {
		t.Errorf("got %+v", r)
	}
	// An imported request is a request like any other.
	r, err = c.UpdateRequest(ctx, c.caller(), r.ID, desk.RequestChange{State: ptr(desk.Closed)})
	must(t, err)
	if *r.State != desk.Closed {
		t.Errorf("it is %s", *r.State)
	}
}

// An imported request has everything that a created one has: as many rows in every
// table that names requests.
func TestImportIsAsMade(t *testing.T) {
	c := newCompany(t)
	c.newCollection("API", desk.APICollection)
	_, err := c.CreateSLAPolicy(ctx, c.caller(), desk.GivenSLAPolicy{Name: ptr("Soon"), Kind: ptr(desk.SLAFirstResponse), TargetMinutes: ptr(60)})
	must(t, err)
	const text = "<p>The printer burns. Please help!</p>"
	made, err := c.CreateRequest(ctx, c.caller(), desk.NewRequest{Title: ptr("Fire"), Description: text, Priority: ptr(desk.High), Tags: []string{"a", "b"}})
	must(t, err)
	imported, err := c.ImportRequests(ctx, c.caller(), oneByOne(desk.ImportedRequest{Title: ptr("Fire"), Description: ptr(text), Priority: ptr(desk.High), Tags: []string{"a", "b"},
		Requester: made.Author, CreatedAt: &made.CreatedAt, State: ptr(desk.Open)}))
	must(t, err)
	must(t, c.store.DB().Read(ctx, func(tx *sqldb.Tx) error {
		scan := func(scan func(...any) error) (name string, err error) {
			err = scan(&name)
			return name, err
		}
		tables, err := sqldb.Collect(tx, scan, `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'request_id' WHERE m.type = 'table'`)
		must(t, err)
		if len(tables) < 15 {
			t.Errorf("only the tables %q name requests", tables)
		}
		for _, table := range tables {
			var of [2]int
			for i, id := range []desk.RequestID{made.ID, imported[0].Request} {
				must(t, tx.Row("SELECT count(*) FROM "+table+" WHERE request_id = $1", id).Scan(&of[i]))
			}
			if of[0] != of[1] {
				t.Errorf("%s has %d rows for the created request and %d for the imported one", table, of[0], of[1])
			}
		}
		return nil
	}))
}
