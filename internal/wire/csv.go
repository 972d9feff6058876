package wire

import (
	"io"
	"regexp"
	"strings"
	"unicode"
)

// A CSV file is opened with a spreadsheet, which takes a cell that begins like a
// formula for one and computes it: what a customer calls themselves could then
// send away what stands beside it. So such a cell gets an apostrophe in front,
// and so does one that begins with an apostrophe: who takes away the first
// character of every cell that begins with one has the texts as they were.

// CSVRow writes a row as RFC 4180 has it, in UTF-8, with texts that no
// spreadsheet takes for formulas.
func CSVRow(w io.Writer, cells ...string) error {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteByte(',')
		}
		cell = harmless(cell)
		// Also where it need not be: some programs trim what has no quotes, or part
		// cells at other signs.
		if !strings.ContainsAny(cell, "\",\r\n\t ;'") {
			b.WriteString(cell)
			continue
		}
		b.WriteByte('"')
		b.WriteString(strings.ReplaceAll(cell, `"`, `""`))
		b.WriteByte('"')
	}
	b.WriteString("\r\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// plainNumber is a cell that begins like a formula and is none.
var plainNumber = regexp.MustCompile(`^-[0-9]+(\.[0-9]+)?$`)

// harmless is a cell with an apostrophe in front if it needs one.
func harmless(cell string) string {
	if plainNumber.MatchString(cell) {
		return cell
	}
	if strings.HasPrefix(cell, "'") || strings.HasPrefix(cell, "\t") || strings.HasPrefix(cell, "\r") || strings.HasPrefix(cell, "\n") {
		return "'" + cell
	}
	// Some programs pass over what cannot be seen, and some take the wide forms
	// of East Asian scripts, and the true minus, for the plain ones.
	rest := strings.TrimLeftFunc(cell, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
	if strings.IndexAny(rest, "=+-@＝＋－＠﹦﹢﹣﹫−") == 0 {
		return "'" + cell
	}
	return cell
}

// FromCSV is the text of a cell that CSVRow wrote, once its quotes are off.
func FromCSV(cell string) string { return strings.TrimPrefix(cell, "'") }
