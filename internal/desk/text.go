package desk

import (
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text checks a text and trims the white space around it. Lengths count
// Unicode code points. It may hold anything else: markup, SQL, any script.
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

// Storable reports whether both engines can keep a text: PostgreSQL takes
// neither U+0000 nor invalid UTF-8.
func Storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// OneOf checks that a value is one of those allowed.
func OneOf[T ~string](p *Problems, field string, v T, allowed ...T) {
	if slices.Contains(allowed, v) {
		return
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	p.Add(field, "must be one of %s", strings.Join(names, ", "))
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

// atMost checks the length of a list. Of one that is too long, only that is
// told.
func (p *Problems) atMost(field string, n, most int) bool {
	if n > most {
		p.Add(field, "must be at most %d; there are %d", most, n)
	}
	return n <= most
}

// once checks that a value is in its list once.
func (p *Problems) once(field string, seen map[string]bool, value string) {
	if seen[value] {
		p.Add(field, "is there twice")
	}
	seen[value] = true
}

// EmailDomain is what stands behind the @ of an address, in lower case; empty
// where there is none.
func EmailDomain(email string) string {
	at := strings.LastIndexByte(email, '@')
	if at < 0 {
		return ""
	}
	return lowerASCII(email[at+1:])
}

// mostDomain is the longest name that the domain name system takes.
const mostDomain = 253

// A domain name has two parts or more; the last has a letter, or it would be an
// address. Names in other scripts are given as they are looked up: xn--…
var domainShape = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`)

// Domain checks a domain name and makes it lower case.
func (p *Problems) Domain(field string, s *string) {
	*s = lowerASCII(strings.TrimSpace(*s))
	if len(*s) > mostDomain || !domainShape.MatchString(*s) {
		p.Add(field, "must be a domain name, such as example.com")
	}
}

// lowerASCII leaves all other letters alone. The Kelvin sign is a K to
// strings.ToLower, but another letter in a domain name.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// FoldEmail makes email addresses comparable: two are the same person's when only
// the case of the letters A to Z differs. Fold would take the Turkish ı for an i
// and the long ſ for an s, so that one person could be taken for another.
func FoldEmail(email string) string { return lowerASCII(email) }

// PlainEmail reports whether an email has ASCII letters alone, so that everybody
// who reads it reads the same.
func PlainEmail(email string) bool {
	return strings.IndexFunc(email, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// Fold makes texts comparable without regard to case, to search by. Who somebody
// is, FoldEmail decides. Both engines compare what Go has folded, since their own
// ideas of case differ.
func Fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// FirstLine is the first line of a text that says something, of at most so many
// characters.
func FirstLine(s string, most int) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			if runes := []rune(line); len(runes) > most {
				line = strings.TrimSpace(string(runes[:most-1])) + "…"
			}
			return line
		}
	}
	return ""
}
