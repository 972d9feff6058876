package desk

import (
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text checks a text and trims the white space around it. Lengths count Unicode
// code points. The text may contain anything else: markup, SQL, any script.
func (p *Problems) Text(field string, s *string, least, most int) {
	*s = strings.TrimSpace(*s)
	switch n := utf8.RuneCountInString(*s); {
	case !Storable(*s):
		p.Add(field, "must be valid UTF-8 without the character U+0000")
	case n < least && least == 1:
		p.Add(field, "must not be empty")
	case n < least || n > most:
		p.Add(field, "must have %d to %d characters; it has %d", least, most, n)
	}
}

// length counts a text's characters: Unicode code points.
func length(s string) int { return utf8.RuneCountInString(s) }

// Storable reports whether both engines can store a text. PostgreSQL accepts
// neither U+0000 nor invalid UTF-8.
func Storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// OneOf checks that a value is one of the allowed ones.
func OneOf[T ~string](p *Problems, field string, v T, allowed ...T) {
	if slices.Contains(allowed, v) {
		return
	}
	names := Each(allowed, func(a T) string { return string(a) })
	p.Add(field, "must be one of %s", strings.Join(names, ", "))
}

// optionalOneOf checks a value that may be missing.
func optionalOneOf[T ~string](p *Problems, field string, v *T, allowed ...T) {
	if v != nil {
		OneOf(p, field, *v, allowed...)
	}
}

// optionalText checks a text that may be missing. It trims a copy, because others
// may share the given one.
func optionalText(p *Problems, field string, s **string, least, most int) {
	if *s == nil {
		return
	}
	text := **s
	p.Text(field, &text, least, most)
	*s = &text
}

// wholeNumber checks that a number is within bounds.
func wholeNumber[T int | int64](p *Problems, field string, n, least, most T) {
	if n < least || n > most {
		p.Add(field, "must be a whole number from %d to %d", least, most)
	}
}

// mostEmail is the longest address that mail can be sent to.
const mostEmail = 254

// Email checks an email address: the bare address, without a display name.
func (p *Problems) Email(field string, s *string) {
	*s = strings.TrimSpace(*s)
	a, err := mail.ParseAddress(*s)
	if err != nil || a.Address != *s || len(*s) > mostEmail || !Storable(*s) || strings.ContainsFunc(*s, unicode.IsControl) {
		p.Add(field, "must be an email address, such as jo@example.com")
	}
}

// atMost checks the length of a list. If it is too long, nothing else about it is
// reported.
func (p *Problems) atMost(field string, n, most int) bool {
	if n > most {
		p.Add(field, "must have at most %d items; there are %d", most, n)
	}
	return n <= most
}

// oneTo checks the length of a list that must not be empty. If it is wrong, nothing
// else about the list is reported.
func (p *Problems) oneTo(most int, field string, n int) bool {
	if n < 1 || n > most {
		p.Add(field, "must have 1 to %d items; there are %d", most, n)
		return false
	}
	return true
}

// eachOnce checks the items of a list, which must all differ. check may change an
// item, and may be nil.
func eachOnce[T ~string | ~int64](p *Problems, field string, list []T, check func(at string, item *T)) {
	seen := map[string]bool{}
	for i := range list {
		at := fmt.Sprintf("%s[%d]", field, i)
		if check != nil {
			check(at, &list[i])
		}
		p.once(at, seen, fmt.Sprint(list[i]))
	}
}

// once checks that a value appears only once in its list.
func (p *Problems) once(field string, seen map[string]bool, value string) {
	if seen[value] {
		p.Add(field, "is given twice")
	}
	seen[value] = true
}

// EmailDomain returns the part of an address after the @, in lower case; empty if
// there is none.
func EmailDomain(email string) string {
	at := strings.LastIndexByte(email, '@')
	if at < 0 {
		return ""
	}
	return lowerASCII(email[at+1:])
}

// mostDomain is the longest name that the domain name system allows.
const mostDomain = 253

// A domain name has at least two parts. The last has a letter, because otherwise it
// would be an IP address. Names in other scripts are given in their encoded form:
// xn--…
var domainShape = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`)

// Domain checks a domain name and lowercases it.
func (p *Problems) Domain(field string, s *string) {
	*s = lowerASCII(strings.TrimSpace(*s))
	if len(*s) > mostDomain || !domainShape.MatchString(*s) {
		p.Add(field, "must be a domain name, such as example.com")
	}
}

// lowerASCII leaves all other letters alone. strings.ToLower turns the Kelvin sign
// into a k, but in a domain name they are different letters.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// FoldEmail makes email addresses comparable. Two addresses belong to the same
// person if they differ only in the case of the letters A to Z. Fold would turn the
// Turkish ı into i and the long ſ into s, so that one person could pass for
// another.
func FoldEmail(email string) string { return lowerASCII(email) }

// PlainEmail reports whether an email has only ASCII letters, so that it looks the
// same to every reader.
func PlainEmail(email string) bool {
	return strings.IndexFunc(email, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// Fold makes texts comparable without regard to case, for searching. To identify a
// person, use FoldEmail. Both engines compare texts that Go has folded, because
// their own ideas of case differ.
func Fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// FirstLine returns the first line of a text that is not empty, cut to most
// characters.
func FirstLine(s string, most int) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return Shorten(line, most)
		}
	}
	return ""
}

// Shorten returns a text of at most most characters, with … in place of what was cut
// off.
func Shorten(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return s
}
