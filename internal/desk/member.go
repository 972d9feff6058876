package desk

import (
	"slices"
	"strings"
	"time"
)

// Role decides what a member may do; see Permissions.
type Role string

const (
	Admin  Role = "admin"
	Agent  Role = "agent"
	Viewer Role = "viewer"
)

// Roles are all the roles.
var Roles = []Role{Admin, Agent, Viewer}

// Member is a person who works with an account.
type Member struct {
	ID        MemberID
	Email     string
	Name      string
	Role      Role
	CreatedAt time.Time
	UpdatedAt time.Time
}

// NewMember is what a member is made from. Without a name the part of the
// address before the @ serves; without a role they are an agent.
type NewMember struct {
	Body
	Email string
	Name  *string
	Role  *Role
}

// Member checks the input and makes the member.
func (n NewMember) Member(now time.Time) (Member, error) {
	if n.Problem != nil {
		return Member{}, n.Problem
	}
	m := Member{Email: n.Email, Role: Agent, CreatedAt: now, UpdatedAt: now}
	m.Name = nameFor(n.Email)
	set(&m.Name, n.Name)
	set(&m.Role, n.Role)
	err := m.check() // it trims, so before m is returned
	return m, err
}

// nameFor is the name of a member who was given none. It is always a good one:
// where the email is wrong, nothing should be said about a name.
func nameFor(email string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(email), "@")
	if letters := []rune(name); len(letters) > mostName {
		name = string(letters[:mostName])
	}
	if strings.TrimSpace(name) == "" {
		return "member"
	}
	return name
}

// MemberChange is what may be changed of a member; nil leaves a field. The
// email is who they are and stays.
type MemberChange struct {
	Body
	Name *string
	Role *Role
}

// Demotes reports whether the change would take an admin's role away.
func (ch MemberChange) Demotes() bool {
	return ch.Role != nil && *ch.Role != Admin && slices.Contains(Roles, *ch.Role)
}

// Apply changes the member as a whole, or gives Invalid and changes nothing.
func (m *Member) Apply(ch MemberChange, now time.Time) error {
	if ch.Problem != nil {
		return ch.Problem
	}
	if ch.Name == nil && ch.Role == nil {
		return Errorf(Invalid, "Nothing to change: give at least one of name, role.")
	}
	next := *m
	set(&next.Name, ch.Name)
	set(&next.Role, ch.Role)
	if err := next.check(); err != nil {
		return err
	}
	next.UpdatedAt = now
	*m = next
	return nil
}

func (m *Member) check() error {
	var p Problems
	p.Email("email", &m.Email)
	p.Text("name", &m.Name, 1, mostName)
	OneOf(&p, "role", m.Role, Roles...)
	return p.Err()
}

// ErrLastAdmin refuses to leave an account without anyone who can manage it.
var ErrLastAdmin = Errorf(Refused, "This is the account's only admin. Make another member admin first.")
