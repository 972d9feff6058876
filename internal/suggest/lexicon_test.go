package suggest

import (
	"fmt"
	"slices"
	"testing"
)

func TestLexiconIsRead(t *testing.T) {
	l, err := readLexicon()
	if err != nil {
		t.Fatal(err)
	}
	if len(l.words.words) < 5000 || len(l.senses) < 300 {
		t.Errorf("the lexicon has %d words and %d senses", len(l.words.words), len(l.senses))
	}
	entries, err := lexiconEntries()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		// These would be read as signs and never match.
		if e.section[0] != "alias" && slices.ContainsFunc([]rune(e.pattern), func(r rune) bool { return r == '?' || r == '[' || r == '\\' }) {
			t.Errorf("the pattern %q has a sign that means nothing in a pattern", e.pattern)
		}
	}
}

func TestSlots(t *testing.T) {
	tests := []struct {
		pattern string
		want    string
	}{
		{"a", "[[a]]"},
		{"a b", "[[a] [b]]"},
		{"work(s|ed) (now|)", "[[works worked] [now ]]"},
		{"(very |)good", "[[very good good]]"},
		{"a(b(c|d)|e)f", "[[abcf abdf aef]]"},
		{"", "[]"},
	}
	for _, tt := range tests {
		got, err := slots(tt.pattern)
		if err != nil || fmt.Sprint(got) != tt.want {
			t.Errorf("slots(%q) = %v, %v, want %s", tt.pattern, got, err, tt.want)
		}
	}
	for _, bad := range []string{"(", ")", "(a|b", "a)b(", "((a)"} {
		if got, err := slots(bad); err == nil {
			t.Errorf("slots(%q) = %v", bad, got)
		}
	}
}
