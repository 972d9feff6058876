package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder stores blobs as files that only our own user can read:
//
//	9f/17-9f86d081884c7d659a2feaa0c55ad015
//
// OpenFolder creates the 256 folders in it, and they are never removed. So Put
// never has to make a new folder durable, and processes do not race to create one.
// Symbolic links cannot lead outside.
type Folder struct {
	root *os.Root
	sync func(*os.File) error // (*os.File).Sync, except in tests of a failing disk
}

var _ Store = (*Folder)(nil)

const (
	shards     = 256
	halfPrefix = ".half-" // of files that are being written; no key has such a name
	copySize   = 128 << 10
)

// OpenFolder opens the folder at path and checks that it can be written to. It
// creates the folder if it is missing. What the folder is for, its caller says.
func OpenFolder(path string) (*Folder, error) {
	unusable := func(err error) error { return fmt.Errorf("the folder %s cannot be used: %w", path, err) }
	if err := makeFolder(path, (*os.File).Sync); err != nil {
		return nil, unusable(err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, unusable(err)
	}
	f := &Folder{root: root, sync: (*os.File).Sync}
	if err := f.prepare(); err != nil {
		root.Close()
		return nil, unusable(err)
	}
	return f, nil
}

// Close closes the handle of the folder. Open readers keep working.
func (f *Folder) Close() error { return f.root.Close() }

// makeFolder creates a folder and its parents. Each is durable before the next is
// created.
func makeFolder(path string, sync func(*os.File) error) error {
	above := filepath.Dir(path)
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrNotExist) && above != path {
		if err := makeFolder(above, sync); err != nil {
			return err
		}
		err = os.Mkdir(path, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	d, err := os.Open(above)
	if err != nil {
		return err
	}
	defer d.Close()
	return sync(d)
}

func shard(i int) string { return fmt.Sprintf("%02x", i) }

// prepare creates the missing folders and tries to write.
func (f *Folder) prepare() error {
	for i := range shards {
		err := f.root.Mkdir(shard(i), 0o700)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if at, err := f.root.Lstat(shard(i)); err != nil {
			return err
		} else if !at.IsDir() {
			return fmt.Errorf("%s in it is not a folder", shard(i))
		}
	}
	// Even if all folders existed: the process that created them may have died
	// before the sync.
	if err := f.syncFolder("."); err != nil {
		return err
	}
	temporary, file, err := f.create(shard(0))
	if err != nil {
		return err
	}
	file.Close()
	return f.root.Remove(temporary)
}

// placeOf returns the folder of a blob and its name in there.
func placeOf(key Key) (folder, name string) {
	return key.random[:2], fmt.Sprintf("%d-%s", key.account, key.random)
}

func (f *Folder) create(folder string) (name string, _ *os.File, _ error) {
	// In the folder of the blob, because a rename cannot cross file systems.
	name = folder + "/" + halfPrefix + rand.Text()
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return name, file, err
}

// Put implements Store.
func (f *Folder) Put(ctx context.Context, key Key, r io.Reader, max int64) (int64, [sha256.Size]byte, error) {
	in := newIntake(ctx, r, max)
	if err := f.put(key, in); err != nil {
		return 0, [sha256.Size]byte{}, fmt.Errorf("put blob %s: %w", key, err)
	}
	return in.size, in.sum(), nil
}

func (f *Folder) put(key Key, in *intake) error {
	if key.IsZero() {
		return errNoKey
	}
	folder, name := placeOf(key)
	temporary, file, err := f.create(folder)
	if err != nil {
		return err
	}
	renamed := false
	defer func() {
		file.Close() // a second close is harmless
		if !renamed {
			f.root.Remove(temporary) // Keys removes it if this fails
		}
	}()
	// Hide the file's ReadFrom, which would copy with a buffer of its own.
	if _, err := io.CopyBuffer(struct{ io.Writer }{file}, in, make([]byte, copySize)); err != nil {
		return err
	}
	// Sync the bytes before the rename. Otherwise the file could be incomplete
	// after a crash.
	if err := f.sync(file); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := in.ctx.Err(); err != nil {
		return err
	}
	if err := f.root.Rename(temporary, folder+"/"+name); err != nil {
		return err
	}
	renamed = true
	if err := f.syncFolder(folder); err != nil {
		f.root.Remove(folder + "/" + name)
		return err
	}
	return nil
}

func (f *Folder) syncFolder(name string) error {
	d, err := f.root.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return f.sync(d)
}

// Open implements Store.
func (f *Folder) Open(ctx context.Context, key Key) (Reader, error) {
	file, err := f.open(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, err)
	}
	return file, nil
}

func (f *Folder) open(ctx context.Context, key Key) (Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if key.IsZero() {
		return nil, errNoKey
	}
	folder, name := placeOf(key)
	// Check before opening, because a link could lead to another account's blob,
	// and opening a pipe would block.
	at, err := f.root.Lstat(folder + "/" + name)
	if err != nil {
		return nil, err
	}
	if !at.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	file, err := f.root.Open(folder + "/" + name)
	if err != nil {
		return nil, err
	}
	// Check again, because the file may have been replaced in between.
	at, err = file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return openFile{file, at.Size()}, nil
}

type openFile struct {
	*os.File
	size int64
}

func (f openFile) Size() int64 { return f.size }

// Remove implements Store. It does not wait for the disk. If a crash brings the
// blob back, no row refers to it and the next sweep removes it.
func (f *Folder) Remove(ctx context.Context, key Key) error {
	err := ctx.Err()
	if err == nil && key.IsZero() {
		err = errNoKey
	}
	if err == nil {
		folder, name := placeOf(key)
		err = f.root.Remove(folder + "/" + name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove blob %s: %w", key, err)
	}
	return nil
}
