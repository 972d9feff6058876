package blob_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"

	"frontdesk/internal/blob"
)

// A large blob is streamed and not held in memory. The fake store would hold it in
// this process, so here the parts are only counted and summed.
func TestPutNeedsLittleMemory(t *testing.T) {
	const size, bound = 200 << 20, 32 << 20
	folder := folderSubject(t)
	fake := newFakeS3(t)
	hash, counted := sha256.New(), int64(0)
	fake.on(func(w http.ResponseWriter, r *http.Request) bool {
		q := r.URL.Query()
		switch {
		case r.Method == http.MethodPut && q.Has("uploadId"):
			n, err := io.Copy(hash, r.Body)
			if err != nil {
				t.Error(err)
			}
			counted += n
			w.Header().Set("ETag", `"`+q.Get("partNumber")+`"`)
		case r.Method == http.MethodPost && q.Has("uploadId"):
			fmt.Fprint(w, "<CompleteMultipartUploadResult><Bucket>attachments</Bucket></CompleteMultipartUploadResult>")
		default:
			return false
		}
		return true
	})
	for name, s := range map[string]blob.Store{"Folder": folder, "S3": fake.open(t)} {
		t.Run(name, func(t *testing.T) {
			source := newMeter(size)
			got, sum, err := s.Put(context.Background(), blob.NewKey(17), source, plenty)
			must(t, err)
			if got != size || name == "S3" && (counted != size || [sha256.Size]byte(hash.Sum(nil)) != sum) {
				t.Errorf("%d bytes were kept, %d came to the store, want %d, and the same sum", got, counted, size)
			}
			t.Logf("the heap grew by at most %d KiB", source.rise()>>10)
			if source.rise() > bound {
				t.Errorf("the heap grew by %d bytes, want at most %d", source.rise(), bound)
			}
		})
	}
}

// A meter returns zeros and watches the heap meanwhile.
type meter struct {
	left        int
	start, most uint64
	reads       int
}

func newMeter(size int) *meter {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return &meter{left: size, start: m.HeapAlloc, most: m.HeapAlloc}
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left == 0 {
		return 0, io.EOF
	}
	if m.reads++; m.reads%16 == 0 || len(p) > 1<<20 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		m.most = max(m.most, s.HeapAlloc)
	}
	p = p[:min(len(p), m.left)]
	clear(p)
	m.left -= len(p)
	return len(p), nil
}

func (m *meter) rise() uint64 { return m.most - m.start }
