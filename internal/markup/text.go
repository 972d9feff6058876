package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// FromText converts plain text to HTML. Empty lines separate paragraphs, other line
// ends are kept, and web addresses become links. Everything else is taken
// literally.
func FromText(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	var b Builder
	for line := range strings.SplitSeq(text, "\n") {
		if blank(line) {
			b.Break()
			continue
		}
		addLine(&b, strings.TrimRightFunc(line, unicode.IsSpace))
		b.Add(Run{Kind: Break})
	}
	return b.Document().HTML()
}

// addLine adds a line's words and links.
func addLine(b *Builder, line string) {
	for line != "" {
		start, end := findAddress(line)
		b.Add(Run{Text: KeepSpaces(line[:start])})
		b.Add(Run{Text: line[start:end], Link: line[start:end]})
		line = line[end:]
	}
}

// KeepSpaces keeps meaningful spaces visible in HTML, such as the indentation of a
// line. All but the last of several spaces become no-break spaces.
func KeepSpaces(line string) string {
	line = strings.ReplaceAll(line, "\t", "    ")
	if !strings.Contains(line, "  ") {
		return line
	}
	var out strings.Builder
	for i := range len(line) {
		if line[i] == ' ' && i+1 < len(line) && line[i+1] == ' ' {
			out.WriteString("\u00a0")
			continue
		}
		out.WriteByte(line[i])
	}
	return out.String()
}

// findAddress returns the position of the first web address in a line, or the
// line's end.
func findAddress(line string) (start, end int) {
	for at := 0; ; {
		i := strings.Index(line[at:], "://")
		if i < 0 {
			return len(line), len(line)
		}
		i += at
		at = i + len("://")
		for _, scheme := range [...]string{"https", "http"} {
			start = i - len(scheme)
			if start < 0 || !strings.EqualFold(line[start:i], scheme) {
				continue
			}
			before, _ := utf8.DecodeLastRuneInString(line[:start])
			if start > 0 && (before == '_' || before < 0x80 && (unicode.IsLetter(before) || unicode.IsDigit(before))) {
				continue // the end of a longer word, such as xhttp://
			}
			if end = addressEnd(line, at); end > at {
				return start, end
			}
		}
	}
}

// addressEnd returns where an address ends whose host begins at from. It ends at a
// space or a character that cannot be part of it. Punctuation of the surrounding
// sentence is left out. A closing bracket belongs to the address if it was opened
// inside it.
func addressEnd(line string, from int) int {
	rest := line[from:]
	if n := strings.IndexFunc(rest, func(r rune) bool {
		return unfit(r) || strings.ContainsRune("、。，；：！？「」『』（）【】《》“”‘’«»", r)
	}); n >= 0 {
		rest = rest[:n]
	}
	round := strings.Count(rest, "(") - strings.Count(rest, ")")
	square := strings.Count(rest, "[") - strings.Count(rest, "]")
	for ; rest != ""; rest = rest[:len(rest)-1] {
		switch last := rest[len(rest)-1]; {
		case last == ')' && round < 0:
			round++
		case last == ']' && square < 0:
			square++
		case !strings.ContainsRune(".,;:!?'*_~", rune(last)):
			return from + len(rest)
		}
	}
	return from
}
