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

// Folder keeps blobs as files, readable for our own user alone:
//
//	9f/17-9f86d081884c7d659a2feaa0c55ad015
//
// The 256 folders in it are made when it is opened and never removed, so that
// Put makes no folder whose own entry would have to be durable first, and no
// two processes race about one. Symbolic links lead nowhere outside.
type Folder struct {
	root *os.Root
	sync func(*os.File) error // (*os.File).Sync, but for tests of a failing disk
}

var _ Store = (*Folder)(nil)

const (
	shards     = 256
	halfPrefix = ".half-" // of files that are being written; in no key's name
	copySize   = 128 << 10
)

// OpenFolder opens the folder at a path, which it makes if it is missing, and
// finds out whether it can be written to.
func OpenFolder(path string) (*Folder, error) {
	if err := makeFolder(path, (*os.File).Sync); err != nil {
		return nil, fmt.Errorf("make the folder for attachments: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open the folder for attachments: %w", err)
	}
	f := &Folder{root: root, sync: (*os.File).Sync}
	if err := f.prepare(); err != nil {
		root.Close()
		return nil, fmt.Errorf("the folder for attachments, %s, cannot be used: %w", path, err)
	}
	return f, nil
}

// Close gives back the handle of the folder. Open readers live on.
func (f *Folder) Close() error { return f.root.Close() }

// makeFolder makes a folder and those above it, each durable before the next.
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

// prepare makes what is missing and tries to write.
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
	// Even when all were there: who made them may have died before this.
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

// place is where a blob is: its folder, and its name in there.
func place(key Key) (folder, name string) {
	return key.random[:2], fmt.Sprintf("%d-%s", key.account, key.random)
}

func (f *Folder) create(folder string) (name string, _ *os.File, _ error) {
	// In the folder of the blob, or the two might lie in different file systems.
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
	folder, name := place(key)
	temporary, file, err := f.create(folder)
	if err != nil {
		return err
	}
	renamed := false
	defer func() {
		file.Close() // once more is harmless
		if !renamed {
			f.root.Remove(temporary) // a walk does it if this fails
		}
	}()
	// Behind a plain Writer, or the file would copy with a buffer of its own.
	if _, err := io.CopyBuffer(struct{ io.Writer }{file}, in, make([]byte, copySize)); err != nil {
		return err
	}
	// The bytes before the name, or after a crash the name could stand for less.
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
	folder, name := place(key)
	// Before opening: a link could lead to another's blob, and a pipe would wait.
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
	// Again, because the file may have been replaced in between.
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

// Remove implements Store. It does not wait for the disk: a blob that a crash
// brings back is named by no row, and the next sweep takes it.
func (f *Folder) Remove(ctx context.Context, key Key) error {
	err := ctx.Err()
	if err == nil && key.IsZero() {
		err = errNoKey
	}
	if err == nil {
		folder, name := place(key)
		err = f.root.Remove(folder + "/" + name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove blob %s: %w", key, err)
	}
	return nil
}
