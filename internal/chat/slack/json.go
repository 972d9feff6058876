package slack

import (
	"bytes"
	"encoding/json"
	"errors"
)

// readJSON reads JSON from Slack. A field of an unexpected type is left empty and
// does not spoil the rest, because one odd message must not stop a page of history
// forever.
func readJSON(b []byte, into any) error {
	err := json.Unmarshal(withoutNUL(b), into)
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		return nil
	}
	return err
}

// nul is the JSON form of the one character that PostgreSQL does not accept.
const nul = `\u0000`

// withoutNUL removes U+0000 from the strings of a JSON document.
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
			// Copy both, so that an escaped backslash does not begin another
			// escape.
			kept = append(kept, b[i], b[i+1])
			i++
		default:
			kept = append(kept, b[i])
		}
	}
	return kept
}

// encode returns JSON as an argument of a call.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only for a type that JSON cannot represent
	}
	return string(b)
}
