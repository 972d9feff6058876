package mrkdwn

import (
	"strings"

	"frontdesk/internal/markup"
)

const fence = "```"

// reader reads a message's text.
type reader struct {
	b     markup.Builder
	lists []list // open lists, outermost first
	gap   bool   // whether the previous line is empty
}

// blocks reads lines. A quote cannot contain another quote.
func (r *reader) blocks(text string, quoted bool) {
	fenced := true // there may be preformatted text ahead
	for at, end := 0, -1; at < len(text); {
		if end < at { // avoids a new search for each of many pieces of a long line
			end = lineEnd(text, at)
		}
		if quote, after, ok := cutQuote(text[at:]); ok && !quoted {
			r.endLists()
			r.b.Open(markup.Quote, 0)
			r.blocks(quote, true)
			r.b.Close(markup.Quote)
			at = len(text) - len(after)
			continue
		}
		line := text[at:end]
		if i := strings.Index(line, fence); i >= 0 && fenced {
			pre, after, closed := strings.Cut(text[at+i+len(fence):], fence)
			fenced = closed
			if closed && strings.TrimSpace(pre) != "" {
				r.preformatted(line[:i], pre)
				after = strings.TrimPrefix(strings.TrimLeft(after, " "), "\n")
				at = len(text) - len(after)
				continue
			}
		}
		r.line(line)
		at = end + 1
	}
	r.endLists()
}

// lineEnd returns the end of the line that i is in.
func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// preformatted reads preformatted text and the text before it on its line.
func (r *reader) preformatted(before, pre string) {
	if strings.TrimSpace(before) == "" {
		r.leaveLists(indentation(before))
	} else {
		r.line(before)
	}
	r.b.Preformat(literal(refenced(pre)))
	r.gap = false
}

// cutQuote cuts a quote from the beginning of a text: lines that start with >, or
// all that is left after >>>.
func cutQuote(text string) (quote, after string, ok bool) {
	if all, ok := cutSign(text, 3); ok {
		return all, "", true
	}
	var lines []string
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		quoted, is := cutSign(line, 1)
		if _, all := cutSign(line, 3); !is || all {
			break
		}
		lines = append(lines, quoted)
		text = rest
	}
	return strings.Join(lines, "\n"), text, lines != nil
}

// cutSign cuts n > signs and a space from a line. Slack escapes them in what people
// write, and accepts both forms in what programs write.
func cutSign(line string, n int) (string, bool) {
	for range n {
		var ok bool
		if line, ok = strings.CutPrefix(line, "&gt;"); ok {
			continue
		}
		if line, ok = strings.CutPrefix(line, ">"); !ok {
			return "", false
		}
	}
	return strings.TrimPrefix(line, " "), true
}

// line reads a line that is neither quoted nor preformatted.
func (r *reader) line(line string) {
	line = strings.TrimRight(line, " \t")
	if line == "" {
		r.b.Break()
		r.gap = true
		return
	}
	indent := indentation(line)
	body := strings.TrimLeft(line, " \t")
	plain, isPlain := strings.CutPrefix(body, joint)
	switch m, ok := r.marker(body, indent); {
	case isPlain:
		body = plain
	case indent == 0 && body == rule:
		r.endLists()
		r.b.Rule()
		r.gap = false
		return
	case ok:
		r.item(indent, m)
		return
	}
	r.leaveLists(indent)
	if len(r.lists) == 0 {
		body = strings.Repeat(" ", indent) + body
	}
	r.words(body)
}

const rule = "---"

// words reads the words of a line into the paragraph.
func (r *reader) words(s string) {
	for _, run := range inline(s) {
		r.b.Add(run)
	}
	r.b.Add(markup.Run{Kind: markup.Break})
	r.gap = false
}

// indentation returns the width of the spaces at the start of a line.
func indentation(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}
