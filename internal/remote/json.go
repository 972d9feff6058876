package remote

import (
	"bytes"
	"encoding/json"
	"errors"
)

// nul is the JSON form of the one character that PostgreSQL does not accept.
const nul = `\u0000`

// ReadJSON reads JSON that another system wrote, without U+0000.
func ReadJSON(b []byte, into any) error {
	if bytes.Contains(b, []byte(nul)) {
		b = withoutNUL(b)
	}
	return json.Unmarshal(b, into)
}

// ReadPatiently is ReadJSON for what must not fail as a whole. A field of an
// unexpected type is left empty, because one odd message must not stop a page of
// history forever.
func ReadPatiently(b []byte, into any) error {
	err := ReadJSON(b, into)
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		return nil
	}
	return err
}

// withoutNUL removes U+0000 from the strings of a JSON document.
func withoutNUL(b []byte) []byte {
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
