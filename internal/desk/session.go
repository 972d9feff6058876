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

// SessionCookie is the name of that cookie.
func SessionCookie(https bool) string { return CookieName("frontdesk_session", https) }

// CookieName is what a cookie of ours is called. Where people come by https,
// browsers take one of that name from no other host, not even from one below the
// same domain: nobody can have somebody use a session of their own making.
func CookieName(name string, https bool) string {
	if https {
		return "__Host-" + name
	}
	return name
}

const (
	// SessionKept is how long a session lasts without being used.
	SessionKept = 14 * 24 * time.Hour
	// MostSession is how long one lasts however much it is used.
	MostSession = 90 * 24 * time.Hour

	sessionMark = "fs_"
	mostBrowser = 300
)

// Visitor is who comes to sign in, as far as it is known: by which browser, from
// where, and where to.
type Visitor struct {
	Browser string // what it says of itself; anything
	IP      string
	Device  string    // what it was given at an earlier sign-in; anything
	Account AccountID // which of several they want; 0 has them choose
}

// Entrance is what comes of showing who one is: a session or, for a member of
// several accounts, the choice between them.
type Entrance struct {
	MadeSession          // without a secret where there is a choice to make
	Choice      []Choice // the accounts to choose from, if there is no session
	Device      string   // for the browser to keep: it is known here
	// Proof is for the browser to keep: it opens the other accounts to who has this
	// session, or all of them to who has to choose. It is empty where there is one.
	Proof string
}

// Choice is an account that somebody may enter.
type Choice struct {
	Account AccountID
	Name    string
	Current bool // it is the one they are in
}

// ChoiceKept is how long somebody may take to choose.
const ChoiceKept = 10 * time.Minute

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
