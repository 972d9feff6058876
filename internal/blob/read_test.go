package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/iotest"
	"time"

	"frontdesk/internal/blob"
)

func TestOpenOfNothing(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		if _, err := s.Open(context.Background(), blob.NewKey(17)); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("Open gave %v, want ErrNotFound", err)
		}
	})
}

// The standard library's test of a reader: short reads, seeks to every position,
// reads after the end.
func TestReaderReadsAndSeeks(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		for _, n := range []int{0, 1, 5000} {
			key := blob.NewKey(17)
			put(t, s, key, random(n))
			r := open(t, s, key)
			must(t, iotest.TestReader(r, random(n)))
			must(t, r.Close())
		}
	})
}

func TestSeekRefusesWhatIsNowhere(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		key := blob.NewKey(17)
		put(t, s, key, random(1000))
		r := open(t, s, key)
		defer r.Close()
		_, err := r.Seek(400, io.SeekStart)
		must(t, err)
		for _, to := range []struct {
			offset int64
			whence int
		}{{-1, io.SeekStart}, {-401, io.SeekCurrent}, {-1001, io.SeekEnd}, {0, 99}} {
			if _, err := r.Seek(to.offset, to.whence); err == nil {
				t.Errorf("Seek(%d, %d) gave no error", to.offset, to.whence)
			}
		}
		rest, err := io.ReadAll(r)
		must(t, err)
		if !bytes.Equal(rest, random(1000)[400:]) {
			t.Error("a refused Seek has moved the reader")
		}
	})
}

func TestReaderIsClosedOnce(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		key := blob.NewKey(17)
		put(t, s, key, random(1000))
		r := open(t, s, key)
		_, err := io.ReadFull(r, make([]byte, 10))
		must(t, err)
		must(t, r.Close())
		if _, err := r.Read(make([]byte, 10)); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Read gave %v, want os.ErrClosed", err)
		}
		if _, err := r.Seek(0, io.SeekStart); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Seek gave %v, want os.ErrClosed", err)
		}
		if err := r.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("the second Close gave %v, want os.ErrClosed", err)
		}
	})
}

// This is the purpose: the ranges that a browser asks for.
func TestRangesOverHTTP(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		key, content := blob.NewKey(17), random(blob.PartSize+1000)
		put(t, s, key, content)
		handler := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			r := open(t, s, key)
			defer r.Close()
			http.ServeContent(w, req, "", time.Time{}, r)
		})
		for asked, want := range map[string][]byte{
			"":                  content,
			"bytes=0-0":         content[:1],
			"bytes=0-99":        content[:100],
			"bytes=1000-1999":   content[1000:2000],
			"bytes=8000000-":    content[8000000:],
			"bytes=-10":         content[len(content)-10:],
			"bytes=100-9999999": content[100:],
		} {
			req := httptest.NewRequest("GET", "/", nil)
			if asked != "" {
				req.Header.Set("Range", asked)
			}
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, req)
			if !bytes.Equal(answer.Body.Bytes(), want) {
				t.Errorf("%q gave status %d and %d bytes, want the %d right ones", asked, answer.Code, answer.Body.Len(), len(want))
			}
		}
	})
}

func TestRemove(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		gone, stays := blob.NewKey(17), blob.NewKey(17)
		put(t, s, gone, random(10))
		put(t, s, stays, random(20))
		for range 2 { // the second time it is already gone
			must(t, s.Remove(context.Background(), gone))
		}
		if _, err := s.Open(context.Background(), gone); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("Open gave %v, want ErrNotFound", err)
		}
		wantContent(t, s, stays, random(20))
		wantKeys(t, allKeys(t, s, later(), 10), stays)
	})
}

func TestAnEndedContextEndsEverything(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		key := blob.NewKey(17)
		put(t, s, key, random(10))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, openErr := s.Open(ctx, key)
		page, keysErr := s.Keys(ctx, later(), key, 10)
		for name, err := range map[string]error{"Open": openErr, "Remove": s.Remove(ctx, key), "Keys": keysErr} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s gave %v, want that the context was cancelled", name, err)
			}
		}
		if page != nil {
			t.Errorf("Keys gave %v too", page)
		}
		wantContent(t, s, key, random(10))
	})
}
