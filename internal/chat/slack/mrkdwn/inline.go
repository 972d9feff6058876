package mrkdwn

import (
	"strings"
	"unicode/utf8"

	"frontdesk/internal/markup"
)

var markOf = map[byte]markup.Marks{'*': markup.Strong, '_': markup.Em, '~': markup.Strike}

// token is a piece of a line: a run, or a sign that may format.
type token struct {
	run           markup.Run
	sign          byte
	opens, closes bool
}

// inline reads the formatting of a line. A sign opens formatting if there is one
// ahead that closes it. Otherwise it is an ordinary character.
func inline(line string) []markup.Run {
	tokens := scan(line)
	// For every position and sign, where the next closing one is.
	ahead := make([][3]int, len(tokens)+1)
	ahead[len(tokens)] = [3]int{len(tokens), len(tokens), len(tokens)}
	for i := len(tokens) - 1; i >= 0; i-- {
		ahead[i] = ahead[i+1]
		if tokens[i].closes {
			ahead[i][strings.IndexByte(signs, tokens[i].sign)] = i
		}
	}
	var runs []markup.Run
	var read func(from, to int, marks markup.Marks)
	read = func(from, to int, marks markup.Marks) {
		for i := from; i < to; i++ {
			t := tokens[i]
			if t.opens {
				if end := ahead[i+1][strings.IndexByte(signs, t.sign)]; end > i+1 && end < to {
					read(i+1, end, marks|markOf[t.sign])
					i = end
					continue
				}
			}
			t.run.Marks |= marks
			runs = append(runs, t.run)
		}
	}
	read(0, len(tokens), 0)
	return runs
}

// scan splits a line into tokens.
func scan(line string) []token {
	var tokens []token
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			tokens = append(tokens, token{run: markup.Run{Text: markup.KeepSpaces(text.String())}})
			text.Reset()
		}
	}
	for i := 0; i < len(line); {
		switch c := line[i]; c {
		case '<':
			if run, n := entity(line[i:]); n > 0 {
				flush()
				tokens = append(tokens, token{run: run})
				i += n
				continue
			}
		case '`':
			if runs, n := code(line, i); n > 0 {
				flush()
				for _, run := range runs {
					tokens = append(tokens, token{run: run})
				}
				i += n
				continue
			}
		case '*', '_', '~':
			flush()
			before, after := neighbours(line, i)
			tokens = append(tokens, token{
				run:    markup.Run{Text: string(c)},
				sign:   c,
				opens:  opens(before, rune(c), after),
				closes: closes(before, rune(c), after),
			})
			i++
			continue
		}
		s, n := character(line, i)
		text.WriteString(s)
		i += n
	}
	flush()
	return tokens
}

// code reads code that begins at a backtick. n is its length. It may contain
// addresses and mentions; nothing else has a meaning in it.
func code(line string, at int) (runs []markup.Run, n int) {
	before, after := neighbours(line, at)
	if !opens(before, '`', after) {
		return nil, 0
	}
	begin := at + 1
	add := func(end int) {
		if begin < end {
			runs = append(runs, markup.Run{Text: literal(line[begin:end]), Marks: markup.Code})
		}
	}
	for i := begin; i < len(line); i++ {
		switch line[i] {
		case '`':
			if before, after := neighbours(line, i); !closes(before, '`', after) {
				return nil, 0
			}
			add(i)
			return runs, i + 1 - at
		case '<':
			if run, n := entity(line[i:]); n > 0 {
				add(i)
				run.Marks = markup.Code
				runs = append(runs, run)
				i += n - 1
				begin = i + 1
			}
		}
	}
	return nil, 0
}

// character reads the next character of a line as it is shown. It may be an escape
// or an emoji's name. n is its length in the line.
func character(line string, at int) (shown string, n int) {
	rest := line[at:]
	switch rest[0] {
	case '&':
		for _, e := range entities {
			if strings.HasPrefix(rest, e.escaped) {
				return e.char, len(e.escaped)
			}
		}
	case ':':
		if sign, n := cutEmoji(rest); n > 0 {
			return sign, n
		}
	case joint[0]:
		if strings.HasPrefix(rest, joint) && (at > 0 && isSign(line[at-1]) || len(rest) > len(joint) && isSign(rest[len(joint)])) {
			return "", len(joint)
		}
	}
	_, n = utf8.DecodeRuneInString(rest)
	return rest[:n], n
}

// isSign reports whether Text puts a joint next to a character.
func isSign(c byte) bool { return c == ':' || strings.IndexByte(signs, c) >= 0 }

var entities = [...]struct{ escaped, char string }{{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}}

// label reads a text in which only characters have a meaning: the name of a link or
// a mention.
func label(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		shown, n := character(s, i)
		out.WriteString(shown)
		i += n
	}
	return out.String()
}

// literal reads a text in which only escapes have a meaning. Of addresses and
// mentions it keeps the words.
func literal(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		switch s[i] {
		case '<':
			if run, length := entity(s[i:]); length > 0 {
				out.WriteString(run.Text)
				i += length
				continue
			}
		case '&':
			shown, length := character(s, i)
			out.WriteString(shown)
			i += length
			continue
		}
		out.WriteByte(s[i])
		i++
	}
	return out.String()
}

// neighbours returns the characters before and after the one at i, which has one
// byte.
func neighbours(line string, i int) (before, after rune) {
	before, after = nothing, nothing
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(line[:i])
	}
	if i+1 < len(line) {
		after, _ = utf8.DecodeRuneInString(line[i+1:])
	}
	return before, after
}
