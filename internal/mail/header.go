package mail

import (
	"bytes"
	"strings"
	"unicode"
)

// Header is the fields of a mail in their order.
type Header []Field

// Field is one line of a header, unfolded. Both are as they came: there may be spaces
// after the name, encoded words are not decoded, and bytes need not be UTF-8.
type Field struct{ Name, Value string }

func (f Field) is(name string) bool { return strings.EqualFold(strings.TrimRight(f.Name, " \t"), name) }

// Get returns the value of the first field with this name, and an empty string if there
// is none.
func (h Header) Get(name string) string {
	for _, f := range h {
		if f.is(name) {
			return f.Value
		}
	}
	return ""
}

// All returns the values of all fields with this name.
func (h Header) All(name string) (values []string) {
	for _, f := range h {
		if f.is(name) {
			values = append(values, f.Value)
		}
	}
	return values
}

// has reports whether there is a field with this name, even an empty one.
func (h Header) has(name string) bool {
	for _, f := range h {
		if f.is(name) {
			return true
		}
	}
	return false
}

// readHeader reads fields up to the first empty line, and returns what follows it.
//
// A line that is neither a field nor the continuation of one begins the body, as it does
// for the servers before us. If we read on, somebody could hide a field from a server
// that would have removed it.
func readHeader(raw []byte, b *budget) (h Header, body []byte, err error) {
	for len(raw) > 0 {
		line, rest := cutLine(raw)
		if len(line) == 0 {
			return h, rest, nil
		}
		name, value, isField := cutField(line)
		mbox := len(h) == 0 && (bytes.HasPrefix(line, []byte("From ")) || bytes.HasPrefix(line, []byte(">From ")))
		if !isField && !mbox && !folded(line) {
			return h, raw, nil
		}
		if err := b.takeHeaderLine(len(raw) - len(rest)); err != nil {
			return nil, nil, err
		}
		raw = rest
		switch {
		case isField:
			h = append(h, Field{name, value})
		case mbox: // the envelope's sender, as mailbox files have it
		case len(h) > 0:
			last := &h[len(h)-1]
			last.Value = strings.TrimSpace(last.Value + " " + string(bytes.TrimSpace(line)))
		}
	}
	return h, nil, nil
}

// cutLine returns the first line of b without its end, and what follows it.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), rest
}

// folded reports whether a line continues the one before it.
func folded(line []byte) bool { return line[0] == ' ' || line[0] == '\t' }

// cutField splits a line into the name and the value of a field.
func cutField(line []byte) (name, value string, ok bool) {
	before, after, found := bytes.Cut(line, []byte{':'})
	name = string(bytes.TrimRight(before, " \t"))
	if !found || name == "" {
		return "", "", false
	}
	for i := range len(name) {
		if name[i] <= ' ' || name[i] >= 0x7f {
			return "", "", false
		}
	}
	return string(before), string(bytes.TrimSpace(after)), true
}

// plain returns a text for one line: control characters become spaces, characters that
// change the direction of what follows are removed, and spaces are single.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\u061c', r == '\ufeff':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.Fields(s), " ")
}

// decodeText decodes the value of a header that is meant for people.
func decodeText(value string) string { return plain(decodeWords(toUTF8([]byte(value), ""))) }

// firstWord returns the first word of a header such as Auto-Submitted
// in lower case. Parameters and comments say nothing more.
func firstWord(value string) string {
	if i := strings.IndexAny(value, ";( \t"); i >= 0 {
		value = value[:i]
	}
	return strings.ToLower(value)
}
