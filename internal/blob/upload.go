package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"
)

const (
	// partSize is how much of an upload is in memory at once. While the buffer
	// grows to this size, it briefly needs half as much again, 12 MiB in total.
	partSize = 8 << 20
	maxParts = 10_000 // the limit of S3
)

// Put implements Store. It uses at most 12 MiB of memory and accepts up to 80,000
// MiB. Content that fits into one part takes one call. Larger content is uploaded
// in parts, one after the other. Each part is signed with its SHA-256, so that the
// store refuses damaged parts.
func (s *S3) Put(ctx context.Context, key Key, r io.Reader, max int64) (int64, [sha256.Size]byte, error) {
	in := newIntake(ctx, r, max)
	if err := s.put(ctx, key, in); err != nil {
		return 0, [sha256.Size]byte{}, fmt.Errorf("put blob %s: %w", key, err)
	}
	return in.size, in.sum(), nil
}

func (s *S3) put(ctx context.Context, key Key, in *intake) error {
	if key.IsZero() {
		return errNoKey
	}
	part, err := in.fill(nil, partSize)
	if err == io.EOF {
		return s.putWhole(ctx, s.name(key), part)
	} else if err != nil {
		return err
	}
	return s.putParts(ctx, s.name(key), part, in)
}

func (s *S3) putWhole(ctx context.Context, name string, all []byte) error {
	_, err := s.core.PutObject(ctx, s.bucket, name, bytes.NewReader(all), int64(len(all)), "", hexSum(all), putOptions())
	if err != nil {
		s.undoPut(ctx, name)
	}
	return err
}

func (s *S3) putParts(ctx context.Context, name string, part []byte, in *intake) error {
	id, err := s.core.NewMultipartUpload(ctx, s.bucket, name, putOptions())
	if err != nil {
		return err
	}
	complete := false
	defer func() { // deferred, because r may panic
		if !complete {
			s.abortUpload(ctx, name, id)
		}
	}()
	var parts []minio.CompletePart
	for ended := false; len(part) > 0; {
		if len(parts) == maxParts {
			return fmt.Errorf("it has more than %d parts of %d bytes", maxParts, partSize)
		}
		kept, err := s.core.PutObjectPart(ctx, s.bucket, name, id, len(parts)+1, bytes.NewReader(part), int64(len(part)),
			minio.PutObjectPartOptions{Sha256Hex: hexSum(part), DisableContentSha256: true})
		if err != nil {
			return err
		}
		parts = append(parts, minio.CompletePart{PartNumber: kept.PartNumber, ETag: kept.ETag})
		if ended {
			break
		}
		part, err = in.fill(part, partSize)
		if ended = err == io.EOF; err != nil && !ended {
			return err
		}
	}
	if _, err := s.core.CompleteMultipartUpload(ctx, s.bucket, name, id, parts, putOptions()); err != nil {
		s.undoPut(ctx, name)
		return err
	}
	complete = true
	return nil
}

// putOptions declares an unknown content type, so that no browser shows an object
// as a page, even if the bucket is open to others. DisableContentSha256 turns off
// signing in chunks, which not every store supports. The checksum that we send
// replaces it.
func putOptions() minio.PutObjectOptions {
	return minio.PutObjectOptions{ContentType: "application/octet-stream", DisableContentSha256: true}
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// undoPut removes an object that may exist in spite of an error, because the call can
// succeed and its answer get lost. If the store creates the object only after this,
// the sweep finds it.
func (s *S3) undoPut(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	_ = s.remove(ctx, name)
}

// abortUpload aborts an upload and deletes its parts, which would otherwise stay in the
// bucket, invisible but paid for. If this fails, Keys does it a day later.
func (s *S3) abortUpload(ctx context.Context, name, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	_ = s.core.AbortMultipartUpload(ctx, s.bucket, name, id)
}
