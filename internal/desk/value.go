package desk

import "strings"

// Same reports whether two values that may be missing are the same.
func Same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// Each returns what fn makes of each item. The result is never nil.
func Each[T, R any](items []T, fn func(T) R) []R {
	made := make([]R, len(items))
	for i, item := range items {
		made[i] = fn(item)
	}
	return made
}

// mostOutsideText is how much of a text from another system is kept, in bytes.
const mostOutsideText = 1000

// CleanText makes a short text from another system fit for the database: both
// engines must be able to store it.
func CleanText(text string) string {
	if len(text) > mostOutsideText {
		text = text[:mostOutsideText]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}
