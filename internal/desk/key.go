package desk

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Key is what people call a request or a native ticket: ACME-17. The number alone
// tells which one it is, because an account counts both together. The prefix is that
// of the account when the key was given.
type Key struct {
	Prefix string // in capital letters; empty if somebody gave only the number
	Number int64
}

func (k Key) String() string {
	if k.Prefix == "" {
		return strconv.FormatInt(k.Number, 10)
	}
	return TicketKey(k.Prefix, k.Number)
}

// TicketKey returns what people call a request or a native ticket: ACME-17.
func TicketKey(prefix string, number int64) string { return fmt.Sprintf("%s-%d", prefix, number) }

var (
	keyShape    = regexp.MustCompile(`^(?i)([A-Z][A-Z0-9]{0,9})-([1-9][0-9]{0,17})$`)
	numberShape = regexp.MustCompile(`^#?([1-9][0-9]{0,17})$`)
)

// ParseKey reads a key, in small or capital letters.
func ParseKey(text string) (Key, bool) {
	m := keyShape.FindStringSubmatch(text)
	if m == nil {
		return Key{}, false
	}
	n, err := strconv.ParseInt(m[2], 10, 64)
	return Key{strings.ToUpper(m[1]), n}, err == nil
}

// ParseSearchedKey reads what somebody types who looks for a key: all of it or its
// number alone, which may follow a #.
func ParseSearchedKey(text string) (Key, bool) {
	text = strings.TrimSpace(text)
	if m := numberShape.FindStringSubmatch(text); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		return Key{Number: n}, err == nil
	}
	return ParseKey(strings.TrimPrefix(text, "#"))
}
