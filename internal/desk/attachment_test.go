package desk

import (
	"strings"
	"testing"
)

func TestFileName(t *testing.T) {
	for sent, want := range map[string]string{
		"report.pdf":                       "report.pdf",
		`C:\Users\jo\report.pdf`:           "report.pdf",
		"../../etc/passwd":                 "passwd",
		"":                                 "file",
		"..":                               "file",
		"a\x00b\nc\u0085d":                 "abcd",
		"invoice\u202egpj.exe":             "invoicegpj.exe", // shown as invoiceexe.jpg
		"a\u2066b\u2069c\u200f.txt":        "abc.txt",
		"pay\u200bpal\ufeff.doc\u00adx":    "paypal.docx",
		"a\u2028b\u2029c":                  "abc",
		"heart\ufe0f.png":                  "heart.png",
		"blank\u3164\u115f\u2800\uffa0.md": "blank.md",
		"tag\U000e0041\U000e0001.md":       "tag.md",
		"\u202e\u200b":                     "file",
		" spaced  out .txt ":               "spaced  out .txt",
		"Übersicht – 概要 ٣ שלום e\u0301.md": "Übersicht – 概要 ٣ שלום e\u0301.md",
		strings.Repeat("x", 300) + ".pdf":  strings.Repeat("x", 251) + ".pdf",
	} {
		if got := FileName(sent); got != want {
			t.Errorf("%q is kept as %q, want %q", sent, got, want)
		}
		if got := FileName(FileName(sent)); got != FileName(sent) {
			t.Errorf("%q is kept as %q once more", sent, got)
		}
	}
}
