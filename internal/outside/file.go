package outside

import (
	"context"
	"errors"
	"io"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
)

// StoreFile stores the bytes of a file and returns what a transaction needs to
// refer to it. The bytes come first, so that a stored row never names a file that
// is not there. It returns an Unavailable error if the server has no place for
// files or the place does not answer, and ErrFileTooLarge if the file is larger than
// desk.MostFile.
func (s *Systems) StoreFile(ctx context.Context, account desk.AccountID, name, media string, r io.Reader) (desk.NewFile, error) {
	if s.Blobs == nil {
		return desk.NewFile{}, desk.Errorf(desk.Unavailable, "This server does not store attachments.")
	}
	key := blob.NewKey(account)
	size, sum, err := s.Blobs.Put(ctx, key, r, desk.MostFile)
	if errors.Is(err, blob.ErrTooLarge) {
		return desk.NewFile{}, desk.ErrFileTooLarge
	}
	return desk.NewFile{Key: key.String(), Name: desk.FileName(name), Type: desk.FileType(media), Size: size, Sum: sum[:]}, storeFailed(err)
}

// OpenFile opens a stored file. It returns an Unavailable error if the store does not
// answer. The caller must close the file.
func (s *Systems) OpenFile(ctx context.Context, key blob.Key) (blob.Reader, error) {
	r, err := s.Blobs.Open(ctx, key)
	return r, storeFailed(err)
}

// storeFailed makes a failure of the store one that may pass: its disk is full, or it
// cannot be reached. A caller who has gone is no failure of the store.
func storeFailed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, blob.ErrNotFound) || desk.KindOf(err) != desk.Internal {
		return err
	}
	return &desk.Error{Kind: desk.Unavailable, Message: "Files cannot be stored or read right now. Try again later.", Err: err}
}
