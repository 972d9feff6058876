package mail

import (
	"slices"
	"strconv"
	"strings"
)

// parseParams splits a header such as Content-Type into its value and its parameters,
// both with names in lower case. It reads what programs write: values without quotes
// that have spaces in them, encoded words, and the pieces of RFC 2231.
func parseParams(header string) (value string, params map[string]string) {
	value, rest, _ := strings.Cut(header, ";")
	value = strings.ToLower(strings.TrimSpace(stripComments(value)))
	params = map[string]string{}
	var pieces []piece
	for rest != "" {
		var name, v string
		name, rest = cutParamName(rest)
		v, rest = cutParamValue(rest)
		switch {
		case name == "":
		case strings.Contains(name, "*"):
			pieces = append(pieces, newPiece(name, v))
		case params[name] == "":
			params[name] = decodeText(v)
		}
	}
	joinPieces(params, pieces)
	return value, params
}

func cutParamName(s string) (name, rest string) {
	i := strings.IndexAny(s, "=;")
	if i < 0 {
		return "", ""
	}
	if s[i] == ';' {
		return "", s[i:]
	}
	return strings.ToLower(strings.TrimSpace(s[:i])), s[i+1:]
}

// cutParamValue reads a value and the semicolon after it.
func cutParamValue(s string) (value, rest string) {
	s = strings.TrimLeft(s, " \t")
	if !strings.HasPrefix(s, `"`) {
		value, rest, _ = strings.Cut(s, ";")
		return strings.TrimSpace(value), rest
	}
	var out strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'): // not in C:\new.txt
			i++
			out.WriteByte(s[i])
		case s[i] == '"':
			_, rest, _ = strings.Cut(s[i+1:], ";")
			return out.String(), rest
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String(), ""
}

// piece is a part of a parameter: name*0*=utf-8”a%20b (RFC 2231).
type piece struct {
	name    string
	number  int
	encoded bool
	value   string
}

func newPiece(name, value string) piece {
	p := piece{value: value}
	p.name, name, _ = strings.Cut(name, "*")
	name, p.encoded = strings.CutSuffix("*"+name, "*")
	p.number, _ = strconv.Atoi(strings.TrimPrefix(name, "*"))
	return p
}

// joinPieces puts parameters together from their pieces.
func joinPieces(params map[string]string, pieces []piece) {
	slices.SortStableFunc(pieces, func(a, b piece) int { return a.number - b.number })
	charsets, joined := map[string]string{}, map[string][]byte{}
	for _, p := range pieces {
		value := []byte(p.value)
		if p.encoded {
			if p.number == 0 {
				if charset, rest, ok := strings.Cut(p.value, "'"); ok {
					_, rest, _ = strings.Cut(rest, "'") // the language
					charsets[p.name], value = charset, []byte(rest)
				}
			}
			value = decodePercent(value)
		}
		joined[p.name] = append(joined[p.name], value...)
	}
	for name, value := range joined {
		params[name] = plain(toUTF8(value, charsets[name]))
	}
}

func decodePercent(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '%' && i+2 < len(b) && unhex(b[i+1]) >= 0 && unhex(b[i+2]) >= 0 {
			out = append(out, byte(unhex(b[i+1])<<4|unhex(b[i+2])))
			i += 2
			continue
		}
		out = append(out, b[i])
	}
	return out
}

// stripComments removes what stands in parentheses outside of quotes.
func stripComments(s string) string {
	if !strings.Contains(s, "(") {
		return s
	}
	var out strings.Builder
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			if depth == 0 {
				out.WriteString(s[i : i+2])
			}
			i++
		case c == '"' && depth == 0:
			quoted = !quoted
			out.WriteByte(c)
		case c == '(' && !quoted:
			depth++
		case c == ')' && depth > 0:
			depth--
		case depth == 0:
			out.WriteByte(c)
		}
	}
	return out.String()
}
