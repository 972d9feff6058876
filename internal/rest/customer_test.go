package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// customerCall reads or changes a customer, as the admin of a stage.
func customerCall(t testing.TB, s *stage, method, path, body string) (status int, customer struct {
	ID      int64    `json:"id"`
	Version int64    `json:"version"`
	Domains []string `json:"domains"`
}) {
	r, err := http.NewRequest(method, s.server.URL+prefix+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, customer
	}
	r.Header.Set("Authorization", "Bearer "+s.callers["admin"].secret)
	r.Header.Set("Content-Type", "application/json")
	w, text, err := s.do(r)
	if err != nil {
		t.Error(err)
		return 0, customer
	}
	var answer struct {
		Customer any `json:"customer"`
	}
	answer.Customer = &customer
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Errorf("%d %s: %v", w.StatusCode, text, err)
	}
	return w.StatusCode, customer
}

// 32 callers change one customer at once, each until it succeeds. One wins for each
// version, and no change is lost.
func TestCustomerChangesAtOnce(t *testing.T) {
	const callers = 32
	dbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		s := newStage(t, db, scriptRate{})
		s.client.Transport = checkContract(t, s.client.Transport)
		_, made := customerCall(t, s, "POST", "/customers", `{"name": "A"}`)
		path := fmt.Sprintf("/customers/%d", made.ID)
		var mu sync.Mutex
		won := map[int64]int{} // by the version that the winner had seen
		conflicts := 0
		var all sync.WaitGroup
		for n := range callers {
			all.Go(func() {
				for range 1000 {
					_, seen := customerCall(t, s, "GET", path, "")
					domains, _ := json.Marshal(append(seen.Domains, fmt.Sprintf("d%d.example", n)))
					status, after := customerCall(t, s, "PATCH", path, fmt.Sprintf(`{"version": %d, "domains": %s}`, seen.Version, domains))
					mu.Lock()
					switch status {
					case http.StatusOK:
						won[seen.Version]++
						if after.Version != seen.Version+1 {
							t.Errorf("version %d after %d", after.Version, seen.Version)
						}
					case http.StatusConflict:
						conflicts++
					default:
						t.Errorf("status %d", status)
					}
					mu.Unlock()
					if status == http.StatusOK || t.Failed() {
						return
					}
				}
				t.Errorf("caller %d never got through", n)
			})
		}
		all.Wait()
		_, last := customerCall(t, s, "GET", path, "")
		if last.Version != callers+1 || len(last.Domains) != callers || len(won) != callers {
			t.Errorf("version %d, %d domains, winners for %d versions; want %d, %d, %d", last.Version, len(last.Domains), len(won), callers+1, callers, callers)
		}
		for version, n := range won {
			if n != 1 {
				t.Errorf("%d have changed version %d", n, version)
			}
		}
		slices.Sort(last.Domains)
		if len(slices.Compact(last.Domains)) != callers {
			t.Errorf("a domain is there twice: %v", last.Domains)
		}
		t.Logf("%d changes, %d conflicts", callers, conflicts)
	})
}

// A path that also matches a pattern with an id has its own methods.
func TestFrameLiteralBesidePattern(t *testing.T) {
	f := frameOnSQLite(t)
	for method, want := range map[string]int{"GET": 405, "HEAD": 405, "PUT": 405, "PATCH": 405, "DELETE": 405, "OPTIONS": 405, "POST": 200} {
		r := f.send(method, "/v1/rest/customers/search", "{}")
		wantStatus(t, r, want)
		if want == 405 && r.header.Get("Allow") != "POST" {
			t.Errorf("%s: Allow is %q", method, r.header.Get("Allow"))
		}
	}
	wantStatus(t, f.send("GET", "/v1/rest/customers/searches", ""), 400)
}
