package markup

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostPassed is how many sentences are skipped at most.
const mostPassed = 5

// FirstSentence returns the first sentence of a text, for a title. It has at most
// most code points. A longer sentence is cut after a word and ends with "…". Quotes
// and preformatted text are skipped if there is anything else. If idle is not nil,
// the first few sentences for which it returns true are skipped too. The result is
// empty if the text has no words.
func FirstSentence(html string, most int, idle func(sentence string) bool) string {
	d := Parse(html)
	for _, wanted := range []func(BlockKind) bool{
		func(k BlockKind) bool { return k != Quote && k != Preformatted },
		func(BlockKind) bool { return true },
	} {
		first, passed := "", 0
		for s := range sentences(d.blocks, wanted) {
			if idle == nil || passed == mostPassed || !idle(s) {
				first = s
				break
			}
			if passed++; first == "" {
				first = s
			}
		}
		if first != "" {
			return shorten(first, most)
		}
	}
	return ""
}

// sentences returns the sentences of the blocks of a wanted kind.
func sentences(blocks []Block, wanted func(BlockKind) bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text := range texts(blocks, wanted) {
			for text != "" {
				s := sentence(text)
				if !yield(s) {
					return
				}
				text = strings.TrimSpace(text[len(s):])
			}
		}
	}
}

// texts returns the texts of the blocks of a wanted kind, each in one line. Empty
// texts are left out.
func texts(blocks []Block, wanted func(BlockKind) bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, b := range blocks {
			if !wanted(b.Kind) {
				continue
			}
			var text string
			switch b.Kind {
			case Paragraph:
				var out strings.Builder
				for _, r := range b.Runs {
					out.WriteString(plainRun(r))
				}
				text = label(out.String())
			case Preformatted:
				text = label(b.Text)
			default:
				for text := range texts(b.Blocks, wanted) {
					if !yield(text) {
						return
					}
				}
			}
			if text != "" && !yield(text) {
				return
			}
		}
	}
}

// sentence returns the first sentence of a text of one line.
func sentence(text string) string {
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch {
		case strings.ContainsRune("。！？｡", r):
		case strings.ContainsRune(".!?…", r):
			if !endsSentence(text[:i], text[end:], r) {
				continue
			}
		default:
			continue
		}
		for end < len(text) { // 「…。」 and "…!?"
			next, n := utf8.DecodeRuneInString(text[end:])
			if !strings.ContainsRune("。！？｡.!?…\"')]}」』）】》”’»", next) {
				break
			}
			end += n
		}
		return text[:end]
	}
	return text
}

// endsSentence reports whether a sign between before and after ends a sentence. A
// space must follow, and after a full stop no lower-case letter may follow. A full
// stop after an initial or a title does not count.
func endsSentence(before, after string, sign rune) bool {
	after = strings.TrimLeft(after, ".!?…\"')]}」』）】》”’»")
	rest := strings.TrimLeftFunc(after, unicode.IsSpace)
	if rest == "" {
		return true
	}
	if rest == after {
		return false
	}
	if sign != '.' {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	word := before[strings.LastIndexFunc(before, unicode.IsSpace)+1:]
	if unicode.IsLower(next) || word == "" {
		return false
	}
	switch strings.ToLower(strings.TrimLeft(word, "(\"'")) {
	case "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "vs", "e.g", "i.e", "z.b":
		return false
	}
	// Not after J. as in J. Smith, nor after 1. at the beginning, which numbers
	// what follows.
	return utf8.RuneCountInString(word) > 1 && (word != before || !numeric(word))
}

func numeric(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// shorten cuts a text to most code points.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	if most <= 0 {
		return ""
	}
	cut := most - 1 // the "…" counts as one
	for cut > 0 && joined(runes, cut) {
		cut--
	}
	// Cut after a word, unless that would leave less than half. This happens with
	// an address, or in a language without spaces.
	for word := cut; word > cut/2; word-- {
		if unicode.IsSpace(runes[word]) {
			cut = word
			break
		}
	}
	short := strings.TrimRightFunc(string(runes[:cut]), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;:-–—、，；：", r)
	})
	return short + "…"
}

// joined reports whether the code points on both sides of i belong to one visible
// character. An accent, a variant or a skin colour belongs to the character before
// it, a joiner to both sides, and two regional indicators are one flag.
func joined(runes []rune, i int) bool {
	const joiner = '\u200d'
	before, after := runes[i-1], runes[i]
	switch {
	case before == joiner || after == joiner:
		return true
	case unicode.In(after, unicode.M):
		return true
	case after >= 0x1f3fb && after <= 0x1f3ff, after >= 0xe0020 && after <= 0xe007f:
		return true
	case after >= 0x1160 && after <= 0x11ff: // later parts of a Korean syllable in decomposed form
		return true
	case !regional(before) || !regional(after):
		return false
	}
	flags := 0
	for i > 0 && regional(runes[i-1]) {
		flags++
		i--
	}
	return flags%2 == 1
}

func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }
