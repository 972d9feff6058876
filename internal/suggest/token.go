package suggest

// token is a word or sign of a text.
type token struct {
	kind  tokenKind
	shape shape
	start int // of its text in the reading's
	end   int
	ids   [3]symbol // itself, and the beginnings of words that it matches: 0 for none
	n     int8      // how many ids there are
}

// symbols are all that the lexicon knows it by.
func (t *token) symbols() []symbol { return t.ids[:t.n] }

type tokenKind uint8

const (
	aWord     tokenKind = iota // letters, perhaps with digits
	aNumber                    // only digits
	anEmoji                    // and emoticons
	aStop                      // . ! ; : … and a line's end
	aComma                     // and dashes, parentheses
	aQuestion                  // ?
	aMention                   // of a person, a team, everyone
	aThing                     // what we cannot read and must not pass over: a link, code, a picture, a sign
)

// shape is how a word is written.
type shape uint8

const (
	small  shape = iota // or mixed
	titled              // Like this
	shouted
)
