package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
)

// An intake reads the bytes to store. It counts them, computes their checksum, and
// stops if there are too many or if the context ends.
type intake struct {
	ctx   context.Context
	r     io.Reader
	max   int64
	size  int64
	hash  hash.Hash
	idle  int // how many reads in a row returned nothing
	ended bool
}

// idleReads is how many reads in a row may return nothing before r counts as stuck.
const idleReads = 100

var errBrokenReader = errors.New("the reader gave an impossible count")

func newIntake(ctx context.Context, r io.Reader, max int64) *intake {
	return &intake{ctx: ctx, r: r, max: max, hash: sha256.New()}
}

// Read returns io.EOF only if r itself ended.
func (in *intake) Read(p []byte) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	if in.ended {
		return 0, io.EOF
	}
	n, err := in.r.Read(p)
	if n < 0 || n > len(p) {
		return 0, errBrokenReader
	}
	in.size += int64(n)
	if in.size > in.max {
		return 0, ErrTooLarge
	}
	in.hash.Write(p[:n])
	switch {
	case err == io.EOF:
		in.ended = true
		return n, io.EOF
	case err != nil:
		return n, fmt.Errorf("read what is to be kept: %w", err)
	case n > 0:
		in.idle = 0
	case len(p) > 0:
		if in.idle++; in.idle == idleReads {
			return 0, io.ErrNoProgress
		}
	}
	return n, nil
}

// fill reads up to limit bytes into buf, which it grows as needed, and returns
// them. The error is io.EOF if there is no more.
//
// io.ReadFull cannot be used here. It returns io.ErrUnexpectedEOF if there are
// fewer bytes than it wanted, and so does a request whose sender went away in the
// middle. Half a file would count as a whole one.
func (in *intake) fill(buf []byte, limit int) ([]byte, error) {
	buf = buf[:0]
	for len(buf) < limit {
		if len(buf) == cap(buf) {
			// Most files are small, so the buffer does not start at the full size.
			larger := make([]byte, len(buf), min(limit, max(64<<10, 2*cap(buf))))
			copy(larger, buf)
			buf = larger
		}
		n, err := in.Read(buf[len(buf):min(cap(buf), limit)])
		buf = buf[:len(buf)+n]
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// sum returns the SHA-256 of the bytes read so far.
func (in *intake) sum() (sum [sha256.Size]byte) {
	in.hash.Sum(sum[:0])
	return sum
}
