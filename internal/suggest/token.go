package suggest

// token is a word or sign of a text.
type token struct {
	kind  tokenKind
	shape shape
	start int // of its text within the reading's text
	end   int
	ids   [3]symbol // the word itself, and the word beginnings that it matches: 0 for none
	n     int8      // how many ids there are
}

// symbols returns everything that the lexicon knows it by.
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
	aThing                     // something we cannot read and must not skip: a link, code, a picture, a sign
)

// shape is how a word is written.
type shape uint8

const (
	small  shape = iota // or mixed
	titled              // Like this
	shouted
)
