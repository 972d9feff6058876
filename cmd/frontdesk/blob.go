package main

import (
	"context"
	"path/filepath"

	"frontdesk/internal/blob"
)

// blobSettings say where attachments are kept: in a folder, or with an endpoint
// in a bucket of an S3-compatible store, which several nodes share.
type blobSettings struct {
	Attachments string `placeholder:"FOLDER" env:"FRONTDESK_ATTACHMENTS" help:"The folder for attachments, by default \"attachments\" in the data folder."`
	S3Endpoint  string `placeholder:"HOST" env:"FRONTDESK_S3_ENDPOINT" help:"An S3-compatible store, as in minio.internal:9000, to keep attachments there instead."`
	S3Bucket    string `placeholder:"NAME" env:"FRONTDESK_S3_BUCKET" help:"Its bucket, which must exist."`
	S3Region    string `placeholder:"NAME" env:"FRONTDESK_S3_REGION" help:"The bucket's region; without it the store is asked."`
	S3AccessKey string `placeholder:"KEY" env:"FRONTDESK_S3_ACCESS_KEY" help:"The access key."`
	S3SecretKey string `placeholder:"KEY" env:"FRONTDESK_S3_SECRET_KEY" help:"The secret key."`
	S3Prefix    string `placeholder:"TEXT" env:"FRONTDESK_S3_PREFIX" help:"What every object's name begins with, so that a bucket can be shared."`
	S3PathStyle bool   `env:"FRONTDESK_S3_PATH_STYLE" help:"Name the bucket in the path of addresses and not in the host."`
	S3Insecure  bool   `env:"FRONTDESK_S3_INSECURE" help:"Speak HTTP with the store instead of HTTPS."`
}

// openBlobs opens the place for attachments and sees that it can be used.
func (s *settings) openBlobs(ctx context.Context) (blob.Store, error) {
	b := s.Blob
	if b.S3Endpoint == "" {
		path := b.Attachments
		if path == "" {
			path = filepath.Join(s.Data, "attachments")
		}
		return blob.OpenFolder(path)
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
