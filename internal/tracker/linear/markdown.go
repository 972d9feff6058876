package linear

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/markup"
)

// joint is a zero-width space. It goes where formatting signs would otherwise be
// read as something else. Nobody sees it, and toHTML removes it.
const joint = "\u200b"

// toMarkdown converts HTML, in the subset of markup, to Markdown. Text stays text
// in Linear: no character in it formats, links or mentions. Underlining is lost,
// because Markdown has no sign for it.
func toMarkdown(html string) string {
	return strings.Join(blocks(markup.Parse(html).Blocks(), false), "\n")
}

// blocks writes blocks as lines, with an empty line between two. In a list item, a
// block right after a text has no empty line before it, because that would space
// out all items of the list.
func blocks(all []markup.Block, item bool) (out []string) {
	other := false
	for i, b := range all {
		// Two lists in a row would become one if their signs were the same.
		other = i > 0 && all[i-1].Kind == b.Kind && !other
		// A numbered list that does not start at 1 needs an empty line after a
		// text.
		list := b.Kind == markup.Bullets || b.Kind == markup.Numbers && b.Start == 1
		if close := item && list && i > 0 && all[i-1].Kind == markup.Paragraph; i > 0 && !close {
			out = append(out, "")
		}
		out = append(out, block(b, other)...)
	}
	return out
}

// block writes one block. other selects the alternative sign of a list.
func block(b markup.Block, other bool) []string {
	switch b.Kind {
	case markup.Paragraph:
		return paragraph(b.Runs)
	case markup.Preformatted:
		fence := strings.Repeat("`", max(3, longest(b.Text, '`')+1))
		return slices.Concat([]string{fence}, strings.Split(b.Text, "\n"), []string{fence})
	case markup.Rule:
		return []string{"___"} // the other signs for a rule also stand for lists
	case markup.Quote:
		return indented(blocks(b.Blocks, false), "> ", "> ")
	}
	var out []string
	for i, item := range b.Blocks {
		sign := "- "
		switch {
		case b.Kind == markup.Numbers && other:
			sign = strconv.Itoa(b.Start+i) + ") "
		case b.Kind == markup.Numbers:
			sign = strconv.Itoa(b.Start+i) + ". "
		case other:
			sign = "+ "
		}
		out = append(out, indented(blocks(item.Blocks, true), sign, strings.Repeat(" ", len(sign)))...)
	}
	return out
}

// indented puts first before the first line and others before all other lines.
func indented(lines []string, first, others string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		before := others
		if i == 0 {
			before = first
		}
		if line == "" {
			before = strings.TrimRight(before, " ")
		}
		out[i] = before + line
	}
	return out
}

// paragraph writes the lines of a paragraph.
func paragraph(runs []markup.Run) (out []string) {
	for len(runs) > 0 {
		n := slices.IndexFunc(runs, func(r markup.Run) bool { return r.Kind == markup.Break })
		if n < 0 {
			n = len(runs)
		}
		out = append(out, escapeLineStart(line(runs[:n])))
		runs = runs[min(n+1, len(runs)):]
	}
	for i := range len(out) - 1 {
		if strings.HasSuffix(out[i], `\`) {
			out[i] += joint // not every reader counts backslashes
		}
		out[i] += `\` // a line break
	}
	return out
}

// numbers matches the beginning of a line that would start a list item.
var numbers = regexp.MustCompile(`^[0-9]+[.)]`)

// escapeLineStart escapes what has a meaning only at the start of a line.
func escapeLineStart(s string) string {
	s = strings.TrimLeft(s, " \t")
	if s != "" && strings.ContainsRune("#+-=", rune(s[0])) {
		return `\` + s
	}
	if n := len(numbers.FindString(s)); n > 0 {
		return s[:n-1] + `\` + s[n-1:]
	}
	return s
}

// line writes the runs of one line. Neighbouring runs with the same address become
// one link.
func line(runs []markup.Run) string {
	var out strings.Builder
	for i := 0; i < len(runs); {
		n := i + 1
		for runs[i].Link != "" && n < len(runs) && runs[n].Link == runs[i].Link {
			n++
		}
		if runs[i].Link == "" {
			before, _ := utf8.DecodeLastRuneInString(" " + out.String())
			out.WriteString(run(runs[i], before, following(runs[n:])))
		} else {
			out.WriteString(link(runs[i:n]))
		}
		i = n
	}
	return out.String()
}

// link writes runs with the same address.
func link(runs []markup.Run) string {
	to := address(runs[0].Link)
	runs = slices.Clone(runs)
	for i := range runs {
		runs[i].Link = ""
	}
	var text strings.Builder
	for i, r := range runs {
		before, _ := utf8.DecodeLastRuneInString("[" + text.String())
		after := following(runs[i+1:])
		if i+1 == len(runs) {
			after = ']'
		}
		text.WriteString(run(r, before, after))
	}
	return "[" + text.String() + "](" + to + ")"
}

// following returns the first character of the runs, or a space if there are none.
func following(runs []markup.Run) rune {
	if len(runs) == 0 {
		return ' '
	}
	r := runs[0]
	text := escapeWords(r.Text)
	switch space := strings.TrimLeft(r.Text, " ") != r.Text; {
	case r.Link != "":
		return '['
	case r.Kind == markup.Image && isPublicImage(r):
		return '!'
	case r.Kind == markup.Words && r.Marks.Has(markup.Strike) && !space:
		return '~'
	case r.Kind == markup.Words && r.Marks&(markup.Strong|markup.Em) != 0 && !space:
		return '*'
	case r.Kind == markup.Words && r.Marks.Has(markup.Code) && strings.Contains(r.Text, "@"):
		return 'x' // stands for the joint before it
	case r.Kind == markup.Words && r.Marks.Has(markup.Code):
		return '`'
	}
	first, _ := utf8.DecodeRuneInString(text)
	return first
}

