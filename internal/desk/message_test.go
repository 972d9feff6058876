package desk

import (
	"testing"
	"time"
)

func TestTS(t *testing.T) {
	said := time.Date(2026, 5, 13, 9, 20, 0, 1000, time.UTC)
	for _, c := range []struct {
		m    Message
		want string
	}{
		{Message{ID: 456, External: "1778664000.000100", SaidAt: said}, "1778664000.000100"},
		{Message{ID: 456, SaidAt: said}, "1778664000.0000010000000456"},
		{Message{ID: 9999999999, SaidAt: said}, "1778664000.0000019999999999"},
		{Message{ID: 10000000000, SaidAt: said}, "1778664000.00000110000000000"},
		{Message{ID: 7, SaidAt: time.Unix(0, 0)}, "0000000000.0000000000000007"},
	} {
		got := c.m.TS()
		if got != c.want {
			t.Errorf("the ts of %+v is %s, want %s", c.m, got, c.want)
		}
		at, id, made := MadeTS(got)
		if made != (c.m.External == "") || made && (id != c.m.ID || !at.Equal(c.m.SaidAt)) {
			t.Errorf("%s is read as %v, %d, %v", got, at, id, made)
		}
	}
	for _, other := range []string{"", ".", "1778664000", "1778664000.000100", "9f8e7d6c5b4a39281706f5e4d3", "1778664000.000001000000456", "+778664000.0000010000000456",
		"1778664000.0000010-00000456", "778664000.0000010000000456", "99999999999999999999.0000010000000456", "1778664000.0000010000000456.1"} {
		if _, _, made := MadeTS(other); made {
			t.Errorf("%q is taken for one that was made", other)
		}
	}
}
