package mrkdwn

import (
	"strings"
	"unicode"
)

// joint is the zero-width space that Text puts where formatting could not begin
// or end, or must not. Here it is a space, and Slack's clients treat it as one.
const (
	joint     = "\u200b"
	jointRune = '\u200b'
)

// signs are the characters that format: bold, italic, strike, code.
const signs = "*_~`"

// nothing stands for the character before a line's first and behind its last.
const nothing rune = -1

// opens reports whether a sign between two characters may begin formatting: it
// must not be within a word, and something must follow at once. One of two
// signs in a row does nothing: people write **bold** out of habit.
func opens(before, sign, after rune) bool { return edge(before) && solid(after) && after != sign }

// closes reports whether a sign may end formatting.
func closes(before, sign, after rune) bool { return solid(before) && edge(after) && before != sign }

// edge reports whether formatting may begin behind or end before a character.
func edge(r rune) bool {
	return r == nothing || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
}

// safeEdge is edge, as strictly as Slack's clients have been seen to take it:
// they do not see an edge in the punctuation of Chinese or Japanese.
func safeEdge(r rune) bool {
	return r == nothing || r == jointRune || unicode.IsSpace(r) ||
		r < 0x80 && edge(r) && !strings.ContainsRune(signs, r)
}

func solid(r rune) bool {
	return r != nothing && r != jointRune && r != '\ufeff' && !unicode.IsSpace(r)
}
