package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"frontdesk/internal/backup"
)

// placeTime is how long the doctor waits for the place for backups, which it lists.
const placeTime = time.Minute

// checkBackups looks whether there is a backup, and whether the next one can be made.
func (e *examination) checkBackups(ctx context.Context) (all []finding) {
	const check = "backups"
	ctx, cancel := context.WithTimeout(ctx, placeTime)
	defer cancel()
	to := e.Backup.BackupTo
	if to == "" {
		return []finding{note(check, "Set FRONTDESK_BACKUP_TO to a folder on another disk, or to a bucket, and the server makes them. docs/operating.md says how.", "There are no backups: FRONTDESK_BACKUP_TO is not set.")}
	}
	if _, err := e.Backup.key(); err != nil {
		return []finding{wrong(check, "Restore the file that FRONTDESK_BACKUP_KEY_FILE names, and let the user of the server read it. Without it nobody can make or read these backups.", "%s.", asSentence(err))}
	}
	if at, err := os.Stat(e.Backup.BackupKeyFile); err == nil && at.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		all = append(all, note(check, "chmod 600 "+e.Backup.BackupKeyFile, "Other users of this machine can read %s.", e.Backup.BackupKeyFile))
	}
	if !strings.Contains(to, "://") {
		more, used := e.checkBackupFolder(to)
		if all = append(all, more...); !used {
			return all
		}
	}
	newest, err := e.newestBackup(ctx)
	switch {
	case errors.Is(err, backup.ErrNone):
		return append(all, note(check, "A running server makes one. To make it now: frontdesk backup", "The place for backups can be used, and has none yet."))
	case err != nil:
		return append(all, wrong(check, "Look at FRONTDESK_BACKUP_TO and FRONTDESK_BACKUP_KEY_FILE, and at the rights of the user of the server or of the access key.", "%s.", asSentence(err)))
	}
	all = append(all, judgeBackup(newest.At, time.Now(), e.Backup.BackupEvery))
	if free, err := freeSpace(e.Data); err == nil && e.DatabaseURL != "" {
		all = append(all, judgeCopyRoom(e.Data, free, newest.Database.Size)...)
	}
	return all
}

// checkBackupFolder looks at the folder for backups. used says whether something is in
// it. An empty one is left as it is: to open it would create folders in it.
func (e *examination) checkBackupFolder(path string) (all []finding, used bool) {
	const check = "backups"
	inside, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []finding{note(check, "If there should be backups, look whether their disk is mounted.", "The folder for backups, %s, does not exist. The first backup creates it.", path)}, false
	case err != nil:
		return []finding{wrong(check, "Set FRONTDESK_BACKUP_TO to a folder that belongs to the user of the server.", "%s.", asSentence(err))}, false
	}
	f, err := os.CreateTemp(path, ".doctor-*")
	if err != nil {
		return []finding{wrong(check, "Make the user of the server the owner of the folder and of everything in it.", "The folder for backups cannot be written to: %v.", err)}, false
	}
	f.Close()
	os.Remove(f.Name())
	if onSameDisk(path, e.Data) {
		all = append(all, note(check, "Use another disk, another machine or a bucket.", "%s is on the disk of the data folder. If the disk is lost, both are.", path))
	} else if free, err := freeSpace(path); err == nil {
		all = append(all, judgeSpace(path, free, "Make room, or keep fewer backups with FRONTDESK_BACKUP_KEEP. When the disk is full, backups fail."))
	}
	if len(inside) == 0 {
		all = append(all, note(check, "A running server makes one. To make it now: frontdesk backup", "%s can be written to, and has no backup yet.", path))
	}
	return all, len(inside) > 0
}

// newestBackup reads the newest backup of the settings' place. In a bucket, it tries to
// write first.
func (s *settings) newestBackup(ctx context.Context) (*backup.Manifest, error) {
	p, err := s.place(ctx, "")
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.At(ctx, time.Time{})
}

// judgeBackup judges the age of the newest backup. Two of them may take long, and the
// moment of a backup is its beginning.
func judgeBackup(at, now time.Time, every time.Duration) finding {
	const check = "backups"
	age := now.Sub(at).Round(time.Minute)
	switch {
	case every == 0:
		return note(check, "Set FRONTDESK_BACKUP_EVERY, unless something else runs frontdesk backup.", "The server makes no backups by itself: FRONTDESK_BACKUP_EVERY is 0. The newest is of %s, %s ago.", moment(at), age)
	case age > 2*every:
		return wrong(check, "Is a server running with these settings? Its log says why backups fail. To make one now: frontdesk backup", "The newest backup is of %s, %s ago. There should be one every %s.", moment(at), age, every)
	}
	return ok(check, "The place for backups can be used. The newest one is of %s, %s ago.", moment(at), age)
}

// judgeCopyRoom judges whether the next backup of PostgreSQL, which is first copied to a
// file, will fit on the disk of the data folder.
func judgeCopyRoom(folder string, free uint64, size int64) []finding {
	if free > uint64(size)+uint64(size)/4 {
		return nil
	}
	return []finding{wrong("backups", "Make room, or set FRONTDESK_DATA to a folder on a larger disk.",
		"A backup of PostgreSQL needs room for a copy in %s, %s the last time. Its disk has %s left.", folder, megabytes(size), megabytes(int64(free)))}
}
