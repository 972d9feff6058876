package desk

import (
	"crypto/sha256"
	_ "embed" // for the list of common passwords
	"sort"
	"strings"
	"time"
	"unicode"
)

// Limits of a password's length, in characters. The upper limit bounds the cost of
// hashing it.
const (
	LeastPassword = 10
	MostPassword  = 200
)

// Password checks a password that the owner of an email chooses. It is not trimmed,
// so white space around it counts.
func (p *Problems) Password(field, password, email string) {
	switch n := length(password); {
	case !Storable(password):
		p.Add(field, "must be valid UTF-8 without the character U+0000")
	case n < LeastPassword || n > MostPassword:
		p.Add(field, "must have %d to %d characters; it has %d", LeastPassword, MostPassword, n)
	case isCommon(password):
		p.Add(field, "is too easy to guess: many people use it. Choose another, such as four unrelated words")
	case namesOwner(password, email):
		p.Add(field, "is too easy to guess: it is your email, a part of it, or the name of this product. Choose another, such as four unrelated words")
	}
}

// CheckPassword returns Invalid for a password that the owner of an email may not
// choose.
func CheckPassword(field, password, email string) error {
	var p Problems
	p.Password(field, password, email)
	return p.Err()
}

// commonPasswords holds the first digestSize bytes of the SHA-256 digests of common
// passwords, sorted. scripts/common-passwords generates it and names the source.
// One good password in 60,000 is mistaken for a common one.
//
//go:embed common_passwords.bin
var commonPasswords string

const digestSize = 4

// isCommon reports whether a password is common, in any case, or is a common one
// with digits and signs added before or after.
func isCommon(password string) bool {
	password = Fold(password)
	return isListed(password) || isListed(core(password))
}

func isListed(password string) bool {
	sum := sha256.Sum256([]byte(password))
	wanted := string(sum[:digestSize])
	n := len(commonPasswords) / digestSize
	at := func(i int) string { return commonPasswords[i*digestSize : (i+1)*digestSize] }
	i := sort.Search(n, func(i int) bool { return at(i) >= wanted })
	return i < n && at(i) == wanted
}

// core returns the text from the first to the last letter.
func core(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
}

// productName is the first word that people think of when they need a password.
const productName = "frontdesk"

// namesOwner reports whether a password consists of an email, a part of it or the
// product's name, with only digits and signs around and between.
func namesOwner(password, email string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) {
				return -1
			}
			return r
		}, Fold(s))
	}
	said := letters(password)
	local, domain, _ := strings.Cut(email, "@")
	host, _, _ := strings.Cut(domain, ".")
	for _, name := range []string{email, local, domain, host, productName} {
		if name = letters(name); name != "" && said == name {
			return true
		}
	}
	return false
}

// PasswordChange is a member's request for a new password. Current may be empty if
// they have none.
type PasswordChange struct {
	Current      string
	New          string
	RevokeTokens bool // whether their tokens end, too
}

// MeChange is a change that members make to themselves. A nil field stays as it is.
type MeChange struct {
	Body
	Name     *string
	Password *PasswordChange
}

// Check returns what is wrong with the change as such. The service checks the
// password.
func (ch MeChange) Check() error {
	return amend(&ch, ch.Body, func(_ *MeChange, p *patch) {
		p.offer("name", ch.Name != nil)
		p.offer("password", ch.Password != nil)
	})
}

// Me is the caller: a member, the chat user with their email, and their session, if
// they call with one.
type Me struct {
	Member  Member
	User    *User
	Account Account
	Session *Session
	// SendsMail says whether the server sends mail, HasModel whether it has a language
	// model. Both are settings of the server.
	SendsMail, HasModel bool
}

// InvitationKept is how long an invitation is valid.
const InvitationKept = 7 * 24 * time.Hour

// Invitation is a link with which a member chooses a password. Anyone with the link
// can do so, once.
type Invitation struct {
	URL       string
	ExpiresAt time.Time
}

// Invited is the person an invitation is for.
type Invited struct {
	AccountName string
	Email       string
	Name        string
}

// Identity is a person as an OpenID provider knows them.
type Identity struct {
	Issuer   string
	Subject  string // unique and permanent there
	Email    string
	Verified bool // whether the provider confirms the email
}

// Audit log actions for signing in.
const (
	SessionCreated = "session.created"
	SessionDeleted = "session.deleted"
	SignInFailed   = "member.sign_in_failed"
	PasswordSet    = "member.password_set"
	MemberInvited  = "member.invited"
	IdentityLinked = "member.identity_linked"
)
