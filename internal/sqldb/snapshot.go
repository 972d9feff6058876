package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrSnapshot says that a SQLite database could not be copied before a migration.
// The migration did not run.
var ErrSnapshot = errors.New("no copy of the database could be made before updating its schema")

const (
	keptSnapshots = 3
	snapshotName  = "frontdesk-before-"
)

// takeSnapshot copies the SQLite database before a migration, and removes the oldest
// of earlier copies. The way back is to put the copy in the place of the database.
func (db *DB) takeSnapshot(ctx context.Context, version int) error {
	folder := db.config.Snapshots
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	// What a process that was killed has left.
	if err := removeSnapshots(folder, ".unfinished", 0); err != nil {
		return err
	}
	if err := checkRoom(db.config.URL, folder); err != nil {
		return err
	}
	path := filepath.Join(folder, fmt.Sprintf("%s%d-%s.db", snapshotName, version, time.Now().UTC().Format("2006-01-02-150405.000")))
	if err := db.Backup(ctx, nil, path); err != nil {
		return err
	}
	db.config.Log.Info("copied the database before updating its schema; operating.md says how to go back to it", "file", path)
	return removeSnapshots(folder, ".db", keptSnapshots)
}

// checkRoom returns an error if a copy of the database would fill the disk. A copy
// is never larger than the file and its log together.
func checkRoom(database, folder string) error {
	var size int64
	for _, end := range []string{"", "-wal"} {
		if info, err := os.Stat(database + end); err == nil {
			size += info.Size()
		}
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return err
	}
	if free := int64(disk.Bavail) * int64(disk.Bsize); size > free {
		return fmt.Errorf("it needs %d MB in %s, and %d MB are free", size>>20+1, folder, free>>20)
	}
	return nil
}

// removeSnapshots removes the files of snapshots with the given end, except the
// newest ones.
func removeSnapshots(folder, end string, keep int) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var found []fs.FileInfo
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), snapshotName) && strings.HasSuffix(e.Name(), end) {
			info, err := e.Info()
			if err != nil {
				return err
			}
			found = append(found, info)
		}
	}
	slices.SortFunc(found, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range found[min(keep, len(found)):] {
		removeAll(filepath.Join(folder, info.Name()))
	}
	return nil
}
