package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/blob"
)

func TestFolderIsOursAlone(t *testing.T) {
	old := syscall.Umask(0) // otherwise the umask could be what hides the files
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "var", "blobs")
	f := openFolder(t, path)
	put(t, f, blob.NewKey(17), random(10))
	files := 0
	must(t, filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		must(t, err)
		info, err := d.Info()
		must(t, err)
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v, want %v", at, info.Mode().Perm(), want)
		}
		return nil
	}))
	if files != 1 {
		t.Errorf("%d files, want 1", files)
	}
}

func TestFolderOpensAgain(t *testing.T) {
	path := t.TempDir()
	key := blob.NewKey(17)
	first, err := blob.OpenFolder(path)
	must(t, err)
	put(t, first, key, random(1000))
	must(t, first.Close())
	wantContent(t, openFolder(t, path), key, random(1000))
	if junk := folderJunk(t, path); len(junk) > 0 {
		t.Errorf("left behind: %q", junk)
	}
}

func TestFolderThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, path := range []string{file, filepath.Join(file, "below")} {
		if _, err := blob.OpenFolder(path); err == nil || !strings.Contains(err.Error(), "cannot be used") {
			t.Errorf("%s gave %v", path, err)
		}
	}
	path := t.TempDir()
	must(t, os.WriteFile(filepath.Join(path, "7f"), nil, 0o600))
	if _, err := blob.OpenFolder(path); err == nil || !strings.Contains(err.Error(), "7f in it is not a folder") {
		t.Errorf("a file in place of a folder gave %v", err)
	}
}

// A symbolic link leads neither out of the folder nor to another account's blob,
// and a pipe does not block.
func TestFolderFollowsNoLinks(t *testing.T) {
	path, outside := t.TempDir(), t.TempDir()
	f := openFolder(t, path)
	other := blob.NewKey(2)
	put(t, f, other, []byte("another's"))
	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	out, in, pipe := blob.NewKey(17), blob.NewKey(17), blob.NewKey(17)
	must(t, os.Symlink(filepath.Join(outside, "secret"), fileOf(path, out)))
	must(t, os.Symlink("../"+strings.TrimPrefix(fileOf(path, other), path+"/"), fileOf(path, in)))
	must(t, syscall.Mkfifo(fileOf(path, pipe), 0o600))
	for _, key := range []blob.Key{out, in, pipe} {
		if r, err := f.Open(context.Background(), key); err == nil {
			r.Close()
			t.Errorf("%s was opened", fileOf(path, key))
		}
	}
	wantKeys(t, allKeys(t, f, later(), 10), other)
	// A Put replaces the link, not the file that it leads to.
	put(t, f, out, []byte("ours"))
	wantContent(t, f, out, []byte("ours"))
	if b, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(b) != "secret" {
		t.Errorf("the file outside is now %q, %v", b, err)
	}
}

func TestFolderWhoseShardLeadsOutside(t *testing.T) {
	path, outside := t.TempDir(), t.TempDir()
	f := openFolder(t, path)
	key := blob.NewKey(17)
	dir := filepath.Dir(fileOf(path, key))
	must(t, os.Remove(dir))
	must(t, os.Symlink(outside, dir))
	if _, _, err := f.Put(context.Background(), key, bytes.NewReader(nil), plenty); err == nil {
		t.Error("Put gave no error")
	}
	if _, err := f.Keys(context.Background(), later(), blob.Key{}, 10); err == nil {
		t.Error("Keys gave no error")
	}
	if _, err := blob.OpenFolder(path); err == nil {
		t.Error("OpenFolder gave no error")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("outside there is %v, %v", entries, err)
	}
}

// Other files in the folder are neither listed nor removed.
func TestFolderLeavesTheRestAlone(t *testing.T) {
	path := t.TempDir()
	f := openFolder(t, path)
	key := blob.NewKey(17)
	put(t, f, key, random(10))
	shard := filepath.Base(filepath.Dir(fileOf(path, key)))
	next := "00"
	if shard == next {
		next = "01"
	}
	foreign := []string{"README", shard + "/notes.txt", shard + "/17-abc", shard + "/.hidden", next + "/" + filepath.Base(fileOf(path, key))}
	old := time.Now().Add(-1000 * time.Hour)
	for _, name := range foreign {
		at := filepath.Join(path, name)
		must(t, os.WriteFile(at, []byte("mine"), 0o600))
		must(t, os.Chtimes(at, old, old))
	}
	must(t, os.Mkdir(filepath.Join(path, shard, "lost+found"), 0o700))
	must(t, os.Mkdir(fileOf(path, blob.NewKey(3)), 0o700))
	wantKeys(t, allKeys(t, f, later(), 10), key)
	for _, name := range foreign {
		if _, err := os.Stat(filepath.Join(path, name)); err != nil {
			t.Error(err)
		}
	}
}

