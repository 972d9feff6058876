package rest

import (
	"strings"
	"time"
)

// timeForms are the accepted time formats, with and without a zone.
var timeForms = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999Z0700",
	"2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"2006-01-02",
}

// parseTime parses an ISO 8601 date or timestamp, in UTC unless it has a zone. It
// also accepts a space in place of the zone's plus sign, because an unescaped plus
// in a URL arrives as a space.
func parseTime(s string) (time.Time, bool) {
	if i := strings.LastIndexByte(s, ' '); i > 10 {
		s = s[:i] + "+" + s[i+1:]
	}
	s = strings.Replace(s, " ", "T", 1)
	for _, form := range timeForms {
		// The year is checked in UTC, because a zone can move a time into a year
		// that does not have four digits.
		if t, err := time.Parse(form, s); err == nil && t.UTC().Year() > 0 && t.UTC().Year() < 10000 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
