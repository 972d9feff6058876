package desk

import "time"

// A password has this many characters. The upper bound is for who pays for
// hashing it.
const (
	LeastPassword = 10
	MostPassword  = 200
)

// Password checks a password that somebody chooses. It is taken as it is: white
// space around it counts.
func (p *Problems) Password(field, password string) {
	switch n := length(password); {
	case !Storable(password):
		p.Add(field, "must be valid UTF-8 without the character U+0000")
	case n < LeastPassword || n > MostPassword:
		p.Add(field, "must have %d to %d characters; it has %d", LeastPassword, MostPassword, n)
	}
}

// CheckPassword gives Invalid for what cannot be chosen as a password.
func CheckPassword(field, password string) error {
	var p Problems
	p.Password(field, password)
	return p.Err()
}

// PasswordChange is a member's wish for another password. Current may be empty
// for who has none.
type PasswordChange struct {
	Current string
	New     string
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