// The bytes are durable before the name, and the name before Put returns.
func TestFolderSyncs(t *testing.T) {
	path := t.TempDir()
	f := openFolder(t, path)
	key := blob.NewKey(17)
	var synced []string
	f.SetSync(func(file *os.File) error {
		at, err := file.Stat()
		must(t, err)
		_, missing := os.Stat(fileOf(path, key))
		switch {
		case at.IsDir() && file.Name() == filepath.Dir(fileOf(path, key)) && missing == nil:
			synced = append(synced, "folder with the blob")
		case at.Mode().IsRegular() && at.Size() == 1000 && missing != nil:
			synced = append(synced, "whole file without its name")
		default:
			synced = append(synced, file.Name())
		}
		return file.Sync()
	})
	put(t, f, key, random(1000))
	if want := []string{"whole file without its name", "folder with the blob"}; !slices.Equal(synced, want) {
		t.Errorf("synced were %q, want %q", synced, want)
	}
}

// The folders are durable before they are used, even if another process created
// them and died.
func TestFolderSyncsWhatItIsMadeOf(t *testing.T) {
	above := t.TempDir()
	path := filepath.Join(above, "var", "blobs")
	var synced []string
	record := func(file *os.File) error {
		synced = append(synced, filepath.Clean(file.Name()))
		return nil
	}
	must(t, blob.MakeFolder(path, record))
	f := openFolder(t, path)
	f.SetSync(record)
	must(t, f.Prepare())
	if want := []string{above, filepath.Dir(path), path}; !slices.Equal(synced, want) {
		t.Errorf("synced were %q, want %q", synced, want)
	}
}

// A disk that fails at either point leaves nothing that looks like a blob.
func TestFolderOnAFailingDisk(t *testing.T) {
	for _, folders := range []bool{false, true} {
		s := folderSubject(t)
		s.Store.(*blob.Folder).SetSync(func(file *os.File) error {
			if at, err := file.Stat(); err == nil && at.IsDir() != folders {
				return nil
			}
			return syscall.EIO
		})
		key := blob.NewKey(17)
		if _, _, err := s.Put(context.Background(), key, bytes.NewReader(random(1000)), plenty); !errors.Is(err, syscall.EIO) {
			t.Errorf("Put gave %v, want EIO", err)
		}
		wantNothing(t, s, key)
	}
}

// A folder in place of the blob makes the rename fail.
func TestFolderThatCannotRename(t *testing.T) {
	path := t.TempDir()
	f := openFolder(t, path)
	key := blob.NewKey(17)
	must(t, os.Mkdir(fileOf(path, key), 0o700))
	if _, _, err := f.Put(context.Background(), key, bytes.NewReader(random(1000)), plenty); err == nil {
		t.Error("Put gave no error")
	}
	if junk := folderJunk(t, path); len(junk) > 0 {
		t.Errorf("left behind: %q", junk)
	}
}

// Keys removes old unfinished files, and leaves new ones to the process that is
// writing them.
func TestFolderSweepsTheHalfWritten(t *testing.T) {
	path := t.TempDir()
	f := openFolder(t, path)
	key := blob.NewKey(17)
	put(t, f, key, random(10))
	young := filepath.Join(path, "00", blob.HalfPrefix+"young")
	old := filepath.Join(path, "ff", blob.HalfPrefix+"old")
	for at, age := range map[string]time.Duration{young: blob.Abandoned - time.Minute, old: blob.Abandoned + time.Minute} {
		must(t, os.WriteFile(at, random(100), 0o600))
		when := time.Now().Add(-age)
		must(t, os.Chtimes(at, when, when))
	}
	wantKeys(t, allKeys(t, f, later(), 1), key)
	if junk := folderJunk(t, path); !slices.Equal(junk, []string{young}) {
		t.Errorf("left are %q, want %q", junk, young)
	}
}
