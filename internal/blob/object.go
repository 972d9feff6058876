package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/minio/minio-go/v7"
)

// An object reads a blob from a bucket. It makes one call for all bytes from its
// position to the end, and a new call after a seek.
type object struct {
	ctx     context.Context // from Open, because Read has none
	store   *S3
	name    string
	version string // the ETag, so that two calls cannot return bytes of two different blobs
	size    int64
	at      int64 // where the next Read begins
	body    io.ReadCloser
	bodyAt  int64 // position of the next byte in body
	closed  bool
}

func (o *object) Size() int64 { return o.size }

func (o *object) Read(p []byte) (int, error) {
	switch {
	case o.closed:
		return 0, os.ErrClosed
	case len(p) == 0:
		return 0, nil
	case o.at >= o.size:
		return 0, io.EOF
	}
	if o.body != nil && o.bodyAt != o.at {
		o.drop()
	}
	if o.body == nil {
		if err := o.ask(); err != nil {
			return 0, fmt.Errorf("read blob %s: %w", o.name, err)
		}
	}
	n, err := o.body.Read(p)
	o.at += int64(n)
	o.bodyAt = o.at
	if err == nil || err == io.EOF && o.at == o.size {
		return n, nil // the next Read returns io.EOF
	}
	o.drop()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, fmt.Errorf("read blob %s: %w", o.name, err)
}

func (o *object) ask() error {
	var opts minio.GetObjectOptions
	if err := opts.SetRange(o.at, o.size-1); err != nil {
		return err
	}
	if err := opts.SetMatchETag(o.version); err != nil {
		return err
	}
	body, got, _, err := o.store.core.GetObject(o.ctx, o.store.bucket, o.name, opts)
	if err != nil {
		return translateMissing(err)
	}
	// A store that does not support ranges would return the beginning instead of
	// the rest.
	if got.Size != o.size-o.at {
		body.Close()
		return fmt.Errorf("the store gave %d bytes where %d were asked for", got.Size, o.size-o.at)
	}
	o.body, o.bodyAt = body, o.at
	return nil
}

// drop ends the current call, if there is one.
func (o *object) drop() {
	if o.body != nil {
		o.body.Close()
		o.body = nil
	}
}

func (o *object) Seek(offset int64, whence int) (int64, error) {
	if o.closed {
		return 0, os.ErrClosed
	}
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	default:
		return 0, errors.New("seek in a blob: unknown whence")
	}
	if offset < 0 {
		return 0, errors.New("seek in a blob: before its beginning")
	}
	o.at = offset
	return offset, nil
}

func (o *object) Close() error {
	if o.closed {
		return os.ErrClosed
	}
	o.closed = true
	o.drop()
	return nil
}
