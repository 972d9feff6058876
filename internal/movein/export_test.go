package movein

import (
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/desk"
)

// fakeSource is an account in memory.
type fakeSource struct {
	requests []desk.Request
	asked    []desk.Page
	fail     error // of the second page
}

func (s *fakeSource) Requests(_ context.Context, p desk.Page) (l desk.List[desk.Request], err error) {
	s.asked = append(s.asked, p)
	from := 0
	if p.From != nil {
		if from = int(p.From.ID); s.fail != nil {
			return l, s.fail
		}
	}
	to := min(from+p.Limit, len(s.requests))
	if l.Items = s.requests[from:to]; to < len(s.requests) {
		l.Next = &desk.Position{ID: int64(to)}
	}
	return l, nil
}

func (*fakeSource) Customers(_ context.Context, q desk.CustomerQuery) (l desk.List[desk.Customer], err error) {
	at := time.Date(2025, 1, 2, 3, 4, 5, 6e6, time.UTC)
	l.Items = []desk.Customer{{ID: 4, Name: "=Quay, \"Ltd\"", Domains: []string{"quay.example"}, CreatedAt: at, UpdatedAt: at}}
	return l, nil
}

func (*fakeSource) Users(context.Context, []string) (map[string]desk.User, error) {
	return map[string]desk.User{"U9": {ID: "U9", Email: "noor@harbor.example"}}, nil
}

func sampleRequests(n int) (all []desk.Request) {
	state, customer, assignee := desk.Solved, desk.CustomerID(4), "U9"
	at := time.Date(2025, 1, 2, 3, 4, 5, 6e6, time.FixedZone("", 3600))
	for i := range n {
		all = append(all, desk.Request{ID: desk.RequestID(i + 1), Key: desk.TicketKey("ACME", int64(i+1)), Title: "Crane,\nstuck", State: &state, Priority: desk.High, Author: desk.Requester{Name: "Jonas", Email: "jonas@quay.example"},
			Customer: &customer, Assignee: &assignee, AssigneeName: "Noor", Collection: desk.CollectionRef{ID: 1, Name: "Harbor"}, Tags: []string{"a", "b"}, Source: desk.FromChat,
			CreatedAt: at, UpdatedAt: at, LastMessageAt: at, SolvedAt: &at, FirstSolvedAt: &at,
			Messages: []desk.Message{{ID: desk.MessageID(100 + i), HTML: "<p>It does not \"turn\".</p><script>x</script>", Text: "It does not \"turn\".", Source: desk.SourceImport, CreatedAt: at}}})
	}
	return all
}

func TestExportCSV(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	s := &fakeSource{requests: sampleRequests(2*mostExported + 1)}
	after := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	e := Export{Source: s, Format: CSV, Folder: folder, After: after, Until: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	done, err := e.Run(context.Background())
	if err != nil || done != (Exported{41, 41, 1}) || len(s.asked) != 3 || !s.asked[2].After.Before(after) || !s.asked[0].Before.Equal(e.Until) {
		t.Fatal(done, err, s.asked)
	}
	for name, want := range map[string]struct {
		rows int
		last string
	}{
		"requests.csv": {42, `41||Crane,
stuck|solved||high||Jonas|jonas@quay.example|4|=Quay, "Ltd"|U9|Noor|noor@harbor.example|||1|Harbor||||chat|["a","b"]|{}|1|2025-01-02T02:04:05.006Z|2025-01-02T02:04:05.006Z|2025-01-02T02:04:05.006Z||2025-01-02T02:04:05.006Z|2025-01-02T02:04:05.006Z|ACME-41`},
		"messages.csv":  {42, `140|41||||false|false|false|import|<p>It does not "turn".</p>|It does not "turn".|0|2025-01-02T02:04:05.006Z|`},
		"customers.csv": {2, `4|=Quay, "Ltd"||["quay.example"]|[]|||||{}|2025-01-02T03:04:05.006Z|2025-01-02T03:04:05.006Z`},
	} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll() // every row has the same number of columns
		if err != nil || len(rows) != want.rows {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		last := rows[len(rows)-1]
		for i := range last {
			last[i] = strings.TrimPrefix(last[i], "'")
		}
		if got := strings.Join(last, "|"); got != want.last {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want.last)
		}
	}
	if _, err := e.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("written again: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 3 {
		t.Errorf("there are %q", left)
	}
}

// An export that fails leaves nothing, and what remains of one that was killed is
// written again.
func TestExportFails(t *testing.T) {
	folder, broken := t.TempDir(), errors.New("broken")
	path := filepath.Join(folder, "requests.jsonl")
	if err := os.WriteFile(path+unfinished, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &fakeSource{requests: sampleRequests(mostExported + 1), fail: broken}
	e := Export{Source: s, Format: JSONLines, Folder: folder}
	if _, err := e.Run(context.Background()); !errors.Is(err, broken) {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 0 {
		t.Errorf("there are %q", left)
	}
	s.fail = nil
	if _, err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	all := readAll(t, Frontdesk, path)
	if len(all) != mostExported+1 {
		t.Fatalf("%d requests", len(all))
	}
	for _, it := range all {
		n := it.Request
		if len(it.Problems) > 0 || *n.Assignee != "noor@harbor.example" || it.Organization != "=Quay, \"Ltd\"" || !slices.Equal(n.Tags, []string{"a", "b"}) || *n.Messages[0].HTML != "<p>It does not \"turn\".</p>" {
			t.Fatalf("%+v", it)
		}
	}
}
