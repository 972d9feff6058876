package desk

import (
	"crypto/sha256"
	_ "embed" // for the list of common passwords
	"sort"
	"strings"
	"time"
	"unicode"
)

// A password has this many characters. The upper bound is for who pays for
// hashing it.
const (
	LeastPassword = 10
	MostPassword  = 200
)

// Password checks a password that the owner of an email chooses. It is taken as it
// is: white space around it counts.
func (p *Problems) Password(field, password, email string) {
	switch n := length(password); {
	case !Storable(password):
		p.Add(field, "must be valid UTF-8 without the character U+0000")
	case n < LeastPassword || n > MostPassword:
		p.Add(field, "must have %d to %d characters; it has %d", LeastPassword, MostPassword, n)
	case isCommon(password):
		p.Add(field, "is too easy to guess: many people use it. Choose another, such as four words that have nothing to do with each other")
	case namesOwner(password, email):
		p.Add(field, "is too easy to guess: it is your email, a part of it, or the name of this product. Choose another, such as four words that have nothing to do with each other")
	}
}

// CheckPassword gives Invalid for what the owner of an email cannot choose as a
// password.
func CheckPassword(field, password, email string) error {
	var p Problems
	p.Password(field, password, email)
	return p.Err()
}

// commonPasswords are the beginnings of the SHA-256 digests of passwords that many
// people use, sorted, digestSize bytes each. scripts/common-passwords makes them, and
// says of what. One good password in 60,000 is taken for one of them.
//
//go:embed common_passwords.bin
var commonPasswords string

const digestSize = 4

// isCommon reports whether many people use a password, in whatever case, or one to
// which digits and signs were added before or behind.
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

// core is what is between the first and the last letter of a text.
func core(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
}

// productName is what somebody in need of a password thinks of first.
const productName = "frontdesk"

// namesOwner reports whether a password is made of an email, a part of it or the
// product's name, with nothing but digits and signs beside and between.
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

// PasswordChange is a member's wish for another password. Current may be empty
// for who has none.
type PasswordChange struct {
	Current      string
	New          string
	RevokeTokens bool // their tokens end, too
}

// MeChange is what members may change of themselves; nil leaves a field.
type MeChange struct {
	Body
	Name     *string
	Password *PasswordChange
}

// Me is who asks: a member, with the user of the chat system who has their
// email, and their session, where it is one that asks.
type Me struct {
	Member  Member
	User    *User
	Account Account
	Session *Session
}

// InvitationKept is how long an invitation is good for.
const InvitationKept = 7 * 24 * time.Hour

// Invitation is a link with which a member chooses a password. Whoever has it
// can, once.
type Invitation struct {
	URL       string
	ExpiresAt time.Time
}

// Invited is whom an invitation is for.
type Invited struct {
	AccountName string
	Email       string
	Name        string
}

// Identity is who somebody is to an OpenID provider.
type Identity struct {
	Issuer   string
	Subject  string // unique there, and for good
	Email    string
	Verified bool // the provider says that the email is theirs
}

// What the audit log calls what has to do with signing in.
const (
	SessionCreated = "session.created"
	SessionDeleted = "session.deleted"
	SignInFailed   = "member.sign_in_failed"
	PasswordSet    = "member.password_set"
	MemberInvited  = "member.invited"
	IdentityLinked = "member.identity_linked"
)
