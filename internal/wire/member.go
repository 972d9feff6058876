package wire

import "frontdesk/internal/desk"

// Member is a member on the wire.
type Member struct {
	ID          desk.MemberID       `json:"id"`
	Email       string              `json:"email"`
	Name        string              `json:"name"`
	Role        desk.Role           `json:"role"`
	Collections []desk.CollectionID `json:"collection_ids"` // null means all of them
	CreatedAt   Time                `json:"created_at"`
	UpdatedAt   Time                `json:"updated_at"`
}

// NewMember returns the wire form of a member.
func NewMember(m desk.Member) Member {
	return Member{
		ID: m.ID, Email: m.Email, Name: m.Name, Role: m.Role, Collections: collectionIDs(m.Collections),
		CreatedAt: NewTime(m.CreatedAt), UpdatedAt: NewTime(m.UpdatedAt),
	}
}

// collectionIDs returns the list of collections, which may be empty, or nil for all
// collections.
func collectionIDs(r desk.Reach) []desk.CollectionID {
	if r.All {
		return nil
	}
	return append([]desk.CollectionID{}, r.IDs...)
}
