package chat

// Part is a part of the directory.
type Part string

const (
	People   Part = "people"
	Teams    Part = "teams"
	Channels Part = "channels"
)

// Parts are all parts of the directory.
var Parts = []Part{People, Teams, Channels}

// Directory is a page of a part of the directory.
type Directory struct {
	Users    []User
	Teams    []Team
	Channels []Channel
	Next     string // the cursor of the next page; empty after the last
}

// User is somebody in the workspace, or a bot.
//
// Revision grows with every change of a user, a team or a channel; of two
// tellings the one with the higher is the later. It may stand still over
// changes in quick succession, and 0 says that the system does not tell.
type User struct {
	ID       string
	Name     string
	Email    string // empty where it is not told
	Avatar   string // the address of an image; empty where there is none
	Deleted  bool   // deactivated
	IsBot    bool
	External bool // a guest of the workspace, or of another organisation
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
	Name     string // without a sign in front
	Private  bool
	Archived bool
	Member   bool // whether the bot is in it
	Revision int64
}
