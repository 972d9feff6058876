package rest

import (
	"errors"
	"io"
	"unicode/utf8"
)

// tidy reads JSON from a body as it comes: it refuses what is not UTF-8, and
// gives one space for any number between two tokens, so that nothing has to be
// held that says nothing. limit is how far it may be read for now.
type tidy struct {
	from  io.Reader
	count func(n int) error // is told of the bytes that have come
	limit int64             // of what is given
	given int64

	raw      [32 << 10]byte
	rest     int    // bytes of a character that has not come whole, at the start of raw
	out      []byte // ready to be given, a part of raw
	inString bool
	escaped  bool // the next byte stands behind a backslash
	spaced   bool // the last byte given is a space between tokens
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

// fill reads on. A character that is cut off waits for its end.
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
		// What is given is read before raw is filled again, but lies where the
		// rest belongs.
		t.out = append([]byte(nil), t.out...)
		copy(t.raw[:], cut[:t.rest])
	}
}

// beforeCut is the length of a text without a character that is cut off at its
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

// tidied drops space in place.
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
