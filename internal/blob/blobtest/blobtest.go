// Package blobtest has a blob store for tests of other packages.
package blobtest

import (
	"context"
	"crypto/sha256"
	"io"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/blob"
)

// Folder is a blob.Folder that is opened at its first use. Creating and removing
// its 256 folders takes longer than the rest of most tests, and most tests store no
// blob.
type Folder struct {
	path string

	mu     sync.Mutex
	folder *blob.Folder
}

var _ blob.Store = (*Folder)(nil)

// New returns a store in the folder at path, for the duration of the test.
func New(t testing.TB, path string) *Folder {
	f := &Folder{path: path}
	t.Cleanup(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.folder != nil {
			f.folder.Close()
		}
	})
	return f
}

func (f *Folder) open() (_ *blob.Folder, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.folder == nil {
		f.folder, err = blob.OpenFolder(f.path)
	}
	return f.folder, err
}

// Put implements blob.Store.
func (f *Folder) Put(ctx context.Context, key blob.Key, r io.Reader, max int64) (size int64, sum [sha256.Size]byte, err error) {
	s, err := f.open()
	if err != nil {
		return 0, sum, err
	}
	return s.Put(ctx, key, r, max)
}

// Open implements blob.Store.
func (f *Folder) Open(ctx context.Context, key blob.Key) (blob.Reader, error) {
	s, err := f.open()
	if err != nil {
		return nil, err
	}
	return s.Open(ctx, key)
}

// Remove implements blob.Store.
func (f *Folder) Remove(ctx context.Context, key blob.Key) error {
	s, err := f.open()
	if err != nil {
		return err
	}
	return s.Remove(ctx, key)
}

// Keys implements blob.Store.
func (f *Folder) Keys(ctx context.Context, before time.Time, after blob.Key, limit int) ([]blob.Key, error) {
	s, err := f.open()
	if err != nil {
		return nil, err
	}
	return s.Keys(ctx, before, after, limit)
}
