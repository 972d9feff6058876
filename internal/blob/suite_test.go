package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/blob"
)

// plenty is more than the size of any blob in these tests.
const plenty = 1 << 40

// A subject is a store under test, with access from outside.
type subject struct {
	blob.Store
	putAt func(t *testing.T, key blob.Key, content []byte, when time.Time)
	junk  func(t *testing.T) []string // what is there but is not a blob
}

// each runs a test on every kind of store.
func each(t *testing.T, test func(*testing.T, subject)) {
	t.Run("Folder", func(t *testing.T) { test(t, folderSubject(t)) })
	t.Run("S3", func(t *testing.T) { test(t, newFakeS3(t).subject(t)) })
}

func folderSubject(t *testing.T) subject {
	path := filepath.Join(t.TempDir(), "blobs")
	f := openFolder(t, path)
	return subject{
		Store: f,
		putAt: func(t *testing.T, key blob.Key, content []byte, when time.Time) {
			t.Helper()
			put(t, f, key, content)
			must(t, os.Chtimes(fileOf(path, key), when, when))
		},
		junk: func(t *testing.T) []string { return folderJunk(t, path) },
	}
}

func openFolder(t testing.TB, path string) *blob.Folder {
	t.Helper()
	f, err := blob.OpenFolder(path)
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()) })
	return f
}

// fileOf returns where a blob is according to the documentation of Folder.
func fileOf(path string, key blob.Key) string {
	account, random, _ := strings.Cut(key.String(), "/")
	return filepath.Join(path, random[:2], account+"-"+random)
}

func folderJunk(t *testing.T, path string) (junk []string) {
	t.Helper()
	must(t, filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		key, err := blob.ParseKey(strings.Replace(d.Name(), "-", "/", 1))
		if err != nil || at != fileOf(path, key) {
			junk = append(junk, at)
		}
		return nil
	}))
	return junk
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// random returns n bytes, the same in every run.
func random(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// put stores content through a reader that only implements Read.
func put(t testing.TB, s blob.Store, key blob.Key, content []byte) {
	t.Helper()
	size, sum, err := s.Put(context.Background(), key, struct{ io.Reader }{bytes.NewReader(content)}, plenty)
	must(t, err)
	if size != int64(len(content)) || sum != sha256.Sum256(content) {
		t.Errorf("Put said %d bytes with the sum %x, want %d with %x", size, sum, len(content), sha256.Sum256(content))
	}
}

func open(t testing.TB, s blob.Store, key blob.Key) blob.Reader {
	t.Helper()
	r, err := s.Open(context.Background(), key)
	must(t, err)
	return r
}

func wantContent(t testing.TB, s blob.Store, key blob.Key, want []byte) {
	t.Helper()
	r := open(t, s, key)
	defer r.Close()
	got, err := io.ReadAll(r)
	must(t, err)
	if r.Size() != int64(len(want)) {
		t.Errorf("the size is %d, want %d", r.Size(), len(want))
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes came back, different from the %d that were put", len(got), len(want))
	}
}

// allKeys lists the whole store in pages of the given size.
func allKeys(t testing.TB, s blob.Store, before time.Time, limit int) (keys []blob.Key) {
	t.Helper()
	var after blob.Key
	for {
		page, err := s.Keys(context.Background(), before, after, limit)
		must(t, err)
		if len(page) > limit {
			t.Fatalf("a page has %d keys, more than %d", len(page), limit)
		}
		for _, key := range page {
			if slices.Contains(keys, key) {
				t.Fatalf("%s came twice", key)
			}
			keys = append(keys, key)
		}
		if len(page) < limit {
			return keys
		}
		after = page[len(page)-1]
	}
}

func later() time.Time { return time.Now().Add(time.Hour) }

func wantKeys(t testing.TB, got []blob.Key, want ...blob.Key) {
	t.Helper()
	inOrder := func(a, b blob.Key) int { return strings.Compare(a.String(), b.String()) }
	got, want = slices.Clone(got), slices.Clone(want)
	slices.SortFunc(got, inOrder)
	slices.SortFunc(want, inOrder)
	if !slices.Equal(got, want) {
		t.Errorf("the keys are %v, want %v", got, want)
	}
}

// wantNothing checks that a failed Put has left nothing behind.
func wantNothing(t *testing.T, s subject, key blob.Key) {
	t.Helper()
	if r, err := s.Open(context.Background(), key); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Open gave %v, want ErrNotFound", err)
		if err == nil {
			r.Close()
		}
	}
	wantKeys(t, allKeys(t, s, later(), 10))
	if junk := s.junk(t); len(junk) > 0 {
		t.Errorf("left behind: %q", junk)
	}
}
