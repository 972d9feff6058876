package mrkdwn

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// Emoji returns the emoji with a Slack name: tada, wave::skin-tone-3, flag-de. It
// returns false if the name is not well known; it may be a workspace's own emoji.
func Emoji(name string) (string, bool) {
	name, tone, toned := strings.Cut(name, "::")
	sign, ok := emojiByName()[name]
	if !ok {
		sign, ok = flag(name)
	}
	if !ok || !toned {
		return sign, ok
	}
	colour, ok := skinTone(tone)
	// A skin tone replaces the variation sign. It comes after the person, and what
	// they do may follow it.
	_, person := utf8.DecodeRuneInString(sign)
	return sign[:person] + colour + strings.TrimPrefix(sign[person:], variant), ok
}

// variant follows a character that is to be shown as a picture. People leave it
// out, and so do some systems.
const variant = "\ufe0f"

// emojiTable has a line for each emoji: the emoji, Slack's name for it, and other
// names that Slack accepts. Flags and skin tones follow rules instead.
//
//go:embed emoji.txt
var emojiTable string

// emojiByName reads the table, once.
var emojiByName = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(emojiTable) {
		words := strings.Fields(line)
		for _, name := range words[min(1, len(words)):] {
			m[name] = words[0]
		}
	}
	return m
})

// flag returns the flag for flag-de: two letters from another alphabet.
func flag(name string) (string, bool) {
	code, ok := strings.CutPrefix(name, "flag-")
	if !ok || len(code) != 2 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "", false
	}
	return string([]rune{rune(code[0]) - 'a' + regionalA, rune(code[1]) - 'a' + regionalA}), true
}

const regionalA = '\U0001f1e6'

// Slack numbers skin tones from 2 to 6, after the Fitzpatrick scale, whose first
// two types share one emoji.
const (
	tonePrefix = "skin-tone-"
	firstTone  = '\U0001f3fb'
)

func skinTone(name string) (string, bool) {
	n, ok := strings.CutPrefix(name, tonePrefix)
	if !ok || len(n) != 1 || n[0] < '2' || n[0] > '6' {
		return "", false
	}
	return string(firstTone + rune(n[0]-'2')), true
}

// cutEmoji reads an emoji's name between colons at the beginning of s. n is its
// length, or 0 if there is no well-known one.
func cutEmoji(s string) (sign string, n int) {
	name, n := emojiWord(s)
	if n == 0 {
		return "", 0
	}
	if sign, ok := skinTone(name); ok {
		return sign, n
	}
	sign, ok := Emoji(name)
	if !ok {
		return "", 0
	}
	if tone, length := emojiWord(s[n:]); length > 0 {
		if toned, ok := Emoji(name + "::" + tone); ok {
			return toned, n + length
		}
	}
	return sign, n
}

// longestName is longer than any emoji's name.
const longestName = 64

// emojiWord returns the name between colons at the beginning of s.
func emojiWord(s string) (name string, n int) {
	for i := 1; i < len(s) && i <= longestName; i++ {
		switch c := s[i]; {
		case c == ':' && i > 1 && s[0] == ':':
			return s[1:i], i + 1
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '-', c == '+':
		default:
			return "", 0
		}
	}
	return "", 0
}
