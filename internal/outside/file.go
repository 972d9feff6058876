package outside

import (
	"context"
	"errors"
	"io"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
)

// StoreFile keeps the bytes of a file before a transaction names it.
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
