package markup

// Document is a text in normal form. The zero value is the empty text. Documents
// come from Parse or a Builder and do not change.
type Document struct{ blocks []Block }

// Blocks returns the document's top-level parts. The caller must not change them.
func (d Document) Blocks() []Block { return d.blocks }

// Block is a part of a text that begins on its own line. It is never empty.
type Block struct {
	Kind   BlockKind
	Runs   []Run   // if it is a Paragraph
	Text   string  // if it is Preformatted: lines, without empty ones at either end
	Blocks []Block // the content of a Quote or Item; the items of Bullets and Numbers
	Start  int     // the first number of Numbers
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
	Item // only in Bullets and Numbers, which contain nothing else

	// Tables exist only while a text is parsed. Then they become lines.
	table
	row
	cell
	blockKinds
)

// Run is a piece of a paragraph. Neighbours that could be one run always are, and
// there are no spaces that a browser would not show.
type Run struct {
	Kind   RunKind
	Marks  Marks
	Link   string // the address that it leads to, or empty
	Text   string // the words; the description of an Image; the text of a mention, such as @Mira
	Target string // the address of an Image; the target of a mention, such as U1
}

// RunKind says what a Run is.
type RunKind uint8

const (
	Words    RunKind = iota
	Break            // the end of a line: without marks or a link, and never next to another Break
	Image            // has no marks
	User             // a mention; mentions have no Code and no link
	Channel          // a mention
	Team             // a mention
	Everyone         // a mention; Target is here, channel or everyone
)

// mention reports whether a run is a mention.
func (k RunKind) mention() bool { return k >= User }

// Marks are the ways to format words.
type Marks uint8

const (
	Strong Marks = 1 << iota
	Em
	Underline
	Strike
	Code // spaces in it are kept
)

// Has reports whether all of the marks in m2 are set.
func (m Marks) Has(m2 Marks) bool { return m&m2 == m2 }
