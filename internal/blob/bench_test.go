package blob_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"frontdesk/internal/blob"
)

// BenchmarkFolderPut stores blobs of a mebibyte, and writes and syncs a plain file
// next to each. The ratio is what atomic writes, the checksum and the sync of the
// folder cost on this disk.
func BenchmarkFolderPut(b *testing.B) {
	f, bare := openFolder(b, b.TempDir()), b.TempDir()
	content := random(1 << 20)
	b.SetBytes(1 << 20)
	var ours, theirs time.Duration
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		_, _, err := f.Put(context.Background(), blob.NewKey(17), bytes.NewReader(content), plenty)
		must(b, err)
		middle := time.Now()
		must(b, writeBare(filepath.Join(bare, fmt.Sprint(i)), content))
		ours += middle.Sub(begin)
		theirs += time.Since(middle)
	}
	b.ReportMetric(float64(ours)/float64(theirs), "x-bare")
}

// writeBare is os.WriteFile with a sync.
func writeBare(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}
