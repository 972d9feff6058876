package service

import (
	"context"
	"errors"
	"io"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
	"frontdesk/internal/job"
	"frontdesk/internal/store"
)

// StoreFile keeps the bytes of a file that a call carries, before the operation
// that names it. What no operation names in the end is swept.
func (s *Service) StoreFile(ctx context.Context, c Caller, name, media string, r io.Reader) (desk.NewFile, error) {
	return s.storeFile(ctx, c.Account, name, media, r)
}

// storeFile keeps the bytes of a file before a transaction names it.
func (s *Service) storeFile(ctx context.Context, account desk.AccountID, name, media string, r io.Reader) (desk.NewFile, error) {
	if s.blobs == nil {
		return desk.NewFile{}, desk.Errorf(desk.Unavailable, "This server has no place for attachments.")
	}
	key := blob.NewKey(account)
	size, sum, err := s.blobs.Put(ctx, key, r, desk.MostFile)
	if errors.Is(err, blob.ErrTooLarge) {
		return desk.NewFile{}, desk.ErrFileTooLarge
	}
	return desk.NewFile{Key: key.String(), Name: desk.FileName(name), Type: desk.FileType(media), Size: size, Sum: sum[:]}, err
}

// DropFiles removes files that no operation will name. What it fails to remove
// is swept.
func (s *Service) DropFiles(ctx context.Context, files []desk.NewFile) {
	for _, f := range files {
		if key, err := blob.ParseKey(f.Key); err == nil {
			if err := s.blobs.Remove(ctx, key); err != nil {
				s.log.WarnContext(ctx, "remove a file that nobody needs", "error", err)
			}
		}
	}
}

// Attachment opens a file of a request that the caller may see. Close it.
func (s *Service) Attachment(ctx context.Context, c Caller, id desk.AttachmentID) (desk.Attachment, io.ReadSeekCloser, error) {
	if err := c.may(desk.GetAttachment); err != nil {
		return desk.Attachment{}, nil, err
	}
	a, err := look(ctx, s, c, func(tx *store.Tx) (desk.Attachment, error) { return tx.Attachment(id, c.reach(desk.GetAttachment)) })
	if err != nil {
		return a, nil, err
	}
	key, err := blob.ParseKey(a.Key)
	if err != nil || s.blobs == nil {
		return a, nil, errors.Join(err, desk.Errorf(desk.Unavailable, "This server has no place for attachments."))
	}
	r, err := s.blobs.Open(ctx, key)
	return a, r, err
}

const (
	sweepEvery = time.Hour
	// sweepAfter is the age at which a file that nothing names is nobody's: no
	// call takes that long.
	sweepAfter = 6 * time.Hour
	sweepPage  = 200
)

// sweepFiles removes the files that nothing names.
type sweepFiles struct{}

func (sweepFiles) Kind() string { return "attachment.sweep" }

func (s *Service) sweepFiles(ctx context.Context, _ *job.Job, _ sweepFiles) error {
	if s.blobs == nil {
		return nil
	}
	before := s.store.Now().Add(-sweepAfter)
	for after, more := (blob.Key{}), true; more; {
		keys, err := s.blobs.Keys(ctx, before, after, sweepPage)
		if err != nil {
			return err
		}
		if more = len(keys) == sweepPage; more {
			after = keys[len(keys)-1]
		}
		if err := s.sweepKeysOf(ctx, keys); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) sweepKeysOf(ctx context.Context, keys []blob.Key) error {
	of := map[desk.AccountID][]string{}
	for _, key := range keys {
		of[key.Account()] = append(of[key.Account()], key.String())
	}
	for account, texts := range of {
		var named map[string]bool
		err := s.store.Look(ctx, account, func(tx *store.Tx) (err error) {
			named, err = tx.NamedBlobs(texts)
			return err
		})
		if err != nil {
			return err
		}
		for _, text := range texts {
			if key, err := blob.ParseKey(text); err == nil && !named[text] {
				if err := s.blobs.Remove(ctx, key); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
