package service

import (
	"context"
	"errors"
	"io"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// StoreFile stores the bytes of a file that comes with a call, before the operation
// that names it runs. A file that no operation names is swept later.
func (s *Service) StoreFile(ctx context.Context, c Caller, name, media string, r io.Reader) (desk.NewFile, error) {
	return s.outside.StoreFile(ctx, c.Account, name, media, r)
}

// DropFiles removes files that no operation will name. A file that it fails to
// remove is swept later.
func (s *Service) DropFiles(ctx context.Context, files []desk.NewFile) {
	for _, f := range files {
		if key, err := blob.ParseKey(f.Key); err == nil {
			if err := s.outside.Blobs.Remove(ctx, key); err != nil {
				s.log.WarnContext(ctx, "remove an unneeded file", "error", err)
			}
		}
	}
}

// Attachment opens a file of a request that the caller may see. The caller must
// close it.
func (s *Service) Attachment(ctx context.Context, c Caller, id desk.AttachmentID) (desk.Attachment, io.ReadSeekCloser, error) {
	a, err := look(ctx, s, c, desk.GetAttachment, func(tx *store.Tx) (desk.Attachment, error) { return tx.Attachment(id, c.reach(desk.GetAttachment)) })
	if err != nil {
		return a, nil, err
	}
	r, err := s.openFile(ctx, a)
	return a, r, err
}

func (s *Service) openFile(ctx context.Context, a desk.Attachment) (io.ReadSeekCloser, error) {
	key, err := blob.ParseKey(a.Key)
	if err != nil || s.outside.Blobs == nil {
		return nil, errors.Join(err, desk.Errorf(desk.Unavailable, "This server does not store attachments."))
	}
	return s.outside.OpenFile(ctx, key)
}

// errNoFile is the answer for everything that is not a link to a file. It does not say
// why.
var errNoFile = desk.Errorf(desk.NotFound, "This link is not valid, or its time is over. Ask the sender for the file.")

// LinkedFile opens the file that somebody has a link to. It returns NotFound if the
// link is not valid or its time is over. The caller must close the file.
func (s *Service) LinkedFile(ctx context.Context, token string) (a desk.Attachment, _ io.ReadSeekCloser, err error) {
	account, id, ok := s.change.FileLink(token, s.store.Now())
	if !ok {
		return a, nil, errNoFile
	}
	a, err = transact(ctx, account, s.store.Look, func(tx *store.Tx) (desk.Attachment, error) { return tx.Attachment(id, desk.Everything) })
	if desk.KindOf(err) == desk.NotFound {
		err = errNoFile
	}
	if err != nil {
		return a, nil, err
	}
	r, err := s.openFile(ctx, a)
	return a, r, err
}
