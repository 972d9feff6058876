package mrkdwn

import (
	"strings"
	"unicode"
)

// joint is the zero-width space that Text adds where formatting could not begin or
// end, or must not. We treat it as a space, and so do Slack's clients.
const (
	joint     = "\u200b"
	jointRune = '\u200b'
)

// signs are the characters that format: bold, italic, strike, code.
const signs = "*_~`"

// nothing stands for the character before a line's first and after its last.
const nothing rune = -1

// opens reports whether a sign between two characters may begin formatting. It must
// not be within a word, and must not be followed by a space. One of two signs in a
// row does nothing, because people write **bold** out of habit.
func opens(before, sign, after rune) bool { return edge(before) && solid(after) && after != sign }

// closes reports whether a sign may end formatting.
func closes(before, sign, after rune) bool { return solid(before) && edge(after) && before != sign }

// edge reports whether formatting may begin after or end before a character.
func edge(r rune) bool {
	return r == nothing || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
}

// safeEdge is a stricter edge, as Slack's clients have been seen to apply it:
// Chinese or Japanese punctuation is not an edge to them.
func safeEdge(r rune) bool {
	return r == nothing || r == jointRune || unicode.IsSpace(r) ||
		r < 0x80 && edge(r) && !strings.ContainsRune(signs, r)
}

func solid(r rune) bool {
	return r != nothing && r != jointRune && r != '\ufeff' && !unicode.IsSpace(r)
}
