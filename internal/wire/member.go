package wire

import "frontdesk/internal/desk"

// Member is a member on the wire.
type Member struct {
	ID        desk.MemberID `json:"id"`
	Email     string        `json:"email"`
	Name      string        `json:"name"`
	Role      desk.Role     `json:"role"`
	CreatedAt Time          `json:"created_at"`
	UpdatedAt Time          `json:"updated_at"`
}

// NewMember is how a member looks.
func NewMember(m desk.Member) Member {
	return Member{
		ID: m.ID, Email: m.Email, Name: m.Name, Role: m.Role,
		CreatedAt: NewTime(m.CreatedAt), UpdatedAt: NewTime(m.UpdatedAt),
	}
}
