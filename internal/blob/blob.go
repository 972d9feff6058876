// Package blob keeps the bytes of attachments: in a folder, or in a bucket of
// an S3-compatible store. It knows keys and bytes only. What a file is called,
// who may see it and which row names it is for others to know, and nothing that
// a user typed ever becomes part of a path.
package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"
)

// Errors of a Store, to be found with errors.Is.
var (
	ErrNotFound = errors.New("there is no such blob")
	ErrTooLarge = errors.New("the blob is larger than allowed")
)

// Store keeps bytes under keys. Any number of goroutines, and of processes, may
// use the same store at once.
type Store interface {
	// Put keeps what r gives, up to its end, and returns how many bytes that
	// were and their SHA-256. It keeps the whole or nothing, in bounded memory,
	// and what it has kept survives a crash. Nothing is left behind when r fails
	// or panics, when ctx ends, or when r gives more than max bytes, which is
	// ErrTooLarge. An error of r is in the chain of the error. A Read that hangs
	// is for the caller to end.
	//
	// A key is meant for one Put. A second one replaces the first, and if it
	// fails at the very end it may take the first along.
	Put(ctx context.Context, key Key, r io.Reader, max int64) (size int64, sum [sha256.Size]byte, err error)

	// Open opens a blob for reading, ErrNotFound without one. Where reading
	// needs a network, ctx governs that too, until the reader is closed.
	Open(ctx context.Context, key Key) (Reader, error)

	// Remove removes a blob. To remove what is not there is no error.
	Remove(ctx context.Context, key Key) error

	// Keys walks the blobs that were kept before a moment, for a sweep that
	// removes what no row names: a page of at most limit keys that come after a
	// key, in an order of the store's own. The zero Key is the beginning, and a
	// page with fewer than limit keys is the last. Blobs may be removed during a
	// walk. The moment has to lie far enough back that a blob is not taken away
	// between its Put and the commit of its row.
	//
	// A walk also clears away what processes that died have left half-written.
	Keys(ctx context.Context, before time.Time, after Key, limit int) ([]Key, error)
}

// Reader reads a blob, from any position. It is for one goroutine.
type Reader interface {
	io.ReadSeekCloser
	Size() int64
}

// abandoned is the age at which something half-written belongs to nobody any
// more. No upload takes that long.
const abandoned = 24 * time.Hour

// checkPage refuses the arguments of Keys that could only be a mistake.
func checkPage(limit int) error {
	if limit < 1 {
		return fmt.Errorf("list blobs: a page of %d keys was asked for", limit)
	}
	return nil
}
