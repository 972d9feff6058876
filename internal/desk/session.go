package desk

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"
)

// Session is a member who has signed in with a browser: a token that the
// browser carries in a cookie.
type Session struct {
	Token
	Current bool // it is the one that asks
}

// MadeSession is a new session together with its secret.
type MadeSession struct {
	Session
	Secret string
}

// SessionCookie is the name of that cookie. Where people come by https, browsers
// take one of that name from no other host, not even from one below the same
// domain: nobody can have somebody use a session of their own making.
func SessionCookie(https bool) string {
	if https {
		return "__Host-frontdesk_session"
	}
	return "frontdesk_session"
}

const (
	// SessionKept is how long a session lasts without being used.
	SessionKept = 14 * 24 * time.Hour
	// MostSession is how long one lasts however much it is used.
	MostSession = 90 * 24 * time.Hour

	sessionMark = "fs_"
	mostBrowser = 300
)

// Visitor is who comes to sign in, as far as it is known: by which browser, and
// from where.
type Visitor struct {
	Browser string // what it says of itself; anything
	IP      string
}

// NewSession makes a session with a random secret. It may do whatever its
// member may.
func NewSession(member Member, v Visitor, now time.Time) MadeSession {
	secret := sessionMark + strings.ToLower(rand.Text()[:8]+rand.Text())
	expires := now.Add(SessionKept)
	return MadeSession{Secret: secret, Session: Session{Token: Token{
		Member: member.ID, Name: "session", Scope: ReadWrite, Session: true, Browser: browserOf(v.Browser), IP: v.IP,
		Prefix: secret[:prefixLength], Digest: sha256.Sum256([]byte(secret)), CreatedAt: now, ExpiresAt: &expires,
	}}}
}

// browserOf is what a browser says of itself, as far as it can be kept.
func browserOf(says string) string {
	letters := []rune(strings.ReplaceAll(strings.ToValidUTF8(says, ""), "\x00", ""))
	return strings.TrimSpace(string(letters[:min(len(letters), mostBrowser)]))
}

// SessionPrefix is TokenPrefix for the secret of a session: neither is taken for
// the other.
func SessionPrefix(secret string) string { return prefixOf(secret, sessionMark) }
