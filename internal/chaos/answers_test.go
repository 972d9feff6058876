package main

import (
	"testing"
	"time"
)

// The longest silence is found between answers, before the first and after the last.
func TestSilence(t *testing.T) {
	began := time.Now()
	at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
	for name, c := range map[string]struct {
		calls           [][2]int // from and to, in seconds
		nobody, longest int
	}{
		"between":    {[][2]int{{0, 11}, {5, 15}, {15, 19}}, 4, 11},
		"at first":   {[][2]int{{14, 16}, {16, 18}, {18, 20}}, 6, 2},
		"at the end": {[][2]int{{9, 12}, {12, 13}}, 7, 3},
		"all along":  {[][2]int{{1, 5}, {9, 30}, {21, 25}}, 10, 21},
		"unsorted":   {[][2]int{{15, 19}, {5, 15}, {0, 11}}, 4, 11},
	} {
		a := &answers{}
		for _, call := range c.calls {
			a.add(at(call[0]), at(call[1]))
		}
		nobody, longest := a.silence(at(10), at(20))
		if nobody != time.Duration(c.nobody)*time.Second || longest != time.Duration(c.longest)*time.Second {
			t.Errorf("%s: nobody was answered for %s, a call took %s; want %d and %d", name, nobody, longest, c.nobody, c.longest)
		}
	}
}
