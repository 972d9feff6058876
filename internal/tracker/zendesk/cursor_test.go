package zendesk

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shelf has the audits of a ticket, which grow, in pages. It is not documented
// whether a cursor from the last page stays valid. Here it does not.
type shelf struct {
	audits  []int           // ids; odd ones have no comment
	size    int             // of a page
	cursors map[string]bool // the valid ones
	era     int             // cursors of another era are invalid
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/api/v2/users/") {
		fmt.Fprint(w, `{"users":[]}`)
		return
	}
	from := 0
	if after := r.URL.Query().Get("page[after]"); after != "" {
		if !s.cursors[after] {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, id, _ := strings.Cut(after, "-")
		last, _ := strconv.Atoi(id)
		from = slices.Index(s.audits, last) + 1
	}
	to := min(from+s.size, len(s.audits))
	var page []string
	for _, id := range s.audits[from:to] {
		event := change
		if id%2 == 0 {
			event = commentOf(id)
		}
		page = append(page, auditOf(id, event))
	}
	after, more := "", to < len(s.audits)
	if to > from {
		after = fmt.Sprintf("%d-%d", s.era, s.audits[to-1])
	}
	if more {
		s.cursors[after] = true
	}
	fmt.Fprint(w, pageOf(after, more, page...))
}

// TestEverythingOnce shows that every comment is read once and in order, whatever
// is added meanwhile and whichever cursors Zendesk forgets.
func TestEverythingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &shelf{size: rapid.IntRange(1, 4).Draw(t, "size"), cursors: map[string]bool{}}
		server := httptest.NewServer(s)
		defer server.Close()
		place := New(Config{Address: server.URL, Unlimited: true, Log: slog.New(slog.DiscardHandler)}).Tracker(agent)
		var want, got []string
		cursor, more := "", false
		read := func() {
			page, err := place.Comments(t.Context(), "17", cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range page.Comments {
				got = append(got, c.ID)
			}
			cursor, more = page.Next, page.More
		}
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0: // Zendesk forgets its cursors
				s.era++
				clear(s.cursors)
			case 1, 2, 3:
				next := 1
				if len(s.audits) > 0 {
					next = s.audits[len(s.audits)-1] + rapid.IntRange(1, 3).Draw(t, "gap")
				}
				if s.audits = append(s.audits, next); next%2 == 0 {
					want = append(want, strconv.Itoa(next))
				}
			default:
				read()
			}
		}
		for read(); more; {
			read()
		}
		if !slices.Equal(got, want) {
			t.Fatalf("of %v with pages of %d were read %v, want %v", s.audits, s.size, got, want)
		}
	})
}
