package blob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// Config describes the bucket. Every field is required except Region, Prefix and
// the two switches.
type Config struct {
	Endpoint  string // a host and an optional port, such as s3.eu-central-1.amazonaws.com or minio.internal:9000
	Bucket    string // must exist
	Region    string // if empty, the store is asked for it
	AccessKey string
	SecretKey string
	Prefix    string // of every object name, followed by a slash; it lets several desks share a bucket
	PathStyle bool   // put the bucket into the path of URLs, not into the host name
	Insecure  bool   // HTTP instead of HTTPS
}

// S3 stores blobs as objects in a bucket, under their keys. In a bucket with
// versioning, removed objects stay until the rules of the bucket remove them.
type S3 struct {
	core   minio.Core
	bucket string
	prefix string // empty, or ends with a slash
}

var _ Store = (*S3)(nil)

const (
	tries       = 5                // of one call to the store, within about three seconds
	cleanupTime = 30 * time.Second // for the cleanup after an upload whose own context may have ended
)

// OpenS3 makes a store for a bucket. It does not connect; Check does.
func OpenS3(c Config) (*S3, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("the store cannot be used: %w", err)
	}
	lookup := minio.BucketLookupDNS
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	core, err := minio.NewCore(c.Endpoint, &minio.Options{
		Creds:        credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""),
		Secure:       !c.Insecure,
		Region:       c.Region,
		BucketLookup: lookup,
		MaxRetries:   tries,
	})
	if err != nil {
		return nil, fmt.Errorf("the store cannot be used: %w", err)
	}
	s := &S3{core: *core, bucket: c.Bucket}
	if prefix := strings.Trim(c.Prefix, "/"); prefix != "" {
		s.prefix = prefix + "/"
	}
	return s, nil
}

func (c Config) check() error {
	host := c.Endpoint
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	switch {
	case c.Endpoint == "" || c.Bucket == "" || c.AccessKey == "" || c.SecretKey == "":
		return errors.New("it needs an endpoint, a bucket, an access key and a secret key")
	case strings.Contains(c.Endpoint, "/"):
		return fmt.Errorf("the endpoint %q should be a host and perhaps a port, without https:// and without a path", c.Endpoint)
	case s3utils.CheckValidBucketName(c.Bucket) != nil:
		return fmt.Errorf("%q cannot be the name of a bucket", c.Bucket)
	case !c.PathStyle && net.ParseIP(strings.Trim(host, "[]")) != nil:
		return fmt.Errorf("the endpoint %q is an IP address, in front of which no bucket can stand: choose path style", c.Endpoint)
	}
	for _, part := range strings.Split(strings.Trim(c.Prefix, "/"), "/") {
		plain := strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == ""
		if c.Prefix != "" && (!plain || strings.Trim(part, ".") == "") {
			return fmt.Errorf("the prefix %q should be letters, digits, hyphens, underscores and dots, with slashes between", c.Prefix)
		}
	}
	return nil
}

// name returns the object name of a blob.
func (s *S3) name(key Key) string { return s.prefix + key.String() }

// Open implements Store. It asks only for the size. The bytes are requested when
// they are read.
func (s *S3) Open(ctx context.Context, key Key) (Reader, error) {
	if key.IsZero() {
		return nil, fmt.Errorf("open blob: %w", errNoKey)
	}
	at, err := s.core.StatObject(ctx, s.bucket, s.name(key), minio.StatObjectOptions{})
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, translateMissing(err))
	}
	return &object{ctx: ctx, store: s, name: s.name(key), version: at.ETag, size: at.Size}, nil
}

// translateMissing translates the store's error for a missing object into ErrNotFound.
func translateMissing(err error) error {
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return ErrNotFound
	}
	return err
}

// Remove implements Store.
func (s *S3) Remove(ctx context.Context, key Key) error {
	err := errNoKey
	if !key.IsZero() {
		err = translateMissing(s.remove(ctx, s.name(key)))
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("remove blob %s: %w", key, err)
	}
	return nil
}

func (s *S3) remove(ctx context.Context, name string) error {
	return s.core.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{})
}
