package mail

import (
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
)

// toUTF8 converts text of a charset, or of one that must be guessed, to UTF-8. It cannot
// fail. Mail often claims the wrong charset:
//
//   - Text that is valid UTF-8 and not only ASCII hardly ever is anything else. It is
//     taken for what it is where a charset of single bytes was claimed, or none.
//   - Text that claims to be UTF-8 and mostly is not, and text of unknown charsets, is
//     taken for Windows-1252, in which every byte means something.
func toUTF8(b []byte, charset string) string {
	enc := encodingOf(charset)
	switch {
	case strings.EqualFold(charset, "utf-7") || strings.EqualFold(charset, "unicode-1-1-utf-7"):
		return decodeUTF7(b)
	case enc == nil || singleByte(enc):
		if utf8.Valid(b) {
			return cleanText(string(b))
		}
		if enc == nil {
			if mostlyUTF8(b) {
				return cleanText(string(b))
			}
			enc = charmap.Windows1252
		}
	}
	text, err := enc.NewDecoder().Bytes(b)
	if err != nil {
		text = b
	}
	return cleanText(string(text))
}

// cleanText removes what no text has: invalid bytes, U+0000 and a mark of the byte order.
func cleanText(s string) string {
	s = strings.TrimPrefix(strings.ToValidUTF8(s, "\ufffd"), "\ufeff")
	return strings.ReplaceAll(s, "\x00", "")
}

// encodingOf returns nil for UTF-8, ASCII, none, and charsets that we do not know.
func encodingOf(charset string) encoding.Encoding {
	charset = strings.ToLower(strings.Trim(charset, `"' `))
	switch charset {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return nil
	case "cp932", "ms932":
		charset = "shift_jis"
	}
	if enc, err := htmlindex.Get(charset); err == nil {
		// Browsers show some dangerous charsets as one sign that stands for all.
		if name, _ := htmlindex.Name(enc); name != "replacement" && name != "utf-8" {
			return enc
		}
	}
	if enc, err := ianaindex.MIME.Encoding(charset); err == nil && enc != nil {
		return enc
	}
	return nil
}

// singleByte reports whether every byte is a letter, so that any text is valid.
func singleByte(e encoding.Encoding) bool {
	_, is := e.(*charmap.Charmap)
	return is
}

// mostlyUTF8 reports whether fewer characters are broken than are right.
func mostlyUTF8(b []byte) bool {
	var right, broken int
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && size == 1:
			broken++
		case size > 1:
			right++
		}
		b = b[size:]
	}
	return broken < right
}

// decodeUTF7 decodes RFC 2152, which old mail servers still write.
func decodeUTF7(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		if b[0] != '+' {
			out.WriteByte(b[0])
			b = b[1:]
			continue
		}
		b = b[1:]
		n := 0
		for n < len(b) && isBase64(b[n]) {
			n++
		}
		if n == 0 {
			out.WriteByte('+')
		}
		units := decodeBase64(b[:n])
		u16 := make([]uint16, len(units)/2)
		for i := range u16 {
			u16[i] = uint16(units[2*i])<<8 | uint16(units[2*i+1])
		}
		out.WriteString(string(utf16.Decode(u16)))
		b = b[n:]
		if len(b) > 0 && b[0] == '-' {
			b = b[1:]
		}
	}
	return cleanText(out.String())
}

var metaCharset = regexp.MustCompile(`(?i)<meta[^>]{1,200}charset\s*=\s*["']?([a-z0-9_:.-]{1,40})`)

// charsetOfHTML returns what a page says about itself, for parts that say nothing.
func charsetOfHTML(b []byte) string {
	if m := metaCharset.FindSubmatch(b[:min(len(b), 2048)]); m != nil {
		return string(m[1])
	}
	return ""
}
