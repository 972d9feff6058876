package desk

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"
)

// Session is a member's sign-in with a browser: a token that the browser carries in
// a cookie.
type Session struct {
	Token
	Current bool // whether it is the caller's own
}

func (s Session) Named() (resource, id string) { return "Session", FormatID(s.ID) }

// MadeSession is a new session with its secret.
type MadeSession struct {
	Session
	Secret string
}

// SessionCookie returns the name of that cookie.
func SessionCookie(https bool) string { return CookieName(SessionName, https) }

// SessionName is the name of the session's cookie, without a prefix.
const SessionName = "frontdesk_session"

// CookieName returns the full name of one of our cookies. With https, its prefix
// makes browsers accept it from no other host, not even from a subdomain. So nobody
// can make a person use a session that somebody else prepared.
func CookieName(name string, https bool) string {
	if https {
		return "__Host-" + name
	}
	return name
}

const (
	// SessionKept is how long an unused session lasts.
	SessionKept = 14 * 24 * time.Hour
	// MostSession is how long a session lasts even if it is used.
	MostSession = 90 * 24 * time.Hour

	sessionMark = "fs_"
	mostBrowser = 300
)

// Visitor is what we know about a person who comes to sign in: their browser, their
// address, and the account they want.
type Visitor struct {
	Browser string // what it says about itself; untrusted
	IP      string
	Device  string    // what it got at an earlier sign-in; untrusted
	Account AccountID // which of several accounts they want; 0 lets them choose
}

// Entrance is the result of proving one's identity: a session or, for a member of
// several accounts, a choice between them.
type Entrance struct {
	MadeSession          // without a secret if there is a choice to make
	Choice      []Choice // the accounts to choose from, if there is no session
	Device      string   // for the browser to keep, so that we recognise it
	// Proof is for the browser to keep. With a session it opens the other accounts;
	// before a choice it opens all of them. It is empty if there is only one
	// account.
	Proof string
}

// Choice is an account that a person may enter.
type Choice struct {
	Account AccountID
	Name    string
	Current bool // whether they are in it now
}

// ChoiceKept is how long a person may take to choose.
const ChoiceKept = 10 * time.Minute

// NewSession makes a session with a random secret. It may do whatever its member
// may do.
func NewSession(member Member, v Visitor, now time.Time) MadeSession {
	secret := sessionMark + strings.ToLower(rand.Text()[:8]+rand.Text())
	expires := now.Add(SessionKept)
	return MadeSession{Secret: secret, Session: Session{Token: Token{
		Member: member.ID, Name: "session", Scope: ReadWrite, Session: true, Browser: browserOf(v.Browser), IP: v.IP,
		Prefix: secret[:prefixLength], Digest: sha256.Sum256([]byte(secret)), CreatedAt: now, ExpiresAt: &expires,
	}}}
}

// browserOf returns what a browser says about itself, in a form that can be stored.
func browserOf(says string) string {
	letters := []rune(strings.ReplaceAll(strings.ToValidUTF8(says, ""), "\x00", ""))
	return strings.TrimSpace(string(letters[:min(len(letters), mostBrowser)]))
}

// SessionPrefix does what TokenPrefix does, for the secret of a session. Neither
// accepts the other's secrets.
func SessionPrefix(secret string) string { return prefixOf(secret, sessionMark) }
