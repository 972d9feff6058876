package linear

import (
	"bytes"
	"encoding/json"
)

// nul is the JSON escape of the one character that PostgreSQL does not accept.
const nul = `\u0000`

// readJSON decodes an answer of Linear, without U+0000.
func readJSON(b []byte, into any) error {
	if bytes.Contains(b, []byte(nul)) {
		b = withoutNUL(b)
	}
	return json.Unmarshal(b, into)
}

func withoutNUL(b []byte) []byte {
	kept := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		switch {
		case bytes.HasPrefix(b[i:], []byte(nul)):
			i += len(nul) - 1
		case b[i] == '\\' && i+1 < len(b):
			// Copy both bytes, so that an escaped backslash does not begin another
			// escape.
			kept = append(kept, b[i], b[i+1])
			i++
		default:
			kept = append(kept, b[i])
		}
	}
	return kept
}
