package blob

import (
	"context"
	"os"
	"time"
)

// What tests need to see or to break.

const (
	PartSize   = partSize
	Abandoned  = abandoned
	HalfPrefix = halfPrefix
)

// SetSync puts a disk of the test's own under a folder.
func (f *Folder) SetSync(sync func(*os.File) error) { f.sync = sync }

// Prepare does again what OpenFolder does to a folder.
func (f *Folder) Prepare() error { return f.prepare() }

// MakeFolder makes a folder and those above it.
func MakeFolder(path string, sync func(*os.File) error) error { return makeFolder(path, sync) }

// Address is where a blob would be fetched.
func (s *S3) Address(key Key) (string, error) {
	u, err := s.core.PresignedGetObject(context.Background(), s.bucket, s.name(key), time.Hour, nil)
	if err != nil {
		return "", err
	}
	return u.Scheme + "://" + u.Host + u.Path, nil
}
