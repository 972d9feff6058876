package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"frontdesk/internal/blob"
)

// A fakeS3 is an S3-compatible store in this process. Tests can set its clock and
// change its answers.
type fakeS3 struct {
	t       *testing.T
	config  blob.Config
	direct  *minio.Core // bypasses the code under test
	backend *s3mem.Backend
	real    http.Handler

	mu        sync.Mutex
	now       time.Time // zero means the machine's clock
	intercept func(w http.ResponseWriter, r *http.Request) bool
}

func newFakeS3(t *testing.T) *fakeS3 {
	f := &fakeS3{t: t}
	f.backend = s3mem.New(s3mem.WithTimeSource(f))
	must(t, f.backend.CreateBucket("attachments"))
	f.real = gofakes3.New(f.backend, gofakes3.WithTimeSource(f), gofakes3.WithTimeSkewLimit(0), gofakes3.WithLogger(nil)).Server()
	server := httptest.NewUnstartedServer(f)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the fake complains about readers that stop in the middle
	server.Start()
	t.Cleanup(server.Close)
	f.config = blob.Config{
		Endpoint:  strings.TrimPrefix(server.URL, "http://"),
		Bucket:    "attachments",
		Region:    "us-east-1",
		AccessKey: "access",
		SecretKey: "secret",
		Prefix:    "desk/files",
		PathStyle: true,
		Insecure:  true,
	}
	var err error
	f.direct, err = minio.NewCore(f.config.Endpoint, &minio.Options{
		Creds: credentials.NewStaticV4("access", "secret", ""), Region: "us-east-1", BucketLookup: minio.BucketLookupPath})
	must(t, err)
	return f
}

// ServeHTTP calls the intercept first, which returns whether it has answered.
func (f *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	intercept := f.intercept
	f.mu.Unlock()
	if intercept != nil && intercept(w, r) {
		return
	}
	f.checkSum(r)
	if f.replaced(r) {
		http.Error(w, "", http.StatusPreconditionFailed)
		return
	}
	f.real.ServeHTTP(w, r)
}

// replaced adds a check that the fake leaves out: whether the object is still the
// one that the caller asked for.
func (f *fakeS3) replaced(r *http.Request) bool {
	want := r.Header.Get("If-Match")
	if r.Method != http.MethodGet || want == "" {
		return false
	}
	head := r.Clone(r.Context())
	head.Method = http.MethodHead
	answer := httptest.NewRecorder()
	f.real.ServeHTTP(answer, head)
	return answer.Header().Get("ETag") != want
}

// isReplaced reports whether a reader's error says that the object was replaced
// after it was opened.
func isReplaced(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && answer.Code == minio.PreconditionFailed
}

// checkSum adds a check that the fake leaves out: it compares the signed checksum
// with the bytes that arrived.
func (f *fakeS3) checkSum(r *http.Request) {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil || r.Method != http.MethodPut {
		return
	}
	sum := sha256.Sum256(body)
	if said := r.Header.Get("X-Amz-Content-Sha256"); said != hex.EncodeToString(sum[:]) {
		f.t.Errorf("%s %s came with the sum %q, not that of its %d bytes", r.Method, r.URL, said, len(body))
	}
}

func (f *fakeS3) on(intercept func(w http.ResponseWriter, r *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.intercept = intercept
}

func (f *fakeS3) setNow(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = now
}

// Now and Since make f the fake's time source.
func (f *fakeS3) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now.IsZero() {
		return time.Now()
	}
	return f.now
}

func (f *fakeS3) Since(t time.Time) time.Duration { return f.Now().Sub(t) }

func (f *fakeS3) open(t *testing.T) *blob.S3 {
	t.Helper()
	s, err := blob.OpenS3(f.config)
	must(t, err)
	return s
}

func (f *fakeS3) subject(t *testing.T) subject {
	s := f.open(t)
	return subject{
		Store: s,
		putAt: func(t *testing.T, key blob.Key, content []byte, when time.Time) {
			t.Helper()
			f.setNow(when)
			put(t, s, key, content)
			f.setNow(time.Time{})
		},
		junk: f.junk,
	}
}

// junk lists objects that are not blobs, and unfinished uploads.
func (f *fakeS3) junk(t *testing.T) (junk []string) {
	t.Helper()
	for o := range f.direct.ListObjectsIter(context.Background(), f.config.Bucket, minio.ListObjectsOptions{Recursive: true}) {
		must(t, o.Err)
		name, ours := strings.CutPrefix(o.Key, f.config.Prefix+"/")
		if _, err := blob.ParseKey(name); err != nil || !ours {
			junk = append(junk, o.Key)
		}
	}
	for _, u := range f.uploads(t) {
		junk = append(junk, "upload of "+u.Key)
	}
	return junk
}

func (f *fakeS3) uploads(t *testing.T) []minio.ObjectMultipartInfo {
	t.Helper()
	page, err := f.direct.ListMultipartUploads(context.Background(), f.config.Bucket, "", "", "", "", 1000)
	if minio.ToErrorResponse(err).Code == minio.NoSuchUpload {
		return nil // the fake returns this error if there never was an upload
	}
	must(t, err)
	return page.Uploads
}

// begin starts an upload, like a process that dies right after.
func (f *fakeS3) begin(t *testing.T, name string, when time.Time) {
	t.Helper()
	f.setNow(when)
	_, err := f.direct.NewMultipartUpload(context.Background(), f.config.Bucket, name, minio.PutObjectOptions{})
	f.setNow(time.Time{})
	must(t, err)
}
