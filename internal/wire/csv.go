package wire

import (
	"io"
	"regexp"
	"strings"
	"unicode"
)

// People open a CSV file with a spreadsheet. It computes any cell that looks like a
// formula, so a customer's name could send away the content of other cells. Such a
// cell therefore gets an apostrophe in front, and so does a cell that begins with
// an apostrophe. To restore the texts, remove the first character of every cell
// that begins with an apostrophe.

// CSVRow writes a row according to RFC 4180, in UTF-8. No spreadsheet reads its
// texts as formulas.
func CSVRow(w io.Writer, cells ...string) error {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteByte(',')
		}
		cell = escapeFormula(cell)
		// Quote more often than necessary. Some programs trim cells without quotes,
		// or split cells at other characters.
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

// plainNumber matches a cell that begins like a formula but is a number.
var plainNumber = regexp.MustCompile(`^-[0-9]+(\.[0-9]+)?$`)

// escapeFormula returns a cell, with an apostrophe in front if it needs one.
func escapeFormula(cell string) string {
	if plainNumber.MatchString(cell) {
		return cell
	}
	if strings.HasPrefix(cell, "'") || strings.HasPrefix(cell, "\t") || strings.HasPrefix(cell, "\r") || strings.HasPrefix(cell, "\n") {
		return "'" + cell
	}
	// Some programs skip invisible characters. Some read the wide forms of East
	// Asian scripts and the true minus sign like the plain characters.
	rest := strings.TrimLeftFunc(cell, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
	if strings.IndexAny(rest, "=+-@＝＋－＠﹦﹢﹣﹫−") == 0 {
		return "'" + cell
	}
	return cell
}
