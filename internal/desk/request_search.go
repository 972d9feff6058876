package desk

// MostQuery is the maximum length of a search, in characters.
const MostQuery = 300

// RequestSearch finds requests by words in their titles, their messages and, unless
// OnlyPublic is set, their private notes.
type RequestSearch struct {
	RequestFilter
	Query      string // words and quoted phrases, all of which must be present
	OnlyPublic bool
	Rank       bool // best matches first instead of the newest
}

// FoundRequest is a request and why it was found.
type FoundRequest struct {
	Request
	Highlights Highlights
}

// Highlights are the parts of a request that contain words of a search.
type Highlights struct {
	Title    Excerpt // nil if no word is in it
	Messages []MessageHighlight
}

// MessageHighlight is the highlighted part of one message.
type MessageHighlight struct {
	Message MessageID
	Private bool
	Text    Excerpt
}

// Excerpt is a part of a text, split into pieces. Joined, they read as the text.
type Excerpt []Piece

// Piece is plain text: either a match or the text around it.
type Piece struct {
	Text  string
	Match bool
}
