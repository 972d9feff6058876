package wire

import "frontdesk/internal/desk"

// Team is a team on the wire. It has its members only if they were asked for.
type Team struct {
	ID        desk.TeamID   `json:"id"`
	Name      string        `json:"name"`
	IsActive  bool          `json:"is_active"`
	Source    string        `json:"source"`
	SourceID  string        `json:"source_id"`
	CreatedAt Time          `json:"created_at"`
	UpdatedAt Time          `json:"updated_at"`
	Members   *[]TeamMember `json:"team_members,omitempty"`
}

// TeamMember is a user in a team.
type TeamMember struct {
	ID        string `json:"id"`
	CreatedAt Time   `json:"created_at"`
}

// NewTeam returns the wire form of a team.
func NewTeam(t desk.Team) Team {
	w := Team{
		ID: t.ID, Name: t.Name, IsActive: t.Active, Source: t.Source, SourceID: t.SourceID,
		CreatedAt: NewTime(t.CreatedAt), UpdatedAt: NewTime(t.UpdatedAt),
	}
	if t.Members != nil {
		members := desk.Each(t.Members, func(m desk.TeamMember) TeamMember { return TeamMember{ID: m.User, CreatedAt: NewTime(m.CreatedAt)} })
		w.Members = &members
	}
	return w
}
