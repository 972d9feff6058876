package desk

// MostQuery bounds the characters of a search.
const MostQuery = 300

// RequestSearch says which requests are wanted, by the words in them: in their
// titles, their messages and, unless OnlyPublic, their private notes.
type RequestSearch struct {
	RequestFilter
	Query      string // words, and phrases in quotes, all of which must be there
	OnlyPublic bool
	Rank       bool // what fits best first, in place of the newest
}

// FoundRequest is a request, and why it was found.
type FoundRequest struct {
	Request
	Highlights Highlights
}

// Highlights are the parts of a request that have words of a search.
type Highlights struct {
	Title    Excerpt // nil: none there
	Messages []MessageHighlight
}

// MessageHighlight is the part of one message.
type MessageHighlight struct {
	Message MessageID
	Private bool
	Text    Excerpt
}

// Excerpt is a part of a text, in pieces that put together are readable.
type Excerpt []Piece

// Piece is plain text that was searched for, or what stands around it.
type Piece struct {
	Text  string
	Match bool
}
