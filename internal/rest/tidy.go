package rest

import (
	"errors"
	"io"
	"unicode/utf8"
)

// tidy reads JSON from a body as it arrives. It refuses text that is not UTF-8. It
// replaces all white space between two tokens by one space, so that meaningless
// bytes need not be held. limit is how far it may be read for now.
type tidy struct {
	from  io.Reader
	count func(n int) error // called with the number of bytes that arrived
	limit int64             // on the bytes that are returned
	given int64

	raw      [32 << 10]byte
	rest     int    // number of bytes of an incomplete character at the start of raw
	out      []byte // the bytes to return next, a part of raw
	inString bool
	escaped  bool // the next byte follows a backslash
	spaced   bool // the last returned byte is a space between tokens
	err      error
}

var (
	errPartTooLarge = errors.New("a part of the body is too large")
	errNotUTF8      = errors.New("the body is not valid UTF-8")
)

func (t *tidy) Read(b []byte) (int, error) {
	for len(t.out) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		t.fill()
	}
	left := t.limit - t.given
	if left <= 0 {
		return 0, errPartTooLarge
	}
	n := copy(b[:min(int64(len(b)), left)], t.out)
	t.out = t.out[n:]
	t.given += int64(n)
	return n, nil
}

// fill reads more. It keeps an incomplete character until the rest arrives.
func (t *tidy) fill() {
	n, err := t.from.Read(t.raw[t.rest:])
	t.err = err
	if e := t.count(n); e != nil {
		t.err = e
		return
	}
	have := t.raw[:t.rest+n]
	whole := len(have)
	if err == nil {
		whole = beforeCut(have)
	}
	if !utf8.Valid(have[:whole]) {
		t.err = errNotUTF8
		return
	}
	cut := [utf8.UTFMax]byte{}
	t.rest = copy(cut[:], have[whole:])
	t.out = t.tidied(have[:whole])
	if t.rest > 0 {
		// These bytes are returned before raw is filled again, but they occupy the
		// place of the incomplete character.
		t.out = append([]byte(nil), t.out...)
		copy(t.raw[:], cut[:t.rest])
	}
}

// beforeCut returns the length of a text without an incomplete character at its
// end.
func beforeCut(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return len(text) - n
			}
			break
		}
	}
	return len(text)
}

// tidied removes white space in place.
func (t *tidy) tidied(text []byte) []byte {
	kept := text[:0]
	for _, b := range text {
		switch {
		case t.escaped:
			t.escaped = false
		case t.inString:
			t.escaped, t.inString = b == '\\', b != '"'
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			if t.spaced {
				continue
			}
			t.spaced, b = true, ' '
			kept = append(kept, b)
			continue
		default:
			t.inString = b == '"'
		}
		t.spaced = false
		kept = append(kept, b)
	}
	return kept
}
