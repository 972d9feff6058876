package blob

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Keys implements Store. The keys are in the store's order, by the bytes of the
// key. The store's clock determines their age.
func (s *S3) Keys(ctx context.Context, before time.Time, after Key, limit int) ([]Key, error) {
	if err := checkPage(limit); err != nil {
		return nil, err
	}
	if after.IsZero() {
		if err := s.abortAbandoned(ctx); err != nil {
			return nil, fmt.Errorf("list unfinished uploads: %w", err)
		}
	}
	keys, err := s.list(ctx, before, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list blobs: %w", err)
	}
	return keys, nil
}

func (s *S3) list(ctx context.Context, before time.Time, after Key, limit int) ([]Key, error) {
	owner := false
	opts := minio.ListObjectsOptions{Prefix: s.prefix, Recursive: true, FetchOwner: &owner}
	if !after.IsZero() {
		opts.StartAfter = s.name(after)
	}
	var keys []Key
	for o := range s.core.ListObjectsIter(ctx, s.bucket, opts) {
		if o.Err != nil {
			return nil, o.Err
		}
		key, err := ParseKey(strings.TrimPrefix(o.Key, s.prefix))
		if err != nil || !o.LastModified.Before(before) {
			continue // not ours, so leave it alone
		}
		if keys = append(keys, key); len(keys) == limit {
			break
		}
	}
	// If ctx ends, the list just stops, as if there were no more.
	return keys, ctx.Err()
}

// abortAbandoned aborts uploads that will never be finished.
func (s *S3) abortAbandoned(ctx context.Context) error {
	old := time.Now().Add(-abandoned)
	var afterName, afterID string
	for {
		page, err := s.core.ListMultipartUploads(ctx, s.bucket, s.prefix, afterName, afterID, "", 1000)
		if err != nil {
			return ignoreUnlistable(err)
		}
		for _, u := range page.Uploads {
			_, err := ParseKey(strings.TrimPrefix(u.Key, s.prefix))
			if err != nil || !u.Initiated.Before(old) {
				continue
			}
			err = s.core.AbortMultipartUpload(ctx, s.bucket, u.Key, u.UploadID)
			if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchUpload {
				return err
			}
		}
		if !page.IsTruncated {
			return nil
		}
		afterName, afterID = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

// ignoreUnlistable ignores the error of a store that does not list uploads, to this key
// or at all. A sweep of the blobs is still useful. A lifecycle rule of the bucket
// can then abort unfinished uploads.
func ignoreUnlistable(err error) error {
	switch minio.ToErrorResponse(err).Code {
	case minio.NoSuchUpload, minio.AccessDenied, minio.NotImplemented, minio.MethodNotAllowed:
		return nil
	}
	return err
}
