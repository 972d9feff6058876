package listen

import (
	"bufio"
	"errors"
	"io"
)

// content is a mail as it comes in: up to a line with only a dot, and without the dots
// that were added to lines that begin with one. Each line must end with CR and LF, and
// there may be no other CR or LF. What ends a line for us may not have ended it for a
// server before us, and the other way round: then a mail could hold a second one, with
// any sender, that the other server never saw.
type content struct {
	from    *bufio.Reader
	left    int // bytes that it may still have
	at      place
	failure error // what reading ended with; io.EOF after the whole mail
}

// place is where reading is within a line.
type place int

const (
	atBegin place = iota
	afterDot
	afterDotCR
	afterCR
	within
)

var (
	errBare     = errors.New("a line does not end with CR and LF")
	errTooLarge = errors.New("the mail is too large")
)

// Read reads more of the mail.
func (c *content) Read(b []byte) (n int, err error) {
	// A line end takes two bytes.
	for c.failure == nil && n+2 <= len(b) {
		got, err := c.from.ReadByte()
		if err != nil {
			c.failure = unexpected(err)
			break
		}
		n += c.take(got, b[n:])
		if c.left < n && c.failure == nil {
			c.failure = errTooLarge
		}
	}
	c.left -= n
	if n > 0 {
		return n, nil
	}
	if c.failure == nil {
		return 0, io.ErrShortBuffer
	}
	return 0, c.failure
}

// take reads one byte, and returns how many it adds to the mail.
func (c *content) take(got byte, b []byte) int {
	switch {
	case c.at == afterCR && got == '\n':
		c.at = atBegin
		return copy(b, "\r\n")
	case c.at == afterDotCR && got == '\n':
		c.failure = io.EOF
		return 0
	case c.at == afterCR, c.at == afterDotCR, got == '\n':
		c.failure = errBare
		return 0
	case got == '\r' && c.at == afterDot:
		c.at = afterDotCR
		return 0
	case got == '\r':
		c.at = afterCR
		return 0
	case got == '.' && c.at == atBegin:
		c.at = afterDot
		return 0
	}
	c.at = within
	b[0] = got
	return 1
}

// drain reads what is left of the mail, so that the next command can be read. A mail
// that is too large is still read to its end.
func (c *content) drain() {
	large := c.failure == errTooLarge
	if large {
		c.failure = nil
	}
	for b := make([]byte, 4096); c.failure == nil; {
		c.left = len(b)
		c.Read(b)
	}
	if large && c.failure == io.EOF {
		c.failure = errTooLarge
	}
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
