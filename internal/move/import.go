package move

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/sqldb"
)

// ErrOtherKey says that a file comes from a server with another key.
var ErrOtherKey = errors.New("the account comes from a server with another key: give this server the same key, with FRONTDESK_KEY or FRONTDESK_KEY_FILE")

// errDry undoes a dry run.
var errDry = errors.New("this was a dry run")

// Import brings the account of a file into a database, all of it or nothing. With
// dry it changes nothing, and says what it would do.
func Import(ctx context.Context, path string, into Desk, dry bool, progress Progress) (s Summary, err error) {
	copied, remove, err := copyOf(path)
	if err != nil {
		return s, err
	}
	defer remove()
	file, err := openFile(ctx, copied)
	if err != nil {
		return s, err
	}
	defer file.Close()
	err = file.Read(ctx, func(from *sqldb.Tx) error {
		if s, err = summary(from, into); err != nil {
			return err
		}
		// Files come before the rows that name them. If the rows do not follow, a sweep
		// removes the files after a day.
		if err := into.DB.Look(ctx, s.isFree); err != nil {
			return err
		}
		if !dry {
			if err := putFiles(ctx, from, into.Blobs, &s, progress); err != nil {
				return err
			}
		}
		// Claim, for READ COMMITTED: nobody else knows the rows of the account, so
		// there is nothing to conflict with, and one transaction holds all of it.
		err := into.DB.Claim(ctx, func(to *sqldb.Tx) error {
			if err := s.copyInto(from, to, into.DB.Engine(), progress); err != nil {
				return err
			}
			if dry {
				return errDry
			}
			return nil
		})
		if errors.Is(err, errDry) {
			return nil
		}
		return err
	})
	return s, err
}

// copyOf copies a file beside itself, because reading it may update its schema.
func copyOf(path string) (copied string, remove func() error, err error) {
	from, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer from.Close()
	to, err := os.CreateTemp(filepath.Dir(path), ".import-*")
	if err != nil {
		return "", nil, err
	}
	_, err = io.Copy(to, from)
	return to.Name(), func() error { return removeFile(to.Name()) }, errors.Join(err, to.Close())
}

// summary reads what is in a file, and checks that it is one of ours and has our key.
func summary(from *sqldb.Tx, into Desk) (s Summary, err error) {
	var is int
	if err := from.Row("SELECT count(*) FROM sqlite_schema WHERE name = 'moved_account'").Scan(&is); err != nil || is == 0 {
		return s, errors.Join(err, errors.New("the file has no account: make it with frontdesk account export"))
	}
	var at int64
	var sealed []byte
	err = from.Row("SELECT m.account, a.name, m.at, m.mark FROM moved_account m JOIN accounts a ON a.id = m.account").Scan(&s.Account, &s.Name, &at, &sealed)
	if err != nil {
		return s, err
	}
	s.At = time.UnixMilli(at).UTC()
	if open, err := into.Key.Open(markPlace(s.Account), sealed); err != nil || string(open) != mark {
		return s, ErrOtherKey
	}
	return s, nil
}

// isFree returns an error if a database has the account already.
func (s *Summary) isFree(tx *sqldb.Tx) error {
	var taken int
	err := tx.Row("SELECT count(*) FROM accounts WHERE id = $1", s.Account).Scan(&taken)
	if err == nil && taken > 0 {
		err = fmt.Errorf("%w: there is an account %d already", ErrTaken, s.Account)
	}
	return err
}

// copyInto copies the rows into a database.
func (s *Summary) copyInto(from, to *sqldb.Tx, engine sqldb.Engine, progress Progress) error {
	if err := s.isFree(to); err != nil {
		return err
	}
	all, err := tables(from)
	if err != nil {
		return err
	}
	before, err := readCounters(to, engine, all)
	if err != nil {
		return err
	}
	copied, err := copyAccount(from, to, all, s.Account, progress)
	if err != nil {
		return err
	}
	s.count(copied)
	if err := copyJobs(from, to, 0); err != nil {
		return err
	}
	return before.set(from, to, engine)
}

// putFiles stores the attachments of a file.
func putFiles(ctx context.Context, from *sqldb.Tx, into blob.Store, s *Summary, progress Progress) error {
	keys, err := filesIn(from)
	if err != nil {
		return err
	}
	for i, key := range keys {
		size, _, err := into.Put(ctx, key, &fileReader{from: from, key: key.String()}, math.MaxInt64-1)
		if err != nil {
			return fmt.Errorf("file %s: %w", key, err)
		}
		s.Files++
		s.Bytes += size
		progress("files", i+1)
	}
	return nil
}

func filesIn(from *sqldb.Tx) ([]blob.Key, error) {
	return sqldb.Collect(from, func(scan func(...any) error) (blob.Key, error) {
		var text string
		if err := scan(&text); err != nil {
			return blob.Key{}, err
		}
		return blob.ParseKey(text)
	}, "SELECT key FROM moved_files WHERE n = 0 ORDER BY key")
}

// fileReader reads the pieces of a file one after the other.
type fileReader struct {
	from *sqldb.Tx
	key  string
	n    int
	left bytes.Reader
}

func (r *fileReader) Read(b []byte) (int, error) {
	for r.left.Len() == 0 {
		var next []byte
		err := r.from.Row("SELECT bytes FROM moved_files WHERE key = $1 AND n = $2", r.key, r.n).Scan(&next)
		if errors.Is(err, sqldb.ErrNoRows) || err == nil && len(next) == 0 {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		r.n++
		r.left.Reset(next)
	}
	return r.left.Read(b)
}
