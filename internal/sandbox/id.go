package sandbox

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	upper = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	mixed = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// newID makes an id like Slack's: a letter for the kind, a zero and nine more
// characters.
func newID(kind string) string { return kind + "0" + letters(upper, 9) }

// newSecret returns n characters that cannot be guessed.
func newSecret(n int) string { return letters(mixed, n) }

func letters(alphabet string, n int) string {
	b := make([]byte, 0, n)
	raw := make([]byte, 2*n)
	for len(b) < n {
		rand.Read(raw)
		for _, r := range raw {
			// Above the largest multiple of the alphabet's length, some letters
			// would be likelier.
			if int(r) < 256-256%len(alphabet) && len(b) < n {
				b = append(b, alphabet[int(r)%len(alphabet)])
			}
		}
	}
	return string(b)
}

func newHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// newUUID returns the id that a person's client gives a message.
func newUUID() string {
	h := newHex(16)
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", h[:8], h[8:12], h[13:16], h[17:20], h[20:])
}

// showTS formats microseconds as Slack's ts, and nothing for 0.
func showTS(micros int64) string {
	if micros == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%06d", micros/1e6, micros%1e6)
}

var tsPattern = regexp.MustCompile(`^\d{1,12}(\.\d{1,6})?$`)

// parseTS reads a ts. A missing fraction counts as zero, because clients send whole
// seconds as bounds.
func parseTS(s string) (micros int64, ok bool) {
	if !tsPattern.MatchString(s) {
		return 0, false
	}
	seconds, fraction, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(seconds+(fraction + "000000")[:6], 10, 64)
	return n, err == nil
}
