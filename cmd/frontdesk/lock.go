package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// errLocked says that another process has locked a file.
var errLocked = errors.New("another process has locked it")

// lockData makes sure that a SQLite database has one server. Two would work, but
// slowly: neither learns what the other does, so each would have to look. Commands are
// no servers and need no lock.
//
// The operating system releases the lock when the process ends, however it ends. A file
// system that has no locks, such as some network file systems, does not prevent the
// start.
func (s *settings) lockData() (unlock func(), err error) {
	if s.DatabaseURL != "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	// Not the database itself. To close it would release SQLite's own locks.
	f, err := os.OpenFile(filepath.Join(s.Data, "server.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the data folder: %w", err)
	}
	switch err := lockFile(f); {
	case errors.Is(err, errLocked):
		f.Close()
		return nil, fmt.Errorf("another server uses the data folder %s. A SQLite database can have one server: stop the other one, choose another folder with --data or FRONTDESK_DATA, or run several nodes on PostgreSQL with FRONTDESK_DATABASE_URL", s.Data)
	case err != nil:
		if log, e := s.logger(); e == nil {
			log.Warn("cannot lock the data folder; make sure that no other server uses it", "folder", s.Data, "error", err)
		}
	}
	return func() { f.Close() }, nil
}
