package markup

import (
	"strconv"
	"strings"
)

// Text returns the document as plain text; see PlainText.
func (d Document) Text() string {
	var w plainWriter
	w.blocks(d.blocks, "", "")
	return strings.Join(w.lines, "\n")
}

type plainWriter struct{ lines []string }

// line adds a line. An empty line in a quote keeps its sign without a space after
// it.
func (w *plainWriter) line(s string) { w.lines = append(w.lines, strings.TrimRight(s, " \t\u00a0")) }

// blocks writes blocks. The first line begins with first and all others with
// prefix.
func (w *plainWriter) blocks(blocks []Block, first, prefix string) {
	for _, b := range blocks {
		switch b.Kind {
		case Paragraph:
			for line := range strings.SplitSeq(plainRuns(b.Runs), "\n") {
				w.line(first + line)
				first = prefix
			}
		case Preformatted:
			for line := range strings.SplitSeq(b.Text, "\n") {
				w.line(first + line)
				first = prefix
			}
		case Rule:
			w.line(first + "---")
		case Quote:
			w.blocks(b.Blocks, first+"> ", prefix+"> ")
		case Bullets:
			for _, item := range b.Blocks {
				w.blocks(item.Blocks, first+"• ", prefix+"  ")
				first = prefix
			}
		case Numbers:
			for i, item := range b.Blocks {
				number := strconv.Itoa(b.Start+i) + ". "
				w.blocks(item.Blocks, first+number, prefix+strings.Repeat(" ", len(number)))
				first = prefix
			}
		}
		first = prefix
	}
}

// plainRuns returns a paragraph's text, with a line end for each break.
func plainRuns(runs []Run) string {
	var out strings.Builder
	for i := 0; i < len(runs); {
		r := runs[i]
		if r.Link == "" {
			out.WriteString(plainRun(r))
			i++
			continue
		}
		var text strings.Builder
		for ; i < len(runs) && runs[i].Link == r.Link; i++ {
			text.WriteString(plainRun(runs[i]))
		}
		out.WriteString(text.String())
		if !saysAddress(text.String(), r.Link) {
			if text.Len() > 0 {
				out.WriteByte(' ')
			}
			out.WriteString("(" + r.Link + ")")
		}
	}
	return out.String()
}

func plainRun(r Run) string {
	if r.Kind == Break {
		return "\n"
	}
	return r.Text
}

// saysAddress reports whether a link's text already shows its address, perhaps
// without the scheme or the last slash.
func saysAddress(text, link string) bool {
	link = strings.TrimSuffix(link, "/")
	text = strings.TrimSuffix(text, "/")
	if strings.EqualFold(text, link) {
		return true
	}
	for _, scheme := range linkSchemes {
		if bare, ok := strings.CutPrefix(link, scheme); ok && text == bare {
			return true
		}
	}
	return false
}
