package blob

import (
	"context"
	"os"
	"time"
)

// Internals that the tests need.

const (
	PartSize   = partSize
	Abandoned  = abandoned
	HalfPrefix = halfPrefix
)

// SetSync replaces the function that syncs files.
func (f *Folder) SetSync(sync func(*os.File) error) { f.sync = sync }

// Prepare repeats what OpenFolder does to a folder.
func (f *Folder) Prepare() error { return f.prepare() }

// MakeFolder creates a folder and its parents.
func MakeFolder(path string, sync func(*os.File) error) error { return makeFolder(path, sync) }

// Address returns the URL of a blob.
func (s *S3) Address(key Key) (string, error) {
	u, err := s.core.PresignedGetObject(context.Background(), s.bucket, s.name(key), time.Hour, nil)
	if err != nil {
		return "", err
	}
	return u.Scheme + "://" + u.Host + u.Path, nil
}
