package privacy

import (
	"slices"
	"strings"
)

// Mentions reports whether a column may mention people and customers.
func Mentions(table, column string) bool {
	for _, t := range tables {
		if t.name == table {
			return slices.Contains(strings.Fields(t.text), column)
		}
	}
	return false
}

const MostNeedles = mostNeedles
