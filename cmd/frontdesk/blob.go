package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"frontdesk/internal/blob"
)

// blobSettings say where to store attachments: in a folder, or in a bucket of an
// S3-compatible store that several nodes share. The aliases are the names that
// the S3 flags had before: kong split "S3" into "s-3".
type blobSettings struct {
	Attachments string `placeholder:"FOLDER" env:"FRONTDESK_ATTACHMENTS" help:"The folder for attachments. Default: \"attachments\" in the data folder"`
	S3Endpoint  string `name:"s3-endpoint" aliases:"s-3-endpoint" placeholder:"HOST" env:"FRONTDESK_S3_ENDPOINT" help:"Store attachments in this S3-compatible store instead, such as minio.internal:9000."`
	S3Bucket    string `name:"s3-bucket" aliases:"s-3-bucket" placeholder:"NAME" env:"FRONTDESK_S3_BUCKET" help:"The bucket. It must exist."`
	S3Region    string `name:"s3-region" aliases:"s-3-region" placeholder:"NAME" env:"FRONTDESK_S3_REGION" help:"The bucket's region. Default: the one that the store reports"`
	S3AccessKey string `name:"s3-access-key" aliases:"s-3-access-key" placeholder:"KEY" env:"FRONTDESK_S3_ACCESS_KEY" help:"The access key."`
	S3SecretKey string `name:"s3-secret-key" aliases:"s-3-secret-key" placeholder:"KEY" env:"FRONTDESK_S3_SECRET_KEY" help:"The secret key."`
	S3Prefix    string `name:"s3-prefix" aliases:"s-3-prefix" placeholder:"TEXT" env:"FRONTDESK_S3_PREFIX" help:"A prefix for the name of every object, so that others can use the same bucket."`
	S3PathStyle bool   `name:"s3-path-style" aliases:"s-3-path-style" env:"FRONTDESK_S3_PATH_STYLE" help:"Put the bucket's name in the path of a URL instead of the host."`
	S3Insecure  bool   `name:"s3-insecure" aliases:"s-3-insecure" env:"FRONTDESK_S3_INSECURE" help:"Use HTTP instead of HTTPS."`
}

// attachmentsFolder is the folder for attachments, unless they are in a bucket.
func (s *settings) attachmentsFolder() string {
	return cmp.Or(s.Blob.Attachments, filepath.Join(s.Data, "attachments"))
}

// openBlobs opens the store for attachments and checks that it can be used.
func (s *settings) openBlobs(ctx context.Context) (blob.Store, error) {
	store, err := s.openStore(ctx)
	if err != nil {
		return nil, fmt.Errorf("attachments: %w", err)
	}
	return store, nil
}

func (s *settings) openStore(ctx context.Context) (blob.Store, error) {
	b := s.Blob
	if b.S3Endpoint == "" {
		return blob.OpenFolder(s.attachmentsFolder())
	}
	store, err := blob.OpenS3(blob.Config{
		Endpoint: b.S3Endpoint, Bucket: b.S3Bucket, Region: b.S3Region, AccessKey: b.S3AccessKey, SecretKey: b.S3SecretKey,
		Prefix: b.S3Prefix, PathStyle: b.S3PathStyle, Insecure: b.S3Insecure,
	})
	if err != nil {
		return nil, err
	}
	return store, store.Check(ctx)
}
