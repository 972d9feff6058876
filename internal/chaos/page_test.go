package main

import (
	"os"
	"testing"
)

// A report takes the place of the one before, and leaves the rest of the page alone. The page of this repository has that place.
func TestInsertReport(t *testing.T) {
	t.Parallel()
	page := "before\n" + pageBegin + "\nold\n\n" + pageEnd + "after\n"
	for range 2 {
		got, err := insertReport(page, "new")
		if want := "before\n" + pageBegin + "\nnew\n\n" + pageEnd + "after\n"; err != nil || got != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
		page = got
	}
	for _, page := range []string{"", pageBegin, pageEnd, pageEnd + pageBegin} {
		if _, err := insertReport(page, "new"); err == nil {
			t.Errorf("%q has a place for a report", page)
		}
	}
	ours, err := os.ReadFile("../../docs/chaos.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := insertReport(string(ours), "new"); err != nil {
		t.Errorf("docs/chaos.md: %v", err)
	}
}
