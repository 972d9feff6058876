// Package blob stores bytes, such as those of attachments, in a folder or in a bucket of
// an S3-compatible store. It knows only keys and bytes. The name of a file, who may
// see it and which row refers to it are the business of other packages. Nothing
// that a user typed ever becomes part of a path.
package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"
)

// Errors of a Store. Check for them with errors.Is.
var (
	ErrNotFound = errors.New("there is no such blob")
	ErrTooLarge = errors.New("the blob is larger than allowed")
)

// Store stores bytes under keys. Any number of goroutines and processes may use the
// same store at once.
type Store interface {
	// Put stores everything that r returns, and returns the number of bytes and
	// their SHA-256. It stores all or nothing, in bounded memory, and a stored blob
	// survives a crash. It leaves nothing behind if r fails or panics, if ctx ends,
	// or if r returns more than max bytes. In that last case the error is
	// ErrTooLarge. An error of r is in the chain of the returned error. If a Read
	// hangs, the caller must end it.
	//
	// Use a key for one Put only. A second Put replaces the first blob, and if it
	// fails at the very end it may delete the first blob.
	Put(ctx context.Context, key Key, r io.Reader, max int64) (size int64, sum [sha256.Size]byte, err error)

	// Open opens a blob for reading. It returns ErrNotFound if there is none. If
	// reading needs a network, ctx also applies to the reads, until the reader is
	// closed.
	Open(ctx context.Context, key Key) (Reader, error)

	// Remove removes a blob. It is no error if there is none.
	Remove(ctx context.Context, key Key) error

	// Keys lists the blobs that were stored before a given time, for a sweep that
	// removes blobs without a row. It returns a page of at most limit keys that
	// come after a key, in the store's own order. The zero Key is the beginning. A
	// page with fewer than limit keys is the last. Blobs may be removed between
	// pages. The time must be far enough in the past that a sweep does not remove a
	// blob between its Put and the commit of its row.
	//
	// Keys also removes the unfinished uploads of processes that died.
	Keys(ctx context.Context, before time.Time, after Key, limit int) ([]Key, error)
}

// Reader reads a blob from any position. Only one goroutine may use it.
type Reader interface {
	io.ReadSeekCloser
	Size() int64
}

// abandoned is the age at which an unfinished upload counts as abandoned. No upload
// takes that long.
const abandoned = 24 * time.Hour

// checkPage rejects arguments of Keys that can only be a mistake.
func checkPage(limit int) error {
	if limit < 1 {
		return fmt.Errorf("list blobs: a page of %d keys was asked for", limit)
	}
	return nil
}
