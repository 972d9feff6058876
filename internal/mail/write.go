package mail

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"mime/quotedprintable"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// writer writes the lines of a mail, which end in CRLF.
type writer struct {
	bytes.Buffer
	seed   string
	groups int
}

// seedBoundaries sets what all boundaries are made from. They begin with =_, which neither
// quoted-printable nor base64 ever has, so no content can look like one.
func (w *writer) seedBoundaries(seed string) {
	sum := sha256.Sum256([]byte(seed))
	w.seed = "=_" + hex.EncodeToString(sum[:12])
}

func (w *writer) line(s string) { w.WriteString(s + "\r\n") }

// header writes a field, folded at spaces. The value has no control characters.
func (w *writer) header(name, value string) {
	width := len(name) + 1
	w.WriteString(name + ":")
	for word := range strings.FieldsSeq(value) {
		if width+1+len(word) > 76 && width > len(name)+1 {
			w.WriteString("\r\n")
			width = 0
		}
		w.WriteString(" " + word)
		width += 1 + len(word)
	}
	w.WriteString("\r\n")
}

func (w *writer) addresses(name string, list []Address) {
	encoded := make([]string, len(list))
	for i, a := range list {
		encoded[i] = encodeAddress(a)
	}
	if len(list) > 0 {
		w.header(name, strings.Join(encoded, ", "))
	}
}

// group writes a multipart: its header, and the parts, each of which begins with its own
// header.
func (w *writer) group(subtype string, parts ...func()) {
	w.groups++
	boundary := w.seed + "." + strconv.Itoa(w.groups)
	w.line("Content-Type: multipart/" + subtype + "; boundary=\"" + boundary + "\"")
	w.line("")
	for _, part := range parts {
		w.line("--" + boundary)
		part()
	}
	w.line("--" + boundary + "--")
}

// text writes a part of text/plain or text/html.
func (w *writer) text(subtype, text string) {
	w.line("Content-Type: text/" + subtype + "; charset=utf-8")
	w.line("Content-Transfer-Encoding: quoted-printable")
	w.line("")
	q := quotedprintable.NewWriter(w)
	q.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	q.Close()
	w.line("")
}

var typeShape = regexp.MustCompile(`^[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,100}$`)

// file writes a part that is a file.
func (w *writer) file(f File, disposition string) {
	kind := f.Type
	if !typeShape.MatchString(kind) || strings.HasPrefix(kind, "message/") || strings.HasPrefix(kind, "multipart/") {
		kind = "application/octet-stream" // which may be encoded as base64
	}
	w.line("Content-Type: " + kind)
	w.line("Content-Disposition: " + disposition + "; " + encodeParam("filename", fileName(f)))
	if validID(f.ContentID) {
		w.line("Content-ID: <" + f.ContentID + ">")
	}
	w.line("Content-Transfer-Encoding: base64")
	w.line("")
	const perLine = 57
	for rest := f.Content; len(rest) > 0; {
		n := min(perLine, len(rest))
		w.line(base64.StdEncoding.EncodeToString(rest[:n]))
		rest = rest[n:]
	}
}

// isPlain reports whether a text can stand in a header as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return !strings.Contains(s, "=?")
}

// mostPlainWord is the longest word that is not encoded: no line may have over 998
// characters, and lines break only at spaces.
const mostPlainWord = 70

// encodeText writes a text without control characters for a header.
func encodeText(s string) string {
	encode := !isPlain(s)
	for word := range strings.FieldsSeq(s) {
		encode = encode || len(word) > mostPlainWord
	}
	if !encode {
		return s
	}
	return encodeWords(s)
}

// encodeWords writes a text as encoded words (RFC 2047).
func encodeWords(s string) string {
	var words []string
	for s = strings.ToValidUTF8(s, "\ufffd"); s != ""; {
		n := min(len(s), 42) // 56 letters, and 12 around them
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n--
		}
		words = append(words, "=?utf-8?B?"+base64.StdEncoding.EncodeToString([]byte(s[:n]))+"?=")
		s = s[n:]
	}
	return strings.Join(words, " ")
}

// encodeAddress writes a valid address for a header.
func encodeAddress(a Address) string {
	name := plain(a.Name)
	switch {
	case name == "":
		return "<" + a.Email + ">"
	case isPlain(name) && len(name) <= mostPlainWord:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `" <` + a.Email + ">"
	}
	return encodeWords(name) + " <" + a.Email + ">"
}

// encodeParam writes a parameter (RFC 2231).
func encodeParam(name, value string) string {
	if isPlain(value) && !strings.ContainsAny(value, `"\`) {
		return name + `="` + value + `"`
	}
	var out strings.Builder
	out.WriteString(name + "*=utf-8''")
	for i := range len(value) {
		if c := value[i]; 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_' {
			out.WriteByte(c)
		} else {
			out.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		}
	}
	return out.String()
}
