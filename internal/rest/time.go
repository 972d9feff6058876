package rest

import (
	"strings"
	"time"
)

// timeForms are the forms of a time that are taken, with a zone or without.
var timeForms = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999Z0700",
	"2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"2006-01-02",
}

// parseTime reads an ISO 8601 date or timestamp; without a zone it is UTC. The
// plus of a zone that arrives as a space, unescaped in a URL, is understood.
func parseTime(s string) (time.Time, bool) {
	if i := strings.LastIndexByte(s, ' '); i > 10 {
		s = s[:i] + "+" + s[i+1:]
	}
	s = strings.Replace(s, " ", "T", 1)
	for _, form := range timeForms {
		// In UTC: a zone can carry a time into a year that has no four digits.
		if t, err := time.Parse(form, s); err == nil && t.UTC().Year() > 0 && t.UTC().Year() < 10000 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
