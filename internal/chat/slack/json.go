package slack

import (
	"bytes"
	"encoding/json"
	"errors"
)

// readJSON reads what Slack says. A member of another type than we know is
// left empty rather than spoiling the rest: one odd message must not stop a
// page of history for ever.
func readJSON(b []byte, into any) error {
	err := json.Unmarshal(withoutNUL(b), into)
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		return nil
	}
	return err
}

// nul is how JSON writes the one character that PostgreSQL does not take.
const nul = `\u0000`

// withoutNUL leaves U+0000 out of the texts of a JSON document.
func withoutNUL(b []byte) []byte {
	if !bytes.Contains(b, []byte(nul)) {
		return b
	}
	kept := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		switch {
		case bytes.HasPrefix(b[i:], []byte(nul)):
			i += len(nul) - 1
		case b[i] == '\\' && i+1 < len(b):
			// Both, so that an escaped backslash does not begin another escape.
			kept = append(kept, b[i], b[i+1])
			i++
		default:
			kept = append(kept, b[i])
		}
	}
	return kept
}

// encode writes JSON as an argument of a call.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only for a type that has no JSON
	}
	return string(b)
}
