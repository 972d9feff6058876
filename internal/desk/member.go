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

// Roles lists every value.
var Roles = []Role{Admin, Agent, Viewer}

type MemberID int64

// Member is a person who works with an account.
type Member struct {
	ID          MemberID
	Email       string
	Name        string
	Role        Role
	Collections Reach // always all for an admin
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

func (m Member) Named() (resource, id string) { return "Member", FormatID(m.ID) }

// MostMemberCollections bounds the list of a member's collections.
const MostMemberCollections = 1000

// NewMember is the input for a new member. The name defaults to the part of the
// address before the @, the role to agent, and the collections to all.
type NewMember struct {
	Body
	Email       string
	Name        *string
	Role        *Role
	Collections *[]CollectionID
}

// Member checks the input and makes the member.
func (n NewMember) Member(now time.Time) (Member, error) {
	m := Member{Email: n.Email, Role: Agent, Collections: ReachOf(n.Collections), CreatedAt: now, UpdatedAt: now}
	m.Name = nameFor(n.Email)
	set(&m.Name, n.Name)
	set(&m.Role, n.Role)
	p := n.problems()
	m.check(&p, n.Collections)
	return m, p.Err()
}

// nameFor returns the name of a member who was given none. It is always valid, so
// that a wrong email does not also report a wrong name.
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

// MemberChange is a change to a member. A nil field stays as it is. The email never
// changes, because it identifies the member.
type MemberChange struct {
	Body
	Name        *string
	Role        *Role
	Collections Nullable[[]CollectionID] // null: all of them
}

// Demotes reports whether the change would take an admin's role away.
func (ch MemberChange) Demotes() bool {
	return ch.Role != nil && *ch.Role != Admin && slices.Contains(Roles, *ch.Role)
}

// Apply makes the whole change, or returns Invalid and changes nothing. It does not
// check whether the collections exist.
func (m *Member) Apply(ch MemberChange, now time.Time) error {
	return amend(m, ch.Body, func(next *Member, p *patch) {
		take(p, "name", &next.Name, ch.Name)
		take(p, "role", &next.Role, ch.Role)
		if p.offer("collection_ids", ch.Collections.Given) || next.Role == Admin {
			next.Collections = ReachOf(ch.Collections.Value)
		}
		next.check(&p.Problems, ch.Collections.Value)
		next.UpdatedAt = now
	})
}

// check takes the collections as given. The member has each only once.
func (m *Member) check(p *Problems, collections *[]CollectionID) {
	p.Email("email", &m.Email)
	p.Text("name", &m.Name, 1, mostName)
	OneOf(p, "role", m.Role, Roles...)
	switch {
	case collections == nil:
	case m.Role == Admin:
		p.Add("collection_ids", "must be null: an admin has all collections")
	default:
		p.atMost("collection_ids", len(*collections), MostMemberCollections)
	}
}

// ErrLastAdmin refuses to leave an account without anyone who can manage it.
var ErrLastAdmin = Errorf(Refused, "This is the account's only admin. Make another member an admin first.")
