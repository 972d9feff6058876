package mail

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// decodeBody undoes a Content-Transfer-Encoding. It keeps what it cannot decode.
func decodeBody(body []byte, encoding string) []byte {
	switch firstWord(encoding) {
	case "base64":
		return decodeBase64(body)
	case "quoted-printable":
		return decodeQuoted(body, false)
	}
	return body
}

func isBase64(c byte) bool {
	return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/'
}

// decodeBase64 ignores whatever is not base64: line ends, a footer that a mailing list
// added, missing or doubled padding. Some programs encode piece by piece, each with
// padding of its own.
func decodeBase64(b []byte) []byte {
	out := make([]byte, 0, len(b)*3/4)
	piece := make([]byte, 0, len(b))
	decode := func() {
		if len(piece)%4 == 1 {
			piece = piece[:len(piece)-1] // six bits are no byte
		}
		out, _ = base64.RawStdEncoding.AppendDecode(out, piece)
		piece = piece[:0]
	}
	for _, c := range b {
		if isBase64(c) {
			piece = append(piece, c)
		} else if c == '=' {
			decode()
		}
	}
	decode()
	return out
}

// decodeQuoted decodes quoted-printable. A sign that is no code stays as it is. In a
// word of a header, an underscore is a space.
func decodeQuoted(b []byte, word bool) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		c := b[0]
		b = b[1:]
		switch {
		case c == '_' && word:
			out = append(out, ' ')
		case c != '=':
			out = append(out, c)
		case len(b) >= 2 && unhex(b[0]) >= 0 && unhex(b[1]) >= 0:
			out = append(out, byte(unhex(b[0])<<4|unhex(b[1])))
			b = b[2:]
		default:
			rest, soft := cutSoftBreak(b)
			if !soft {
				out = append(out, '=')
			}
			b = rest
		}
	}
	return out
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// cutSoftBreak removes the rest of a line that ended in =, if only spaces are left of it.
func cutSoftBreak(b []byte) (rest []byte, soft bool) {
	rest = bytes.TrimLeft(b, " \t\r")
	if len(rest) == 0 {
		return nil, true
	}
	if rest[0] == '\n' {
		return rest[1:], true
	}
	return b, false
}

// decodeWords decodes the encoded words of a header: =?charset?B?…?= (RFC 2047). Words
// that follow each other are decoded as one, because many programs split a text in the
// middle of a character. It is lenient with spaces within a word and with missing ones
// around it.
func decodeWords(s string) string {
	var out strings.Builder
	var pending []byte // decoded bytes of the words before, in their charset
	charset := ""
	flush := func() {
		out.WriteString(toUTF8(pending, charset))
		pending = pending[:0]
	}
	for s != "" {
		start := strings.Index(s, "=?")
		if start < 0 {
			break
		}
		w, rest, ok := cutWord(s[start:])
		if !ok {
			flush()
			out.WriteString(s[:start+2])
			s = s[start+2:]
			continue
		}
		between := s[:start]
		if len(pending) == 0 || strings.TrimSpace(between) != "" || !strings.EqualFold(w.charset, charset) {
			flush()
			if strings.TrimSpace(between) != "" || out.Len() == 0 {
				out.WriteString(between)
			}
		}
		charset = w.charset
		pending = append(pending, w.decode()...)
		s = rest
	}
	flush()
	return out.String() + s
}

// word is an encoded word.
type word struct {
	charset string
	base64  bool
	text    string
}

func (w word) decode() []byte {
	if w.base64 {
		return decodeBase64([]byte(w.text))
	}
	return decodeQuoted([]byte(w.text), true)
}

// mostWord is the longest encoded word that is read. They should have 75 characters, and
// some programs make one of a whole subject.
const mostWord = 8 << 10

// cutWord reads an encoded word at the beginning of s.
func cutWord(s string) (w word, rest string, ok bool) {
	beyond := s[min(len(s), mostWord):]
	s = s[:len(s)-len(beyond)]
	defer func() { rest += beyond }()
	charset, s, ok := strings.Cut(s[2:], "?")
	if !ok || len(charset) > 40 || strings.ContainsAny(charset, " =") || len(s) < 2 || s[1] != '?' {
		return word{}, "", false
	}
	charset, _, _ = strings.Cut(charset, "*") // a language may follow
	var encoded string
	if encoded, rest, ok = strings.Cut(s[2:], "?="); !ok || !utf8.ValidString(encoded) {
		return word{}, "", false
	}
	switch s[0] {
	case 'B', 'b':
		return word{charset, true, encoded}, rest, true
	case 'Q', 'q':
		// =?utf-8?Q?a?=3D?=: the first ?= may be a question mark before a code.
		for len(rest) >= 2 && unhex(rest[0]) >= 0 && unhex(rest[1]) >= 0 && strings.Contains(rest, "?=") {
			more, after, _ := strings.Cut(rest, "?=")
			if strings.ContainsAny(more, " \t") {
				break
			}
			encoded, rest = encoded+"?="+more, after
		}
		return word{charset, false, encoded}, rest, true
	}
	return word{}, "", false
}
