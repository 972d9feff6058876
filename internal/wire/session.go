package wire

import (
	"time"

	"frontdesk/internal/desk"
)

// Session is a session on the wire.
type Session struct {
	ID         desk.TokenID `json:"id"`
	Browser    string       `json:"browser"`
	IP         *string      `json:"ip"`
	Current    bool         `json:"is_current"`
	CreatedAt  Time         `json:"created_at"`
	ExpiresAt  Time         `json:"expires_at"`
	LastUsedAt *Time        `json:"last_used_at"`
}

// NewSession returns the wire form of a session.
func NewSession(s desk.Session) Session {
	return Session{ID: s.ID, Browser: s.Browser, IP: orNull(s.IP), Current: s.Current,
		CreatedAt: NewTime(s.CreatedAt), ExpiresAt: expiry(s), LastUsedAt: optional(s.LastUsedAt)}
}

// expiry returns when a session expires. Every session does.
func expiry(s desk.Session) Time {
	var at time.Time
	if s.ExpiresAt != nil {
		at = *s.ExpiresAt
	}
	return NewTime(at)
}

// Me is the member who makes the call, on the wire.
type Me struct {
	Member    Member         `json:"member"`
	User      *User          `json:"user"`
	Account   Account        `json:"account"`
	Session   *SessionExpiry `json:"session"`
	SendsMail bool           `json:"sends_mail"`
	HasModel  bool           `json:"has_model"`
}

// SessionExpiry is the session of the call and when it expires.
type SessionExpiry struct {
	ID        desk.TokenID `json:"id"`
	ExpiresAt Time         `json:"expires_at"`
}

// NewMe returns the wire form of the caller.
func NewMe(m desk.Me) Me {
	me := Me{Member: NewMember(m.Member), Account: NewAccount(m.Account), SendsMail: m.SendsMail, HasModel: m.HasModel}
	if m.User != nil {
		user := NewUser(*m.User)
		me.User = &user
	}
	if m.Session != nil {
		me.Session = &SessionExpiry{m.Session.ID, expiry(*m.Session)}
	}
	return me
}

// Invitation is an invitation on the wire. Only the answer that creates it has it.
type Invitation struct {
	URL       string `json:"url"`
	ExpiresAt Time   `json:"expires_at"`
}

// NewInvitation returns the wire form of an invitation.
func NewInvitation(i desk.Invitation) Invitation { return Invitation{i.URL, NewTime(i.ExpiresAt)} }