// isPublicImage reports whether an image has an address that Linear can load.
func isPublicImage(r markup.Run) bool { return strings.HasPrefix(r.Target, "http") }

// run writes one run that stands between two characters.
func run(r markup.Run, before, after rune) string {
	switch {
	case r.Kind == markup.Image && isPublicImage(r):
		return "![" + escapeWords(r.Text) + "](" + address(r.Target) + ")"
	case r.Kind != markup.Words: // our mentions mean nobody in Linear
		return escapeWords(r.Text)
	}
	inner := strings.TrimSpace(r.Text)
	if inner == "" && !r.Marks.Has(markup.Code) {
		return escapeWords(r.Text)
	}
	// The signs must touch the text that they format, and spaces go outside.
	at := strings.Index(r.Text, inner)
	left, right, text := r.Text[:at], r.Text[at+len(inner):], escapeWords(inner)
	if r.Marks.Has(markup.Code) {
		left, right, text = "", "", code(r.Text)
		if strings.Contains(text, "@") && !unicode.IsSpace(before) {
			text = joint + text // otherwise the two would become an email address
		}
	}
	if left != "" {
		before = ' '
	}
	if right != "" {
		after = ' '
	}
	return escapeWords(left) + marked(text, r.Marks, before, after) + escapeWords(right)
}

// marked formats a text that stands between two characters. The stars are inside.
func marked(text string, m markup.Marks, before, after rune) string {
	stars := ""
	if m.Has(markup.Strong) {
		stars += "**"
	}
	if m.Has(markup.Em) {
		stars += "*"
	}
	if !m.Has(markup.Strike) {
		return formatted(text, stars, before, after)
	}
	return formatted(formatted(text, stars, 'x', 'x'), "~~", before, after) // there may be a joint between the two
}

// formatted puts signs around a text. Next to a letter, signs work only if the text
// inside does not begin or end with punctuation. Next to other stars, they would be
// counted together. A joint helps in both cases.
func formatted(text, signs string, before, after rune) string {
	if signs == "" {
		return text
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	open, shut, ahead, behind := "", "", "", ""
	if before == '*' || before == '~' {
		ahead, before = joint, 'x'
	}
	if after == '*' || after == '~' {
		behind, after = joint, 'x'
	}
	if isSign(first) && !isSign(before) && !unicode.IsSpace(before) {
		open = joint
	}
	if isSign(last) && !isSign(after) && !unicode.IsSpace(after) || last == rune(signs[0]) {
		shut = joint
	}
	return ahead + signs + open + text + shut + signs + behind
}

// isSign reports whether Markdown treats a character as punctuation.
func isSign(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// code writes a text in which no sign has a meaning.
func code(text string) string {
	fence := strings.Repeat("`", longest(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") && strings.TrimSpace(text) != "" {
		text = " " + text + " "
	}
	return fence + text + fence
}

// longest returns the length of the longest sequence of a character.
func longest(s string, c rune) (most int) {
	n := 0
	for _, r := range s {
		if r != c {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}

// signs have a meaning anywhere in a text. @ mentions, & begins a character entity,
// and ! turns a link into an image.
const signs = "\\`*_[]<>~|@&!"

// www matches what is read as an address without a scheme.
var www = regexp.MustCompile(`(?i)(www)\.`)

// escapeWords escapes what has a meaning inside a line. A colon followed by something is
// part of an address or an emoji.
func escapeWords(s string) string {
	var out strings.Builder
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[min(i+utf8.RuneLen(max(r, 0)), len(s)):])
		if strings.ContainsRune(signs, r) || r == ':' && next != utf8.RuneError && !unicode.IsSpace(next) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return www.ReplaceAllString(out.String(), `${1}\.`)
}

var (
	// plainAddress matches an address that needs no angle brackets.
	plainAddress = regexp.MustCompile(`^[^\s()<>\\]+$`)
	// named matches what would be read as a character entity.
	named = regexp.MustCompile(`&(#?\w+;)`)
)

// address writes the address of a link.
func address(a string) string {
	a = strings.NewReplacer("\\", "%5C", "<", "%3C", ">", "%3E", "\n", "", "\r", "", "\t", "", " ", "%20").Replace(a)
	escaped := named.ReplaceAllString(a, `&amp;$1`)
	if plainAddress.MatchString(a) {
		return escaped
	}
	return "<" + escaped + ">"
}
