package desk

import "time"

// Posting is something that we show in the chat system.
type Posting struct {
	Request RequestID
	Kind    PostingKind
	Place   PostingPlace
	Message MessageID // of a PostedMessage
	Part    int       // which part of a long one
	User    string    // whom a notice is for; who said a message
	Text    string    // of an alert, as HTML
	AsBot   bool      // not as its author, even where we could
}

// PostingKind is what is shown.
type PostingKind string

const (
	PostedRoot    PostingKind = "root" // a request that did not come from chat, where its thread begins
	PostedCard    PostingKind = "card" // a request in triage
	PostedMessage PostingKind = "message"
	PostedNotice  PostingKind = "notice" // that there is a request, for one person
	PostedAlert   PostingKind = "alert"  // what happened to a request, of which nothing else tells
	PostedSurvey  PostingKind = "survey" // what the requester thinks of it
)

// PostingPlace is where it is shown.
type PostingPlace string

const (
	InThread PostingPlace = "thread" // which the requester reads
	InTriage PostingPlace = "triage" // which the team alone reads
	Directly PostingPlace = "direct"
)

// Reaction is an emoji that somebody put under a message of the chat system, or
// took away. At is zero where nobody knows when.
type Reaction struct {
	Channel string
	Message string
	User    string
	Emoji   string
	On      bool
	At      time.Time
}
