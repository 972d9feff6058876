package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	tests := []struct {
		name, email string
		want        []string
	}{
		{"Mira Vance", "mira@acme.test", []string{"acme", "mira", "test", "vance"}},
		{"Tomás  O'Brien-Łuk", "", []string{"brien", "o", "tomas", "łuk"}},
		{"ÅSA ŽIŽEK", "", []string{"asa", "zizek"}},
		{"田中太郎", "", []string{"中太郎", "太郎", "田中太郎", "郎"}},
		{"김민수", "", []string{"김민수", "민수", "수"}},
		{"'; DROP TABLE users; --", "", []string{"drop", "table", "users"}},
		{"🦊", "", nil},
		{"", "", nil},
	}
	for _, tt := range tests {
		if got := Words(tt.name, tt.email); !slices.Equal(got, tt.want) {
			t.Errorf("Words(%q, %q) = %q, want %q", tt.name, tt.email, got, tt.want)
		}
	}
}

func TestWordsAreBounded(t *testing.T) {
	many := Words(strings.Repeat("ab cd ef gh ", 100) + longText())
	if len(many) > mostNameWords {
		t.Errorf("%d words", len(many))
	}
	for _, w := range append(many, Sought(strings.Repeat("x", 500)+strings.Repeat("é", 500))...) {
		if len(w) > mostWordLength || !utf8.ValidString(w) {
			t.Errorf("a word of %d bytes, valid: %t", len(w), utf8.ValidString(w))
		}
	}
	if got := Sought("a b c d e f g h i j k l m n"); len(got) != mostSought {
		t.Errorf("%d words are sought", len(got))
	}
}

// longText returns a text with more words than are stored, none of which is the
// start of another.
func longText() string {
	var b strings.Builder
	for i := range 300 {
		b.WriteString(strings.Repeat("z", i%70+1) + "1 ")
	}
	return b.String()
}

func TestSought(t *testing.T) {
	tests := []struct {
		query string
		want  []string
	}{
		{"mir", []string{"mir"}},
		{"Mira@ACME.test", []string{"acme", "mira", "test"}},
		{"mi mira", []string{"mira"}},
		{"%_", nil},
	}
	for _, tt := range tests {
		if got := Sought(tt.query); !slices.Equal(got, tt.want) {
			t.Errorf("Sought(%q) = %q, want %q", tt.query, got, tt.want)
		}
	}
}
