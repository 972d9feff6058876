package desk

import "time"

type TeamID int64

// Team is a group of users. Teams come from the chat system's user groups.
type Team struct {
	ID        TeamID
	Name      string
	Active    bool   // false if disabled there
	Source    string // the chat system it comes from: slack
	SourceID  string // its id there
	Members   []TeamMember
	CreatedAt time.Time
	UpdatedAt time.Time
}

// TeamMember is a user in a team.
type TeamMember struct {
	User      string
	CreatedAt time.Time // when we learned of it
}
