package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"
)

// Check finds out whether the bucket works. It lists the bucket, and writes, reads
// and removes a small object. It is for the start of the program, and its error is
// a sentence for the operator.
func (s *S3) Check(ctx context.Context) error {
	name := s.prefix + "check-" + rand.Text() // not a key, so Keys does not list it
	content := []byte("Frontdesk looks whether it can use this bucket.\n")
	if err := s.listOne(ctx); err != nil {
		return s.explain("list", err)
	}
	if err := s.putWhole(ctx, name, content); err != nil {
		return s.explain("write to", err)
	}
	got, err := s.readWhole(ctx, name)
	if err == nil && !bytes.Equal(got, content) {
		err = errors.New("it gave back something else than it was given")
	}
	if err != nil {
		s.undoPut(ctx, name)
		return s.explain("read from", err)
	}
	if err := s.remove(ctx, name); err != nil {
		return s.explain("remove from", err)
	}
	return nil
}

// listOne lists a single object of any name. To look for a blob, it might have to
// read through everything else in the bucket.
func (s *S3) listOne(ctx context.Context) error {
	for o := range s.core.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix, Recursive: true, MaxKeys: 1}) {
		return o.Err
	}
	return ctx.Err()
}

func (s *S3) readWhole(ctx context.Context, name string) ([]byte, error) {
	body, _, _, err := s.core.GetObject(ctx, s.bucket, name, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

// explain returns an error that says in a sentence what is wrong with the bucket,
// and wraps the cause.
func (s *S3) explain(what string, err error) error {
	host := s.core.EndpointURL().Host
	var why string
	switch minio.ToErrorResponse(err).Code {
	case minio.NoSuchBucket:
		why = fmt.Sprintf("there is no bucket %q at %s: make it, or correct its name", s.bucket, host)
	case minio.InvalidAccessKeyID:
		why = host + " does not know the access key"
	case minio.SignatureDoesNotMatch:
		why = host + " says that the secret key does not belong to the access key"
	case minio.AccessDenied:
		why = fmt.Sprintf("the access key is not allowed to %s the bucket %q at %s", what, s.bucket, host)
	case minio.RequestTimeTooSkewed:
		why = "the clocks of this machine and of " + host + " differ too much"
	default:
		why = fmt.Sprintf("cannot %s the bucket %q at %s", what, s.bucket, host)
	}
	return fmt.Errorf("the store cannot be used: %s: %w", why, err)
}
