package mail

import (
	"fmt"
	"slices"
	"testing"
)

func TestReferences(t *testing.T) {
	var long []string
	for i := range 50 {
		long = append(long, fmt.Sprintf("m%d@x", i))
	}
	for _, c := range []struct {
		name     string
		thread   []string
		answered string
		want     []string
	}{
		{"the first mail", nil, "", []string{"root@x"}},
		{"an answer", []string{"a@x", "b@x"}, "b@x", []string{"root@x", "a@x", "b@x"}},
		{"to an older mail", []string{"a@x", "b@x"}, "a@x", []string{"root@x", "b@x", "a@x"}},
		{"to a mail that we do not know", []string{"a@x"}, "c@y", []string{"root@x", "a@x", "c@y"}},
		{"the root once", []string{"root@x", "a@x"}, "root@x", []string{"root@x", "a@x"}},
		{"nothing that breaks a header", []string{"a@x>\r\nBcc: y", "", "b b"}, "c@x", []string{"root@x", "c@x"}},
		{"a long thread", long, "m3@x", append(append([]string{"root@x"}, long[31:]...), "m3@x")},
	} {
		if got := References("root@x", c.thread, c.answered); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestAnswersAreTheNearestFirst(t *testing.T) {
	m := Mail{References: []string{"root@x", "a@x", "b@x"}, InReplyTo: []string{"b@x"}}
	if got := m.Answers(); !slices.Equal(got, []string{"b@x", "a@x", "root@x"}) {
		t.Error(got)
	}
}

func TestMessageIDsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := NewMessageID("reply.desk.example")
		if seen[id] || !validID(id) || len(id) < 26+len("@reply.desk.example") {
			t.Fatal(id)
		}
		seen[id] = true
	}
}
