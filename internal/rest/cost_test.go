package rest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// following is how long after a call a job counts as following it. Some jobs wait
// for more of the same.
const following = 10 * time.Second

const costFile = "testdata/costs.txt"

const costHead = `# The cost of the calls in the examples. For each operation it is the most expensive call: the statements and transactions of the call
# itself, and the statements, transactions and jobs of everything that follows it. A change that makes one more expensive shows here, and
# its author says why.
#
#   go test ./internal/rest -run TestCosts -args -update
#
# operation                                  statements transactions  then statements transactions jobs
`

// cost is what a call, and what follows it, does to the database.
type cost struct {
	statements, transactions uint64
	thenStatements           uint64
	thenTransactions         uint64
	thenJobs                 int
}

func (c cost) String() string {
	return fmt.Sprintf("%10d %12d %16d %12d %4d", c.statements, c.transactions, c.thenStatements, c.thenTransactions, c.thenJobs)
}

func (c cost) all() uint64 { return c.statements + c.thenStatements }

// No operation costs more than a file says. Times depend on the machine, but counts
// do not, so nothing can be added to a call unnoticed.
func TestCosts(t *testing.T) {
	document, err := servedContract()
	if err != nil {
		t.Fatal(err)
	}
	dearest := map[string]cost{}
	for _, s := range readScripts(t) {
		if strings.HasPrefix(s.name, "example-") {
			s.weigh(t, document, dearest)
		}
	}
	text := costHead
	for _, operation := range slices.Sorted(maps.Keys(dearest)) {
		text += fmt.Sprintf("%-44s %s\n", operation, dearest[operation])
	}
	if *updateReference {
		if err := os.WriteFile(costFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(costFile)
	if err != nil {
		t.Fatal(err)
	}
	if text == string(want) {
		return
	}
	is, was := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for _, line := range is {
		if !slices.Contains(was, line) {
			t.Errorf("now   %s", line)
		}
	}
	for _, line := range was {
		if !slices.Contains(is, line) {
			t.Errorf("was   %s", line)
		}
	}
}

// weigh plays a script by itself, on a database that nobody shares. It does what
// follows each call before the next call.
func (s script) weigh(t *testing.T, document *contract, dearest map[string]cost) {
	t.Helper()
	db := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)})
	// Whether a token is looked up once more depends on how fast the machine is.
	st := newStage(t, db, s.rate, func(c *service.Config) {
		c.TokensKept = time.Hour
		if !s.mails() {
			c.Mail.Sends, c.Outside.Mail = false, nil // a server without a relay
		}
	})
	settle := func() int {
		t.Helper()
		if s.sends() {
			return 0
		}
		jobs, err := st.worker.Settle(context.Background(), following)
		if err != nil {
			t.Fatal(err)
		}
		return jobs
	}
	settle()
	settled := db.Stats()
	settle()
	idle := db.Stats() // the cost of seeing that there is nothing to do
	idle.Statements, idle.Transactions = idle.Statements-settled.Statements, idle.Transactions-settled.Transactions
	vars := maps.Clone(st.ids)
	for _, step := range s.steps {
		for _, line := range step.before {
			if err := st.direct(line, vars); err != nil {
				t.Fatalf("%s.txt:%d: %s: %v", s.name, step.line, line, err)
			}
		}
		settle()
		for range step.repeat {
			r, err := step.request(st, vars)
			if err != nil {
				t.Fatal(err)
			}
			operation := document.operation(r)
			if r.Method == http.MethodGet { // what is read the second time
				if err := st.warm(step, vars); err != nil {
					t.Fatal(err)
				}
			}
			before := db.Stats()
			// What follows a call shows in replies. Other tests check those; here
			// replies only provide ids.
			w, body, err := step.send(st, r)
			if err != nil || w.StatusCode != step.status {
				t.Fatalf("%s.txt:%d: %s\n%v %s", s.name, step.line, step.caption, err, body)
			}
			_ = matchBody(step.want, body, vars)
			called := db.Stats()
			jobs := settle()
			then := db.Stats()
			c := cost{
				statements: called.Statements - before.Statements, transactions: called.Transactions - before.Transactions,
				thenStatements:   then.Statements - called.Statements - idle.Statements,
				thenTransactions: then.Transactions - called.Transactions - idle.Transactions,
				thenJobs:         jobs,
			}
			if operation != nil && step.status < http.StatusBadRequest && c.all() >= dearest[operation.id].all() {
				dearest[operation.id] = c
			}
		}
	}
}

// warm makes a call and ignores the response.
func (s *stage) warm(step scriptStep, vars map[string]string) error {
	r, err := step.request(s, vars)
	if err != nil {
		return err
	}
	_, _, err = step.send(s, r)
	return err
}

// sends reports whether a script itself does what would follow.
func (s script) sends() bool { return s.directs("sends ") }

// mails reports whether mail goes out in a script.
func (s script) mails() bool { return s.directs("relay ") }

// directs reports whether a line before a request begins like this.
func (s script) directs(prefix string) bool {
	return slices.ContainsFunc(s.steps, func(step scriptStep) bool {
		return slices.ContainsFunc(step.before, func(line string) bool { return strings.HasPrefix(line, prefix) })
	})
}
