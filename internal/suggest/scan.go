package suggest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner reads text into tokens.
type scanner struct {
	words   *vocabulary
	correct bool // whether stretched and misspelt words are corrected
	stems   bool // whether words are also recognised by their beginnings
	most    int  // maximum number of tokens
	buf     []byte
	tokens  []token
	bangs   int  // exclamation marks
	turned  bool // a Spanish question has begun
}

// full reports whether to stop reading.
func (s *scanner) full() bool { return len(s.tokens) >= s.most }

// text reads plain text.
func (s *scanner) text(text string) {
	for i := 0; i < len(text) && !s.full(); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			s.sign(aThing, "\ufffd")
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			n = s.word(text[i:])
		case r == '@':
			n = s.mention(text, i)
		case skipped(r):
		default:
			if emoticon, length := s.words.emoticon(text[i:]); length > 0 {
				s.sign(anEmoji, emoticon)
				n = length
			} else {
				s.punctuation(text, i, r)
			}
		}
		i += n
	}
}

// skipped matches characters without meaning: spaces, formatting characters, and
// those that change an emoji's colour or join it to another.
func skipped(r rune) bool {
	switch r {
	case ' ', '\t', '\u00a0', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\ufe0e', '\ufe0f', '\u20e3',
		'"', '“', '”', '„', '«', '»', '‹', '›', '*', '_', '~', '`', '´', '\'', '’', '‘', '¡', '/', '|', '\\', '>':
		return true
	}
	return r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0020 && r <= 0xe007f
}

// punctuation reads one sign.
func (s *scanner) punctuation(text string, i int, r rune) {
	switch r {
	case '!', '❗', '❕', '‼':
		s.bangs++
		if r == '❗' {
			s.sign(anEmoji, "❗")
			return
		}
		s.sign(aStop, ".")
	case '.', ';', ':', '…', '\n', '\r', '。', '！':
		s.sign(aStop, ".")
	case '?', '❓', '❔', '⁉', '？':
		s.turned = false
		s.sign(aQuestion, "?")
	case '¿':
		s.turned = true
	case ',', '(', ')', '[', ']', '–', '—', '•', '·', '{', '}':
		s.sign(aComma, ",")
	case '-':
		// Within a word it only separates: week-end.
		if i == 0 || text[i-1] == ' ' {
			s.sign(aComma, ",")
		}
	case '&':
		s.sign(aWord, "&")
	default:
		if isEmoji(r) {
			s.sign(anEmoji, string(r))
			return
		}
		if unicode.Is(unicode.Mn, r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return
		}
		s.sign(aThing, string(r))
	}
}

// sign adds a token with the given text.
func (s *scanner) sign(kind tokenKind, text string) {
	start := s.open()
	s.buf = append(s.buf, text...)
	s.close(kind, small, start)
}

// open begins a token's text. One space separates it from the one before.
func (s *scanner) open() int {
	if len(s.buf) > 0 {
		s.buf = append(s.buf, ' ')
	}
	return len(s.buf)
}

func (s *scanner) close(kind tokenKind, sh shape, start int) {
	t := token{kind: kind, shape: sh, start: start, end: len(s.buf)}
	s.words.name(&t, s.buf[start:], s.stems)
	s.tokens = append(s.tokens, t)
}

// word reads a word or a number and returns its length.
func (s *scanner) word(text string) int {
	if n := address(text); n > 0 {
		s.sign(aThing, "link")
		return n
	}
	start := s.open()
	upper, lower, digits, letters, first := 0, 0, 0, 0, false
	i := 0
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsLetter(r) || unicode.Is(unicode.Mn, r):
			if unicode.IsUpper(r) {
				upper++
				first = first || letters == 0
			} else {
				lower++
			}
			letters++
			s.buf = fold(s.buf, r)
		case unicode.IsDigit(r):
			digits++
			s.buf = append(s.buf, text[i:i+n]...)
		case apostrophe(r) && letters > 0 && startsWithLetter(text[i+n:]):
		default:
			n = 0
		}
		if n == 0 {
			break
		}
		i += n
	}
	if i < len(text) && text[i] == '@' { // an email address
		s.buf = append(s.buf[:start], "link"...)
		s.close(aThing, small, start)
		return i + len(handle(text[i+1:])) + 1
	}
	kind, sh := aWord, small
	switch {
	case letters == 0:
		kind = aNumber
	case upper > 1 && lower == 0:
		sh = shouted
	case upper == 1 && first && lower > 0 && digits == 0:
		sh = titled
	}
	if s.correct && kind == aWord {
		s.buf = s.words.corrected(s.buf, start)
	}
	s.close(kind, sh, start)
	return i
}

// mention reads @somebody.
func (s *scanner) mention(text string, i int) int {
	name := handle(text[i+1:])
	if name == "" {
		s.sign(aThing, "@")
		return 1
	}
	s.sign(aMention, "@")
	return 1 + len(name)
}

// handle returns the name at the beginning of a text, as after an @.
func handle(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '-' && r != '_'
	})
	if end < 0 {
		end = len(text)
	}
	return strings.TrimRight(text[:end], ".-_")
}

// address returns the length of the web address at the beginning of a text.
func address(text string) int {
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") && !strings.HasPrefix(text, "www.") {
		return 0
	}
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		return end
	}
	return len(text)
}

func apostrophe(r rune) bool {
	return r == '\'' || r == '’' || r == '‘' || r == 'ʼ' || r == '´' || r == '`'
}

func startsWithLetter(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r)
}

// isEmoji distinguishes pictures from letters and signs.
func isEmoji(r rune) bool {
	switch {
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2600 && r <= 0x27bf, r >= 0x2300 && r <= 0x23ff, r >= 0x2b00 && r <= 0x2bff, r == 0x3030:
		return true
	}
	return false
}
