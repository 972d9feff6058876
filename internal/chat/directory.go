package chat

// Part is a part of the directory.
type Part string

const (
	People   Part = "people"
	Teams    Part = "teams"
	Channels Part = "channels"
)

// Parts lists all parts of the directory.
var Parts = []Part{People, Teams, Channels}

// Directory is a page of a part of the directory.
type Directory struct {
	Users    []User
	Teams    []Team
	Channels []Channel
	Next     string // the cursor of the next page; empty after the last
}

// User is a person or a bot in the workspace.
//
// Revision grows with every change of a user, a team or a channel. Of two reports
// the one with the higher revision is the later. It may stay the same over quick
// changes, and 0 means that the system does not tell.
type User struct {
	ID       string
	Name     string
	Email    string // empty if not told
	Avatar   string // the address of an image; empty if there is none
	Deleted  bool   // deactivated
	IsBot    bool
	External bool // a guest of the workspace, or a person of another organisation
	Revision int64
}

// Team is a group of people with a name.
type Team struct {
	ID       string
	Name     string
	Active   bool
	Members  []string // ids of users
	Revision int64
}

// Channel is a place for messages that we can see.
type Channel struct {
	ID       string
	Name     string // without a leading sign
	Private  bool
	Archived bool
	Member   bool // whether the bot is in it
	Revision int64
}
