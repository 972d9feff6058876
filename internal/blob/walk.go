package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Keys implements Store. The keys are in the order of the files, by folder and then
// by name. The age counts from the last byte written.
func (f *Folder) Keys(ctx context.Context, before time.Time, after Key, limit int) ([]Key, error) {
	if err := checkPage(limit); err != nil {
		return nil, err
	}
	var fromFolder, fromName string
	if !after.IsZero() {
		fromFolder, fromName = placeOf(after)
	}
	var keys []Key
	for i := range shards {
		if shard(i) < fromFolder {
			continue
		}
		if shard(i) > fromFolder {
			fromName = ""
		}
		more, err := f.walkFolder(ctx, shard(i), before, fromName, limit-len(keys))
		if err != nil {
			return nil, fmt.Errorf("list blobs: %w", err)
		}
		if keys = append(keys, more...); len(keys) == limit {
			break
		}
	}
	return keys, nil
}

// walkFolder returns up to limit keys of one folder that come after a name, and removes
// abandoned unfinished files.
func (f *Folder) walkFolder(ctx context.Context, folder string, before time.Time, from string, limit int) ([]Key, error) {
	names, err := f.names(folder)
	if err != nil {
		return nil, err
	}
	var keys []Key
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if strings.HasPrefix(name, halfPrefix) {
			if err := f.removeAbandoned(folder + "/" + name); err != nil {
				return nil, err
			}
			continue
		}
		key, err := keyNamed(folder, name)
		if err != nil || name <= from || len(keys) == limit {
			continue // not ours, so leave it alone
		}
		at, err := f.root.Lstat(folder + "/" + name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		} else if err != nil {
			return nil, err
		}
		if at.Mode().IsRegular() && at.ModTime().Before(before) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func (f *Folder) names(folder string) ([]string, error) {
	d, err := f.root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// keyNamed returns the key of the blob that placeOf puts there.
func keyNamed(folder, name string) (Key, error) {
	key, err := ParseKey(strings.Replace(name, "-", "/", 1))
	if err == nil && !strings.HasPrefix(key.random, folder) {
		return Key{}, errors.New("the file is in the wrong folder")
	}
	return key, err
}

// removeAbandoned removes an unfinished file once it is abandoned. If its Put were to
// continue after all, it would fail and store nothing.
func (f *Folder) removeAbandoned(path string) error {
	at, err := f.root.Lstat(path)
	if err == nil && at.ModTime().Before(time.Now().Add(-abandoned)) {
		err = f.root.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // finished, or removed by another call
	}
	return err
}
