package desk

import "time"

// Posting is something that we show in the chat system.
type Posting struct {
	Request RequestID
	Kind    PostingKind
	Place   PostingPlace
	Message MessageID // for a PostedMessage
	Part    int       // which part of a long message
	User    string    // the recipient of a notice, or the author of a message
	Text    string    // of an alert, as HTML
	AsBot   bool      // post as the bot, even if we could post as the author
}

// PostingKind says what is shown.
type PostingKind string

const (
	PostedRoot    PostingKind = "root" // a request that did not come from chat; its thread begins here
	PostedCard    PostingKind = "card" // a request in triage
	PostedMessage PostingKind = "message"
	PostedNotice  PostingKind = "notice" // tells one person that there is a request
	PostedAlert   PostingKind = "alert"  // tells about a change to a request that nothing else shows
	PostedSurvey  PostingKind = "survey" // asks the requester what they think
)

// PostingPlace says where it is shown.
type PostingPlace string

const (
	InThread PostingPlace = "thread" // the requester reads it
	InTriage PostingPlace = "triage" // only the team reads it
	Directly PostingPlace = "direct"
)

// Reaction is an emoji that somebody added to a chat message or removed. At is zero
// if unknown.
type Reaction struct {
	Channel string
	Message string
	User    string
	Emoji   string
	On      bool
	At      time.Time
}
