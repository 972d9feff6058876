//go:build linux || darwin || freebsd

package main

import "golang.org/x/sys/unix"

// freeSpace returns how many bytes a user may still write to the disk of a folder.
func freeSpace(folder string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}

// openFiles returns how many files a process may have open. Go uses all that it may.
func openFiles() (uint64, error) {
	var l unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l)
	return uint64(l.Max), err
}

// onSameDisk reports whether two folders are on one file system.
func onSameDisk(a, b string) bool {
	var of, other unix.Stat_t
	return unix.Stat(a, &of) == nil && unix.Stat(b, &other) == nil && of.Dev == other.Dev
}
