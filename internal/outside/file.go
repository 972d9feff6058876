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
// files, and ErrFileTooLarge if the file is larger than desk.MostFile.
func (s *Systems) StoreFile(ctx context.Context, account desk.AccountID, name, media string, r io.Reader) (desk.NewFile, error) {
	if s.Blobs == nil {
		return desk.NewFile{}, desk.Errorf(desk.Unavailable, "This server does not store attachments.")
	}
	key := blob.NewKey(account)
	size, sum, err := s.Blobs.Put(ctx, key, r, desk.MostFile)
	if errors.Is(err, blob.ErrTooLarge) {
		return desk.NewFile{}, desk.ErrFileTooLarge
	}
	return desk.NewFile{Key: key.String(), Name: desk.FileName(name), Type: desk.FileType(media), Size: size, Sum: sum[:]}, err
}
