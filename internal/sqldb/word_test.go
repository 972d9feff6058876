package sqldb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
)

// Words reach the other process whole and in their order, however many there are, and
// do not come back to the process that said them.
func TestWordsReachTheOtherProcess(t *testing.T) {
	_, a, b := two(t)
	heard, own, end := make(chan string, 500), make(chan string, 500), listen(t, b, "end")
	listen(t, a, "end")
	defer b.Hear("place", func(word string) { heard <- word })()
	defer a.Hear("place", func(word string) { own <- word })()
	defer b.Hear("elsewhere", func(word string) { t.Errorf("heard %q about another topic", word) })()
	a.Tell("place", strings.Repeat("x", 4001)) // too long
	var said []string
	for i := range 400 {
		said = append(said, fmt.Sprintf("%d: a = b\n\"ü\" %s", i, strings.Repeat("y", i)))
		a.Tell("place", said[i])
	}
	for i, want := range said {
		if got := <-heard; got != want {
			t.Fatalf("word %d is %q, want %q", i, got, want)
		}
	}
	ring(t, a, "end")
	await(t, end, "the end")
	if len(heard)+len(own) > 0 {
		t.Errorf("%d words too many were heard, %d by who said them", len(heard), len(own))
	}
}

// Who has stopped hears nothing, and a word on SQLite goes nowhere.
func TestWordsNobodyHears(t *testing.T) {
	_, a, b := two(t)
	var heard []string
	b.Hear("place", func(word string) { heard = append(heard, word) })()
	end := listen(t, b, "end")
	a.Tell("place", "x")
	ring(t, a, "end")
	await(t, end, "the end")
	if !slices.Equal(heard, nil) {
		t.Errorf("heard %q", heard)
	}
	alone := dbtest.Open(t, sqldb.Config{URL: dbtest.URL(t, sqldb.SQLite)})
	defer alone.Hear("place", func(word string) { t.Errorf("heard %q", word) })()
	alone.Tell("place", "x")
}
