package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// diskSize is the size of a database's disk. A run of eight minutes at 18 writes a second used a seventh of it.
const diskSize = 3 << 30

// ownMounts marks a process, in its environment, whose mounts nobody else sees.
const ownMounts = "FRONTDESK_CLUSTER_MOUNTS"

// OwnMounts makes this process start again with mounts that only it and its children see, and that go with them. Each
// database has a disk of its own then. It does nothing if that is so already, or if the system does not allow it.
func OwnMounts() error {
	if HasDisks() || os.Geteuid() != 0 {
		return nil
	}
	runtime.LockOSThread() // the mounts are those of a thread, and the one that calls exec is the one that stays
	defer runtime.UnlockOSThread()
	if syscall.Unshare(syscall.CLONE_NEWNS) != nil {
		return nil // a container that may not
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts of our own: %w", err)
	}
	return syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), ownMounts+"=yes"))
}

// HasDisks reports whether databases have disks of their own, which can be filled.
func HasDisks() bool { return os.Getenv(ownMounts) != "" }

// mountDisk makes the folder of a database, as a disk of its own if possible.
func (d *Database) mountDisk() error {
	if err := os.Mkdir(d.disk(), 0o755); err != nil {
		return err
	}
	if HasDisks() {
		if err := syscall.Mount("disk", d.disk(), "tmpfs", 0, fmt.Sprintf("size=%d,mode=0755", diskSize)); err != nil {
			return fmt.Errorf("a disk for %s: %w", d.Name, err)
		}
	}
	if d.cluster.owner == nil {
		return nil
	}
	return os.Chown(d.disk(), int(d.cluster.owner.Uid), int(d.cluster.owner.Gid))
}

// FillDisk leaves no room on the database's disk for some time. What others free meanwhile, it takes.
func (d *Database) FillDisk(ctx context.Context, long time.Duration) error {
	f, err := os.Create(filepath.Join(d.disk(), "ballast"))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	const largest, page = 64 << 20, 4 << 10
	for size := int64(0); ctx.Err() == nil; {
		for piece := int64(largest); piece >= page; {
			switch err := syscall.Fallocate(int(f.Fd()), 0, size, piece); {
			case err == nil:
				size += piece
			case errors.Is(err, syscall.ENOSPC):
				piece /= 2
			case !errors.Is(err, syscall.EINTR):
				return err
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// DiskUsed returns how many bytes of the database's disk are in use.
func (d *Database) DiskUsed() (int64, error) {
	var disk syscall.Statfs_t
	err := syscall.Statfs(d.disk(), &disk)
	return int64(disk.Blocks-disk.Bfree) * disk.Bsize, err
}
