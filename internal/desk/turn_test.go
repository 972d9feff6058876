package desk

import "testing"

func TestNext(t *testing.T) {
	three := []string{"U1", "U3", "U5"}
	for _, c := range []struct {
		name       string
		candidates []string
		last, want string
	}{
		{"nobody", nil, "", ""},
		{"nobody any more", []string{}, "U1", ""},
		{"the first turn", three, "", "U1"},
		{"after the first", three, "U1", "U3"},
		{"after the second", three, "U3", "U5"},
		{"round again", three, "U5", "U1"},
		{"one alone", []string{"U1"}, "U1", "U1"},
		{"one alone, at first", []string{"U1"}, "", "U1"},
		{"after one who left before all", three, "U0", "U1"},
		{"after one who left", three, "U2", "U3"},
		{"after another who left", three, "U4", "U5"},
		{"after one who left behind all", three, "U9", "U1"},
	} {
		if got := Next(c.candidates, c.last); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// Everybody gets the same number of turns.
	turns, last := map[string]int{}, ""
	for range 4 * len(three) {
		last = Next(three, last)
		turns[last]++
	}
	for _, user := range three {
		if turns[user] != 4 {
			t.Errorf("%s has %d turns, want 4", user, turns[user])
		}
	}
}
