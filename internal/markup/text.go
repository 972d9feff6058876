package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// FromText makes HTML of plain text: empty lines part paragraphs, other line
// ends are kept, and addresses of the web become links. Everything else is
// taken literally.
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

// KeepSpaces makes spaces show in HTML that are there to be seen, such as those
// which indent a line: all but the last of several become no-break spaces.
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

// findAddress finds the first address of the web in a line, or the line's end.
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
				continue // the end of a longer word: xhttp://
			}
			if end = addressEnd(line, at); end > at {
				return start, end
			}
		}
	}
}

// addressEnd is where an address ends whose host begins at from: at a space or
// a sign that is no part of one, without the punctuation of the sentence that it
// stands in. A closing bracket belongs to it if it was opened in it.
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
