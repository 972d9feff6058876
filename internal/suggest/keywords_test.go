package suggest

import (
	"slices"
	"strings"
	"testing"
)

func TestKeywords(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want []string
	}{
		{"Hello, the export of invoices fails since this morning", 3, []string{"export", "invoices", "fails"}},
		{"Hallo, der Export der Rechnungen ist nicht möglich", 2, []string{"Export", "Rechnungen"}},
		{"Invoices, invoice, INVOICES", 5, []string{"Invoices"}},
		{"is it of to", 5, nil},
		{"", 5, nil},
		{"export", 0, nil},
		{strings.Repeat("x", 41) + " " + strings.Repeat("y", 40), 5, []string{strings.Repeat("y", 40)}},
		{"請求書 のエラー", 5, []string{"請求書", "のエラー"}},
		{"timeout E4711 in <b>' OR 1=1 --", 5, []string{"timeout", "E4711"}},
	} {
		if got := Keywords(tt.text, tt.most); !slices.Equal(got, tt.want) {
			t.Errorf("Keywords(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}
