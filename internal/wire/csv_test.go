package wire

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCSVRow(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  string
	}{
		{[]string{"1", "plain", ""}, "1,plain,\r\n"},
		{[]string{`a"b`, "a,b", "a\r\nb"}, "\"a\"\"b\",\"a,b\",\"a\r\nb\"\r\n"},
		{[]string{"-1", "-2.50", "--1", "-1-1", "-.5"}, "-1,-2.50,\"'--1\",\"'-1-1\",\"'-.5\"\r\n"}, // a number is not a formula
		{[]string{"=1+1", "+1", "-x", "@x", "\tx", "\rx", "\nx"}, "\"'=1+1\",\"'+1\",\"'-x\",\"'@x\",\"'\tx\",\"'\rx\",\"'\nx\"\r\n"},
		{[]string{" =1", "\u00a0\u200b=1", "\ufeff=1", "\x01=1", "\u2028=1"}, "\"' =1\",\"'\u00a0\u200b=1\",\"'\ufeff=1\",\"'\x01=1\",\"'\u2028=1\"\r\n"},
		{[]string{"＝1", "＋1", "－1", "＠x", "﹦1", "−1"}, "\"'＝1\",\"'＋1\",\"'－1\",\"'＠x\",\"'﹦1\",\"'−1\"\r\n"},
		{[]string{"'", "''x", "x'"}, "\"''\",\"'''x\",\"x'\"\r\n"},
		{[]string{"a=b", "3 - 4", `{"a":"=1"}`, "2026-05-13"}, "a=b,\"3 - 4\",\"{\"\"a\"\":\"\"=1\"\"}\",2026-05-13\r\n"},
	} {
		var b strings.Builder
		if err := CSVRow(&b, c.cells...); err != nil || b.String() != c.want {
			t.Errorf("%q: %q, %v; want %q", c.cells, b.String(), err, c.want)
		}
	}
}

// Every text can be restored, and no cell in the file begins like a formula.
func TestCSVCanBeUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("=+-@'\t\r\n ＝a,\"\u00a0")), rapid.Rune())).Draw(t, "text")
		cell := escapeFormula(text)
		if again := strings.TrimPrefix(cell, "'"); again != text {
			t.Errorf("%q is %q in a file, and %q again", text, cell, again)
		}
		if !plainNumber.MatchString(cell) && strings.IndexAny(strings.TrimSpace(cell), "=+-@＝＋－＠") == 0 || strings.IndexAny(cell, "\t\r\n") == 0 {
			t.Errorf("%q is %q", text, cell)
		}
	})
}
