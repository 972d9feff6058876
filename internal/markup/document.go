package markup

// Document is a text in normal form. The zero value is the empty text.
// Documents come from Parse or a Builder and do not change.
type Document struct{ blocks []Block }

// Blocks are the document's parts, from the top. They are not the caller's to
// change.
func (d Document) Blocks() []Block { return d.blocks }

// Block is a part of a text that begins on a line of its own. None is empty.
type Block struct {
	Kind   BlockKind
	Runs   []Run   // of a Paragraph
	Text   string  // of Preformatted: lines, without empty ones at either end
	Blocks []Block // of Quote and Item what they hold; of Bullets and Numbers their items
	Start  int     // of Numbers the first item's
}

// BlockKind says what a Block is.
type BlockKind uint8

const (
	Paragraph BlockKind = iota
	Preformatted
	Rule
	Quote
	Bullets
	Numbers
	Item // only in Bullets and Numbers, which hold nothing else

	// Tables exist while a text is read, and are lines afterwards.
	table
	row
	cell
	blockKinds
)

// Run is a piece of a paragraph. Two neighbours never could be one, and spaces
// are nowhere where a browser would not show them.
type Run struct {
	Kind   RunKind
	Marks  Marks
	Link   string // the address that it leads to; empty for none
	Text   string // the words; of an Image what it shows; of a mention how it reads: @Mira
	Target string // of an Image its address; of a mention whom: U1
}

// RunKind says what a Run is.
type RunKind uint8

const (
	Words    RunKind = iota
	Break            // a line's end: has neither marks nor a link, and no second one beside it
	Image            // has no marks
	User             // a mention; mentions have no Code and no link
	Channel          // likewise
	Team             // likewise
	Everyone         // likewise; Target is here, channel or everyone
)

// mention tells mentions from the rest.
func (k RunKind) mention() bool { return k >= User }

// Marks are the ways in which words stand out.
type Marks uint8

const (
	Strong Marks = 1 << iota
	Em
	Underline
	Strike
	Code // spaces in it are kept as they are
)

// Has reports whether all of the marks in m2 are set.
func (m Marks) Has(m2 Marks) bool { return m&m2 == m2 }
