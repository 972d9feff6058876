package mail

import "fmt"

// Limits of a mail. Past them, a mail is refused.
const (
	MostBytes       = 40 << 20
	MostParts       = 50 // body parts at all levels, without the mail itself
	MostLevels      = 10 // multiparts within each other
	MostRecipients  = 100
	MostHeaderLines = 1000 // of the mail and its parts; a folded header has several
	MostHeaderBytes = 256 << 10
)

// mostText is how many bytes of HTML and text are read, together. A message is shorter by
// far, and this bounds the memory of what follows.
const mostText = 2 << 20

// A Refusal says why a mail is not taken, in a sentence that its sender can read.
type Refusal struct{ Reason string }

func (r Refusal) Error() string { return r.Reason }

// refuse returns a Refusal for more than most of something.
func refuse(most int, what string) error {
	return Refusal{fmt.Sprintf("The mail has more than %d %s.", most, what)}
}

// budget counts what a mail has used of its limits. It is checked before the work.
type budget struct{ lines, bytes, parts int }

func (b *budget) takeHeaderLine(size int) error {
	b.lines++
	b.bytes += size
	switch {
	case b.lines > MostHeaderLines:
		return refuse(MostHeaderLines, "header lines")
	case b.bytes > MostHeaderBytes:
		return refuse(MostHeaderBytes>>10, "KiB of headers")
	}
	return nil
}

func (b *budget) takePart() error {
	if b.parts++; b.parts > MostParts {
		return refuse(MostParts, "parts")
	}
	return nil
}
